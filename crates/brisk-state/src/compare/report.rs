//! [`Reporter`]: the second walk. It enters the directories with differences, and reports the
//! differences, sorted by path.

use brisk::{Fields, FileType, Flow};
use brisk_sys::slashed::by_component;

use super::contents::{FilePair, Verdicts};
use super::criteria::{Comparison, Contents, Criteria};
use super::input::{NEW, OLD, RecordId};
use super::renames::Renames;
use super::walk::{Enter, EntryPair, Inputs, Next, SideEntry, Visit};
use crate::change::{Change, ChangeKind, DiffError, Difference, Differs, RootedPath};
use crate::rescan::marks::Marks;

/// What holds for all entries of a directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The numbers of the roots that the walk is in, on either side.
    roots: [usize; 2],
    sides: Sides,
}

/// Which sides have a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    /// Both sides, at the same path.
    Same,
    /// Both sides, at different paths: the directory was renamed. The walk enters it at both paths:
    /// at the old one it reports what is gone, at the new one the rest. The number is the side
    /// whose path the walk is at.
    Moved(usize),
    /// Only one side. Entries are covered if a directory's difference stands for them.
    Alone { side: usize, covered: bool },
}

impl Scope {
    /// Whether the walk reports here what only this side has.
    fn reports(self, side: usize) -> bool {
        match self.sides {
            Sides::Same => true,
            Sides::Moved(from) => from == side,
            Sides::Alone { side: alone, .. } => alone == side,
        }
    }

    fn is_moved(self) -> bool {
        matches!(self.sides, Sides::Moved(_))
    }
}

/// What the first walk has found.
pub(super) struct Found {
    /// Whether each entry has a difference of its own.
    pub each: bool,
    /// The directories of the later state that have differences, in them or below.
    pub marks: Marks,
    pub renames: Renames,
    /// For each root of each state, its number in the result.
    pub roots: [Vec<usize>; 2],
}

/// What happens to files whose contents have to be compared.
pub(super) enum FilePairs<'a> {
    /// The walk sends them to workers.
    Sent(&'a mut dyn FnMut(FilePair)),
    /// Workers have compared them.
    Compared(&'a Verdicts),
}

/// The second walk.
pub(super) struct Reporter<'a> {
    found: &'a Found,
    criteria: Criteria,
    files: FilePairs<'a>,
    visit: &'a mut dyn FnMut(&Difference) -> Flow,
    /// Whether the caller has stopped the comparison.
    pub is_stopped: bool,
    pub has_unknown: bool,
    /// The paths that a side could not read and that were not reported yet, in reverse order.
    pub unread: Vec<&'a [u8]>,
    /// How many files of each side should have been compared by contents, but have no digest.
    pub without_digest: [u64; 2],
}

