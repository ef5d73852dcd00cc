//! [`Reporter`]: the second walk. It enters the directories in which there are differences, and hands
//! the differences on, sorted by path.

use brisk::{Fields, Flow};

use super::contents::{FilePair, Verdicts};
use super::criteria::{Comparison, Contents, Criteria};
use super::input::{NEW, OLD, RecordId};
use super::renames::Renames;
use super::walk::{Enter, EntryPair, Inputs, SideEntry, Step, Stepped, Visit};
use crate::change::{Change, Difference, Differs, Kind, Place};
use crate::format::index::Unusable;
use crate::format::record::Record;
use crate::rescan::marks::Marks;

/// What holds for all entries of a directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The roots in which the walk is, on either side.
    roots: [usize; 2],
    sides: Sides,
}

/// Which sides have a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    /// Both sides, at one path.
    Same,
    /// Both sides, at different paths: the directory was renamed. The walk comes here twice: from the
    /// old path it reports what is gone, and from the new path the rest. The number is the side from
    /// which it came.
    Moved(usize),
    /// One side alone. The entries are covered if the difference of a directory above stands for
    /// them.
    Alone { side: usize, covered: bool },
}

impl Scope {
    /// Whether the walk reports here what is on this side alone.
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
    /// The later directories with differences, by their numbers.
    pub marks: Marks,
    pub renames: Renames,
    /// The number among the roots of the result, for each root of a state.
    pub roots: [Vec<usize>; 2],
}

/// How files are treated whose contents have to be compared.
pub(super) enum FilePairs<'a> {
    /// They are handed to workers.
    Sent(&'a mut dyn FnMut(FilePair)),
    /// The workers have compared them.
    Compared(&'a Verdicts),
}

/// The second walk.
pub(super) struct Reporter<'a> {
    found: &'a Found,
    criteria: Criteria,
    files: FilePairs<'a>,
    visit: &'a mut dyn FnMut(&Difference) -> Flow,
    /// Whether the caller wants no more differences.
    pub is_stopped: bool,
    pub has_unknown: bool,
    /// How many files of each side have no digest that was asked for.
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
        let (is_stopped, has_unknown, without_digest) = Default::default();
        Reporter { found, criteria, files, visit, is_stopped, has_unknown, without_digest }
    }

    fn report(&mut self, mut difference: Difference) {
        self.has_unknown |= difference.change.kind == Kind::Unknown;
        if !self.criteria.known.contains(Fields::SIZE) {
            (difference.old_size, difference.new_size) = (0, 0);
        }
        self.is_stopped = self.is_stopped || (self.visit)(&difference) == Flow::Stop;
    }

    fn compare(&self, inputs: &Inputs, pair: &EntryPair<'_>) -> Comparison {
        self.criteria.compare(pair.trusts_inodes(inputs), &pair.old.record, &pair.new.record)
    }

    /// Adds to a comparison of two files what their contents show, if these have to be read.
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

    /// An entry that has another path on the other side, where its record is `id`.
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
        let record = record.ok_or_else(|| inputs[across].error(Unusable::Torn))?;
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
        // Renaming moves the ctime on many file systems.
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

    /// In a renamed directory, an entry may come from elsewhere or have gone elsewhere.
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
        // Below a renamed directory, another file with the same name is another entry.
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
                    kind => {
                        if is_renamed {
                            Some(Kind::Renamed)
                        } else {
                            kind
                        }
                    }
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

/// The difference of an entry that one side alone has.
fn one(scope: Scope, side: usize, entry: &SideEntry<'_>) -> Difference {
    let size = size(&entry.record);
    let change = Change {
        kind: if side == OLD { Kind::Deleted } else { Kind::Added },
        place: Place { root: scope.roots[side], path: entry.path.to_vec() },
        from: None,
        file_type: entry.record.stamp.file_type(),
        differs: Differs::default(),
    };
    let (old_size, new_size) = if side == OLD { (size, 0) } else { (0, size) };
    Difference { change, whole: false, old_size, new_size }
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
    let is_renamed = kind == Kind::Renamed;
    let from = is_renamed.then(|| Place { root: scope.roots[OLD], path: pair.old.path.to_vec() });
    difference.change = Change { kind, from, differs, ..difference.change };
    difference
}
