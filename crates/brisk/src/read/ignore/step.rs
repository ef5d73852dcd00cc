//! [`RuleStep`]: one file's rules, with the kind of file they come from and the directory they hold
//! for. [`RuleSteps`]: all rules in force in one directory.

use std::cell::RefCell;
use std::iter::successors;
use std::sync::Arc;

use super::matcher::{Matcher, Verdict};

thread_local! {
    /// A buffer for paths, for rules that need one: one for each worker.
    static PATH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The kind of file that rules come from, highest rank first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RuleSource {
    Override,
    /// A file of one of the configured names; 0 is the name of highest rank.
    Named(usize),
    Git,
    Exclude,
    Global,
    Explicit,
}

/// One file's rules, as they hold in the directories below one root.
#[derive(Debug)]
pub(super) struct RuleStep {
    pub(super) kind: RuleSource,
    pub(super) matcher: Arc<Matcher>,
    pub(super) view: View,
    /// The next rules of the same kind, which decide if these match nothing.
    pub(super) above: Option<Arc<RuleStep>>,
    /// These rules and those above are all that their files say.
    pub(super) is_complete: bool,
}

/// Rules in the order in which they decide. For each kind, highest rank first, there is the first
/// step of a chain, which directories share.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleSteps(pub(super) Vec<Arc<RuleStep>>);

impl RuleSteps {
    /// Adds a file's rules, if there are any. They win over rules of the same kind that were added
    /// before.
    pub(super) fn push(
        &mut self,
        kind: RuleSource,
        matcher: impl Into<Option<Arc<Matcher>>>,
        view: View,
    ) {
        let Some(matcher) = matcher.into() else { return };
        let at = self.0.partition_point(|other| other.kind < kind);
        let above = self.0.get(at).filter(|other| other.kind == kind).cloned();
        let is_complete = matcher.is_complete && above.as_ref().is_none_or(|it| it.is_complete);
        let replaced = at..at + usize::from(above.is_some());
        let step = RuleStep { kind, matcher, view, above, is_complete };
        self.0.splice(replaced, [Arc::new(step)]);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &RuleStep> {
        let chain = |first| successors(Some(first), |step: &&RuleStep| step.above.as_deref());
        self.0.iter().flat_map(move |first| chain(&**first))
    }
}

/// A chain can be too long to be dropped by recursion.
impl Drop for RuleStep {
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(mut step) = above.and_then(Arc::into_inner) {
            above = step.above.take();
        }
    }
}

/// How paths are made relative to the directory that rules hold for.
#[derive(Clone, Debug, Hash)]
pub(super) enum View {
    /// The rules are in a directory of the walk, whose prefix has this many bytes.
    Below(usize),
    /// The rules are in a directory above the root. The root's prefix has `cut` bytes; relative to
    /// the rules' directory the root's path is `lead`.
    Above { cut: usize, lead: Arc<[u8]> },
    /// The rules hold for a directory that the user named. A path is used as the walk spells it; if
    /// it begins with that directory's path, that part is cut off.
    Spelled(Arc<[u8]>),
}

impl RuleStep {
    /// The verdict of the rules on an entry of the directory with this prefix.
    pub(super) fn verdict(&self, prefix: &[u8], name: &[u8], is_dir: bool) -> Verdict {
        if !self.matcher.may_decide(name) {
            return Verdict::Silent;
        }
        if self.matcher.names_only {
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

/// The part of a directory's prefix below `base`; the whole prefix if it does not begin with
/// `base`. Bytes are compared, except that a leading `./` is cut off both.
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
