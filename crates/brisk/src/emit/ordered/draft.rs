//! [`Draft`]: what the visitor has formatted of a directory's entries before their turn.

use super::arrange::Arrange;
use crate::entry::Entry;
use crate::visitor::Visitor;

/// Formatted entries, in pieces that are delivered together. In pre-order a piece ends with each
/// directory that is entered, and there is one piece after the last.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    bytes: Vec<u8>,
    /// All pieces but the last, of which most directories have no other.
    before: Vec<DraftPiece>,
    /// The number of entries of the last piece.
    last: u32,
}

#[derive(Clone, Copy, Debug)]
struct DraftPiece {
    /// The number of entries.
    count: u32,
    /// Where its bytes end.
    end: u32,
}

impl Draft {
    /// A draft without entries, in memory that is used again.
    pub fn in_memory(mut bytes: Vec<u8>) -> Draft {
        bytes.clear();
        Draft { bytes, ..Draft::default() }
    }

    /// A draft of one piece.
    pub fn of_piece((count, bytes): (u32, &[u8])) -> Draft {
        Draft { bytes: bytes.to_vec(), before: Vec::new(), last: count }
    }

    pub fn into_memory(self) -> Vec<u8> {
        self.bytes
    }

    /// Gives back the memory that it has in excess.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Has the visitor format entries.
    pub fn add<V: Visitor, A: Arrange<V>>(&mut self, visitor: &mut V, entries: &[Entry<'_>]) {
        if !entries.is_empty() {
            A::draft(visitor, entries, &mut self.bytes);
            self.last += entries.len() as u32;
        }
    }

    /// What is added from now on belongs to another piece.
    pub fn end_piece(&mut self) {
        let end = self.bytes.len() as u32;
        self.before.push(DraftPiece { count: std::mem::take(&mut self.last), end });
    }

    /// How many entries a piece has, and their bytes.
    pub fn piece(&self, number: usize) -> (u32, &[u8]) {
        let from = number.checked_sub(1).map_or(0, |before| self.before[before].end) as usize;
        match self.before.get(number) {
            Some(piece) => (piece.count, &self.bytes[from..piece.end as usize]),
            None => (self.last, &self.bytes[from..]),
        }
    }

    pub fn size(&self) -> usize {
        self.bytes.len() + self.before.len() * size_of::<DraftPiece>()
    }

    /// Adds those pieces of another draft that follow one of them.
    pub fn append_pieces_behind(&mut self, other: &Draft, number: usize) {
        for number in number + 1..=other.before.len() {
            self.end_piece();
            let (count, bytes) = other.piece(number);
            self.last += count;
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// The drafts of a directory's parts, in order, as one; each has its place before it.
    pub fn join(mut parts: Vec<(u64, Draft)>) -> Option<Draft> {
        parts.sort_unstable_by_key(|(place, _)| *place);
        let mut parts = parts.into_iter().map(|(_, part)| part);
        let mut first = parts.next()?;
        parts.for_each(|part| first.append(&part));
        Some(first)
    }

    /// Adds the draft of the entries that come next.
    pub fn append(&mut self, next: &Draft) {
        let from = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&next.bytes);
        for piece in &next.before {
            let count = piece.count + std::mem::take(&mut self.last);
            self.before.push(DraftPiece { count, end: from + piece.end });
        }
        self.last += next.last;
    }
}
