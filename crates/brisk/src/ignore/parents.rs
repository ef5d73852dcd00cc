//! Reads the rules of the directories above a root, and finds out whether the root is inside a
//! repository.
//!
//! Each directory above is looked up once, by its absolute path without links; all roots below it
//! share what was found ([`Ancestors`](super::ancestors::Ancestors)).

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::paths::with_slashes;

use super::ancestors::{Ancestor, Found};
use super::files::{ByPath, Place, read_exclude, read_rules};
use super::options::{GitRules, Parents};
use super::seen::is_repository;
use super::shared::Shared;
use super::stack::Stack;
use super::step::{Kind, Step, View};
use crate::Error;
use crate::sched::lock;

/// A root as its ancestors see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root<'a> {
    /// Its absolute path, without links.
    pub(super) path: &'a Path,
    /// The bytes of its prefix in the walk.
    pub(super) prefix_len: usize,
    /// The root is the top of a repository itself.
    pub(super) is_repository: bool,
}

/// Adds the rules of the directories above a root to its stack.
pub(super) fn apply(stack: &mut Stack, root: Root<'_>, errors: &mut Vec<Error>) {
    let shared = Arc::clone(&stack.shared);
    let mut known = lock(&shared.ancestors.0);
    let above: Vec<&Path> = root.path.ancestors().skip(1).collect();
    let in_repository = reach_of_git(&shared, &mut known, &above, root.is_repository);
    stack.in_git |= in_repository > 0;
    if shared.parents == Parents::Off {
        return;
    }
    for (index, dir) in above.into_iter().enumerate().rev() {
        let ancestor = known.entry(dir.to_owned()).or_default();
        let named = ancestor.named.get_or_insert_with(|| read_named(&shared, dir, errors));
        push_all(stack, named, dir, root);
        if index < in_repository {
            let git = ancestor.git.get_or_insert_with(|| read_git(dir, errors));
            push_all(stack, git, dir, root);
        }
    }
}

/// The number of directories above a root, nearest first, whose git rules count for the root.
fn reach_of_git(
    shared: &Shared,
    known: &mut BTreeMap<PathBuf, Ancestor>,
    above: &[&Path],
    root_is_repository: bool,
) -> usize {
    match shared.git {
        GitRules::Off => 0,
        GitRules::Everywhere => above.len(),
        GitRules::InRepositories if root_is_repository => 0,
        GitRules::InRepositories => {
            let holds_repository = |dir: &&Path| {
                let ancestor = known.entry(dir.to_path_buf()).or_default();
                *ancestor.is_repository.get_or_insert_with(|| is_repository(&ByPath(dir)))
            };
            above.iter().position(holds_repository).map_or(0, |index| index + 1)
        }
    }
}

fn read_named(shared: &Shared, dir: &Path, errors: &mut Vec<Error>) -> Found {
    let rules = |(rank, name): (usize, &CString)| {
        Some((Kind::Named(rank), read_rules(&ByPath(dir), name, 0, errors)?))
    };
    shared.names.iter().enumerate().filter_map(rules).collect()
}

fn read_git(dir: &Path, errors: &mut Vec<Error>) -> Found {
    let place = ByPath(dir);
    let exclude = if place.has(c".git") { read_exclude(&place, 0, errors) } else { None };
    let rules = read_rules(&place, c".gitignore", 0, errors);
    let exclude = exclude.map(|matcher| (Kind::Exclude, matcher));
    exclude.into_iter().chain(rules.map(|matcher| (Kind::Git, matcher))).collect()
}

fn push_all(stack: &mut Stack, found: &Found, dir: &Path, root: Root<'_>) {
    if found.is_empty() {
        return;
    }
    let Ok(relative) = root.path.strip_prefix(dir) else { return };
    let mut lead = with_slashes(relative);
    lead.push(b'/');
    let lead: Arc<[u8]> = lead.into();
    for (kind, matcher) in found {
        let view = View::Above { cut: root.prefix_len, lead: Arc::clone(&lead) };
        stack.push(Step { kind: *kind, matcher: Arc::clone(matcher), view });
    }
}
