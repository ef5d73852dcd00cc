//! Any bytes as an answer of ReadDirectoryChangesW: the parser ends, agrees with a plain parser, and
//! says that notices are lost unless it came to the last one.

#![no_main]

use brisk_sys::events::Notice;
use brisk_sys::nt::{notices, wtf8};
use libfuzzer_sys::fuzz_target;

/// The number of four bytes at a place.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 4)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

/// A plain reading of the layout: action and path of each notice, and whether there are no more.
fn plain(bytes: &[u8]) -> (Vec<(usize, Vec<u8>)>, bool) {
    let mut found = Vec::new();
    let mut at = 0;
    while let (Some(next), Some(action), Some(length)) =
        (number(bytes, at), number(bytes, at + 4), number(bytes, at + 8))
    {
        let Some(name) = bytes.get(at + 12..at + 12 + length) else { break };
        let mut path = Vec::new();
        wtf8::append_utf16le(&mut path, name);
        let slashed = path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte });
        found.push((action, slashed.collect()));
        if next == 0 {
            return (found, true);
        }
        at += next;
    }
    (found, false)
}

fuzz_target!(|bytes: &[u8]| {
    let (expected, is_whole) = plain(bytes);
    let mut expected = expected.into_iter();
    let is_lost = notices::deliver(bytes, |notice| {
        let (action, path) = expected.next().expect("no further notice");
        match notice {
            Notice::Itself => assert!(path.is_empty()),
            Notice::Inside(told) => assert_eq!((action, told), (3, &*path)),
            Notice::Name(told) => assert!(action != 3 && told == path),
            Notice::Ended => panic!("no notice says that"),
        }
    });
    assert_eq!((expected.next(), is_lost), (None, !is_whole));
});
