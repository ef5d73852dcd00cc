//! Ignore rules and the filter in classifying: the rules of a directory that is entered, and what
//! both say of an entry.

use std::ffi::CString;
use std::io;

use brisk_sys::{Dir, Meta, RawEntries, RawEntry};

use crate::drive::shared::Settings;
use crate::drive::task::{DirNode, ToEnter, WalkKind};
use crate::drive::worker::Worker;
use crate::entry::{Directory, Entry, bytes_to_path};
use crate::filter::{Early, Scratch};
use crate::ignore::Level;
use crate::read::bulk::rules_want_listing;
use crate::visitor::Visitor;
use crate::{Error, Fields, FileType, Operation};

/// The ignore rules that a directory shares with its parent; for a root, those above it.
pub(crate) fn inherited<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    next: &ToEnter<'_, K>,
) -> Option<Level> {
    let rules = next.parent.rules.as_ref()?;
    if !next.parent.is_above_roots() {
        return Some(rules.clone());
    }
    let above = worker.path.len();
    worker.path.push(next.child.name);
    let handle = next.parent.root_handle(next.child.name).map(|root| &**root);
    let mut errors = Vec::new();
    let rules = rules.at_root(worker.path.bytes(), handle, &mut errors);
    worker.path.shorten(above);
    report_rules(worker, errors);
    Some(rules)
}

/// Reads the rules in an open directory, and adds them to those that it inherits. `false` if the
/// walk leaves the directory as it is, because its rules are not all known.
pub(crate) fn read_rules<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    node: &mut DirNode<K>,
    handle: &Dir,
    names: RawEntries<'_>,
    at_end: bool,
) -> bool {
    let Some(mut rules) = node.rules.take() else { return true };
    let mut errors = Vec::new();
    if rules_want_listing(worker) {
        rules.read(worker.path.bytes(), handle, node.depth(), (names, at_end), &mut errors);
    }
    let is_left_alone = worker.shared.settings.needs_complete_rules && !rules.is_complete();
    node.rules = Some(rules);
    report_rules(worker, errors);
    if is_left_alone {
        let why = io::Error::other("not all ignore rules are known");
        worker.report(Operation::LearnRules, node, why);
    }
    !is_left_alone
}

/// Reports what is wrong with ignore rules.
pub(crate) fn report_rules<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    errors: Vec<Error>,
) {
    let reports_bad_lines = worker.shared.settings.reports_bad_lines;
    for error in errors.into_iter().filter(|it| reports_bad_lines || !it.is_malformed_rule()) {
        worker.error(error);
    }
}

/// What a walk's rules and its filter say of an entry by its name and type.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Admission {
    /// What else the filter needs to know.
    pub fields: Fields,
    pub is_refused: bool,
    is_pruned: bool,
}

impl Admission {
    /// The entry with what was said of it.
    #[inline(always)]
    pub fn apply_to<'a>(&self, entry: Entry<'a>) -> Entry<'a> {
        entry.pruned.set(self.is_pruned);
        entry.refused.set(self.is_refused);
        entry
    }
}

/// What the rules say of a record, where they need only its name and type.
#[inline(always)]
pub(crate) fn by_rules(
    rules: Option<&Level>,
    dir: &Directory<'_>,
    raw: &RawEntry<'_>,
    file_type: FileType,
) -> Admission {
    let name = raw.name.to_bytes();
    let hidden = raw.is_hidden || name.starts_with(b".");
    let ignores = |rules: &Level| rules.ignores(dir.prefix, name, file_type, hidden);
    let is_ignored = rules.is_some_and(ignores);
    Admission { is_refused: is_ignored, is_pruned: is_ignored, ..Admission::default() }
}

/// Asks rules and filter about an entry. Not inlined: it would take registers from walks
/// without rules and filter, and put their entries in memory.
#[inline(never)]
pub(crate) fn admit(
    settings: &Settings,
    rules: Option<&Level>,
    entry: &Entry<'_>,
    scratch: &mut Scratch,
) -> Admission {
    let mut admission = Admission::default();
    if settings.dots && entry.depth > 0 && matches!(entry.name(), b"." | b"..") {
        admission.is_pruned = true;
    } else if rules.is_some_and(|rules| entry.is_ignored_by(rules)) {
        admission.is_pruned = true;
        admission.is_refused = true;
    } else if let Some(filter) = &settings.filter {
        match filter.early(entry, scratch) {
            Early::No => admission.is_refused = true,
            Early::Yes => {}
            Early::Ask(fields) => admission.fields = fields,
        }
        admission.is_pruned = entry.is_pruned();
    }
    admission
}

/// Whether an entry passes the filter, now that its metadata is known. One that was refused without
/// it is not asked about again: the rest of the filter is not reached, and prunes nothing.
pub(crate) fn passes(
    settings: &Settings,
    entry: &Entry<'_>,
    meta: Option<&Meta>,
    scratch: &mut Scratch,
) -> bool {
    if entry.is_refused() {
        return false;
    }
    let known = entry.with(meta);
    let passes = settings.filter.as_ref().is_none_or(|filter| filter.judge(&known, scratch));
    entry.pruned.set(known.is_pruned());
    passes
}

impl Entry<'_> {
    /// Whether these rules ignore the entry; an ignored directory is not entered. A root is ignored
    /// only if it contains one of the names in [`contain`](field@crate::ignore::Options::contain).
    ///
    /// An entry of unknown type is ignored if the rules ignore it both as a file and as a
    /// directory: ask again once the type is known.
    ///
    /// This makes no system call, unless `contain` has names: then one stat for each of them if the
    /// entry is a directory.
    #[must_use]
    #[inline]
    pub fn is_ignored_by(&self, rules: &Level) -> bool {
        rules.ignores(self.dir.prefix, self.name(), self.file_type, self.is_hidden())
            || !rules.markers().is_empty() && self.contains_one_of(rules.markers())
    }

    /// Whether the entry is a directory that contains an entry of one of these names.
    #[cold]
    fn contains_one_of(&self, names: &[CString]) -> bool {
        if !matches!(self.file_type, FileType::Directory | FileType::Unknown) {
            return false;
        }
        names.iter().any(|name| match self.request_at() {
            Ok((here, own)) => {
                let path = [own.to_bytes(), b"/", name.to_bytes()].concat();
                CString::new(path).is_ok_and(|path| here.has(&path))
            }
            Err(_) => self.path().join(bytes_to_path(name.to_bytes())).symlink_metadata().is_ok(),
        })
    }
}
