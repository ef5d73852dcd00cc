//! [`RowChunk`]: rows in memory, until they are written as a run.

use std::ops::Range;

use super::run::encode;
use crate::TableEntry;
use crate::record::{Numbers, TEXTS};

/// The rows and the bytes of a chunk: those of a row group of `brisk scan`.
const ROWS: usize = 64 << 10;
const BYTES: usize = 8 << 20;

/// Rows in memory.
#[derive(Default)]
pub(super) struct RowChunk {
    /// Keys and texts.
    bytes: Vec<u8>,
    rows: Vec<Row>,
    order: Vec<u32>,
    encoded: Vec<u8>,
}

struct Row {
    numbers: Numbers,
    key: Range<u32>,
    texts: [Range<u32>; TEXTS.len()],
}

impl RowChunk {
    /// Adds a record; `false` if it has no key.
    #[inline]
    pub fn add(
        &mut self,
        record: &TableEntry<'_>,
        key: &impl Fn(&TableEntry<'_>, &mut Vec<u8>) -> bool,
    ) -> bool {
        let start = self.bytes.len() as u32;
        if !key(record, &mut self.bytes) {
            return false;
        }
        let mut numbers = *record.numbers;
        let key = start..self.bytes.len() as u32;
        let texts = TEXTS.map(|column| {
            let start = self.bytes.len() as u32;
            if let Some(text) = record.text(column) {
                numbers.present |= 1 << column as u8;
                self.bytes.extend_from_slice(text);
            }
            start..self.bytes.len() as u32
        });
        self.rows.push(Row { numbers, key, texts });
        true
    }

    pub fn is_full(&self) -> bool {
        self.rows.len() >= ROWS || self.bytes.len() >= BYTES
    }

    /// The rows as a run; the chunk is empty afterwards. Rows with the same key keep their order.
    pub fn encode(&mut self) -> &[u8] {
        let RowChunk { bytes, rows, order, encoded } = self;
        let of = |range: &Range<u32>| &bytes[range.start as usize..range.end as usize];
        order.clear();
        order.extend(0..rows.len() as u32);
        order.sort_by(|a, b| of(&rows[*a as usize].key).cmp(of(&rows[*b as usize].key)));
        encoded.clear();
        let mut above = (&[][..], &Numbers::default(), [&[][..]; TEXTS.len()]);
        for at in &*order {
            let row = &rows[*at as usize];
            let own = (of(&row.key), &row.numbers, row.texts.each_ref().map(of));
            encode(&own, &above, encoded);
            above = own;
        }
        rows.clear();
        bytes.clear();
        encoded
    }
}
