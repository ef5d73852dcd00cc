//! Ignore rules: `.gitignore` and its kin, read once for each directory that has one.
//!
//! [`Options`] are compiled to [`Rules`], which a walk obeys ([`Walk::rules`](crate::Walk::rules)).
//! The walk keeps the [`Level`] of each directory, and asks it about each entry before any visitor
//! or iterator is asked:
//!
//! ```text
//!   before Visitor::enter    the directory's level is that of its parent: one reference count;
//!                            to a root's level the rules above it are added
//!   after Visitor::opened    the directory's own rule files are read, if the listing shows any
//!   before Visitor::select   an ignored entry is neither handed on nor entered
//! ```
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = tempfile::tempdir()?;
//! # let root = scratch.path();
//! use brisk::Walk;
//! use brisk::ignore::{Options, Rules};
//!
//! std::fs::create_dir(root.join(".git"))?;
//! std::fs::write(root.join(".gitignore"), "*.o\n")?;
//! std::fs::write(root.join("main.c"), "")?;
//! std::fs::write(root.join("main.o"), "")?;
//!
//! let rules = Rules::new(Options::default())?;
//! let mut kept = Walk::new(root).rules(rules).min_depth(1).into_iter();
//! assert_eq!(kept.next().expect("an entry")?.file_name(), "main.c");
//! assert!(kept.next().is_none());
//! # Ok(())
//! # }
//! ```
//!
//! # Precedence
//! Highest first: overrides, then files of the configured names (`.fdignore`, `.ignore`: the order
//! is the caller's), `.gitignore`, `.git/info/exclude`, the user's global gitignore, explicit
//! files, and the hidden filter, which decides only about entries that no rule matches. Kind beats
//! depth; within a kind the file in the deeper directory wins, and in a file the last line. An
//! ignored directory is not entered, so no rule can bring back an entry below it. Roots are never
//! ignored by rules, only by markers ([`contain`](field@Options::contain)).
//!
//! # Repositories
//! Git's rules count at and below a directory with an entry `.git`, of any type, or `.jj`. The
//! `.gitignore` and `info/exclude` rules of an outer repository end at an inner one. `.git` itself
//! is an entry like any other. All this is as in `fd` and `rg`. `info/exclude` and the configuration
//! of a submodule or worktree are found where git finds them.
//!
//! # Where this differs from git
//! Git's files mean what they mean to git, and `core.ignoreCase` and `core.excludesFile` count as
//! they do for git, with these exceptions. Files of other names, which `fd` and `rg` read, may also
//! use `{a,b}` as an alternative.
//!
//! - A pattern must be UTF-8.
//! - A `.gitignore` that is a link is followed.
//! - In a pattern with a slash, `**` beside other characters (`a**/b`) is one asterisk, as git
//!   documents it; in some versions of git it crosses directories.
//! - Neither `[includeIf]`, nor `config.worktree`, `~user/` in a path, GIT_CONFIG_PARAMETERS
//!   (`git -c`), GIT_DIR or GIT_WORK_TREE is looked at.
//! - A setting that git refuses is passed over, together with what follows in its file. It is
//!   reported, and the rules are not [complete](Level::is_complete).
//! - A file larger than 8 MiB, a line longer than 4096 bytes, and the rules after the hundred
//!   thousandth do not count.
//! - A root inside an ignored directory is walked.
//!
//! # What it costs
//! | when | system calls |
//! |---|---|
//! | [`Rules::new`] | open, read, close for each explicit file; one getcwd if there are any |
//! | a root | resolving its path; a stat for `.git` and `.jj` in it; for each directory above it one stat for each rule file name, and for `.git` and `.jj` up to the repository: roots below the same directory share these |
//! | first repository met | reading the user's configuration of git, and the rules that it names |
//! | a repository | reading `.git/config` and `.git/info/exclude` |
//! | a directory whose listing shows a rule file | reading it |
//! | a directory too large for one buffer | for each rule file name not yet seen a failing open, for `.git` and `.jj` a stat |
//! | an entry | none, unless [`Options::contain`] has names: then a stat for each directory and name |

mod config_lines;
mod files;
mod git;
mod matcher;
mod options;
mod parents;
mod rule;
mod shared;
mod stack;
mod step;
#[cfg(test)]
mod tests;
pub(crate) mod typed;

use std::ffi::{CStr, CString};
use std::sync::Arc;

use brisk_sys::{Dir, RawEntries};

pub use self::stack::Level;
pub use options::{GitRules, GlobalRules, Hidden, Options, Parents};
pub use typed::{GlobError, regex_of_glob};

use self::files::RuleDir;
use self::shared::SharedRules;
use self::stack::{Here, Stack};
use self::step::RuleSteps;
use crate::Error;

/// Compiled ignore rules, shared by all workers and roots of a walk. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Rules(Arc<SharedRules>);

