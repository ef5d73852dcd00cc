//! Paths as bytes with `/` between components, as [`with_slashes`](crate::paths::with_slashes) makes
//! them on every system. Nothing here makes a system call.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ffi::OsStr;

use crate::paths::bytes_to_path;

/// The components of a path, without empty ones.
pub fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|component| !component.is_empty())
}

/// The components of an absolute path, after `.` and `..` were resolved by the names alone.
#[must_use]
pub fn resolved(path: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    for part in components(path) {
        match part {
            b"." => {}
            b".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts
}

/// The last component of a path; the path itself if it has none, as `/` and `..`.
#[must_use]
pub fn last(path: &[u8]) -> &[u8] {
    bytes_to_path(path).file_name().map_or(path, OsStr::as_encoded_bytes)
}

/// The path as a text, with a noncharacter for each byte that is part of no character: in regular
/// expressions, only classes of any character have that one.
#[must_use]
pub fn characters(path: &[u8]) -> Cow<'_, str> {
    str::from_utf8(path).map_or_else(|_| marked(path).into(), Cow::Borrowed)
}

#[cold]
fn marked(path: &[u8]) -> String {
    let mut text = String::new();
    for chunk in path.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::MAX));
    }
    text
}

/// A directory's path with a separator at its end: what the paths of its entries begin with.
#[must_use]
pub fn prefix(mut path: Vec<u8>) -> Vec<u8> {
    if !path.ends_with(b"/") {
        path.push(b'/');
    }
    path
}

/// A path without slashes at its end; of a path of slashes alone one stays.
#[must_use]
pub fn without_slashes(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(1, |last| last + 1);
    &path[..end.min(path.len())]
}

/// Appends what is below a directory to the directory's path; nothing, if that is empty.
pub fn push(path: &mut Vec<u8>, below: &[u8]) {
    if !below.is_empty() {
        if !matches!(path.last(), None | Some(b'/')) {
            path.push(b'/');
        }
        path.extend_from_slice(below);
    }
}

/// A path as fts, and so GNU's programs, spell it: with one slash at the end instead of several,
/// except `//`.
#[must_use]
pub fn with_one_slash(given: &[u8]) -> &[u8] {
    if given.len() <= 2 {
        return given;
    }
    let is_slash = |byte: &u8| std::path::is_separator(char::from(*byte));
    let end = given.iter().rposition(|byte| !is_slash(byte)).map_or(1, |last| last + 2);
    &given[..end.min(given.len())]
}

/// The part of `path` below the directory `above`; empty if the two are the same. `None`: `path` is
/// neither `above` nor below it.
#[must_use]
pub fn below<'a>(path: &'a [u8], above: &[u8]) -> Option<&'a [u8]> {
    match path.strip_prefix(above)? {
        [] => Some(&[]),
        [b'/', rest @ ..] => Some(rest),
        rest if above.ends_with(b"/") => Some(rest),
        _ => None,
    }
}

/// The order of a depth-first walk, component by component: `/` comes before all other bytes.
#[must_use]
pub fn by_component(one: &[u8], other: &[u8]) -> Ordering {
    let Some(at) = one.iter().zip(other).position(|(a, b)| a != b) else {
        return one.len().cmp(&other.len());
    };
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    rank(one[at]).cmp(&rank(other[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_comes_before_every_other_byte() {
        let sorted: [&[u8]; 8] = [b"", b"a", b"a/", b"a/b", b"a/b/c", b"a/b!", b"a!", b"b"];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                assert_eq!(by_component(one, other), at.cmp(&other_at), "{at} {other_at}");
            }
        }
    }

    #[test]
    fn what_is_below_a_directory_is_what_is_left() {
        assert_eq!(below(b"/a/b", b"/a"), Some(&b"b"[..]));
        assert_eq!(below(b"/a", b"/a"), Some(&b""[..]));
        assert_eq!(below(b"/ab", b"/a"), None);
        assert_eq!(below(b"/a", b"/"), Some(&b"a"[..]));
    }

    #[test]
    fn slashes_at_the_end_go_and_one_joins() {
        let table = [("a//", "a"), ("a/b", "a/b"), ("///", "/"), ("", "")];
        for (given, expected) in table {
            assert_eq!(without_slashes(given.as_bytes()), expected.as_bytes(), "{given}");
        }
        for (path, below, joined) in
            [("a", "b", "a/b"), ("a/", "b", "a/b"), ("", "b", "b"), ("a", "", "a")]
        {
            let mut path = path.as_bytes().to_vec();
            push(&mut path, below.as_bytes());
            assert_eq!(path, joined.as_bytes());
        }
    }

    #[test]
    fn of_several_slashes_at_the_end_one_stays() {
        let table = [("a//b///", "a//b/"), ("a//", "a/"), ("a", "a"), ("//", "//"), ("///", "/")];
        for (given, spelled) in table {
            assert_eq!(with_one_slash(given.as_bytes()), spelled.as_bytes());
        }
    }

    #[test]
    fn the_last_component_is_never_empty() {
        for (path, expected) in [("a/b", "b"), ("a/b//", "b"), ("a", "a"), ("/", "/"), (".", ".")] {
            assert_eq!(last(path.as_bytes()), expected.as_bytes());
        }
    }

    #[test]
    fn dots_are_resolved_by_names() {
        assert_eq!(resolved(b"/a/./b/../c//d/"), [b"a", b"c", b"d"]);
        assert!(resolved(b"/../a/..").is_empty());
    }

    #[test]
    fn components_are_never_empty() {
        assert_eq!(components(b"/a//b/").collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(components(b"").count(), 0);
    }
}
