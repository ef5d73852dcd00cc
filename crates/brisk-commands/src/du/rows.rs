//! [`Rows`]: directories and files that are gathered until the end. They are packed, because there
//! may be a row for each file: 16 bytes, some 10 for its numbers, and its name.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::ffi::CStr;

use brisk::Timestamp;
use brisk::usage::Sums;
use brisk_sys::Identity;

/// Bytes of a block: enough for many rows, and little memory if there are few.
const BLOCK: usize = 64 << 10;
/// The most rows of equal numbers whose records are read at once to be sorted: some 5 MiB.
const MAX_READ: usize = 1 << 16;
/// The most bytes of a record's numbers: nine numbers of at most ten bytes each.
const MAX_NUMBERS: usize = 90;

/// A directory, a file or a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row<'a> {
    pub path: Cow<'a, [u8]>,
    pub depth: usize,
    pub sums: Sums,
    pub is_dir: bool,
    /// The file's identity, if it has several names. Of their rows, only the one whose directory
    /// comes first stays.
    pub link: Option<Identity>,
}

impl Row<'_> {
    /// The sort key of the directory that holds this: the root, and the names below it.
    fn place(&self) -> Vec<&[u8]> {
        let mut parts: Vec<_> = self.path.rsplitn(self.depth + 1, |byte| *byte == b'/').collect();
        parts.reverse();
        parts.pop();
        parts
    }

    /// Whether the directory comes before that of another name of the file.
    pub fn precedes(&self, other: &Row<'_>) -> bool {
        self.place() < other.place()
    }
}

/// Gathered rows.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Records: the offset of the prefix, four times the depth (plus one for a directory, two for a
    /// file with several names), the name and a NUL, the sums, and the identity of such a file. A
    /// prefix is the path of the directory above and a NUL; successive records of a block share it.
    blocks: Vec<Vec<u8>>,
    /// Where the last prefix begins in the last block.
    prefix: usize,
    ranked: Vec<Ranked>,
}

/// The number that a row is sorted by, and where its record is.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    number: u64,
    block: u32,
    at: u32,
}

/// What rows of equal numbers are sorted by.
struct Head<'a> {
    prefix: &'a [u8],
    depth: usize,
    is_dir: bool,
    is_linked: bool,
    name: &'a [u8],
}

impl Rows {
    /// Adds a row, which is sorted by this number.
    pub fn push(&mut self, number: u64, row: &Row<'_>) {
        let cut = row.path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let (prefix, name) = row.path.split_at(cut);
        let needed = row.path.len() + 2 + MAX_NUMBERS;
        let has_room = |block: &Vec<u8>| block.capacity() - block.len() >= needed;
        let is_new = !self.blocks.last().is_some_and(has_room);
        if is_new {
            self.blocks.push(Vec::with_capacity(needed.max(BLOCK)));
        }
        let index = self.blocks.len() - 1;
        let block = &mut self.blocks[index];
        if is_new || until_nul(&block[self.prefix..]) != prefix {
            self.prefix = block.len();
            block.extend_from_slice(prefix);
            block.push(0);
        }
        self.ranked.push(Ranked { number, block: index as u32, at: block.len() as u32 });
        put(block, self.prefix as u64);
        let kind = u64::from(row.is_dir) | u64::from(row.link.is_some()) << 1;
        put(block, (row.depth as u64) << 2 | kind);
        block.extend_from_slice(name);
        block.push(0);
        let Sums { allocated, apparent, entries, newest, .. } = row.sums;
        let (nanos, seconds) = newest.map_or((0, 0), |time| (u64::from(time.nanos) + 1, time.secs));
        let sign = (seconds >> 63).cast_unsigned();
        let seconds = (seconds.cast_unsigned() << 1) ^ sign;
        [allocated, apparent, entries, nanos, seconds].into_iter().for_each(|it| put(block, it));
        row.link.into_iter().flat_map(<[u64; 2]>::from).for_each(|it| put(block, it));
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Adds the rows of another worker.
    pub fn append(&mut self, others: Rows) {
        if others.blocks.is_empty() {
            return;
        }
        let before = self.blocks.len() as u32;
        self.blocks.extend(others.blocks);
        let moved = |ranked: Ranked| Ranked { block: ranked.block + before, ..ranked };
        self.ranked.extend(others.ranked.into_iter().map(moved));
        // The prefix of the last block.
        self.prefix = others.prefix;
    }

    /// Once there are twice `most` rows, drops all but the `most` that are largest.
    pub fn keep(&mut self, most: usize) {
        let Rows { blocks, ranked, .. } = self;
        if ranked.len() / 2 >= most {
            ranked.select_nth_unstable_by(most, |a, b| compare(blocks, a, b));
            ranked.truncate(most);
            let all = std::mem::take(self);
            all.ranked.iter().for_each(|ranked| self.push(ranked.number, &all.row(ranked)));
        }
    }

    /// The rows, the largest first, a directory before what is in it.
    pub fn sorted(mut self) -> impl Iterator<Item = Row<'static>> {
        self.drop_repeated();
        let Rows { blocks, ranked, .. } = &mut self;
        ranked.sort_unstable_by_key(|ranked| Reverse(ranked.number));
        // Many files have the same size: each record is read once, if they are not too many.
        for run in ranked.chunk_by_mut(|one, next| one.number == next.number) {
            if run.len() > MAX_READ {
                run.sort_unstable_by(|a, b| compare(blocks, a, b));
                continue;
            }
            let heads = run.iter().map(|ranked| (head(blocks, ranked).0, *ranked));
            let mut heads: Vec<_> = heads.collect();
            heads.sort_unstable_by(|one, other| one.0.order(&other.0));
            run.iter_mut().zip(heads).for_each(|(place, (_, ranked))| *place = ranked);
        }
        (0..self.ranked.len()).map(move |at| self.row(&self.ranked[at]))
    }

