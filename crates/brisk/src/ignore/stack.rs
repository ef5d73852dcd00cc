//! The rules in force in one directory, in the order in which they are asked.
//!
//! Kind beats depth, and within a kind the deeper file wins: so the rules of all files above a
//! directory form one list, highest rank first, and the first that speaks of an entry decides.
//!
//! ```text
//!  kind:   Override │ .fdignore │ .ignore │ .gitignore │ info/exclude │ global │ explicit │ hidden
//!  depth:           │ 3 ▸ 1     │ 2       │ 3 ▸ 2 ▸ 0  │ 0            │        │ last ▸ … │ filter
//!                   first ───────────────── asked in this order ───────────────────────► last
//! ```
//!
//! A directory without a rule file of its own shares its parent's list.

use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::Arc;

use super::Hidden;
use super::files::{ByPath, Place};
use super::matcher::{Matcher, Verdict};
use super::shared::Shared;
use crate::{Entry, FileType};

thread_local! {
    /// Where a path is put together for rules that need one: one buffer for each worker.
    static PATH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Where rules come from, highest rank first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Override,
    /// A file of one of the configured names; 0 is the name of highest rank.
    Named(usize),
    Git,
    Exclude,
    Global,
    Explicit,
}

/// One file's rules, as they hold in the directories below one root.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) matcher: Arc<Matcher>,
    pub(super) view: View,
}

/// How a set of rules sees the path of a directory: relative to the place that the rules hold for.
#[derive(Clone, Debug)]
pub(super) enum View {
    /// The rules stand in a directory of the walk, whose prefix has this many bytes.
    Below(usize),
    /// The rules stand above the root. The root's prefix has `cut` bytes, and seen from the rules
    /// the root is `lead`.
    Above { cut: usize, lead: Arc<[u8]> },
    /// The rules hold for a place named by the user. The path is taken as the walk spells it, and
    /// without the place's own path where it begins with that.
    Spelled(Arc<[u8]>),
}

impl Step {
    fn verdict(&self, prefix: &[u8], name: &[u8], is_dir: bool) -> Verdict {
        if self.matcher.is_names_only() {
            return self.matcher.verdict(name, is_dir);
        }
        let (lead, below): (&[u8], &[u8]) = match &self.view {
            View::Below(cut) => (b"", prefix.get(*cut..).unwrap_or_default()),
            View::Above { cut, lead } => (lead, prefix.get(*cut..).unwrap_or_default()),
            View::Spelled(base) => (b"", without_base(prefix, base)),
        };
        if lead.is_empty() && below.is_empty() {
            return self.matcher.verdict(name, is_dir);
        }
        PATH.with_borrow_mut(|path| {
            path.clear();
            path.extend_from_slice(lead);
            path.extend_from_slice(below);
            path.extend_from_slice(name);
            self.matcher.verdict(path, is_dir)
        })
    }
}

/// What of a directory's prefix lies below `base`; all of it if it is not there. A comparison of
/// bytes, in which only a leading `./` means nothing.
fn without_base<'a>(prefix: &'a [u8], base: &[u8]) -> &'a [u8] {
    let prefix = without_dot(prefix);
    let base = match without_dot(base) {
        b"." => b"",
        [base @ .., b'/'] => base,
        base => base,
    };
    match prefix.strip_prefix(base) {
        Some([b'/', rest @ ..]) => rest,
        _ => prefix,
    }
}

fn without_dot(mut path: &[u8]) -> &[u8] {
    while let Some(rest) = path.strip_prefix(b"./") {
        path = rest;
    }
    path
}

/// All rules in force in a directory.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub(super) shared: Arc<Shared>,
    /// Highest rank first.
    steps: Vec<Step>,
    /// Hidden entries are ignored unless a rule keeps them.
    pub(super) hides_dots: bool,
    /// Git's rules count here.
    pub(super) in_git: bool,
}

impl Stack {
    /// What holds above the roots: no rules at all.
    pub(super) fn above_roots(shared: Arc<Shared>) -> Stack {
        Stack { shared, steps: Vec::new(), hides_dots: false, in_git: false }
    }

