//! Reads the rules of the directories above a root, and finds out whether the root is inside a
//! repository.
//!
//! Each directory above is looked up once, by its absolute path without links; all roots below it
//! share what was found ([`Ancestors`](super::shared::Ancestors)).

use std::collections::BTreeMap;
use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::paths::with_slashes;
use brisk_sys::threads::lock;

use super::files::{RuleDir, failed, is_repository, read_rules};
use super::matcher::Syntax;
use super::options::{GitRules, Parents};
use super::shared::{Ancestor, RankedRules, SharedRules, current_dir};
use super::stack::Stack;
use super::step::{RuleSource, View};
use crate::Error;

/// A root as its ancestors see it.
#[derive(Clone, Copy)]
struct RootAncestors<'a> {
    place: RuleDir<'a>,
    /// Its absolute path, without links.
    path: &'a Path,
    /// The bytes of its prefix in the walk.
    prefix_len: usize,
}

impl RootAncestors<'_> {
    /// How rules in a directory above see what is below the root.
    fn view_from(self, dir: &Path) -> View {
        let mut lead = with_slashes(self.path.strip_prefix(dir).unwrap_or(self.path));
        lead.push(b'/');
        View::Above { cut: self.prefix_len, lead: lead.into() }
    }
}

impl Ancestor {
    /// Whether the directory is the top of a repository.
    fn holds_repository(&mut self, dir: &Path) -> bool {
        *self.is_repository.get_or_insert_with(|| is_repository(RuleDir::at(dir)))
    }
}

/// Adds the rules of the directories above a root to its stack. `prefix_len` is the number of bytes
/// of the root's prefix in the walk.
pub(super) fn apply(
    stack: &mut Stack,
    place: RuleDir<'_>,
    prefix_len: usize,
    errors: &mut Vec<Error>,
) {
    if stack.shared.git == GitRules::Everywhere {
        stack.in_git = true;
        let user = Arc::clone(&stack.shared).outside_repositories(errors);
        stack.push_repository(user, &View::Spelled(current_dir()));
    }
    match absolute(place.path) {
        Ok(path) => apply_to(stack, RootAncestors { place, path: &path, prefix_len }, errors),
        // Another process has removed the root. Reading it reports that.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            let unread = failed(place.path.to_owned(), 0, error, errors);
            stack.steps.push(RuleSource::Explicit, unread, View::Below(prefix_len));
        }
    }
}

/// The absolute path without links. For the current directory one getcwd is enough, because the
/// kernel knows that path.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    if path == Path::new(".") { std::env::current_dir() } else { std::fs::canonicalize(path) }
}

fn apply_to(stack: &mut Stack, root: RootAncestors<'_>, errors: &mut Vec<Error>) {
    let shared = Arc::clone(&stack.shared);
    let mut known = lock(&shared.ancestors.0);
    let above: Vec<&Path> = root.path.ancestors().skip(1).collect();
    let in_repository = reach_of_git(&shared, &mut known, &above, root.place);
    stack.in_git |= in_repository > 0;
    let applies = shared.parents == Parents::Apply;
    for (index, dir) in above.into_iter().enumerate().rev() {
        let ancestor = known.entry(dir.to_owned()).or_default();
        let view = root.view_from(dir);
        if applies {
            let named = ancestor.named.get_or_insert_with(|| read_named(&shared, dir, errors));
            for (kind, matcher) in named {
                stack.steps.push(*kind, Arc::clone(matcher), view.clone());
            }
        }
        if index >= in_repository {
            continue;
        }
        if ancestor.holds_repository(dir) {
            let read = || shared.repository(RuleDir::at(dir), 0, errors);
            let mut repository = ancestor.repository.get_or_insert_with(read).clone();
            repository.exclude = repository.exclude.filter(|_| applies);
            stack.push_repository(repository, &view);
        }
        if applies {
            let syntax = Syntax::Git { ignore_case: stack.ignore_case };
            let read = || read_rules(RuleDir::at(dir), c".gitignore", 0, syntax, errors);
            let rules = ancestor.gitignore.get_or_insert_with(read).clone();
            stack.steps.push(RuleSource::Git, rules, view);
        }
    }
}

/// The number of directories above a root, nearest first, whose git rules count for the root.
fn reach_of_git(
    shared: &SharedRules,
    known: &mut BTreeMap<PathBuf, Ancestor>,
    above: &[&Path],
    root: RuleDir<'_>,
) -> usize {
    match shared.git {
        GitRules::Off => 0,
        GitRules::Everywhere => above.len(),
        GitRules::InRepositories if is_repository(root) => 0,
        GitRules::InRepositories => {
            let holds_repository =
                |dir: &&Path| known.entry(dir.to_path_buf()).or_default().holds_repository(dir);
            above.iter().position(holds_repository).map_or(0, |index| index + 1)
        }
    }
}

fn read_named(shared: &SharedRules, dir: &Path, errors: &mut Vec<Error>) -> RankedRules {
    let rules = |(rank, name): (usize, &CString)| {
        let rules = read_rules(RuleDir::at(dir), name, 0, Syntax::Braces, errors)?;
        Some((RuleSource::Named(rank), rules))
    };
    shared.names.iter().enumerate().filter_map(rules).collect()
}
