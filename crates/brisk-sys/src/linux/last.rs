//! The position (`d_off`) in the last of some directory records: a pure function of bytes.

use crate::buffer::{NAME_AT, POSITION_AT, RECLEN_AT};

/// The length, in bytes, of a record whose name has at most four bytes, and of one whose name has
/// 255.
const SHORTEST: usize = 24;
const LONGEST: usize = 280;

/// The position in the last record, if it is one of the two that are wanted.
///
/// The search goes backwards from the end, since going through all records from the first on would
/// cost as much as decoding them. A record's head is the last one's if the length in it is its
/// distance from the end.
///
/// Bytes of the last name can look like such a head, though not at every distance. A length below
/// 256 has a zero as its second byte, which in a head at distance d is d - 17 bytes before the end.
/// A name's only zero is its last byte, less than eight bytes before the end. So a name can forge
/// no length below 256 but [`SHORTEST`]. A length above 256 has no zero, and a name can forge it.
/// If the search finds a length that can be forged, it is made again from the first record on.
pub(super) fn position_if(records: &[u8], wanted: [u64; 2]) -> Option<u64> {
    for length in (SHORTEST..=records.len().min(LONGEST)).step_by(8) {
        let head: &[u8; NAME_AT] = records[records.len() - length..].first_chunk()?;
        if length_in(head) == length {
            let is_certain = length != SHORTEST && length < 256;
            return if is_certain {
                Some(position_in(head)).filter(|position| wanted.contains(position))
            } else {
                position_from_first(records, wanted)
            };
        }
    }
    None
}

/// As [`position_if`], by going through all records from the first on.
fn position_from_first(records: &[u8], wanted: [u64; 2]) -> Option<u64> {
    let mut rest = records;
    loop {
        let head: &[u8; NAME_AT] = rest.first_chunk()?;
        let length = length_in(head);
        if length == rest.len() {
            return Some(position_in(head)).filter(|position| wanted.contains(position));
        }
        rest = rest.get(length.max(1)..)?;
    }
}

fn position_in(head: &[u8; NAME_AT]) -> u64 {
    u64::from_ne_bytes(std::array::from_fn(|at| head[POSITION_AT + at]))
}

fn length_in(head: &[u8; NAME_AT]) -> usize {
    usize::from(u16::from_ne_bytes([head[RECLEN_AT], head[RECLEN_AT + 1]]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MARKS: [u64; 2] = [i64::MAX as u64, i32::MAX as u64];

    /// A record with this name and position, whose bytes behind the name are `stale`.
    fn record(name: &[u8], position: u64, stale: u8) -> Vec<u8> {
        let length = (NAME_AT + name.len() + 1).next_multiple_of(8);
        let mut record = vec![stale; length];
        record[POSITION_AT..RECLEN_AT].copy_from_slice(&position.to_ne_bytes());
        record[RECLEN_AT..][..2].copy_from_slice(&(length as u16).to_ne_bytes());
        record[NAME_AT..][..name.len()].copy_from_slice(name);
        record[NAME_AT + name.len()] = 0;
        record
    }

    /// Names that contain a record's head, with each mark, at each distance from the end.
    fn forgeries() -> impl Iterator<Item = Vec<u8>> {
        let distances = (SHORTEST..LONGEST).step_by(8).filter(|length| length % 256 != 0);
        distances.flat_map(|length| {
            MARKS.into_iter().flat_map(move |mark| {
                (0..=8).map(move |before| {
                    let mut name = vec![b'n'; before];
                    name.extend(mark.to_ne_bytes());
                    name.extend((length as u16).to_ne_bytes());
                    name.resize(before + length - 8, b'n');
                    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
                    name.truncate(end.min(255));
                    name
                })
            })
        })
    }

    #[test]
    fn a_name_that_looks_like_the_last_record_is_none() {
        for name in forgeries() {
            for (stale, after) in [(0, 0), (24, 0), (255, 0), (0, 1), (24, 9), (255, 60)] {
                let mut records = [record(b".", 1, stale), record(&name, 7, stale)].concat();
                if after > 0 {
                    records.extend(record(&vec![b'a'; after], 8, stale));
                }
                assert_eq!(position_if(&records, MARKS), None, "{name:?}");
            }
        }
    }

    /// The end of the name reads as the head of a short record; the record itself bears the mark.
    #[test]
    fn a_name_that_looks_like_the_last_record_hides_no_mark() {
        for (length, size) in [(SHORTEST, 14), (264, 255)] {
            let mut name = vec![b'n'; size];
            let at = record(&name, 7, 0).len() - length + RECLEN_AT - NAME_AT;
            name.splice(at.., (length as u16).to_ne_bytes().into_iter().chain(vec![b'n'; 255]));
            name.truncate(size);
            let records = record(&name, MARKS[0], 0);
            assert_eq!(length_in(records[records.len() - length..].first_chunk().unwrap()), length);
            assert_eq!(position_if(&records, MARKS), Some(MARKS[0]), "{length}");
        }
    }

    #[test]
    fn what_is_no_record_has_no_place() {
        for length in 0..40 {
            assert_eq!(position_if(&vec![0; length], MARKS), None);
            assert_eq!(position_if(&vec![0xff; length], MARKS), None);
        }
    }

    proptest! {
        #![proptest_config(if cfg!(miri) { ProptestConfig::with_cases(8) } else { ProptestConfig::default() })]

        #[test]
        fn the_last_record_is_found_from_either_end(
            names in prop::collection::vec(prop::collection::vec(1_u8.., 1..256), 1..6),
            positions in prop::collection::vec(prop::sample::select(vec![1, MARKS[0], MARKS[1]]), 6),
            stale in any::<u8>(),
        ) {
            let records: Vec<u8> = names
                .iter()
                .zip(&positions)
                .flat_map(|(name, position)| record(name, *position, stale))
                .collect();
            let last = positions[names.len() - 1];
            let expected = MARKS.contains(&last).then_some(last);
            prop_assert_eq!(position_if(&records, MARKS), expected);
            prop_assert_eq!(position_from_first(&records, MARKS), expected);
        }

        #[test]
        fn any_bytes_are_looked_at_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = position_if(&bytes, MARKS);
        }
    }
}