impl<'a> Reporter<'a> {
    pub fn new(
        found: &'a Found,
        criteria: Criteria,
        files: FilePairs<'a>,
        visit: &'a mut dyn FnMut(&Difference) -> Flow,
    ) -> Reporter<'a> {
        Reporter {
            found,
            criteria,
            files,
            visit,
            is_stopped: false,
            has_unknown: false,
            unread: Vec::new(),
            without_digest: [0; 2],
        }
    }

    /// Reports a difference, and first what could not be read on the way to it.
    fn report(&mut self, difference: Difference) {
        let path = &difference.change.place.path[..];
        self.report_unread(|unread| by_component(unread, path).is_lt());
        if difference.change.kind == ChangeKind::Unknown {
            self.unread.pop_if(|unread| *unread == path);
        }
        self.deliver(difference);
    }

    /// Reports paths that could not be read, of which no side may have a record.
    pub fn report_unread(&mut self, is_next: impl Fn(&[u8]) -> bool) {
        while let Some(path) = self.unread.pop_if(|path| is_next(path)) {
            let place = RootedPath { root: 0, path: path.to_vec() };
            let change = Change::new(ChangeKind::Unknown, place, FileType::Unknown);
            self.deliver(Difference { change, whole: false, old_size: 0, new_size: 0 });
        }
    }

    fn deliver(&mut self, mut difference: Difference) {
        self.has_unknown |= difference.change.kind == ChangeKind::Unknown;
        if !self.criteria.known.contains(Fields::SIZE) {
            difference.old_size = 0;
            difference.new_size = 0;
        }
        self.is_stopped = self.is_stopped || (self.visit)(&difference) == Flow::Stop;
    }

    /// If only contents can decide about two files, sends the files to the workers or, once the
    /// workers are done, completes the comparison by their result.
    fn add_contents(&mut self, inputs: &Inputs, compared: &mut Comparison, pair: &EntryPair<'_>) {
        let [old, new] = pair;
        if !self.criteria.needs_contents(compared, &new.record) {
            return;
        }
        let sources = pair.map(|entry| entry.source(inputs));
        for (count, source) in self.without_digest.iter_mut().zip(&sources) {
            *count += u64::from(self.criteria.content && source.is_none());
        }
        let [Some(from), Some(to)] = sources else { return };
        match &mut self.files {
            FilePairs::Compared(verdicts) => {
                let contents = verdicts.get(&new.id).copied().unwrap_or(Contents::Same);
                *compared = self.criteria.decide(compared, contents, [&old.record, &new.record]);
            }
            FilePairs::Sent(send) => {
                let size = new.record.attrs.size;
                send(FilePair { new: new.id, sources: [from, to], size });
            }
        }
    }

    /// Reports an entry that has another path on the other side, where its record is `id`.
    fn renamed(
        &mut self,
        inputs: &mut Inputs,
        scope: Scope,
        entry: &SideEntry<'_>,
        id: RecordId,
    ) -> Result<Next<Self>, DiffError> {
        let across = 1 - entry.side;
        let (root, path) = inputs[across].path(id)?;
        let page = inputs[across].record(id)?;
        let record = page.get(id.at as usize).ok_or_else(|| inputs[across].damaged())?;
        let other = SideEntry::new(inputs, across, id, record, &path);
        let mut roots = scope.roots;
        roots[across] = self.found.roots[across].get(root as usize).copied().unwrap_or(0);
        let scope = Scope { roots, sides: Sides::Moved(entry.side) };
        let pair = if across == OLD { [other, *entry] } else { [*entry, other] };
        if entry.side == NEW {
            self.report_renamed(inputs, scope, &pair);
        }
        let dirs = pair.map(|entry| entry.dir());
        Ok(dirs.iter().all(Option::is_some).then_some(Enter { dirs, scope }))
    }

    fn report_renamed(&mut self, inputs: &Inputs, scope: Scope, pair: &EntryPair<'_>) {
        let [old, new] = pair;
        let trusts_inodes = new.trusts_inodes(inputs);
        let mut compared = self.criteria.compare(trusts_inodes, &old.record, &new.record);
        self.add_contents(inputs, &mut compared, pair);
        self.has_unknown |= compared.contents == Contents::Unreadable;
        // On many file systems, renaming changes the ctime.
        compared.differs.fields -= Fields::CTIME;
        let whole = !self.found.each && new.record.is_dir();
        let difference = changed(scope, ChangeKind::Renamed, compared.differs, pair);
        self.report(Difference { whole, ..difference });
    }
}