    /// What holds in a root before anything was read.
    pub(super) fn at_root(shared: Arc<Shared>) -> Stack {
        let hides_dots = shared.hidden == Hidden::Ignored;
        let steps = shared.everywhere.clone();
        Stack { shared, steps, hides_dots, in_git: false }
    }

    /// Takes in a file's rules. Among rules of one kind they win over those that are already here.
    pub(super) fn push(&mut self, step: Step) {
        let at = self.steps.partition_point(|other| other.kind < step.kind);
        self.steps.insert(at, step);
    }

    /// Forgets the rules that end at the boundary of a repository.
    pub(super) fn leave_repository(&mut self) {
        self.steps.retain(|step| !matches!(step.kind, Kind::Git | Kind::Exclude));
    }

    /// Whether rules of this kind are in force.
    pub(super) fn has(&self, kind: Kind) -> bool {
        self.steps.iter().any(|step| step.kind == kind)
    }

    /// Whether an entry is ignored. With neither rules nor markers this is two branches and a look
    /// at the first byte.
    #[inline]
    pub(super) fn is_ignored(&self, entry: &Entry<'_>) -> bool {
        if self.steps.is_empty() && self.shared.contain.is_empty() {
            return self.hides(entry);
        }
        self.is_ignored_by_rules(entry)
    }

    #[inline]
    fn hides(&self, entry: &Entry<'_>) -> bool {
        self.hides_dots && entry.is_hidden()
    }

    fn is_ignored_by_rules(&self, entry: &Entry<'_>) -> bool {
        let (prefix, name) = (entry.directory().prefix(), entry.name());
        let hidden = entry.is_hidden();
        let judged = match entry.file_type() {
            FileType::Directory => self.ignores(prefix, name, true, hidden),
            // The rules may speak of directories only: ignored is what is so either way.
            FileType::Unknown => {
                self.ignores(prefix, name, false, hidden)
                    && self.ignores(prefix, name, true, hidden)
            }
            _ => self.ignores(prefix, name, false, hidden),
        };
        judged || self.is_marked(entry)
    }

    /// Whether rules or the hidden filter ignore `name` in the directory of that prefix.
    pub(super) fn ignores(&self, prefix: &[u8], name: &[u8], is_dir: bool, hidden: bool) -> bool {
        for step in &self.steps {
            match step.verdict(prefix, name, is_dir) {
                Verdict::Ignored => return true,
                Verdict::Kept => return false,
                Verdict::Silent => {}
            }
        }
        self.hides_dots && hidden
    }

    /// Whether the entry is a directory that contains one of the names that rule it out.
    fn is_marked(&self, entry: &Entry<'_>) -> bool {
        let markers = &self.shared.contain;
        if markers.is_empty()
            || !matches!(entry.file_type(), FileType::Directory | FileType::Unknown)
        {
            return false;
        }
        let dir = entry.directory();
        let mut path = Vec::new();
        markers.iter().any(|marker| {
            path.clear();
            path.extend_from_slice(entry.name());
            path.push(b'/');
            path.extend_from_slice(marker.to_bytes_with_nul());
            let Ok(path) = CStr::from_bytes_with_nul(&path) else { return false };
            // A root has no open directory above it: its name is a path.
            if dir.handle.is_some() { dir.has(path) } else { ByPath(dir.path()).has(path) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_cut_off_by_whole_components() {
        // (prefix, base, what is left)
        let cases = [
            ("./", ".", ""),
            ("./a/", ".", "a/"),
            ("././a/", "./", "a/"),
            ("a/b/", "a", "b/"),
            ("./a/b/", "./a/", "b/"),
            ("ab/c/", "a", "ab/c/"),
            ("/x/y/", "/x", "y/"),
            ("/x/y/", "/", "x/y/"),
            ("/x/y/", "/z", "/x/y/"),
            ("../y/", ".", "../y/"),
            ("b/", "a", "b/"),
        ];
        for (prefix, base, left) in cases {
            let got = without_base(prefix.as_bytes(), base.as_bytes());
            assert_eq!(got, left.as_bytes(), "{prefix:?} without {base:?}");
        }
    }
}
