//! Any bytes as a reparse point: the parser ends, stays within the bytes, agrees with a plain one, and
//! a link's target is WTF-8.

#![no_main]

use brisk_sys::nt::{reparse, wtf8};
use libfuzzer_sys::fuzz_target;

/// The tags of a symbolic link, of a junction, and of a link that Linux made.
const TAGS: [u32; 3] = [0xa000_000c, 0xa000_0003, 0xa000_001d];

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(*bytes.get(at)?) | usize::from(*bytes.get(at + 1)?) << 8)
}

/// The UTF-16 whose offset and length stand at a place; `names` is where the characters begin.
fn utf16(body: &[u8], at: usize, names: usize) -> Option<&[u8]> {
    let start = names + number(body, at)?;
    body.get(start..start + number(body, at + 2)?)
}

fn text(utf16: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    wtf8::append_utf16le(&mut text, utf16);
    text
}

/// A plain reading of the layout.
fn plain(tag: u32, bytes: &[u8]) -> Option<Vec<u8>> {
    let body = bytes.get(8..8 + number(bytes, 4)?)?;
    let names = match tag {
        0xa000_000c => 12,
        0xa000_0003 => 8,
        _ => {
            let target = body.get(4..)?;
            return wtf8::is_valid(target).then(|| target.to_vec());
        }
    };
    let (substitute, shown) = (utf16(body, 0, names)?, utf16(body, 4, names)?);
    if !shown.is_empty() {
        return Some(text(shown));
    }
    let substitute = text(substitute);
    Some(substitute.strip_prefix(br"\??\").unwrap_or(&substitute).to_vec())
}

fuzz_target!(|bytes: &[u8]| {
    assert!(reparse::target(bytes).is_none_or(|target| wtf8::is_valid(&target)));
    // The same bytes behind each tag, because most tags are no link's.
    for tag in TAGS {
        let bytes = [&tag.to_le_bytes(), bytes].concat();
        let target = reparse::target(&bytes);
        assert_eq!(target, plain(tag, &bytes));
        assert!(target.is_none_or(|target| wtf8::is_valid(&target)));
    }
});
