//! The seal: a CRC of a whole table, which stands before the footer, where other readers of Parquet
//! skip it. One wrong bit can make another table, and Parquet has a CRC for the data of a page alone,
//! which the crate `parquet` checks, but does not write.
//!
//! ```text
//!   PAR1 | pages | indexes | SEAL, CRC of all the other bytes | footer | its length | PAR1
//! ```

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;

use crc32fast::Hasher;
use parquet::file::reader::{ChunkReader, Length};

/// What the seal begins with.
const SEAL: &[u8; 8] = b"briskCRC";
/// The bytes of a seal.
const SEALED: usize = SEAL.len() + 4;
/// What stands behind a footer: its length, and the format's name.
const END: usize = 8;
/// The bytes that are read at once.
const PIECE: usize = 256 << 10;

/// Writes to `to`, and adds the seal.
#[derive(Debug)]
pub(crate) struct Sealing<W> {
    to: W,
    crc: Hasher,
    /// The end of the file, once it is written.
    end: Option<Vec<u8>>,
}

impl<W: Write> Sealing<W> {
    pub fn new(to: W) -> Sealing<W> {
        Sealing { to, crc: Hasher::new(), end: None }
    }

    /// Says that what is written from now on ends with the footer.
    pub fn begin_end(&mut self) {
        self.end = Some(Vec::new());
    }

    /// Writes the seal and the footer.
    pub fn finish(&mut self) -> io::Result<()> {
        let end = self.end.take().unwrap_or_default();
        let footer = footer_length(&end).and_then(|length| end.len().checked_sub(length));
        let (before, footer) = end.split_at(footer.ok_or(io::ErrorKind::InvalidData)?);
        self.write_all(before)?;
        self.crc.update(footer);
        let crc = self.crc.clone().finalize().to_le_bytes();
        self.to.write_all(&[&SEAL[..], &crc, footer].concat())?;
        self.to.flush()
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(end) = &mut self.end {
            end.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let count = self.to.write(bytes)?;
        self.crc.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The length of a footer with what stands behind it, in the last bytes of a file.
fn footer_length(end: &[u8]) -> Option<usize> {
    let (_, [a, b, c, d, ..]) = end.split_last_chunk::<END>()?;
    usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).ok()?.checked_add(END)
}

/// Where a table has its seal, and the CRC in it; `None` if it has none.
pub(crate) fn find(file: &File) -> io::Result<Option<(u64, u32)>> {
    let length = file.len();
    let Some(end) = length.checked_sub(END as u64) else { return Ok(None) };
    let end = read(file, end, END)?;
    let footer = footer_length(&end).and_then(|footer| length.checked_sub(footer as u64));
    let Some(seal) = footer.and_then(|footer| footer.checked_sub(SEALED as u64)) else {
        return Ok(None);
    };
    let stored = read(file, seal, SEALED)?;
    let crc = stored.strip_prefix(SEAL).and_then(|crc| crc.try_into().ok());
    Ok(crc.map(|crc| (seal, u32::from_le_bytes(crc))))
}

/// Whether a table is whole, by its seal; `None` if it has none. Reads the whole file.
pub(crate) fn is_whole(file: &File) -> io::Result<Option<bool>> {
    let Some((seal, stored)) = find(file)? else { return Ok(None) };
    let mut crc = Hasher::new();
    add(file, 0..seal, &mut crc)?;
    add(file, seal + SEALED as u64..file.len(), &mut crc)?;
    Ok(Some(crc.finalize() == stored))
}

/// Some bytes of a file.
pub(crate) fn read(file: &File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    file.get_read(at)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn add(file: &File, bytes: Range<u64>, crc: &mut Hasher) -> io::Result<()> {
    let mut rest = file.get_read(bytes.start)?.into_inner().take(bytes.end - bytes.start);
    let mut piece = vec![0; PIECE];
    loop {
        match rest.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => crc.update(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of `pages`, and a footer of `footer`, as a writer of Parquet would write it.
    fn sealed(pages: &[u8], footer: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut sealing = Sealing::new(&mut out);
        sealing.write_all(pages).expect("written");
        sealing.begin_end();
        for part in [&b"index"[..], footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"] {
            sealing.write_all(part).expect("written");
        }
        sealing.finish().expect("written");
        out
    }

    fn check(bytes: &[u8]) -> Option<bool> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        is_whole(&file).expect("read")
    }

    #[test]
    fn each_bit_counts() {
        let whole = sealed(b"PAR1pages", b"footer");
        assert_eq!(check(&whole), Some(true));
        for at in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert_ne!(check(&flipped), Some(true), "bit {at}");
        }
        for end in 0..whole.len() {
            assert_ne!(check(&whole[..end]), Some(true), "{end}");
        }
        assert_eq!(check(b"PAR1pagesfooter\x06\0\0\0PAR1"), None);
    }
}