    /// Of the rows of one file, keeps the one whose directory comes first.
    fn drop_repeated(&mut self) {
        let mut kept: HashMap<Identity, Row<'_>> = HashMap::new();
        let is_linked = |ranked: &&Ranked| head(&self.blocks, ranked).0.is_linked;
        for row in self.ranked.iter().filter(is_linked).map(|ranked| self.row(ranked)) {
            let Some(link) = row.link else { continue };
            let other = kept.entry(link).or_insert_with(|| row.clone());
            if row.precedes(other) {
                *other = row;
            }
        }
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.retain(|ranked| {
            let row = head(&self.blocks, ranked).0.is_linked.then(|| self.row(ranked));
            row.is_none_or(|row| row.link.is_some_and(|link| kept[&link].path == row.path))
        });
        self.ranked = ranked;
    }

    fn row(&self, ranked: &Ranked) -> Row<'static> {
        let (Head { prefix, depth, is_dir, is_linked, name }, mut rest) =
            head(&self.blocks, ranked);
        let [allocated, apparent, entries, nanos, seconds] =
            std::array::from_fn(|_| take(&mut rest));
        let sign = (seconds & 1).wrapping_neg();
        let secs = ((seconds >> 1) ^ sign).cast_signed();
        let mut sums = Sums::default();
        sums.allocated = allocated;
        sums.apparent = apparent;
        sums.entries = entries;
        sums.newest = (nanos > 0).then(|| Timestamp { secs, nanos: (nanos - 1) as u32 });
        let link = is_linked.then(|| (take(&mut rest), take(&mut rest)));
        Row { path: [prefix, name].concat().into(), depth, sums, is_dir, link }
    }
}

/// The beginning of a record, and the rest of it.
fn head<'a>(blocks: &'a [Vec<u8>], ranked: &Ranked) -> (Head<'a>, &'a [u8]) {
    let block = &blocks[ranked.block as usize];
    let mut rest = &block[ranked.at as usize..];
    let prefix = until_nul(&block[take(&mut rest) as usize..]);
    let depth = take(&mut rest);
    let name = until_nul(rest);
    let is_dir = depth & 1 == 1;
    let is_linked = depth & 2 == 2;
    let depth = (depth >> 2) as usize;
    (Head { prefix, depth, is_dir, is_linked, name }, &rest[name.len() + 1..])
}

