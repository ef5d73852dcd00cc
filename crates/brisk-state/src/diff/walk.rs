//! [`walk`]: two trees side by side, in the order of a depth-first walk, in which `/` comes before
//! all other bytes. Pending directories are on a stack of their own: there is no recursion.

use std::cmp::Ordering;

use super::answer::Fault;
use super::compare::Terms;
use super::input::Input;
use super::pieces::Listing;
use crate::record::Record;

/// The side of the earlier and that of the later tree, in arrays of two.
pub(super) const OLD: usize = 0;
pub(super) const NEW: usize = 1;

/// Where a record is: the number of its directory, and its own there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub dir: u32,
    pub at: u32,
}

/// An entry that the walk has come to, on one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met<'a> {
    pub spot: Spot,
    pub record: Record<'a>,
    /// The way from the root; empty for the root itself.
    pub path: &'a [u8],
}

impl Met<'_> {
    /// The directory's own block, and where it is named, if the entry is a directory.
    pub fn inside(&self) -> Option<Inside> {
        self.record.is_dir().then_some(Inside { spot: self.spot, block: self.record.block })
    }
}

/// A directory that is entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    pub spot: Spot,
    pub block: u32,
}

/// Which directories are entered next.
#[derive(Debug)]
pub(super) struct Enter<W> {
    pub dirs: [Option<Inside>; 2],
    /// The path of a directory that is elsewhere than the entry that the walk has come to.
    pub elsewhere: [Option<Vec<u8>>; 2],
    pub way: W,
}

impl<W> Enter<W> {
    pub fn new(dirs: [Option<Inside>; 2], way: W) -> Enter<W> {
        Enter { dirs, elsewhere: [None, None], way }
    }
}

/// What becomes of an entry that the walk has come to.
#[derive(Debug)]
pub(super) struct Step<W> {
    /// The directory above has a difference in it.
    pub differs: bool,
    pub enter: Option<Enter<W>>,
}

/// What is done with the entries.
pub(super) trait Visit {
    /// The way on which a directory was entered.
    type Way: Copy;

    /// The way on which a root is entered.
    fn begin(&mut self, root: usize, terms: Terms) -> Self::Way;

    /// Whether entries that are the same on both sides say nothing.
    fn passes_same(&self, way: Self::Way) -> bool;

    /// Whether two entries of the same name have nothing to do with each other.
    fn splits(&self, way: Self::Way, old: Spot, new: Spot) -> bool;

    /// An entry: on both sides, on the old one alone, or on the new one.
    fn meet(
        &mut self,
        inputs: &mut [Input; 2],
        way: Self::Way,
        met: [Option<Met<'_>>; 2],
    ) -> Result<Step<Self::Way>, Fault>;

    /// The end of directories that were entered. `dirs` are their numbers.
    fn leave(&mut self, dirs: [Option<u32>; 2], differs: bool);
}

/// Directories whose entries are being met.
struct Frame<W> {
    cursors: [Option<Cursor>; 2],
    way: W,
    differs: bool,
    /// The lengths of the paths that their entries' paths begin with.
    lens: [usize; 2],
    /// The paths of the frame below, where this one is elsewhere.
    saved: [Option<Vec<u8>>; 2],
}

struct Cursor {
    listing: Listing,
    block: u32,
    at: usize,
}

impl Cursor {
    fn record(&self) -> Option<Record<'_>> {
        self.listing.get(self.at)
    }

    fn spot(&self) -> Spot {
        Spot { dir: self.block, at: self.at as u32 }
    }
}

/// Walks what is below the directories of `enter`; says whether there are differences.
pub(super) fn walk<V: Visit>(
    inputs: &mut [Input; 2],
    visitor: &mut V,
    enter: Enter<V::Way>,
) -> Result<bool, Fault> {
    // What is unknown on both sides may differ.
    let all_known = inputs.iter().all(Input::is_known);
    let mut paths = [Vec::new(), Vec::new()];
    let mut stack = vec![open(inputs, enter, &mut paths)?];
    while let Some(frame) = stack.last_mut() {
        for side in [OLD, NEW] {
            if let Some(cursor) = &mut frame.cursors[side] {
                let turned = cursor.listing.turn(&mut inputs[side].pieces, cursor.at);
                turned.map_err(|why| Fault::Input(side, why))?;
            }
        }
        if all_known && visitor.passes_same(frame.way) && pass_same(frame) {
            continue;
        }
        let takes = takes(visitor, frame);
        if takes == [false, false] {
            let Some(frame) = stack.pop() else { break };
            let dirs =
                frame.cursors.each_ref().map(|cursor| cursor.as_ref().map(|cursor| cursor.block));
            visitor.leave(dirs, frame.differs);
            for (path, saved) in paths.iter_mut().zip(frame.saved) {
                *path = saved.unwrap_or_else(|| std::mem::take(path));
            }
            match stack.last_mut() {
                Some(above) => above.differs |= frame.differs,
                None => return Ok(frame.differs),
            }
            continue;
        }
        let step = step(inputs, visitor, frame, takes, &mut paths)?;
        frame.differs |= step.differs;
        if let Some(enter) = step.enter {
            stack.push(open(inputs, enter, &mut paths)?);
        }
    }
    Ok(false)
}

