//! [`Group`]: rows in order, and the value of each row in each column.

use std::cmp::Ordering;
use std::ops::Range;

use brisk::{FileType, Meta, Timestamp};
use brisk_sys::paths::without_separator;
use brisk_sys::slashed::{by_component, last};

use crate::Column;

use crate::record::Digest;
use crate::rows::{Below, Row, Rows};

/// Rows in the order of a sorted walk: component by component, a directory before what is in it.
#[derive(Debug)]
pub struct Group {
    parts: Vec<Rows>,
    order: Vec<RowPosition>,
}

/// Where a row is: in which part, and to which run of the part it belongs.
#[derive(Clone, Copy, Debug)]
struct RowPosition {
    part: u32,
    run: u32,
    row: u32,
}

/// A row of a group.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'a> {
    prefix: &'a [u8],
    name: &'a [u8],
    row: &'a Row,
}

/// What a row has in one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Unknown, or not applicable.
    Null,
    /// A path: the directory's with a separator at its end, and the name.
    Path(&'a [u8], &'a [u8]),
    /// Bytes that may not be UTF-8.
    Bytes(&'a [u8]),
    /// A word.
    Text(&'static str),
    /// A number.
    Number(u64),
    /// Permission bits.
    Mode(u32),
    /// The number of a user.
    User(u32),
    /// The number of a group of users.
    Group(u32),
    /// A point in time.
    Time(Timestamp),
    /// A digest.
    Digest(&'a Digest),
}

impl Group {
    /// Puts the rows of several workers in order.
    #[must_use]
    pub fn new(parts: Vec<Rows>) -> Group {
        let order = Sorting::new(&parts).run();
        Group { parts, order }
    }

    /// Rows in the order in which they were added.
    #[must_use]
    pub fn in_order(rows: Rows) -> Group {
        let runs = rows.runs.iter().zip(0..);
        let places = runs.flat_map(|(run, number)| {
            run.rows.clone().map(move |row| RowPosition { part: 0, run: number, row: row as u32 })
        });
        Group { order: places.collect(), parts: vec![rows] }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The rows at these places.
    pub fn rows(&self, at: Range<usize>) -> impl ExactSizeIterator<Item = RowRef<'_>> {
        self.order[at].iter().map(|place| {
            let part = &self.parts[place.part as usize];
            let row = &part.rows[place.row as usize];
            let prefix = part.prefix(&part.runs[place.run as usize]);
            RowRef { prefix, name: part.name(row), row }
        })
    }
}

/// Puts rows in order: runs by their directories, names within each directory. A directory's rows
/// wait on a stack while those of the directories below it are placed.
struct Sorting<'a> {
    parts: &'a [Rows],
    order: Vec<RowPosition>,
    stack: Vec<UnplacedDir<'a>>,
}

/// A directory of which not all rows are placed.
struct UnplacedDir<'a> {
    prefix: &'a [u8],
    /// The rows that are not placed, the last one first.
    places: Vec<Named<'a>>,
}

/// A row's name, and where the row is.
type Named<'a> = (&'a [u8], RowPosition);

impl<'a> Sorting<'a> {
    fn new(parts: &'a [Rows]) -> Sorting<'a> {
        let count = parts.iter().map(Rows::len).sum();
        Sorting { parts, order: Vec::with_capacity(count), stack: Vec::new() }
    }

    fn run(mut self) -> Vec<RowPosition> {
        let mut runs: Vec<(&[u8], u32, u32)> = Vec::new();
        for (part, number) in self.parts.iter().zip(0..) {
            let numbered = part.runs.iter().zip(0..);
            runs.extend(numbered.map(|(run, at)| (part.prefix(run), number, at)));
        }
        runs.sort_unstable_by(|one, other| by_component(one.0, other.0));
        for same in runs.chunk_by(|one, other| one.0 == other.0) {
            let prefix = same[0].0;
            self.leave_for(prefix);
            let mut places = Vec::new();
            for &(_, part, run) in same {
                named(&self.parts[part as usize], part, run, &mut places);
            }
            if prefix.is_empty() {
                places.sort_unstable_by(|one, other| by_component(other.0, one.0));
            } else {
                places.sort_unstable_by(|one, other| other.0.cmp(one.0));
            }
            self.stack.push(UnplacedDir { prefix, places });
        }
        while self.leave() {}
        self.order
    }

    /// Places all rows that come before what is in the directory with this prefix.
    fn leave_for(&mut self, prefix: &[u8]) {
        while self.stack.last().is_some_and(|level| !prefix.starts_with(level.prefix)) {
            self.leave();
        }
        let Some(level) = self.stack.last_mut() else { return };
        let rest = &prefix[level.prefix.len()..];
        let comes_before =
            |(name, _): &mut Named<'_>| by_component(name, rest) != Ordering::Greater;
        while let Some((_, place)) = level.places.pop_if(comes_before) {
            self.order.push(place);
        }
    }

    /// Places what is left of the last directory on the stack, if there is one.
    fn leave(&mut self) -> bool {
        let Some(level) = self.stack.pop() else { return false };
        self.order.extend(level.places.into_iter().rev().map(|(_, place)| place));
        true
    }
}

/// Adds the rows of a run.
fn named<'a>(rows: &'a Rows, part: u32, run: u32, places: &mut Vec<Named<'a>>) {
    places.extend(rows.runs[run as usize].rows.clone().map(|row| {
        let place = RowPosition { part, run, row: row as u32 };
        (rows.name(&rows.rows[row]), place)
    }));
}