impl Rules {
    /// Reads the explicit files and compiles the overrides. A file's failures and bad lines are in
    /// [`errors`](Rules::errors), and its other rules are in force. System calls: for each explicit
    /// file an open, reads and a close; one getcwd if there are any; else none.
    ///
    /// # Errors
    /// An override that is not a valid glob.
    pub fn new(options: Options) -> Result<Rules, GlobError> {
        Ok(Rules(Arc::new(SharedRules::new(options)?)))
    }

    /// The failures of [`new`](Rules::new): an explicit file that could not be read, or, as
    /// [`InvalidData`](std::io::ErrorKind::InvalidData), a line in one that is not a rule.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.0.errors
    }

    /// The level above the roots, where nothing is ignored.
    #[must_use]
    pub fn top(&self) -> Level {
        let shared = Arc::clone(&self.0);
        let steps = RuleSteps::default();
        Level(Arc::new(Stack {
            shared,
            steps,
            hides_dots: false,
            in_git: false,
            ignore_case: false,
        }))
    }

    /// Whether a file of this name may hold rules, or mark a repository. The rules of a directory
    /// without such a file are those of the directory above it. Makes no system call.
    #[must_use]
    #[inline]
    pub fn is_rule_file(&self, name: &CStr) -> bool {
        let may_be = !self.0.wants_only_dots || name.to_bytes().starts_with(b".");
        may_be && self.0.wanted.iter().any(|(wanted, _)| wanted.as_c_str() == name)
    }

    /// Whether directories may be ignored for what they contain ([`Options::contain`]). Makes no
    /// system call.
    #[must_use]
    pub fn has_markers(&self) -> bool {
        !self.0.contain.is_empty()
    }

    /// Whether directories may hold rules that count.
    pub(crate) fn wants_listing(&self) -> bool {
        !self.0.wanted.is_empty()
    }
}

impl Level {
    /// The level of a root, in this one above the roots, before the root's own rule files are read:
    /// the rules of the directories above it. `prefix` is its path with a separator at its end.
    /// Failures are added to `errors`.
    pub(crate) fn at_root(
        &self,
        prefix: &[u8],
        handle: Option<&Dir>,
        errors: &mut Vec<Error>,
    ) -> Level {
        let mut stack = Stack::at_root(Arc::clone(&self.0.shared), prefix);
        if !stack.shared.wanted.is_empty() {
            parents::apply(&mut stack, RuleDir::of(prefix, handle), prefix.len(), errors);
        }
        Level(Arc::new(stack))
    }

    /// Adds the rules of the directory itself, whose first names are `names`, to those that it shares
    /// with its parent. Failures are added to `errors`. Their operation is
    /// [`ReadIgnoreFile`](crate::Operation::ReadIgnoreFile): a file that could not be read or, as
    /// [`InvalidData`](std::io::ErrorKind::InvalidData), a line that is not a rule
    /// ([`FileTooLarge`](std::io::ErrorKind::FileTooLarge): a line after which no other counts).
    pub(crate) fn read(
        &mut self,
        prefix: &[u8],
        handle: &Dir,
        depth: usize,
        (names, is_complete): (RawEntries<'_>, bool),
        errors: &mut Vec<Error>,
    ) {
        let seen = self.0.shared.look_through(names, is_complete);
        self.take_in(Here { prefix, handle: Some(handle), depth, seen }, errors);
    }

    /// The level of a directory in this one that the walk does not read, because it
    /// [goes on](crate::Walk::resume) below it. `prefix` is the directory's path with a separator at
    /// its end, as [`Directory::prefix`](crate::Directory::prefix) has it. System calls: for each
    /// rule file name an open, for `.git` and `.jj` a stat.
    #[must_use]
    pub fn enter_above(&self, prefix: &[u8], depth: usize) -> (Level, Vec<Error>) {
        let mut errors = Vec::new();
        let mut level = match depth {
            0 => self.at_root(prefix, None, &mut errors),
            _ => self.clone(),
        };
        let seen = level.0.shared.nothing_seen();
        level.take_in(Here { prefix, handle: None, depth, seen }, &mut errors);
        (level, errors)
    }

    fn take_in(&mut self, here: Here<'_>, errors: &mut Vec<Error>) {
        if let Some(stack) = here.stack(&self.0, errors) {
            self.0 = Arc::new(stack);
        }
    }

    /// Whether these are all rules that hold here: each file of rules could be read, and each of
    /// their lines is a rule. If not, entries may be missing from what
    /// the rules leave out, and a walk for which that matters does not enter the directory
    /// ([`Needs::complete_rules`](field@crate::Needs::complete_rules)). Makes no system call.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.steps.0.iter().all(|step| step.is_complete)
    }

    /// The names in [`Options::contain`].
    #[inline]
    pub(crate) fn markers(&self) -> &[CString] {
        &self.0.shared.contain
    }
}
