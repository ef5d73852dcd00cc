//! [`Reporter`]: the second walk. It enters the directories with differences, and reports the
//! differences, sorted by path.

use brisk::{Fields, Flow};

use super::contents::{FilePair, Verdicts};
use super::criteria::{Comparison, Contents, Criteria};
use super::input::{NEW, OLD, RecordId};
use super::renames::Renames;
use super::walk::{Enter, EntryPair, Inputs, SideEntry, Step, Stepped, Visit};
use crate::change::{Change, Difference, Differs, Kind, Place};
use crate::format::record::Record;
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
    /// Both sides, at different paths: the directory was renamed. The walk enters it twice. At the
    /// old path it reports what is gone, and at the new path the rest. The number is the side at
    /// whose path the walk has entered it.
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
    /// How many files of each side should have been compared by contents, but have no digest.
    pub without_digest: [u64; 2],
}

/// Nothing to report, and nothing to enter.
const DONE: Step<Scope> = Step { differs: true, enter: None };

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
            without_digest: [0; 2],
        }
    }

    fn report(&mut self, mut difference: Difference) {
        self.has_unknown |= difference.change.kind == Kind::Unknown;
        if !self.criteria.known.contains(Fields::SIZE) {
            difference.old_size = 0;
            difference.new_size = 0;
        }
        self.is_stopped = self.is_stopped || (self.visit)(&difference) == Flow::Stop;
    }

    fn compare(&self, inputs: &Inputs, pair: &EntryPair<'_>) -> Comparison {
        self.criteria.compare(pair.trusts_inodes(inputs), &pair.old.record, &pair.new.record)
    }

    /// If only contents can decide about two files, sends the files to the workers or, once the
    /// workers are done, completes the comparison by their result.
    fn add_contents(&mut self, inputs: &Inputs, compared: &mut Comparison, pair: &EntryPair<'_>) {
        let EntryPair { old, new } = pair;
        if !self.criteria.needs_contents(compared, &new.record) {
            return;
        }
        let has_sources = pair.has_sources(inputs);
        if has_sources != [true, true] {
            for (count, has_source) in self.without_digest.iter_mut().zip(has_sources) {
                *count += u64::from(self.criteria.content && !has_source);
            }
            return;
        }
        let contents = match &mut self.files {
            FilePairs::Compared(verdicts) => {
                verdicts.get(&new.id).copied().unwrap_or(Contents::Same)
            }
            FilePairs::Sent(send) => {
                let from = inputs[OLD].source(&old.record, old.path);
                let to = inputs[NEW].source(&new.record, new.path);
                if let (Some(from), Some(to)) = (from, to) {
                    let size = new.record.stamp.size;
                    send(FilePair { new: new.id, sources: [from, to], size });
                }
                return;
            }
        };
        *compared = self.criteria.decide(compared, contents, [&old.record, &new.record]);
    }

    /// Reports an entry that has another path on the other side, where its record is `id`.
    fn renamed(
        &mut self,
        inputs: &mut Inputs,
        scope: Scope,
        side: usize,
        entry: &SideEntry<'_>,
        id: RecordId,
    ) -> Stepped<Self> {
        let across = 1 - side;
        let (root, path) = inputs[across].path(id)?;
        let page = inputs[across].record(id)?;
        let record = page.get(id.at as usize);
        let record = record.ok_or_else(|| inputs[across].torn())?;
        let other = SideEntry::new(&inputs[across], id, record, &path);
        let mut roots = scope.roots;
        roots[across] = self.found.roots[across].get(root as usize).copied().unwrap_or(0);
        if side == NEW {
            let pair = EntryPair { old: other, new: *entry };
            let difference = self.rename(inputs, Scope { roots, ..scope }, &pair);
            self.report(difference);
        }
        let mut dirs = [entry.dir, entry.dir];
        dirs[across] = other.dir;
        let mut enter = Enter::new(dirs, Scope { roots, sides: Sides::Moved(side) });
        let is_entered = entry.dir.is_some() && other.dir.is_some();
        enter.elsewhere[across] = Some(path);
        Ok(Step { differs: true, enter: is_entered.then_some(enter) })
    }

    /// The difference of a renamed entry.
    fn rename(&mut self, inputs: &Inputs, scope: Scope, pair: &EntryPair<'_>) -> Difference {
        let mut compared = self.compare(inputs, pair);
        self.add_contents(inputs, &mut compared, pair);
        self.has_unknown |= compared.contents == Contents::Unreadable;
        // On many file systems, renaming changes the ctime.
        compared.differs.fields -= Fields::CTIME;
        let whole = !self.found.each && pair.new.record.is_dir();
        Difference { whole, ..changed(scope, Kind::Renamed, compared.differs, pair) }
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

    fn both(&mut self, inputs: &Inputs, scope: Scope, pair: &EntryPair<'_>) -> Stepped<Self> {
        let EntryPair { old, new } = pair;
        let mut compared = self.compare(inputs, pair);
        let is_other = compared.differs.fields.contains(Fields::TYPE);
        // In a renamed directory, a different file of the same name is a different entry.
        let has_other_inode = pair.trusts_inodes(inputs)
            && self.criteria.is_one_tree
            && old.record.stamp.ino != new.record.stamp.ino;
        let is_renamed = self.found.each && scope.is_moved();
        let listed = pair.are_listed();
        if listed == [true, true] && !(is_renamed && (is_other || has_other_inode)) {
            if scope.reports(NEW) {
                self.add_contents(inputs, &mut compared, pair);
                let kind = match compared.kind() {
                    Some(kind @ (Kind::TypeChanged | Kind::Unknown)) => Some(kind),
                    _ if is_renamed => Some(Kind::Renamed),
                    kind => kind,
                };
                if let Some(kind) = kind {
                    self.report(changed(scope, kind, compared.differs, pair));
                }
            }
        } else {
            for (side, entry) in [old, new].into_iter().enumerate() {
                if listed[side] && scope.reports(side) {
                    self.report(one(scope, side, entry));
                }
            }
        }
        let dirs = [old.dir, new.dir];
        let enter = match pair.are_dirs() {
            [true, true] if pair.is_opaque(inputs) => {
                if scope.reports(NEW) {
                    self.report(unknown(scope, NEW, new));
                }
                None
            }
            [true, true] => old.dir.zip(new.dir).and_then(|(_, new)| {
                let number = new.number as usize;
                let differs = scope.sides != Sides::Same || self.found.marks.get(number);
                differs.then(|| Enter::new(dirs, scope))
            }),
            [is_old, _] => {
                let side = if is_old { OLD } else { NEW };
                let sides = Sides::Alone { side, covered: false };
                let is_entered = dirs[side].is_some() && is_other && scope.reports(side);
                is_entered.then(|| Enter::new(dirs, Scope { sides, ..scope }))
            }
        };
        Ok(Step { differs: true, enter })
    }

    fn alone(
        &mut self,
        inputs: &mut Inputs,
        scope: Scope,
        side: usize,
        entry: &SideEntry<'_>,
    ) -> Stepped<Self> {
        if !scope.reports(side) {
            return Ok(DONE);
        }
        if let Some(across) = self.found.renames.across(side, entry.id) {
            return self.renamed(inputs, scope, side, entry, across);
        }
        if inputs[1 - side].is_unknown(entry.path) {
            self.report(unknown(scope, side, entry));
            return Ok(DONE);
        }
        let is_listed = entry.record.is_listed();
        let was_covered = matches!(scope.sides, Sides::Alone { covered: true, .. });
        let whole = !self.found.each && entry.record.is_dir();
        if is_listed && !was_covered {
            self.report(Difference { whole, ..one(scope, side, entry) });
        }
        let covered = was_covered || (is_listed && whole);
        if covered && self.found.renames.is_empty() {
            return Ok(DONE);
        }
        let scope = Scope { sides: Sides::Alone { side, covered }, ..scope };
        Ok(Step { differs: true, enter: entry.dir.map(|dir| Enter::alone(side, dir, scope)) })
    }
}

