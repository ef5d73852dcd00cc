//! Ignore rules: `.gitignore` and its kin, read once for each directory that has one.
//!
//! A visitor compiles its [`Options`] to [`Rules`], stores a [`Level`] in the
//! [`State`](crate::Visitor::State) of each directory, and asks it about each entry:
//!
//! ```text
//!   Visitor::top     Rules::top       above the roots: no rules
//!   Visitor::enter   Level::enter     shares the parent's rules: one reference count
//!   Visitor::listed  Level::listed    reads rule files, if they are listed
//!   Visitor::select  Level::is_ignored
//! ```
//!
//! # Precedence
//! Highest first: overrides, then files of the configured names (`.fdignore`, `.ignore`: the order
//! is the caller's), `.gitignore`, `.git/info/exclude`, the user's global gitignore, explicit
//! files, and the hidden filter, which decides only about entries that no rule matches. Kind beats
//! depth; within a kind the file in the deeper directory wins, and in a file the last line. An
//! ignored directory is not entered, so no rule can bring back an entry below it. Roots are never
//! ignored by rules.
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
//! | a root | resolving its path; for each directory above it one stat for each rule file name, and for `.git` and `.jj` up to the repository: roots below the same directory share these |
//! | first repository met | reading the user's configuration of git, and the rules that it names |
//! | a repository | reading `.git/config` and `.git/info/exclude` |
//! | a directory whose listing shows a rule file | reading it |
//! | a directory too large for one buffer | for each rule file name not yet seen a failing open, for `.git` and `.jj` a stat |
//! | an entry | none, unless [`Options::contain`] has names: then a stat for each directory and name |

mod ancestors;
mod config_lines;
mod error;
mod files;
mod git_config;
mod globs;
mod here;
mod matcher;
mod options;
mod parents;
mod repository;
mod rule;
mod seen;
mod shared;
mod stack;
mod step;
#[cfg(test)]
mod tests;
pub(crate) mod typed;

use std::ffi::CStr;
use std::sync::Arc;

use brisk_sys::paths::without_separator;

pub use error::GlobError;
pub use options::{GitRules, GlobalRules, Hidden, Options, Parents};
pub use typed::regex_of_glob;

use self::files::ByPath;
use self::here::Here;
use self::shared::Shared;
use self::stack::Stack;
use crate::entry::bytes_to_path;
use crate::{Directory, Entry, Error, Listing};

/// Compiled ignore rules, shared by all workers and roots of a walk. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Rules(Arc<Shared>);

impl Rules {
    /// Reads the explicit files and compiles the overrides. A file's failures and bad lines are in
    /// [`errors`](Rules::errors), and its other rules are in force. System calls: for each explicit
    /// file an open, reads and a close; one getcwd if there are any; else none.
    ///
    /// # Errors
    /// An override that is not a valid glob.
    pub fn new(options: Options) -> Result<Rules, GlobError> {
        Ok(Rules(Arc::new(Shared::new(options)?)))
    }

    /// The failures of [`new`](Rules::new): an explicit file that could not be read, or, as
    /// [`InvalidData`](std::io::ErrorKind::InvalidData), a line in one that is no rule.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.0.errors
    }

    /// The level above the roots, where nothing is ignored.
    #[must_use]
    pub fn top(&self) -> Level {
        Level(Arc::new(Stack::above_roots(Arc::clone(&self.0))))
    }

    /// Whether a file of this name may hold rules, or mark a repository. The rules of a directory
    /// without such a file are those of the directory above it. Makes no system call.
    #[must_use]
    pub fn is_rule_file(&self, name: &CStr) -> bool {
        self.0.wanted.iter().any(|(wanted, _)| wanted.as_c_str() == name)
    }

    /// Whether [`Level::listed`] may find rules: a visitor sets
    /// [`Needs::listing`](field@crate::Needs::listing) to this.
    #[must_use]
    pub fn wants_listing(&self) -> bool {
        self.0.wants_listing()
    }
}

/// The rules in force in one directory: shared with the directory above it if it has no rule file
/// of its own. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Level(Arc<Stack>);

impl Level {
    /// The level of a directory in this one, before that directory's own rule files are read. Makes
    /// no system call.
    #[must_use]
    pub fn enter(&self, dir: &Entry<'_>) -> Level {
        self.enter_at(dir.depth())
    }

    fn enter_at(&self, depth: usize) -> Level {
        match depth {
            0 => Level(Arc::new(Stack::at_root(Arc::clone(&self.0.shared)))),
            _ => self.clone(),
        }
    }

    /// Adds the rules of the directory itself and, for a root, those of the directories above it.
    /// Returns the failures, whose operation is
    /// [`ReadIgnoreFile`](crate::Operation::ReadIgnoreFile): a file that could not be read or, as
    /// [`InvalidData`](std::io::ErrorKind::InvalidData), a line that is no rule
    /// ([`FileTooLarge`](std::io::ErrorKind::FileTooLarge): a line after which no other counts).
    /// All other rules are in force. System calls: none if no rule file is listed; see the
    /// [module](self) for the rest.
    pub fn listed(&mut self, dir: &Directory<'_>, names: &Listing<'_>) -> Vec<Error> {
        let shared = &self.0.shared;
        let seen = match shared.wants_only_dots {
            true => shared.look_through(names.dotted(), names.is_complete()),
            false => shared.look_through(names.names(), names.is_complete()),
        };
        self.take_in(Here { place: dir, prefix_len: dir.prefix().len(), depth: dir.depth(), seen })
    }

    /// The level of a directory in this one that the walk does not read, because it
    /// [goes on](crate::Walk::resume) below it: as [`enter`](Level::enter) and
    /// [`listed`](Level::listed) together. `prefix` is the directory's path with a separator at its
    /// end, as [`Directory::prefix`] has it. System calls: for each rule file name an open, for
    /// `.git` and `.jj` a stat.
    #[must_use]
    pub fn enter_above(&self, prefix: &[u8], depth: usize) -> (Level, Vec<Error>) {
        let mut level = self.enter_at(depth);
        let place = &ByPath(bytes_to_path(without_separator(prefix)));
        let seen = level.0.shared.look_through(std::iter::empty(), false);
        let errors = level.take_in(Here { place, prefix_len: prefix.len(), depth, seen });
        (level, errors)
    }

    fn take_in(&mut self, here: Here<'_>) -> Vec<Error> {
        let mut errors = Vec::new();
        if let Some(stack) = here.stack(&self.0, &mut errors) {
            self.0 = Arc::new(stack);
        }
        errors
    }

    /// Whether these are all rules that hold here: each file of rules could be read, and each of
    /// their lines is a rule. If not, entries may be missing from what
    /// [`is_ignored`](Level::is_ignored) tells, so a visitor that removes or changes entries should
    /// leave this directory alone. Makes no system call.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.steps.are_complete()
    }

    /// A number that differs where the rules in force differ. The same rules have the same number in
    /// each process of one version of brisk. Makes no system call.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }

    /// Whether the entry is ignored; an ignored directory should not be entered. A root is ignored
    /// only if it contains one of the names in [`Options::contain`].
    ///
    /// An entry of unknown type is ignored if the rules ignore it both as a file and as a
    /// directory: ask again once the type is known.
    ///
    /// This makes no system call, unless [`Options::contain`] has names: then one stat for each of
    /// them if the entry is a directory.
    #[must_use]
    #[inline]
    pub fn is_ignored(&self, entry: &Entry<'_>) -> bool {
        self.0.is_ignored(entry)
    }
}
