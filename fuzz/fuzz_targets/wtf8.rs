//! Any bytes as a name in UTF-16 and as one in WTF-8: what is a name survives the way to the other
//! form and back, and a plain decoder agrees on what is a name.

#![no_main]

use brisk_sys::nt::wtf8;
use libfuzzer_sys::fuzz_target;

/// The units of a WTF-8 name, decoded one character at a time, with surrogates as they stand.
fn plain(mut rest: &[u8]) -> Option<Vec<u16>> {
    let mut units: Vec<u16> = Vec::new();
    while let [first, after @ ..] = rest {
        let (length, least) = match first {
            0x00..0x80 => (0, 0),
            0xc2..0xe0 => (1, 0x80),
            0xe0..0xf0 => (2, 0x800),
            0xf0..0xf5 => (3, 0x1_0000),
            _ => return None,
        };
        let head = u32::from(*first) & (0x7f >> if length == 0 { 0 } else { length + 1 });
        let (tail, others) = after.split_at_checked(length)?;
        if tail.iter().any(|byte| byte & 0xc0 != 0x80) {
            return None;
        }
        let code = tail.iter().fold(head, |code, byte| code << 6 | u32::from(byte & 0x3f));
        if code < least || code > 0x10_ffff {
            return None;
        }
        let is_low = |unit: u32| (0xdc00..0xe000).contains(&unit);
        let after_high = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
        if code >= 0x1_0000 {
            let (high, low) = ((code - 0x1_0000) >> 10, (code - 0x1_0000) & 0x3ff);
            units.extend([0xd800 | high as u16, 0xdc00 | low as u16]);
        } else if is_low(code) && after_high {
            // A pair is one character, in four bytes.
            return None;
        } else {
            units.push(code as u16);
        }
        rest = others;
    }
    Some(units)
}

fn bytes_of(units: &[u16]) -> Vec<u8> {
    units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let mut name = Vec::new();
    wtf8::append_utf16le(&mut name, bytes);
    let units = wtf8::to_utf16(&name).expect("WTF-8");
    // An odd byte at the end is ignored.
    assert_eq!(bytes_of(&units), &bytes[..bytes.len() & !1]);

    let units = wtf8::to_utf16(bytes);
    assert_eq!(units, plain(bytes));
    assert_eq!(wtf8::is_valid(bytes), units.is_some());
    if let Some(units) = units {
        let mut again = Vec::new();
        wtf8::append_utf16le(&mut again, &bytes_of(&units));
        assert_eq!(again, bytes);
    }
    // UTF-8 is WTF-8.
    assert!(std::str::from_utf8(bytes).is_err() || wtf8::is_valid(bytes));
});