/// Passes entries that are the same on both sides, as far as the pages go; says whether there were
/// any.
fn pass_same<W>(frame: &mut Frame<W>) -> bool {
    let [Some(old), Some(new)] = &mut frame.cursors else { return false };
    let count = old.listing.same(old.at, &new.listing, new.at);
    old.at += count;
    new.at += count;
    count > 0
}

/// Which sides have the entry that is next.
fn takes<V: Visit>(visitor: &V, frame: &Frame<V::Way>) -> [bool; 2] {
    let [old, new] = &frame.cursors;
    let records = [old.as_ref().and_then(Cursor::record), new.as_ref().and_then(Cursor::record)];
    match records {
        [Some(a), Some(b)] => match a.name.cmp(b.name) {
            Ordering::Less => [true, false],
            Ordering::Greater => [false, true],
            Ordering::Equal => {
                let spots = old.as_ref().zip(new.as_ref());
                let splits =
                    spots.is_some_and(|(a, b)| visitor.splits(frame.way, a.spot(), b.spot()));
                [true, !splits]
            }
        },
        [a, b] => [a.is_some(), b.is_some()],
    }
}

/// Hands the next entry to the visitor.
fn step<V: Visit>(
    inputs: &mut [Input; 2],
    visitor: &mut V,
    frame: &mut Frame<V::Way>,
    takes: [bool; 2],
    paths: &mut [Vec<u8>; 2],
) -> Result<Step<V::Way>, Fault> {
    let [old_path, new_path] = paths;
    let [old, new] = &frame.cursors;
    let met = [
        met(old.as_ref().filter(|_| takes[OLD]), old_path, frame.lens[OLD]),
        met(new.as_ref().filter(|_| takes[NEW]), new_path, frame.lens[NEW]),
    ];
    let step = visitor.meet(inputs, frame.way, met)?;
    for (cursor, takes) in frame.cursors.iter_mut().zip(takes) {
        if let Some(cursor) = cursor {
            cursor.at += usize::from(takes);
        }
    }
    Ok(step)
}

fn met<'a>(cursor: Option<&'a Cursor>, path: &'a mut Vec<u8>, len: usize) -> Option<Met<'a>> {
    path.truncate(len);
    let cursor = cursor?;
    let record = cursor.record()?;
    path.extend_from_slice(record.name);
    Some(Met { spot: cursor.spot(), record, path })
}

fn open<W>(
    inputs: &mut [Input; 2],
    enter: Enter<W>,
    paths: &mut [Vec<u8>; 2],
) -> Result<Frame<W>, Fault> {
    let Enter { dirs, elsewhere, way } = enter;
    let (mut cursors, mut lens, mut saved) = ([None, None], [0; 2], [None, None]);
    for (side, elsewhere) in elsewhere.into_iter().enumerate() {
        if let Some(other) = elsewhere {
            saved[side] = Some(std::mem::replace(&mut paths[side], other));
        }
        if !paths[side].is_empty() {
            paths[side].push(b'/');
        }
        lens[side] = paths[side].len();
        if let Some(Inside { spot, block }) = dirs[side] {
            let listing = inputs[side].pieces.enter(block, (spot.dir, spot.at));
            let listing = listing.map_err(|why| Fault::Input(side, why))?;
            cursors[side] = Some(Cursor { listing, block, at: 0 });
        }
    }
    Ok(Frame { cursors, way, differs: false, lens, saved })
}

/// Whether one side could not read what is in a directory.
pub(super) fn is_opaque(inputs: &[Input; 2], old: &Met<'_>, new: &Met<'_>) -> bool {
    inputs[OLD].is_unknown(old.path) || inputs[NEW].is_unknown(new.path)
}
