//! [`Group`]: rows in order, and what each has in each column.

use std::borrow::Cow;
use std::cmp::Ordering;

use brisk::{FileType, Meta, Timestamp};

use crate::Column;
use crate::rows::{Below, Digest, Extra, Row, Rows, Run};

/// Rows in the order of a sorted walk: component by component, a directory before what is in it.
#[derive(Debug)]
pub struct Group {
    rows: Rows,
    order: Vec<Place>,
}

/// A row, and the run that it belongs to.
#[derive(Clone, Copy, Debug)]
struct Place {
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
    /// UTF-8.
    Text(Cow<'a, str>),
    /// A number.
    Number(u64),
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
    /// Puts rows in order.
    #[must_use]
    pub fn new(rows: Rows) -> Group {
        let order = Sorting::new(&rows).run();
        Group { rows, order }
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = RowRef<'_>> {
        self.order.iter().map(|place| {
            let row = &self.rows.rows[place.row as usize];
            let prefix = self.rows.prefix(&self.rows.runs[place.run as usize]);
            RowRef { prefix, name: self.rows.name(row), row }
        })
    }
}

/// Compares paths component by component.
fn by_component(one: &[u8], other: &[u8]) -> Ordering {
    let differ = one.iter().zip(other).position(|(a, b)| a != b);
    let Some(at) = differ else { return one.len().cmp(&other.len()) };
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    rank(one[at]).cmp(&rank(other[at]))
}

/// Puts rows in order: runs by their directories, names within each directory. A directory's rows
/// wait on a stack while those of the directories below it are placed.
struct Sorting<'a> {
    rows: &'a Rows,
    order: Vec<Place>,
    stack: Vec<Level<'a>>,
}

/// A directory of which not all rows are placed.
struct Level<'a> {
    prefix: &'a [u8],
    /// The rows that are not placed, the last one first.
    places: Vec<Place>,
}

impl<'a> Sorting<'a> {
    fn new(rows: &'a Rows) -> Sorting<'a> {
        Sorting { rows, order: Vec::with_capacity(rows.len()), stack: Vec::new() }
    }

    fn run(mut self) -> Vec<Place> {
        let rows = self.rows;
        let mut runs: Vec<(&[u8], u32)> =
            rows.runs.iter().zip(0..).map(|(run, at)| (rows.prefix(run), at)).collect();
        runs.sort_unstable_by(|one, other| by_component(one.0, other.0));
        for same in runs.chunk_by(|one, other| one.0 == other.0) {
            let prefix = same[0].0;
            self.leave_for(prefix);
            let mut places: Vec<Place> =
                same.iter().flat_map(|(_, run)| places(&rows.runs[*run as usize], *run)).collect();
            let name = |place: &Place| rows.name(&rows.rows[place.row as usize]);
            if prefix.is_empty() {
                places.sort_unstable_by(|one, other| by_component(name(other), name(one)));
            } else {
                places.sort_unstable_by(|one, other| name(other).cmp(name(one)));
            }
            self.stack.push(Level { prefix, places });
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
        let rows = self.rows;
        let comes_before = |place: &mut Place| {
            let name = rows.name(&rows.rows[place.row as usize]);
            by_component(name, rest) != Ordering::Greater
        };
        while let Some(place) = level.places.pop_if(comes_before) {
            self.order.push(place);
        }
    }

    /// Places what is left of the last directory on the stack, if there is one.
    fn leave(&mut self) -> bool {
        let Some(level) = self.stack.pop() else { return false };
        self.order.extend(level.places.into_iter().rev());
        true
    }
}

fn places(run: &Run, number: u32) -> impl Iterator<Item = Place> + use<> {
    run.rows.clone().map(move |row| Place { run: number, row: row as u32 })
}

impl<'a> RowRef<'a> {
    /// What the row has in this column.
    #[inline]
    #[must_use]
    pub fn value(&self, column: Column) -> Value<'a> {
        match column {
            Column::Path => Value::Path(self.prefix, self.name),
            Column::Text => Value::Text(self.text()),
            Column::Name => Value::Text(String::from_utf8_lossy(self.name)),
            Column::Parent => match without_separator(self.prefix) {
                [] if self.row.depth == 0 => Value::Null,
                parent => Value::Text(String::from_utf8_lossy(parent)),
            },
            Column::Depth => Value::Number(self.row.depth.into()),
            Column::Type => type_word(self.row.file_type)
                .map_or(Value::Null, |word| Value::Text(Cow::Borrowed(word))),
            Column::Blake3 => self
                .extra()
                .and_then(|extra| extra.digest.as_ref())
                .map_or(Value::Null, Value::Digest),
            Column::BelowEntries => self.below(|below| below.entries),
            Column::BelowBytes => self.below(|below| below.bytes),
            Column::BelowBlocks => self.below(|below| below.blocks),
            _ => {
                self.row.meta.as_ref().and_then(|meta| of_meta(meta, column)).unwrap_or(Value::Null)
            }
        }
    }

    fn text(&self) -> Cow<'a, str> {
        let mut path = Vec::with_capacity(self.prefix.len() + self.name.len());
        path.extend_from_slice(self.prefix);
        path.extend_from_slice(self.name);
        match String::from_utf8(path) {
            Ok(text) => text.into(),
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into(),
        }
    }

