//! [`walk`]: visits two trees side by side, in the order of a depth-first walk, in which `/` comes
//! before all other bytes. The directories being visited are on an explicit stack; there is no
//! recursion.

use std::cmp::Ordering;

use super::criteria::Criteria;
use super::input::{Input, NEW, OLD, Page, RecordId};
use crate::change::DiffError;
use crate::format::record::{DirId, Record};

/// The earlier state, and the later one.
pub(super) type Inputs = [Input; 2];

/// An entry on one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideEntry<'a> {
    pub id: RecordId,
    pub record: Record<'a>,
    /// The path below the root; empty for the root itself.
    pub path: &'a [u8],
    /// If the entry is a directory, and the state has its block: the directory.
    pub dir: Option<DirRef>,
}

impl<'a> SideEntry<'a> {
    pub fn new(input: &Input, id: RecordId, record: Record<'a>, path: &'a [u8]) -> SideEntry<'a> {
        let has_block = record.is_dir() && input.index.dir(record.block).is_some();
        let dir = has_block.then_some(DirRef { record: id, number: record.block });
        SideEntry { id, record, path, dir }
    }
}

/// An entry on both sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryPair<'a> {
    pub old: SideEntry<'a>,
    pub new: SideEntry<'a>,
}

impl EntryPair<'_> {
    pub fn are_listed(&self) -> [bool; 2] {
        [self.old.record.is_listed(), self.new.record.is_listed()]
    }

    pub fn are_dirs(&self) -> [bool; 2] {
        [self.old.record.is_dir(), self.new.record.is_dir()]
    }

    /// Whether inode numbers tell the entries of the later directory apart.
    pub fn trusts_inodes(&self, inputs: &Inputs) -> bool {
        inputs[NEW].trusts_inodes(self.new.id.dir)
    }

    /// Whether one side could not read the directory.
    pub fn is_opaque(&self, inputs: &Inputs) -> bool {
        inputs[OLD].is_unknown(self.old.path) || inputs[NEW].is_unknown(self.new.path)
    }

    /// For each side, whether the contents of the file can be learned.
    pub fn has_sources(&self, inputs: &Inputs) -> [bool; 2] {
        [inputs[OLD].has_source(&self.old.record), inputs[NEW].has_source(&self.new.record)]
    }
}

/// A directory: its record, and its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirRef {
    record: RecordId,
    pub number: DirId,
}

/// The directory to enter next, on each side.
#[derive(Debug)]
pub(super) struct Enter<S> {
    pub dirs: [Option<DirRef>; 2],
    /// The path of the directory, if the directory is not at the path of the entry.
    pub elsewhere: [Option<Vec<u8>>; 2],
    pub scope: S,
}

impl<S> Enter<S> {
    pub fn new(dirs: [Option<DirRef>; 2], scope: S) -> Enter<S> {
        Enter { dirs, elsewhere: [None, None], scope }
    }

    /// Enters a directory that only one side has.
    pub fn alone(side: usize, dir: DirRef, scope: S) -> Enter<S> {
        let mut dirs = [None, None];
        dirs[side] = Some(dir);
        Enter::new(dirs, scope)
    }
}

/// The result of visiting an entry.
#[derive(Debug)]
pub(super) struct Step<S> {
    /// Whether the directory above has a difference.
    pub differs: bool,
    pub enter: Option<Enter<S>>,
}

/// Receives the entries.
pub(super) trait Visit {
    /// What the visitor remembers for all entries of a directory.
    type Scope: Copy;

    /// Begins a root, and returns the scope in which it is entered.
    fn begin(&mut self, root: usize, criteria: Criteria) -> Self::Scope;

    /// Whether entries with equal records on both sides need not be visited.
    fn passes_same(&self, scope: Self::Scope) -> bool;

    /// Whether two entries of the same name are unrelated.
    fn splits(&self, _scope: Self::Scope, _old: RecordId, _new: RecordId) -> bool {
        false
    }

