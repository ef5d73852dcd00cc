//! [`Runs`]: rows in order, in parts that are in a temporary file, and the merging of them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::row::{LENGTH, length, order};

/// The bytes that are read of a run at once: 64 KiB for each of the 160 runs of ten million rows.
const PIECE: usize = 64 << 10;
/// Writes as large as this are worth their call.
const BUFFER: usize = 256 << 10;

/// Runs of rows in one file.
pub(super) struct Runs {
    file: File,
    /// Where each run is.
    places: Vec<Range<u64>>,
}

impl Runs {
    pub fn new(file: File) -> Runs {
        Runs { file, places: Vec::new() }
    }

    /// Writes a run.
    pub fn write<'a>(&mut self, rows: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
        let start = self.places.last().map_or(0, |place| place.end);
        let mut end = start;
        let mut out = BufWriter::with_capacity(BUFFER, &self.file);
        for row in rows {
            out.write_all(row)?;
            end += row.len() as u64;
        }
        out.flush()?;
        self.places.push(start..end);
        Ok(())
    }

    /// Hands on the rows of all runs in order; of equal ones, those of the first run first.
    pub fn merge(self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let run = |place: Range<u64>| Run { place, piece: Vec::new(), from: 0 };
        let mut runs: Vec<Run> = self.places.into_iter().map(run).collect();
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            let mut head = Head { row: Vec::new(), run: number };
            if run.next(&self.file, &mut head.row)? {
                heads.push(head);
            }
        }
        while let Some(mut head) = heads.peek_mut() {
            each(&head.row)?;
            let run = head.run;
            if !runs[run].next(&self.file, &mut head.row)? {
                std::collections::binary_heap::PeekMut::pop(head);
            }
        }
        Ok(())
    }
}

/// A run that is being read.
struct Run {
    /// Where the part is that was not read.
    place: Range<u64>,
    piece: Vec<u8>,
    /// Where the next row begins in the piece.
    from: usize,
}

impl Run {
    /// Makes `row` the next one; `false` if there is none.
    fn next(&mut self, file: &File, row: &mut Vec<u8>) -> io::Result<bool> {
        if self.from == self.piece.len() && self.place.is_empty() {
            return Ok(false);
        }
        self.fill(file, LENGTH)?;
        let whole = LENGTH + length(&self.piece[self.from..]);
        self.fill(file, whole)?;
        row.clear();
        row.extend_from_slice(&self.piece[self.from..self.from + whole]);
        self.from += whole;
        Ok(true)
    }

    /// Makes so many bytes be in the piece from the next row on.
    fn fill(&mut self, mut file: &File, wanted: usize) -> io::Result<()> {
        let here = self.piece.len() - self.from;
        if here >= wanted {
            return Ok(());
        }
        self.piece.drain(..self.from);
        self.from = 0;
        let left = self.place.end - self.place.start;
        let count = ((wanted - here).max(PIECE) as u64).min(left) as usize;
        if here + count < wanted {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.piece.resize(here + count, 0);
        file.seek(SeekFrom::Start(self.place.start))?;
        file.read_exact(&mut self.piece[here..])?;
        self.place.start += count as u64;
        Ok(())
    }
}

/// The next row of a run. The greatest of a heap is the one that comes first.
struct Head {
    row: Vec<u8>,
    run: usize,
}

impl Ord for Head {
    fn cmp(&self, other: &Head) -> Ordering {
        order(&other.row, &self.row).then(other.run.cmp(&self.run))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Head) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Head) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}