    fn extra(&self) -> Option<&'a Extra> {
        self.row.extra.as_deref()
    }

    fn below(&self, number: impl FnOnce(&Below) -> u64) -> Value<'a> {
        let below = self.extra().and_then(|extra| extra.below.as_ref());
        below.map_or(Value::Null, |below| Value::Number(number(below)))
    }
}

#[inline]
fn of_meta(meta: &Meta, column: Column) -> Option<Value<'_>> {
    match column {
        Column::Size => meta.size().map(Value::Number),
        Column::Blocks => meta.blocks().map(Value::Number),
        Column::Mode => meta.mode().map(|mode| Value::Number(mode.into())),
        Column::Uid => meta.uid().map(|uid| Value::Number(uid.into())),
        Column::Gid => meta.gid().map(|gid| Value::Number(gid.into())),
        Column::User => meta.uid().map(Value::User),
        Column::Group => meta.gid().map(Value::Group),
        Column::Nlink => meta.nlink().map(Value::Number),
        Column::Inode => meta.ino().map(Value::Number),
        Column::Device => meta.dev().map(Value::Number),
        Column::Atime => meta.atime().map(Value::Time),
        Column::Mtime => meta.mtime().map(Value::Time),
        Column::Ctime => meta.ctime().map(Value::Time),
        Column::Btime => meta.btime().map(Value::Time),
        Column::LinkTarget => meta.link_target().map(Value::Bytes),
        _ => None,
    }
}

/// The word for a type, as `brisk find --type` takes it.
fn type_word(file_type: FileType) -> Option<&'static str> {
    let known = TYPES.iter().find(|(known, _)| *known == file_type);
    match (known, file_type) {
        (Some((_, word)), _) => Some(word),
        (None, FileType::Unknown) => None,
        (None, _) => Some(OTHER),
    }
}

/// The word for a type that is none of [`TYPES`].
pub(crate) const OTHER: &str = "other";

/// Types, and the words for them, the frequent ones first.
pub(crate) const TYPES: [(FileType, &str); 7] = [
    (FileType::File, "file"),
    (FileType::Directory, "directory"),
    (FileType::Symlink, "symlink"),
    (FileType::Fifo, "pipe"),
    (FileType::Socket, "socket"),
    (FileType::BlockDevice, "block-device"),
    (FileType::CharDevice, "char-device"),
];

/// A directory's path; the root of a file system keeps its separator.
fn without_separator(prefix: &[u8]) -> &[u8] {
    match prefix {
        [b'/'] => prefix,
        [path @ .., b'/'] => path,
        _ => prefix,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_comes_before_every_other_byte() {
        let sorted: [&[u8]; 7] = [b"a", b"a/", b"a/b", b"a/b/c", b"a/b!", b"a!", b"b"];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                assert_eq!(by_component(one, other), at.cmp(&other_at), "{at} {other_at}");
            }
        }
    }

    #[test]
    fn the_parent_of_what_is_in_the_root_is_the_root() {
        assert_eq!(without_separator(b"/"), b"/");
        assert_eq!(without_separator(b"a/b/"), b"a/b");
        assert_eq!(without_separator(b""), b"");
    }
}