fn compare(blocks: &[Vec<u8>], a: &Ranked, b: &Ranked) -> Ordering {
    b.number.cmp(&a.number).then_with(|| {
        let [(a, _), (b, _)] = [a, b].map(|ranked| head(blocks, ranked));
        a.order(&b)
    })
}

impl Head<'_> {
    fn order(&self, other: &Head<'_>) -> Ordering {
        let paths = || match self.prefix == other.prefix {
            true => self.name.cmp(other.name),
            false => {
                let [one, other] = [self, other].map(|head| head.prefix.iter().chain(head.name));
                one.cmp(other)
            }
        };
        self.depth.cmp(&other.depth).then_with(paths)
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    CStr::from_bytes_until_nul(bytes).expect("BUG: each text has its NUL").to_bytes()
}

/// Appends a number, seven bits a byte, the lowest first; all but the last byte have the eighth
/// bit.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front.
fn take(bytes: &mut &[u8]) -> u64 {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).map_or(bytes.len(), |at| at + 1);
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    number.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, number: u64, secs: Option<i64>) -> Row<'static> {
        let mut sums = Sums::default();
        sums.allocated = number;
        sums.apparent = u64::MAX;
        sums.entries = number / 3;
        sums.newest = secs.map(|secs| Timestamp { secs, nanos: 999_999_999 });
        let depth = path.matches('/').count();
        Row { path: path.as_bytes().to_vec().into(), depth, sums, is_dir: number > 5, link: None }
    }

    fn pushed<'a>(rows: impl IntoIterator<Item = &'a Row<'a>>) -> Rows {
        let mut all = Rows::default();
        rows.into_iter().for_each(|row| all.push(row.sums.allocated, row));
        all
    }

    #[test]
    fn rows_come_back_the_largest_first() {
        let long = format!("a/{}", "x".repeat(2 * BLOCK));
        let rows = [
            row("", u64::MAX, Some(i64::MIN)),
            row("a/", 70_000, Some(i64::MAX)),
            row("z", 7, Some(-1)),
            row("a/b", 7, None),
            row("a/c", 7, Some(0)),
            row("b/a", 7, Some(128)),
            row("a/b/c", 7, None),
            row(&long, 0, None),
        ];
        for shift in 0..rows.len() {
            let (first, last) = rows.split_at(shift);
            let all = pushed(last.iter().chain(first));
            assert!(all.sorted().eq(rows.iter().cloned()), "{shift}");
            let mut joined = pushed(last);
            joined.append(pushed(first));
            joined.push(0, &row("a/zz", 0, None));
            assert!(joined.sorted().take(8).eq(rows.iter().cloned()), "{shift}");
            let mut few = pushed(last.iter().chain(first));
            few.keep(3);
            assert!(few.sorted().eq(rows[..3].iter().cloned()), "{shift}");
        }
    }

    #[test]
    fn a_file_with_several_names_has_the_row_of_its_first_directory() {
        let named =
            |path, ino| Row { link: Some((u64::MAX, ino)), is_dir: false, ..row(path, 7, None) };
        // A root may have slashes in it, and `-` comes before them.
        let root = |path, depth| Row { depth, ..named(path, 2) };
        let all = [
            named("r/b/x", 1),
            named("r/a/y", 1),
            named("r/a/c/z", 1),
            named("r/a-/y", 1),
            root("s/t/y", 1),
            root("s-/x", 1),
            root("s/t/a/y", 2),
            row("r/k", 7, None),
        ];
        for shift in 0..all.len() {
            let (first, last) = all.split_at(shift);
            let found = pushed(last.iter().chain(first)).sorted();
            let paths: Vec<_> =
                found.map(|row| String::from_utf8_lossy(&row.path).into_owned()).collect();
            assert_eq!(paths, ["r/k", "s-/x", "r/a/y"]);
        }
    }

    #[test]
    fn a_file_takes_its_name_and_little_more() {
        let files = 10_000;
        let mut all = Rows::default();
        for file in 0..files {
            all.push(4096, &row(&format!("a/long/path/file-{file:05}"), 4096, None));
        }
        let bytes: usize = all.blocks.iter().map(Vec::capacity).sum();
        let each = bytes / files + size_of::<Ranked>();
        assert!(each <= 10 + 40, "{each}");
    }
}
