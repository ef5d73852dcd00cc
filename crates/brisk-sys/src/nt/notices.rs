//! Decoding what ReadDirectoryChangesW tells: a chain of notices (FILE_NOTIFY_INFORMATION).
//!
//! ```text
//!   0      4        8        12
//!   | next | action | length | path …
//! ```
//!
//! `next` is the distance to the next notice, in bytes, and 0 in the last notice. The path is relative
//! to the directory that is watched, in UTF-16, with `\` between its names.

use super::records::u32_at;
use super::wtf8;
use crate::notice::Notice;

/// The contents or the metadata have changed (FILE_ACTION_MODIFIED). All other actions say that the
/// name has come or gone.
const MODIFIED: u32 = 3;

/// Calls `each` for every notice in an answer, which must be exactly the bytes that the system
/// reported to have written. Returns whether notices are lost: the answer is empty, because there
/// were more than the system keeps, or it is cut. Makes no system call.
pub fn deliver(answer: &[u8], mut each: impl FnMut(Notice<'_>)) -> bool {
    let mut rest = Some(answer);
    let mut path = Vec::new();
    while let Some((next, action, name)) = rest.and_then(first) {
        path.clear();
        wtf8::append_utf16le(&mut path, name);
        path.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
        each(match &*path {
            b"" => Notice::Itself,
            path if action == MODIFIED => Notice::Inside(path),
            path => Notice::Name(path),
        });
        if next == 0 {
            return false;
        }
        rest = rest.and_then(|rest| rest.get(next..));
    }
    true
}

/// The first notice: the distance to the next one, the action, the path. `None`: the bytes are none.
fn first(bytes: &[u8]) -> Option<(usize, u32, &[u8])> {
    let length = u32_at(bytes, 8)? as usize;
    Some((u32_at(bytes, 0)? as usize, u32_at(bytes, 4)?, bytes.get(12..)?.get(..length)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(notices: &[(u32, &str)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (left, (action, path)) in (0..notices.len()).rev().zip(notices) {
            let path: Vec<u8> = path.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let length = (12 + path.len()).next_multiple_of(4);
            let next = if left == 0 { 0 } else { length };
            bytes.extend([next as u32, *action, path.len() as u32].map(u32::to_le_bytes).concat());
            bytes.extend(&path);
            // Behind the last path there is nothing.
            bytes.resize(bytes.len() + if left == 0 { 0 } else { length - 12 - path.len() }, 0xff);
        }
        bytes
    }

    fn told(answer: &[u8]) -> (Vec<String>, bool) {
        let mut told = Vec::new();
        let is_lost = deliver(answer, |notice| {
            told.push(match notice {
                Notice::Name(path) => format!("name {}", String::from_utf8_lossy(path)),
                Notice::Inside(path) => format!("inside {}", String::from_utf8_lossy(path)),
                other => format!("{other:?}"),
            });
        });
        (told, is_lost)
    }

    /// As the documentation of Windows lays them out, byte by byte.
    #[test]
    fn notices_are_laid_out_as_documented() {
        let mut bytes = vec![0x14, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0];
        bytes.extend([b'a', 0, b'\\', 0, 0xe9, 0, 0, 0]);
        bytes.extend([0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, b'b', 0]);
        assert_eq!(bytes[..18], answer(&[(1, "a\\é"), (3, "b")])[..18]);
        let lines = ["name a/é".to_owned(), "inside b".to_owned()];
        assert_eq!(told(&bytes), (lines.to_vec(), false));
    }

    #[test]
    fn each_action_says_what_may_have_changed() {
        let actions: Vec<_> = (1..=6).map(|action| (action, "x")).collect();
        let expected = ["name x", "name x", "inside x", "name x", "name x", "name x"];
        assert_eq!(told(&answer(&actions)), (expected.map(str::to_owned).to_vec(), false));
        assert_eq!(told(&answer(&[(3, "")])), (vec!["Itself".to_owned()], false));
    }

    #[test]
    fn what_is_empty_or_cut_has_lost_some() {
        assert_eq!(told(&[]), (Vec::new(), true));
        let whole = answer(&[(1, "long name"), (2, "b")]);
        let (all, _) = told(&whole);
        for length in 0..whole.len() {
            let (told, is_lost) = told(&whole[..length]);
            assert!(is_lost && all.starts_with(&told), "{length}");
        }
        for next in [1_u32, 0xffff_ffff] {
            let mut bytes = whole.clone();
            bytes[..4].copy_from_slice(&next.to_le_bytes());
            assert!(told(&bytes).1, "{next}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes: Vec<u8>) {
            let mut count = 0;
            deliver(&bytes, |_| count += 1);
            prop_assert!(count <= bytes.len());
        }
    }
}