    /// Visits an entry on both sides.
    fn both(&mut self, inputs: &Inputs, scope: Self::Scope, pair: &EntryPair<'_>) -> Stepped<Self>;

    /// Visits an entry on one side.
    fn alone(
        &mut self,
        inputs: &mut Inputs,
        scope: Self::Scope,
        side: usize,
        entry: &SideEntry<'_>,
    ) -> Stepped<Self>;

    /// Whether the walk should stop.
    fn is_over(&self) -> bool {
        false
    }

    /// Leaves directories that were entered.
    fn leave(&mut self, _dirs: [Option<DirId>; 2], _differs: bool) {}
}

pub(super) type Stepped<V> = Result<Step<<V as Visit>::Scope>, DiffError>;

/// Hands an entry to the visitor.
pub(super) fn visit<V: Visit>(
    inputs: &mut Inputs,
    visitor: &mut V,
    scope: V::Scope,
    entry: [Option<SideEntry<'_>>; 2],
) -> Stepped<V> {
    match entry {
        [Some(old), Some(new)] => visitor.both(inputs, scope, &EntryPair { old, new }),
        [Some(old), None] => visitor.alone(inputs, scope, OLD, &old),
        [None, Some(new)] => visitor.alone(inputs, scope, NEW, &new),
        [None, None] => Ok(Step { differs: false, enter: None }),
    }
}

/// A directory, on one side or both, whose entries are being visited.
struct Frame<S> {
    cursors: [Option<Cursor>; 2],
    scope: S,
    differs: bool,
    /// The lengths of the directories' paths, with a separator at the end.
    lens: [usize; 2],
    /// If the directory is not at the path of its entry: the path to return to.
    saved: [Option<Vec<u8>>; 2],
}

struct Cursor {
    page: Page,
    dir: DirId,
    at: usize,
}

impl Cursor {
    fn record(&self) -> Option<Record<'_>> {
        self.page.get(self.at)
    }

    fn id(&self) -> RecordId {
        RecordId { dir: self.dir, at: self.at as u32 }
    }
}

/// Visits everything below a directory.
pub(super) fn walk<V: Visit>(
    inputs: &mut Inputs,
    visitor: &mut V,
    enter: Enter<V::Scope>,
) -> Result<(), DiffError> {
    // An entry that one side could not read may differ.
    let is_all_known = inputs.iter().all(Input::is_known);
    let mut paths = [Vec::new(), Vec::new()];
    let mut stack = vec![open(inputs, enter, &mut paths)?];
    while let Some(frame) = stack.last_mut()
        && !visitor.is_over()
    {
        for (input, cursor) in inputs.iter_mut().zip(&mut frame.cursors) {
            if let Some(cursor) = cursor {
                input.turn(&mut cursor.page, cursor.at)?;
            }
        }
        if is_all_known && visitor.passes_same(frame.scope) && pass_same(frame) {
            continue;
        }
        let takes = takes(visitor, frame);
        if takes == [false, false] {
            let Some(frame) = stack.pop() else { break };
            let dirs = frame.cursors.map(|cursor| cursor.map(|cursor| cursor.dir));
            visitor.leave(dirs, frame.differs);
            for (path, saved) in paths.iter_mut().zip(frame.saved) {
                *path = saved.unwrap_or_else(|| std::mem::take(path));
            }
            if let Some(above) = stack.last_mut() {
                above.differs |= frame.differs;
            }
            continue;
        }
        let step = step(inputs, visitor, frame, takes, &mut paths)?;
        frame.differs |= step.differs;
        if let Some(enter) = step.enter {
            stack.push(open(inputs, enter, &mut paths)?);
        }
    }
    Ok(())
}

/// Skips entries with equal records, up to the end of a page. Returns whether any were.
fn pass_same<S>(frame: &mut Frame<S>) -> bool {
    let [Some(old), Some(new)] = &mut frame.cursors else { return false };
    let count = old.page.same(old.at, &new.page, new.at);
    old.at += count;
    new.at += count;
    count > 0
}

/// For each side, whether it has the next entry.
fn takes<V: Visit>(visitor: &V, frame: &Frame<V::Scope>) -> [bool; 2] {
    let next = frame.cursors.each_ref().map(|cursor| {
        let cursor = cursor.as_ref()?;
        Some((cursor.id(), cursor.record()?))
    });
    match next {
        [Some((old, old_record)), Some((new, new_record))] => {
            match old_record.name.cmp(new_record.name) {
                Ordering::Less => [true, false],
                Ordering::Greater => [false, true],
                Ordering::Equal => [true, !visitor.splits(frame.scope, old, new)],
            }
        }
        [old, new] => [old.is_some(), new.is_some()],
    }
}

/// Hands the next entry to the visitor.
fn step<V: Visit>(
    inputs: &mut Inputs,
    visitor: &mut V,
    frame: &mut Frame<V::Scope>,
    takes: [bool; 2],
    paths: &mut [Vec<u8>; 2],
) -> Stepped<V> {
    let mut entry = [None, None];
    for (side, path) in paths.iter_mut().enumerate() {
        path.truncate(frame.lens[side]);
        let cursor = frame.cursors[side].as_ref().filter(|_| takes[side]);
        entry[side] = cursor.and_then(|cursor| {
            let record = cursor.record()?;
            path.extend_from_slice(record.name);
            Some(SideEntry::new(&inputs[side], cursor.id(), record, path))
        });
    }
    let step = visit(inputs, visitor, frame.scope, entry)?;
    for (cursor, takes) in frame.cursors.iter_mut().zip(takes) {
        if let Some(cursor) = cursor {
            cursor.at += usize::from(takes);
        }
    }
    Ok(step)
}

fn open<S>(
    inputs: &mut Inputs,
    enter: Enter<S>,
    paths: &mut [Vec<u8>; 2],
) -> Result<Frame<S>, DiffError> {
    let Enter { dirs, elsewhere, scope } = enter;
    let mut frame =
        Frame { cursors: [None, None], scope, differs: false, lens: [0; 2], saved: [None, None] };
    for (side, elsewhere) in elsewhere.into_iter().enumerate() {
        if let Some(other) = elsewhere {
            frame.saved[side] = Some(std::mem::replace(&mut paths[side], other));
        }
        if !paths[side].is_empty() {
            paths[side].push(b'/');
        }
        frame.lens[side] = paths[side].len();
        if let Some(DirRef { record, number }) = dirs[side] {
            let page = inputs[side].enter(number, record)?;
            frame.cursors[side] = Some(Cursor { page, dir: number, at: 0 });
        }
    }
    Ok(frame)
}
