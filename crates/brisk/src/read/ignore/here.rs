//! [`Here`]: reads one directory's own rules, and puts them on top of those of its parent.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{Place, failed, read_rules};
use super::matcher::{Matcher, Syntax};
use super::options::GitRules;
use super::parents::{self, Root};
use super::seen::{GITIGNORE, Seen, name_bit};
use super::shared::current_dir;
use super::stack::Stack;
use super::step::{Kind, View};
use crate::Error;

/// A directory whose rules are to be read.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) place: &'a dyn Place,
    /// The bytes of the directory's prefix in the walk.
    pub(super) prefix_len: usize,
    pub(super) depth: usize,
    pub(super) seen: Seen,
}

impl Here<'_> {
    /// The rules in force in this directory: its own on top of `above`; `None` if they are the
    /// same.
    pub(super) fn stack(self, above: &Stack, errors: &mut Vec<Error>) -> Option<Stack> {
        let is_root = self.depth == 0 && above.shared.wants_listing();
        if !is_root && self.seen.is_nothing() {
            return None;
        }
        let mut stack = above.clone();
        let is_repository = self.seen.repository_in(self.place);
        if is_root {
            self.add_parents(&mut stack, is_repository, errors);
        }
        if is_repository {
            self.begin_repository(&mut stack, errors);
        }
        self.add_own(&mut stack, errors);
        Some(stack)
    }

    /// Adds the rules of the directories above a root.
    fn add_parents(self, stack: &mut Stack, is_repository: bool, errors: &mut Vec<Error>) {
        if stack.shared.git == GitRules::Everywhere {
            stack.in_git = true;
            let shared = Arc::clone(&stack.shared);
            let user = shared.outside_repositories(errors);
            stack.push_repository(user, &View::Spelled(current_dir()));
        }
        match absolute(self.place.path()) {
            Ok(path) => {
                let root = Root { path: &path, prefix_len: self.prefix_len, is_repository };
                parents::apply(stack, root, errors);
            }
            // Another process has removed the root. Reading it reports that.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let unread = failed(self.place.path().to_owned(), 0, error, errors);
                self.push(stack, Kind::Explicit, unread);
            }
        }
    }

    /// The directory is the top of a repository: removes the rules of the outer repository, and
    /// adds those beside this one's tree.
    fn begin_repository(self, stack: &mut Stack, errors: &mut Vec<Error>) {
        if stack.shared.git == GitRules::InRepositories {
            stack.leave_repository();
            stack.in_git = true;
        }
        let repository = stack.shared.repository(self.place, self.depth + 1, errors);
        stack.push_repository(repository, &View::Below(self.prefix_len));
    }

    fn add_own(self, stack: &mut Stack, errors: &mut Vec<Error>) {
        if stack.in_git && self.seen.may_hold(GITIGNORE) {
            let syntax = Syntax::Git { ignore_case: stack.ignore_case };
            let rules = read_rules(self.place, c".gitignore", self.depth + 1, syntax, errors);
            self.push(stack, Kind::Git, rules);
        }
        let shared = Arc::clone(&stack.shared);
        for (rank, name) in shared.names.iter().enumerate() {
            if self.seen.may_hold(name_bit(rank)) {
                let rules = read_rules(self.place, name, self.depth + 1, Syntax::Braces, errors);
                self.push(stack, Kind::Named(rank), rules);
            }
        }
    }

    fn push(self, stack: &mut Stack, kind: Kind, matcher: Option<Arc<Matcher>>) {
        if let Some(matcher) = matcher {
            stack.steps.push(kind, matcher, View::Below(self.prefix_len));
        }
    }
}

/// The absolute path without links. For the current directory one getcwd is enough, because the
/// kernel knows that path.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    if path == Path::new(".") { std::env::current_dir() } else { std::fs::canonicalize(path) }
}
