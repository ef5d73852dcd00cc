//! [`Stack`]: the rules in force in one directory, in the order in which they decide.
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

use std::ffi::CStr;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::files::{ByPath, Place};
use super::matcher::Verdict;
use super::options::Hidden;
use super::repository::Repository;
use super::shared::Shared;
use super::step::{Kind, Steps, View};
use crate::{Entry, FileType};

/// All rules in force in a directory.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub(super) shared: Arc<Shared>,
    pub(super) steps: Steps,
    /// Hidden entries are ignored unless a `!` rule matches them.
    pub(super) hides_dots: bool,
    /// Git's rules count in this directory.
    pub(super) in_git: bool,
    /// Git's rules match without regard to case.
    pub(super) ignore_case: bool,
}

impl Stack {
    /// The stack above the roots, without rules.
    pub(super) fn above_roots(shared: Arc<Shared>) -> Stack {
        let steps = Steps::default();
        Stack { shared, steps, hides_dots: false, in_git: false, ignore_case: false }
    }

    /// The stack of a root before any of its files is read.
    pub(super) fn at_root(shared: Arc<Shared>) -> Stack {
        let hides_dots = shared.hidden == Hidden::Ignored;
        let steps = shared.everywhere.clone();
        Stack { shared, steps, hides_dots, in_git: false, ignore_case: false }
    }

    /// Removes the rules that end at the boundary of a repository.
    pub(super) fn leave_repository(&mut self) {
        self.steps.0.retain(|step| !matches!(step.kind, Kind::Git | Kind::Exclude | Kind::Global));
    }

    /// Adds what a repository says about the directories in and below its top, which sees them
    /// with this view.
    pub(super) fn push_repository(&mut self, repository: Repository, view: &View) {
        self.ignore_case = repository.ignore_case;
        for (kind, matcher) in [
            (Kind::Exclude, repository.exclude),
            (Kind::Exclude, repository.unread),
            (Kind::Global, repository.global),
        ] {
            if let Some(matcher) = matcher {
                self.steps.push(kind, matcher, view.clone());
            }
        }
    }

    /// A number that differs where the rules differ.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for step in self.steps.iter() {
            (step.kind, step.matcher.fingerprint()).hash(&mut hasher);
            step.view.hash(&mut hasher);
        }
        (self.hides_dots, self.in_git, &self.shared.contain).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether an entry is ignored. With neither rules nor markers this is two branches and a look
    /// at the first byte.
    #[inline]
    pub(super) fn is_ignored(&self, entry: &Entry<'_>) -> bool {
        if self.steps.0.is_empty() && self.shared.contain.is_empty() {
            return self.hides(entry);
        }
        self.is_ignored_by_rules(entry)
    }

    #[inline]
    fn hides(&self, entry: &Entry<'_>) -> bool {
        self.hides_dots && entry.is_hidden()
    }

    fn is_ignored_by_rules(&self, entry: &Entry<'_>) -> bool {
        let prefix = entry.directory().prefix();
        let name = entry.name();
        let hidden = entry.is_hidden();
        let judged = match entry.file_type() {
            FileType::Directory => self.ignores(prefix, name, true, hidden),
            // A rule may match directories only, so the entry is ignored if it is so as either
            // type.
            FileType::Unknown => {
                self.ignores(prefix, name, false, hidden)
                    && self.ignores(prefix, name, true, hidden)
            }
            _ => self.ignores(prefix, name, false, hidden),
        };
        judged || self.is_marked(entry)
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

    /// Whether the entry is a directory that contains one of the names in
    /// [`Options::contain`](super::Options::contain).
    fn is_marked(&self, entry: &Entry<'_>) -> bool {
        let markers = &self.shared.contain;
        if markers.is_empty()
            || !matches!(entry.file_type(), FileType::Directory | FileType::Unknown)
        {
            return false;
        }
        let dir = entry.directory();
        if let Some(root) = dir.root_handles.and_then(|roots| roots.get(entry.name)) {
            return markers.iter().any(|marker| root.has(marker));
        }
        let mut path = Vec::new();
        markers.iter().any(|marker| {
            path.clear();
            path.extend_from_slice(entry.name());
            path.push(b'/');
            path.extend_from_slice(marker.to_bytes_with_nul());
            let Ok(path) = CStr::from_bytes_with_nul(&path) else { return false };
            // A root has no open directory above it, so it is looked up by path.
            if dir.handle.is_some() { dir.has(path) } else { ByPath(dir.path()).has(path) }
        })
    }
}
