//! [`Run`]: sorted rows in a file, each stored as what differs from the row before it:
//!
//! ```text
//!   length of what follows
//!   columns that differ: a bit each, the first bit for the set of columns that have a value
//!   length of what the keys have in common, length of the rest of the key, this rest
//!   the set of columns that have a value, if it differs
//!   for each number that differs: the difference; for each text that differs: its length, the text
//! ```
//!
//! Lengths, bit sets and differences are numbers of one to ten bytes, with seven bits in each byte,
//! the low bits first. Texts and keys are bytes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::tournament::{END, code};
use crate::record::{Numbers, TEXTS, bit, numbers};
use crate::{Column, TableEntry};

/// A row: its key, its numbers, its texts.
pub(super) type Row<'a> = (&'a [u8], &'a Numbers, [&'a [u8]; TEXTS.len()]);

/// The bit that says that the set of columns with a value differs. It is the bit of a column that
/// is not a number, which needs no bit of its own.
const PRESENT: u32 = 1 << Column::Path as u8;

/// The most bytes that a number takes.
const NUMBER: usize = 10;

/// Appends a row behind the one above it.
pub(super) fn encode(row: &Row<'_>, above: &Row<'_>, out: &mut Vec<u8>) {
    let (key, own, texts) = row;
    let (key_above, other, texts_above) = above;
    let mut changed = if own.present == other.present { 0 } else { PRESENT };
    for (at, (own, other)) in own.values.iter().zip(&other.values).enumerate() {
        changed |= u32::from(own != other) << at;
    }
    for (at, column) in TEXTS.into_iter().enumerate() {
        changed |= if texts[at] == texts_above[at] { 0 } else { bit(column) };
    }
    let shared = key.iter().zip(*key_above).take_while(|(a, b)| a == b).count();
    let start = out.len();
    append(changed.into(), out);
    append(shared as u64, out);
    append_text(&key[shared..], out);
    if changed & PRESENT != 0 {
        append(own.present.into(), out);
    }
    for at in numbers(changed) {
        let difference = own.values[at].wrapping_sub(other.values[at]).cast_signed();
        append(((difference << 1) ^ (difference >> 63)).cast_unsigned(), out);
    }
    for (at, _) in TEXTS.iter().enumerate().filter(|(_, text)| changed & bit(**text) != 0) {
        append_text(texts[at], out);
    }
    let length = out.len() - start;
    append(length as u64, out);
    let behind = out.len() - start - length;
    out[start..].rotate_right(behind);
}

fn append(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn append_text(text: &[u8], out: &mut Vec<u8>) {
    append(text.len() as u64, out);
    out.extend_from_slice(text);
}

/// Takes a number from the beginning of `bytes`.
#[inline]
fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for at in 0..NUMBER {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << (7 * at);
        if *first < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take(bytes)? as usize;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(text)
}

/// A run that is being read, and the row at hand.
pub(super) struct Run {
    /// What has not been read yet.
    rest: Range<u64>,
    /// What has been read, of which the rows up to `at` were passed on.
    buffer: Vec<u8>,
    at: usize,
    piece: usize,
    key: Vec<u8>,
    numbers: Numbers,
    texts: [Vec<u8>; TEXTS.len()],
}

impl Run {
    /// The run at this place of the file, of which `piece` bytes are read at a time.
    pub fn new(rest: Range<u64>, piece: usize) -> Run {
        Run {
            rest,
            buffer: Vec::new(),
            at: 0,
            piece,
            key: Vec::new(),
            numbers: Numbers::default(),
            texts: Default::default(),
        }
    }

    /// The key of the row at hand.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The row at hand: its key, and its record without a path.
    pub fn row(&self) -> (&[u8], TableEntry<'_>) {
        let texts = std::array::from_fn(|at| {
            let is_present = self.numbers.has(TEXTS[at]);
            is_present.then_some(&*self.texts[at])
        });
        (&self.key, TableEntry { path: &[], numbers: &self.numbers, texts })
    }

    /// Goes to the next row. Returns its code, or [`END`].
    ///
    /// # Errors
    /// The file cannot be read, or is not as it was written.
    pub fn advance(&mut self, file: &File) -> io::Result<u64> {
        if self.buffer.len() - self.at < NUMBER {
            self.fill(file, self.piece)?;
        }
        if self.at == self.buffer.len() {
            return Ok(END);
        }
        let mut rest = &self.buffer[self.at..];
        let length = take(&mut rest).ok_or(io::ErrorKind::InvalidData)? as usize;
        if rest.len() < length {
            let whole = self.buffer.len() - self.at - rest.len() + length;
            self.fill(file, whole.max(self.piece))?;
        }
        let code = self.decode();
        Ok(code.ok_or(io::ErrorKind::InvalidData)?)
    }

    /// Reads on, until `count` bytes are there that have not been passed on.
    fn fill(&mut self, mut file: &File, count: usize) -> io::Result<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let wanted = count.saturating_sub(self.buffer.len()) as u64;
        let wanted = wanted.min(self.rest.end - self.rest.start);
        if wanted > 0 {
            self.buffer.reserve_exact(wanted as usize);
            file.seek(SeekFrom::Start(self.rest.start))?;
            let count = file.take(wanted).read_to_end(&mut self.buffer)?;
            self.rest.start += count as u64;
        }
        Ok(())
    }

    fn decode(&mut self) -> Option<u64> {
        let Run { key, numbers: own, texts, .. } = self;
        let mut all = &self.buffer[self.at..];
        let mut bytes = take_text(&mut all)?;
        let changed = take(&mut bytes)? as u32;
        let shared = take(&mut bytes)? as usize;
        key.truncate(shared);
        key.extend_from_slice(take_text(&mut bytes)?);
        if changed & PRESENT != 0 {
            own.present = take(&mut bytes)? as u32;
        }
        for at in numbers(changed) {
            let number = take(&mut bytes)?;
            let difference = (number >> 1) ^ (number & 1).wrapping_neg();
            own.values[at] = own.values[at].wrapping_add(difference);
        }
        for (at, _) in TEXTS.iter().enumerate().filter(|(_, text)| changed & bit(**text) != 0) {
            texts[at].clear();
            texts[at].extend_from_slice(take_text(&mut bytes)?);
        }
        self.at = self.buffer.len() - all.len();
        Some(code(key, shared))
    }
}