impl<'a> RowRef<'a> {
    /// What the row has in this column.
    #[inline]
    #[must_use]
    pub fn value(&self, column: Column) -> Value<'a> {
        match column {
            Column::Path | Column::PathBytes => Value::Path(self.prefix, self.name),
            Column::Name if self.row.depth == 0 => Value::Bytes(last(self.name)),
            Column::Name => Value::Bytes(self.name),
            Column::Parent => match without_separator(self.prefix) {
                [] if self.row.depth == 0 => Value::Null,
                parent => Value::Bytes(parent),
            },
            Column::Type => self.row.file_type.word().map_or(Value::Null, Value::Text),
            Column::Mode => self.meta().and_then(Meta::mode).map_or(Value::Null, Value::Mode),
            Column::Blake3 => self.digest().map_or(Value::Null, Value::Digest),
            Column::User => self.id(column).map_or(Value::Null, Value::User),
            Column::Group => self.id(column).map_or(Value::Null, Value::Group),
            Column::Target | Column::TargetBytes => {
                self.meta().and_then(Meta::link_target).map_or(Value::Null, Value::Bytes)
            }
            Column::Atime | Column::Mtime | Column::Ctime | Column::Btime => {
                self.time(column).map_or(Value::Null, Value::Time)
            }
            _ => self.number(column).map_or(Value::Null, Value::Number),
        }
    }

    /// What the row has in a column of numbers.
    #[inline]
    pub(crate) fn number(&self, column: Column) -> Option<u64> {
        match column {
            Column::Depth => Some(self.row.depth.into()),
            Column::Size => self.meta()?.size(),
            Column::Blocks => self.meta()?.blocks(),
            Column::Mode => self.meta()?.mode().map(u64::from),
            Column::Uid | Column::Gid => self.id(column).map(u64::from),
            Column::Nlink => self.meta()?.nlink(),
            Column::Inode => self.meta()?.ino(),
            Column::Device => self.meta()?.dev(),
            Column::BelowEntries => self.below().map(|below| below.entries),
            Column::BelowBytes => self.below().map(|below| below.bytes),
            Column::BelowBlocks => self.below().map(|below| below.blocks),
            _ => None,
        }
    }

    /// The owner's number, of a user or of a group.
    #[inline]
    pub(crate) fn id(&self, column: Column) -> Option<u32> {
        match column {
            Column::Uid | Column::User => self.meta()?.uid(),
            Column::Gid | Column::Group => self.meta()?.gid(),
            _ => None,
        }
    }

    /// What the row has in a column of times.
    #[inline]
    pub(crate) fn time(&self, column: Column) -> Option<Timestamp> {
        match column {
            Column::Atime => self.meta()?.atime(),
            Column::Mtime => self.meta()?.mtime(),
            Column::Ctime => self.meta()?.ctime(),
            Column::Btime => self.meta()?.btime(),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn file_type(&self) -> FileType {
        self.row.file_type
    }

    fn meta(&self) -> Option<&'a Meta> {
        self.row.meta.as_ref()
    }

    pub(crate) fn digest(&self) -> Option<&'a Digest> {
        self.row.extra.as_deref()?.digest.as_ref()
    }

    fn below(&self) -> Option<&'a Below> {
        self.row.extra.as_deref()?.below.as_ref()
    }
}
