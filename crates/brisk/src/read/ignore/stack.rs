//! [`Stack`]: the rules in force in one directory, in the order in which they decide. [`Here`] reads
//! the directory's own rules, and puts them on top of those of its parent.
//!
//! Kind beats depth, and within a kind the deeper file wins. So the rules of all files in and above
//! a directory form one list, highest rank first, and the first file with a rule that matches an
//! entry decides.
//!
//! ```text
//!  kind:   Override │ .fdignore │ .ignore │ .gitignore │ info/exclude │ global │ explicit │ hidden
//!  depth:           │ 3 ▸ 1     │ 2       │ 3 ▸ 2 ▸ 0  │ 0            │        │ last ▸ … │ filter
//!                   first ───────────────── asked in this order ───────────────────────► last
//! ```
//!
//! A directory without a rule file of its own shares its parent's list; any other one shares the
//! rules of the directories above.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use brisk_sys::paths::{bytes_to_path, with_slashes};
use brisk_sys::slashed::resolved;
use brisk_sys::{Dir, FileType};
use xxhash_rust::xxh3::Xxh3;

use super::files::{GITIGNORE, RuleDir, Seen, name_bit, read_rules};
use super::git::Repository;
use super::matcher::{Syntax, Verdict};
use super::options::{GitRules, Hidden};
use super::shared::SharedRules;
use super::step::{RuleSource, RuleSteps, View};
use crate::Error;

/// The absolute form of a path, with a slash at its end and none before it.
fn absolute_path(path: &[u8]) -> Vec<u8> {
    let path = std::env::current_dir().unwrap_or_default().join(bytes_to_path(path));
    resolved(&with_slashes(&path))
        .into_iter()
        .flat_map(|part| [part, b"/"])
        .flatten()
        .copied()
        .collect()
}

/// All rules in force in a directory.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub(super) shared: Arc<SharedRules>,
    pub(super) steps: RuleSteps,
    /// Hidden entries are ignored unless a `!` rule matches them.
    pub(super) hides_dots: bool,
    /// Git's rules count in this directory.
    pub(super) in_git: bool,
    /// Git's rules match without regard to case.
    pub(super) ignore_case: bool,
}

impl Stack {
    /// The stack of a root before any of its files is read. `prefix` is its path with a separator at
    /// its end.
    pub(super) fn at_root(shared: Arc<SharedRules>, prefix: &[u8]) -> Stack {
        let hides_dots = shared.hidden == Hidden::Ignored;
        let mut steps = shared.everywhere.clone();
        let [overrides, absolute] = &shared.overrides;
        if let Some(matcher) = absolute {
            let view = View::Above { cut: prefix.len(), lead: absolute_path(prefix).into() };
            steps.push(RuleSource::Override, Arc::clone(matcher), view);
        }
        steps.push(RuleSource::Override, overrides.clone(), View::Below(prefix.len()));
        Stack { shared, steps, hides_dots, in_git: false, ignore_case: false }
    }

    /// Adds what a repository says about the directories in and below its top, which sees them
    /// with this view.
    pub(super) fn push_repository(&mut self, repository: Repository, view: &View) {
        self.ignore_case = repository.ignore_case;
        for (kind, matcher) in [
            (RuleSource::Exclude, repository.exclude),
            (RuleSource::Exclude, repository.unread),
            (RuleSource::Global, repository.global),
        ] {
            self.steps.push(kind, matcher, view.clone());
        }
    }

    /// Whether rules or the hidden filter ignore `name` in the directory of this prefix.
    pub(super) fn ignores(&self, prefix: &[u8], name: &[u8], is_dir: bool, hidden: bool) -> bool {
        // Two loops cost less than an iterator over both.
        for first in &self.steps.0 {
            let mut next = Some(first);
            while let Some(step) = next {
                match step.verdict(prefix, name, is_dir) {
                    Verdict::Ignored => return true,
                    Verdict::Kept => return false,
                    Verdict::Silent => next = step.above.as_ref(),
                }
            }
        }
        self.hides_dots && hidden
    }
}

