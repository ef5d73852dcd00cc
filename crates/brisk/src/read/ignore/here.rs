//! [`Here`]: reads one directory's own rules, and puts them on top of those of its parent.

use std::sync::Arc;

use brisk_sys::Dir;

use super::files::{RuleDir, read_rules};
use super::matcher::Syntax;
use super::options::GitRules;
use super::seen::{GITIGNORE, Seen, name_bit};
use super::stack::Stack;
use super::step::{RuleSource, View};
use crate::Error;

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
        if self.seen.is_nothing() {
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
            stack.leave_repository();
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