fn size(record: &Record<'_>) -> u64 {
    if record.is_dir() { 0 } else { record.stamp.size }
}

/// The difference of an entry that only one side has.
fn one(scope: Scope, side: usize, entry: &SideEntry<'_>) -> Difference {
    let kind = if side == OLD { Kind::Deleted } else { Kind::Added };
    let mut sizes = [0; 2];
    sizes[side] = size(&entry.record);
    let [old_size, new_size] = sizes;
    let change = Change::new(kind, place(scope, side, entry), entry.record.stamp.file_type());
    Difference { change, whole: false, old_size, new_size }
}

fn place(scope: Scope, side: usize, entry: &SideEntry<'_>) -> Place {
    Place { root: scope.roots[side], path: entry.path.to_vec() }
}

/// The difference of an entry that the other side could not read.
fn unknown(scope: Scope, side: usize, entry: &SideEntry<'_>) -> Difference {
    let mut difference = one(scope, side, entry);
    difference.change.kind = Kind::Unknown;
    difference
}

/// The difference of an entry that both sides have.
fn changed(scope: Scope, kind: Kind, differs: Differs, pair: &EntryPair<'_>) -> Difference {
    let mut difference = one(scope, NEW, &pair.new);
    difference.old_size = size(&pair.old.record);
    let from = (kind == Kind::Renamed).then(|| place(scope, OLD, &pair.old));
    difference.change = Change { kind, from, differs, ..difference.change };
    difference
}