/// The rules in force in one directory: shared with the directory above it if it has no rule file
/// of its own. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Level(pub(super) Arc<Stack>);

impl Level {
    /// A number that differs where the rules in force differ. The same rules have the same number in
    /// each process of one version of brisk. Makes no system call.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for step in self.0.steps.iter() {
            (step.kind, step.matcher.fingerprint).hash(&mut hasher);
            step.view.hash(&mut hasher);
        }
        (self.0.hides_dots, self.0.in_git, &self.0.shared.contain).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether a name in the directory with this prefix is ignored, by rules or as hidden. One of
    /// unknown type is if it is so both as a file and as a directory. Without rules this is a branch
    /// and a look at the first byte.
    #[inline]
    pub(crate) fn ignores(
        &self,
        prefix: &[u8],
        name: &[u8],
        file_type: FileType,
        hidden: bool,
    ) -> bool {
        let stack = &*self.0;
        if stack.steps.0.is_empty() {
            return stack.hides_dots && hidden;
        }
        match file_type {
            FileType::Directory => stack.ignores(prefix, name, true, hidden),
            // A rule may match directories only.
            FileType::Unknown => {
                stack.ignores(prefix, name, false, hidden)
                    && stack.ignores(prefix, name, true, hidden)
            }
            _ => stack.ignores(prefix, name, false, hidden),
        }
    }
}

/// A directory whose rules are to be read.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    /// Its path in the walk, with a separator at its end.
    pub(super) prefix: &'a [u8],
    pub(super) handle: Option<&'a Dir>,
    pub(super) depth: usize,
    pub(super) seen: Seen,
}

impl<'a> Here<'a> {
    fn place(self) -> RuleDir<'a> {
        RuleDir::of(self.prefix, self.handle)
    }

    /// The rules in force in this directory: its own on top of `above`; `None` if they are the
    /// same.
    pub(super) fn stack(self, above: &Stack, errors: &mut Vec<Error>) -> Option<Stack> {
        if self.seen.possible == 0 {
            return None;
        }
        let mut stack = above.clone();
        if self.seen.repository_in(self.place()) {
            self.begin_repository(&mut stack, errors);
        }
        self.add_own(&mut stack, errors);
        Some(stack)
    }

    /// The directory is the top of a repository: removes the rules of the outer repository, and
    /// adds those beside this one's tree.
    fn begin_repository(self, stack: &mut Stack, errors: &mut Vec<Error>) {
        if stack.shared.git == GitRules::InRepositories {
            // The rules that end at the boundary of a repository.
            stack.steps.0.retain(|step| {
                !matches!(step.kind, RuleSource::Git | RuleSource::Exclude | RuleSource::Global)
            });
            stack.in_git = true;
        }
        let repository = stack.shared.repository(self.place(), self.depth + 1, errors);
        stack.push_repository(repository, &View::Below(self.prefix.len()));
    }

    fn add_own(self, stack: &mut Stack, errors: &mut Vec<Error>) {
        if stack.in_git && self.seen.may_hold(GITIGNORE) {
            let syntax = Syntax::Git { ignore_case: stack.ignore_case };
            let rules = read_rules(self.place(), c".gitignore", self.depth + 1, syntax, errors);
            stack.steps.push(RuleSource::Git, rules, View::Below(self.prefix.len()));
        }
        let shared = Arc::clone(&stack.shared);
        for (rank, name) in shared.names.iter().enumerate() {
            if self.seen.may_hold(name_bit(rank)) {
                let rules = read_rules(self.place(), name, self.depth + 1, Syntax::Braces, errors);
                stack.steps.push(RuleSource::Named(rank), rules, View::Below(self.prefix.len()));
            }
        }
    }
}
