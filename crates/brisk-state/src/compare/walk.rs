//! [`walk`]: visits two trees side by side, in the order of a depth-first walk, in which `/` comes
//! before all other bytes. The directories being visited are on an explicit stack; there is no
//! recursion.

use std::cmp::Ordering;

use super::criteria::Criteria;
use super::input::{Content, Input, Page, RecordId};
use crate::change::DiffError;
use crate::format::record::{DirId, Record};

/// The earlier state, and the later one.
pub(super) type Inputs = [Input; 2];

/// An entry on one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideEntry<'a> {
    pub side: usize,
    pub id: RecordId,
    pub record: Record<'a>,
    /// The path below the root; empty for the root itself.
    pub path: &'a [u8],
    /// Whether the entry is a directory, and the state has its block.
    has_block: bool,
}

/// An entry on both sides.
pub(super) type EntryPair<'a> = [SideEntry<'a>; 2];

impl<'a> SideEntry<'a> {
    pub fn new(
        inputs: &Inputs,
        side: usize,
        id: RecordId,
        record: Record<'a>,
        path: &'a [u8],
    ) -> SideEntry<'a> {
        let has_block = record.is_dir() && inputs[side].index.dir(record.dir_id).is_some();
        SideEntry { side, id, record, path, has_block }
    }

    /// The directory, if the entry is one that can be entered.
    pub fn dir(&self) -> Option<SideDir> {
        let SideEntry { id, record, path, has_block, .. } = *self;
        has_block.then(|| SideDir { record: id, number: record.dir_id, path: path.to_vec() })
    }

    /// Whether inode numbers identify the entries of its directory.
    pub fn trusts_inodes(&self, inputs: &Inputs) -> bool {
        inputs[self.side].trusts_inodes(self.id.dir)
    }

    /// Whether this side could not read the entry.
    pub fn is_unknown(&self, inputs: &Inputs) -> bool {
        inputs[self.side].is_unknown(self.path)
    }

    /// Where the contents of the file can be learned.
    pub fn source(&self, inputs: &Inputs) -> Option<Content> {
        inputs[self.side].source(&self.record, self.path)
    }
}

/// A directory: its record, its number, and its path below the root.
#[derive(Debug)]
pub(super) struct SideDir {
    record: RecordId,
    number: DirId,
    path: Vec<u8>,
}

/// The directory to enter next, on each side.
#[derive(Debug)]
pub(super) struct Enter<S> {
    pub dirs: [Option<SideDir>; 2],
    pub scope: S,
}

impl<S> Enter<S> {
    /// Enters a directory that only one side has.
    pub fn alone(entry: &SideEntry<'_>, scope: S) -> Option<Enter<S>> {
        let mut dirs = [None, None];
        dirs[entry.side] = Some(entry.dir()?);
        Some(Enter { dirs, scope })
    }
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
    fn both(&mut self, inputs: &Inputs, scope: Self::Scope, pair: &EntryPair<'_>) -> Next<Self>;

    /// Visits an entry on one side.
    fn alone(
        &mut self,
        inputs: &mut Inputs,
        scope: Self::Scope,
        entry: &SideEntry<'_>,
    ) -> Result<Next<Self>, DiffError>;

    /// Whether the walk should stop.
    fn is_over(&self) -> bool {
        false
    }

    /// Leaves the directories that were entered in this scope.
    fn leave(&mut self, _scope: Self::Scope) {}
}

/// What to enter after an entry was visited, if anything.
pub(super) type Next<V> = Option<Enter<<V as Visit>::Scope>>;

/// Visits an entry, but not what is below it.
pub(super) fn visit<V: Visit>(
    inputs: &mut Inputs,
    visitor: &mut V,
    scope: V::Scope,
    entry: [Option<SideEntry<'_>>; 2],
) -> Result<Next<V>, DiffError> {
    match entry {
        [Some(old), Some(new)] => Ok(visitor.both(inputs, scope, &[old, new])),
        [Some(entry), None] | [None, Some(entry)] => visitor.alone(inputs, scope, &entry),
        [None, None] => Ok(None),
    }
}

/// A directory, on one side or both, whose entries are being visited.
struct Frame<S> {
    cursors: [Option<Cursor>; 2],
    scope: S,
}

/// A directory on one side.
struct Cursor {
    dir: DirId,
    page: Page,
    /// The position of the next entry.
    at: usize,
    /// The path of the last entry. The first `prefix` bytes are the directory's path, with a
    /// separator at the end.
    path: Vec<u8>,
    prefix: usize,
}

impl Cursor {
    fn open(input: &mut Input, dir: SideDir) -> Result<Cursor, DiffError> {
        let SideDir { record, number, mut path } = dir;
        let page = input.enter(number, record)?;
        if !path.is_empty() {
            path.push(b'/');
        }
        Ok(Cursor { dir: number, page, at: 0, prefix: path.len(), path })
    }

    fn id(&self) -> RecordId {
        RecordId { dir: self.dir, at: self.at as u32 }
    }

    fn entry(&mut self, inputs: &Inputs, side: usize) -> Option<SideEntry<'_>> {
        let id = self.id();
        let record = self.page.get(self.at)?;
        self.path.truncate(self.prefix);
        self.path.extend_from_slice(record.name);
        Some(SideEntry::new(inputs, side, id, record, &self.path))
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
    let mut stack = vec![open(inputs, enter)?];
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
            visitor.leave(frame.scope);
            stack.pop();
        } else if let Some(enter) = step(inputs, visitor, frame, takes)? {
            stack.push(open(inputs, enter)?);
        }
    }
    Ok(())
}

fn open<S>(inputs: &mut Inputs, enter: Enter<S>) -> Result<Frame<S>, DiffError> {
    let mut cursors = [None, None];
    for (side, dir) in enter.dirs.into_iter().enumerate() {
        cursors[side] = dir.map(|dir| Cursor::open(&mut inputs[side], dir)).transpose()?;
    }
    Ok(Frame { cursors, scope: enter.scope })
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
        Some((cursor.id(), cursor.page.get(cursor.at)?.name))
    });
    match next {
        [Some((old, old_name)), Some((new, new_name))] => match old_name.cmp(new_name) {
            Ordering::Less => [true, false],
            Ordering::Greater => [false, true],
            Ordering::Equal => [true, !visitor.splits(frame.scope, old, new)],
        },
        [old, new] => [old.is_some(), new.is_some()],
    }
}

/// Hands the next entry to the visitor.
fn step<V: Visit>(
    inputs: &mut Inputs,
    visitor: &mut V,
    frame: &mut Frame<V::Scope>,
    takes: [bool; 2],
) -> Result<Next<V>, DiffError> {
    let mut entry = [None, None];
    for (side, cursor) in frame.cursors.iter_mut().enumerate() {
        let cursor = cursor.as_mut().filter(|_| takes[side]);
        entry[side] = cursor.and_then(|cursor| cursor.entry(inputs, side));
    }
    let next = visit(inputs, visitor, frame.scope, entry)?;
    for (cursor, takes) in frame.cursors.iter_mut().zip(takes) {
        if let Some(cursor) = cursor {
            cursor.at += usize::from(takes);
        }
    }
    Ok(next)
}
