//! [`LineBuffer`]: the lines that a worker has made, and those that are held back to be sorted.

use crate::show::long::Page;
use crate::write::out::PIECE;

/// Lines that may yet be sorted.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    pub(super) bytes: Vec<u8>,
    /// What the lines are sorted by: their paths, unless the user chose something else. A NUL, which
    /// no name contains, stands for a separator: so bytes in order are components in order.
    keys: Vec<u8>,
    /// Where each line ends in `bytes`, and its key in `keys`.
    ends: Vec<(usize, usize)>,
    /// Results of `--list-details`, whose lines are not made yet: their columns will be aligned.
    pub(super) page: Page,
}

impl LineBuffer {
    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.ends.len() + self.page.len()
    }

    /// Says that the line at the end of `bytes` is complete; `key` is what it is sorted by.
    pub(super) fn end_line(&mut self, key: &[u8]) {
        self.keys.extend(key.iter().map(|&byte| if byte == b'/' { 0 } else { byte }));
        self.ends.push((self.bytes.len(), self.keys.len()));
    }

    /// Bytes that are held.
    pub(super) fn size(&self) -> usize {
        let ends = self.ends.len() * size_of::<(usize, usize)>();
        self.bytes.len() + self.keys.len() + ends + self.page.bytes()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.keys.clear();
        self.ends.clear();
        self.page.clear();
    }

    /// Moves the lines of `more` to the end of these.
    pub(super) fn append(&mut self, more: &mut LineBuffer) {
        if self.len() == 0 {
            // So a search whose lines all come at once, as from a small directory, copies none.
            return std::mem::swap(self, more);
        }
        // Growing by doubling would touch twice as many pages.
        self.bytes.reserve(PIECE.saturating_sub(self.bytes.len()));
        self.keys.reserve(PIECE.saturating_sub(self.keys.len()));
        let line_base = self.bytes.len();
        let key_base = self.keys.len();
        self.bytes.append(&mut more.bytes);
        self.keys.append(&mut more.keys);
        self.page.append(&mut more.page);
        self.ends.extend(more.ends.drain(..).map(|(line, key)| (line_base + line, key_base + key)));
    }

    /// Sorts the lines by their keys, and keeps the first `most`. No line can be added afterwards.
    pub(super) fn sort(&mut self, reverse: bool, most: usize) {
        let starts = std::iter::once((0, 0)).chain(self.ends.iter().copied());
        let mut lines: Vec<(&[u8], &[u8])> = starts
            .zip(&self.ends)
            .map(|(start, end)| (&self.keys[start.1..end.1], &self.bytes[start.0..end.0]))
            .collect();
        lines.sort_unstable_by_key(|line| line.0);
        if reverse {
            lines.reverse();
        }
        lines.truncate(most);
        let mut sorted = Vec::with_capacity(self.bytes.len());
        lines.iter().for_each(|(_, line)| sorted.extend_from_slice(line));
        self.bytes = sorted;
        self.ends.clear();
    }
}
