//! Decoding the answer of NtQueryInformationFile about one open file.
//!
//! ```text
//!   0        32    36   40         48    56     60     64  72
//!   | 4 times | attr | 0 | allocated | size | links | …    | id | …    FileAllInformation
//! ```

use super::records::{NtMeta, u32_at, u64_at};

/// The space for an answer, in bytes. The answer ends in the file's name, which brisk does not read
/// and which need not fit.
pub const ROOM: usize = 128;

/// The metadata in FileAllInformation, and the number of links; `None` if the bytes are cut. The
/// reparse tag, which has a query of its own, stays 0. Makes no system call.
#[must_use]
pub fn found(bytes: &[u8]) -> Option<(NtMeta, u64)> {
    let time = |at: usize| u64_at(bytes, at).map(u64::cast_signed);
    let found = NtMeta {
        times: [time(0)?, time(8)?, time(16)?, time(24)?],
        attributes: u32_at(bytes, 32)?,
        allocated: u64_at(bytes, 40)?,
        size: u64_at(bytes, 48)?,
        id: u64_at(bytes, 64)?,
        tag: 0,
    };
    Some((found, u64::from(u32_at(bytes, 56)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nt::kind::attribute;

    #[test]
    fn every_number_comes_from_its_place() {
        let mut bytes = [0; ROOM];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = at as u8;
        }
        let (found, links) = found(&bytes).expect("long enough");
        let at = |at: u8| u64::from_le_bytes(std::array::from_fn(|i| at + i as u8));
        assert_eq!(found.times.map(i64::cast_unsigned), [at(0), at(8), at(16), at(24)]);
        assert_eq!((found.allocated, found.size, found.id), (at(40), at(48), at(64)));
        assert_eq!(u64::from(found.attributes), at(32) & 0xffff_ffff);
        assert_eq!(links, at(56) & 0xffff_ffff);
        assert!(found.attributes & attribute::HIDDEN == 0);
    }

    #[test]
    fn a_short_answer_is_none() {
        assert_eq!(found(&[0; 71]), None);
        assert!(found(&[0; 72]).is_some());
    }
}
