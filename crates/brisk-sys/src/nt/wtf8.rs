//! Names: between UTF-16, which may have unpaired surrogates, and WTF-8, without loss.
//!
//! WTF-8 is UTF-8 with one addition: an unpaired surrogate is encoded in three bytes (`ED A0 80` to
//! `ED BF BF`). A pair of surrogates is always encoded as its character, in four bytes.

use std::char::decode_utf16;

/// The UTF-16 units of a name in little-endian bytes.
fn units(name: &[u8]) -> impl Iterator<Item = u16> + '_ {
    name.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit))
}

/// Appends a name that is given as UTF-16 in little-endian bytes. An odd byte at the end is
/// ignored. Makes no system call.
pub fn append_utf16le(out: &mut Vec<u8>, name: &[u8]) {
    let all_ascii = units(name).all(|unit| unit < 0x80);
    if all_ascii {
        out.extend(units(name).map(|unit| unit as u8));
        return;
    }
    for unit in decode_utf16(units(name)) {
        match unit {
            Ok(character) => {
                let mut space = [0; 4];
                out.extend_from_slice(character.encode_utf8(&mut space).as_bytes());
            }
            Err(unpaired) => append_unpaired(out, unpaired.unpaired_surrogate()),
        }
    }
}

fn append_unpaired(out: &mut Vec<u8>, unit: u16) {
    let continuation = |bits: u16| 0x80 | (bits & 0x3f) as u8;
    out.extend_from_slice(&[
        0xe0 | (unit >> 12) as u8,
        continuation(unit >> 6),
        continuation(unit),
    ]);
}

/// The UTF-16 units of a WTF-8 name; `None` if the bytes are not WTF-8. Makes no system call.
#[must_use]
pub fn to_utf16(name: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(name.len());
    let mut rest = name;
    while !rest.is_empty() {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                units.extend(text.encode_utf16());
                break;
            }
            Err(error) => {
                let (text, other) = rest.split_at(error.valid_up_to());
                let text = std::str::from_utf8(text).ok()?;
                units.extend(text.encode_utf16());
                let (unpaired, after) = split_unpaired(other)?;
                let is_low = (0xdc00..0xe000).contains(&unpaired);
                if is_low && units.last().is_some_and(|last| (0xd800..0xdc00).contains(last)) {
                    // WTF-8 encodes a pair in four bytes, never as two surrogates.
                    return None;
                }
                units.push(unpaired);
                rest = after;
            }
        }
    }
    Some(units)
}

/// The surrogate that the first three bytes encode, and the bytes behind it.
fn split_unpaired(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let ([first, second, third], rest) = bytes.split_first_chunk()?;
    let is_surrogate = *first == 0xed && (0xa0..=0xbf).contains(second) && third >> 6 == 0b10;
    let unit = 0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f);
    is_surrogate.then_some((unit, rest))
}

/// Whether the bytes are WTF-8, as a name or a path of names must be. Makes no system call.
#[must_use]
pub fn is_valid(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok() || to_utf16(bytes).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes_of(units: &[u16]) -> Vec<u8> {
        units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
    }

    fn wtf8(units: &[u16]) -> Vec<u8> {
        let mut out = Vec::new();
        append_utf16le(&mut out, &bytes_of(units));
        out
    }

    #[test]
    fn unpaired_surrogates_have_three_bytes_and_pairs_four() {
        assert_eq!(wtf8(&[0x61, 0xd83d, 0xde00]), "a😀".as_bytes());
        assert_eq!(wtf8(&[0xd83d]), [0xed, 0xa0, 0xbd]);
        assert_eq!(wtf8(&[0xde00, 0xd83d]), [0xed, 0xb8, 0x80, 0xed, 0xa0, 0xbd]);
        assert_eq!(wtf8(&[0xdfff, 0x62]), [0xed, 0xbf, 0xbf, b'b']);
        assert_eq!(wtf8(&[0xfffd, 0xffff, 0]), "\u{fffd}\u{ffff}\0".as_bytes());
    }

    #[test]
    fn what_is_no_wtf8_is_refused() {
        let pair_in_pieces = b"\xed\xa0\xbd\xed\xb8\x80";
        for bytes in [&b"\xff"[..], b"a\xc3", b"\xed\xa0", b"\xf0\x9f\x98", pair_in_pieces, b"\x80"]
        {
            assert_eq!(to_utf16(bytes), None, "{bytes:x?}");
            assert!(!is_valid(bytes));
        }
    }

    fn cases() -> ProptestConfig {
        let usual = ProptestConfig::default();
        ProptestConfig { cases: if cfg!(miri) { 4 } else { usual.cases }, ..usual }
    }

    fn unit() -> impl Strategy<Value = u16> {
        prop_oneof![any::<u16>(), 0xd800_u16..0xe000, 0x20_u16..0x80]
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn names_come_back(units in prop::collection::vec(unit(), 0..40)) {
            let name = wtf8(&units);
            prop_assert!(is_valid(&name));
            prop_assert_eq!(to_utf16(&name), Some(units));
        }

        #[test]
        fn any_bytes_are_told_apart(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            if let Some(units) = to_utf16(&bytes) {
                prop_assert_eq!(wtf8(&units), bytes);
            }
        }
    }
}