impl Visit for Reporter<'_> {
    type Scope = Scope;

    fn begin(&mut self, root: usize, criteria: Criteria) -> Scope {
        self.criteria = criteria;
        Scope { roots: [root; 2], sides: Sides::Same }
    }

    fn passes_same(&self, scope: Scope) -> bool {
        scope.sides == Sides::Same && !self.criteria.content
    }

    fn is_over(&self) -> bool {
        self.is_stopped
    }

    /// An entry of a renamed directory may have been moved into it or out of it.
    fn splits(&self, scope: Scope, old: RecordId, new: RecordId) -> bool {
        let renames = &self.found.renames;
        scope.is_moved()
            && match renames.across(OLD, old) {
                Some(place) => place != new,
                None => renames.across(NEW, new).is_some(),
            }
    }

    // long: what became of one entry, one kind of change after the other
    fn both(&mut self, inputs: &Inputs, scope: Scope, pair: &EntryPair<'_>) -> Next<Self> {
        let [old, new] = pair;
        let trusts_inodes = new.trusts_inodes(inputs);
        let mut compared = self.criteria.compare(trusts_inodes, &old.record, &new.record);
        let is_other = compared.differs.fields.contains(Fields::TYPE);
        // In a renamed directory, a different file of the same name is a different entry.
        let has_other_inode = trusts_inodes
            && self.criteria.is_one_tree
            && old.record.attrs.ino != new.record.attrs.ino;
        let is_renamed = self.found.each && scope.is_moved();
        let are_results = pair.iter().all(|entry| entry.record.is_result());
        if are_results && !(is_renamed && (is_other || has_other_inode)) {
            if scope.reports(NEW) {
                self.add_contents(inputs, &mut compared, pair);
                let kind = match compared.kind() {
                    Some(kind @ (ChangeKind::TypeChanged | ChangeKind::Unknown)) => Some(kind),
                    _ if is_renamed => Some(ChangeKind::Renamed),
                    kind => kind,
                };
                if let Some(kind) = kind {
                    self.report(changed(scope, kind, compared.differs, pair));
                }
            }
        } else {
            for entry in pair {
                if entry.record.is_result() && scope.reports(entry.side) {
                    self.report(one(scope, entry));
                }
            }
        }
        match pair.map(|entry| entry.record.is_dir()) {
            [true, true] if pair.iter().any(|entry| entry.is_unknown(inputs)) => {
                if scope.reports(NEW) {
                    self.report(unknown(scope, new));
                }
                None
            }
            [true, true] => {
                let dirs = [Some(old.dir()?), Some(new.dir()?)];
                let number = new.record.dir_id as usize;
                let differs = scope.sides != Sides::Same || self.found.marks.get(number);
                differs.then_some(Enter { dirs, scope })
            }
            [is_old, _] => {
                let entry = if is_old { old } else { new };
                let sides = Sides::Alone { side: entry.side, covered: false };
                let is_entered = is_other && scope.reports(entry.side);
                is_entered.then(|| Enter::alone(entry, Scope { sides, ..scope }))?
            }
        }
    }

    fn alone(
        &mut self,
        inputs: &mut Inputs,
        scope: Scope,
        entry: &SideEntry<'_>,
    ) -> Result<Next<Self>, DiffError> {
        let SideEntry { side, id, record, path, .. } = *entry;
        if !scope.reports(side) {
            return Ok(None);
        }
        if let Some(across) = self.found.renames.across(side, id) {
            return self.renamed(inputs, scope, entry, across);
        }
        if inputs[1 - side].is_unknown(path) {
            self.report(unknown(scope, entry));
            return Ok(None);
        }
        let was_covered = matches!(scope.sides, Sides::Alone { covered: true, .. });
        let whole = !self.found.each && record.is_dir();
        if record.is_result() && !was_covered {
            self.report(Difference { whole, ..one(scope, entry) });
        }
        let covered = was_covered || (record.is_result() && whole);
        if covered && self.found.renames.is_empty() {
            return Ok(None);
        }
        Ok(Enter::alone(entry, Scope { sides: Sides::Alone { side, covered }, ..scope }))
    }
}

/// The difference of an entry that only one side has.
fn one(scope: Scope, entry: &SideEntry<'_>) -> Difference {
    let kind = if entry.side == OLD { ChangeKind::Deleted } else { ChangeKind::Added };
    let mut sizes = [0; 2];
    sizes[entry.side] = entry.record.attrs.length();
    let [old_size, new_size] = sizes;
    let change = Change::new(kind, place(scope, entry), entry.record.attrs.file_type());
    Difference { change, whole: false, old_size, new_size }
}

fn place(scope: Scope, entry: &SideEntry<'_>) -> RootedPath {
    RootedPath { root: scope.roots[entry.side], path: entry.path.to_vec() }
}

/// The difference of an entry that the other side could not read.
fn unknown(scope: Scope, entry: &SideEntry<'_>) -> Difference {
    let mut difference = one(scope, entry);
    difference.change.kind = ChangeKind::Unknown;
    difference
}

/// The difference of an entry that both sides have.
fn changed(scope: Scope, kind: ChangeKind, differs: Differs, pair: &EntryPair<'_>) -> Difference {
    let [old, new] = pair;
    let difference = one(scope, new);
    let from = (kind == ChangeKind::Renamed).then(|| place(scope, old));
    let change = Change { kind, from, differs, ..difference.change };
    Difference { change, old_size: old.record.attrs.length(), ..difference }
}
