//! [`Pages`]: the pages of a column with their CRCs, which the format has for each page. The crate
//! `parquet` checks them when it reads, but does not write them.
//!
//! The crate hands each finished page to a [`PageStore`]: first its header, then its data. This one
//! adds the CRC to the header, and so lengthens the page; the places that the crate has noted are
//! set right.

use std::sync::{Arc, Mutex};

use brisk_sys::threads::lock;
use bytes::Bytes;
use parquet::arrow::arrow_writer::{PageKey, PageStore, PageStoreArgs, PageStoreFactory};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;

/// How a header begins each of its first fields: as the one after the last, and a 32-bit integer.
const NEXT_NUMBER: u8 = 0x15;
/// What a field's number is counted in, in its first byte.
const FIELD: u8 = 0x10;
/// The second byte of a dictionary's header: the type of the page.
const DICTIONARY: u8 = 4;

/// The pages of one column, in the order in which they were finished.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// The dictionary, if there is one, and its length.
    dictionary: Vec<u8>,
    data: Vec<u8>,
    /// The lengths of the pages of data.
    lengths: Vec<usize>,
    /// How many bytes the CRCs have.
    grown: usize,
    header: Option<Bytes>,
}

impl Pages {
    fn add(&mut self, header: &[u8], data: &[u8]) -> Option<()> {
        let is_dictionary = header.get(1) == Some(&DICTIONARY);
        let pages = if is_dictionary { &mut self.dictionary } else { &mut self.data };
        let before = pages.len();
        append_header(header, crc32fast::hash(data), pages)?;
        pages.extend_from_slice(data);
        let length = pages.len() - before;
        self.grown += length - header.len() - data.len();
        if !is_dictionary {
            self.lengths.push(length);
        }
        Some(())
    }

    /// The bytes of the column, and what the file's footer says of them.
    pub fn finish(
        self,
        mut close: ColumnCloseResult,
    ) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let Pages { dictionary, data, lengths, grown, .. } = self;
        let start = dictionary.len();
        let bytes = if start == 0 { data } else { [dictionary, data].concat() };
        let uncompressed = close.metadata.uncompressed_size() + grown as i64;
        close.bytes_written = bytes.len() as u64;
        close.metadata = close
            .metadata
            .into_builder()
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(uncompressed)
            .set_dictionary_page_offset((start > 0).then_some(0))
            .set_data_page_offset(start as i64)
            .build()?;
        let mut at = start;
        let places = close.offset_index.iter_mut().flat_map(|index| &mut index.page_locations);
        for (place, length) in places.zip(lengths) {
            place.offset = at as i64;
            place.compressed_page_size = length as i32;
            at += length;
        }
        Ok((bytes.into(), close))
    }
}

/// Appends a page's header with a CRC; `None` if the bytes are no header without one.
fn append_header(header: &[u8], crc: u32, out: &mut Vec<u8>) -> Option<()> {
    let at = place_of_crc(header)?;
    let (before, rest) = header.split_at(at);
    let (next, rest) = rest.split_first()?;
    let next = next.checked_sub(FIELD).filter(|next| *next >= FIELD)?;
    out.extend_from_slice(before);
    out.push(NEXT_NUMBER);
    let signed = crc.cast_signed();
    let mut number = ((signed << 1) ^ (signed >> 31)).cast_unsigned();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.extend([number as u8, next]);
    out.extend_from_slice(rest);
    Some(())
}

/// Where a header has its CRC, or would have it: behind the type and both sizes.
fn place_of_crc(header: &[u8]) -> Option<usize> {
    let mut at = 0;
    for _ in 0..3 {
        let (first, rest) = header.get(at..)?.split_first()?;
        let length = rest.iter().position(|byte| byte & 0x80 == 0)? + 1;
        at += 1 + (*first == NEXT_NUMBER).then_some(length)?;
    }
    Some(at)
}

/// Whether the header of a page has a CRC.
pub(crate) fn has_crc(header: &[u8]) -> bool {
    place_of_crc(header).and_then(|at| header.get(at)) == Some(&NEXT_NUMBER)
}

/// Makes stores, and keeps the pages of those that it has made since it was last asked.
#[derive(Debug, Default)]
pub(crate) struct Stores(Mutex<Vec<SharedPages>>);

/// Pages, and the store that gets them.
pub(crate) type SharedPages = Arc<Mutex<Pages>>;

impl Stores {
    pub fn take(&self) -> Vec<SharedPages> {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl PageStoreFactory for Stores {
    fn create(&self, _: &PageStoreArgs<'_>) -> Result<Box<dyn PageStore>, ParquetError> {
        let pages = SharedPages::default();
        lock(&self.0).push(pages.clone());
        Ok(Box::new(Store(pages)))
    }
}

struct Store(SharedPages);

impl PageStore for Store {
    fn put(&mut self, value: Bytes) -> Result<PageKey, ParquetError> {
        let mut pages = lock(&self.0);
        match pages.header.take() {
            None => pages.header = Some(value),
            Some(header) => pages.add(&header, &value).ok_or_else(unknown)?,
        }
        Ok(PageKey::new(0))
    }

    /// Is not called: the pages are taken from [`Pages`].
    fn take(&mut self, _: PageKey) -> Result<Bytes, ParquetError> {
        Err(unknown())
    }
}

#[cold]
fn unknown() -> ParquetError {
    ParquetError::General("a page in a form that this version does not know".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crc_stands_between_the_sizes_and_the_rest() {
        let header = [0x15, 0, 0x15, 0xac, 2, 0x15, 6, 0x2c, 0x15, 9, 0, 0];
        let mut out = Vec::new();
        append_header(&header, 0xffff_ffff, &mut out).expect("a header");
        assert_eq!(out, [0x15, 0, 0x15, 0xac, 2, 0x15, 6, 0x15, 1, 0x1c, 0x15, 9, 0, 0]);
        assert_eq!((has_crc(&out), has_crc(&header)), (true, false));
        assert_eq!(append_header(&out, 1, &mut Vec::new()), None);
        for end in 0..8 {
            assert_eq!(append_header(&header[..end], 1, &mut Vec::new()), None);
            assert!(!has_crc(&header[..end]));
        }
    }
}
