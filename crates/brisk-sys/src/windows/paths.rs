//! Paths: bytes in WTF-8, `/` between components, and what a root may end in.

use std::ffi::OsStr;
use std::path::Path;

use crate::nt::wtf8;

/// A path from bytes in WTF-8, as names and roots are.
///
/// # Panics
/// If the bytes are no WTF-8, which no name that was read and no `OsStr` can be.
#[must_use]
pub fn bytes_to_path(bytes: &[u8]) -> &Path {
    assert!(wtf8::is_valid(bytes), "BUG: a path that is no WTF-8");
    // SAFETY: the encoding of `OsStr` on Windows is WTF-8, and that is what the bytes are. (The one rule
    // more, that surrogates which would form a pair must not stand side by side, was checked too.)
    Path::new(unsafe { OsStr::from_encoded_bytes_unchecked(bytes) })
}

/// A path's bytes, with `/` between components. Verbatim paths (`\\?\`), in which Windows takes a `/` for a
/// part of a name, are left as they are.
#[must_use]
pub fn with_slashes(path: &Path) -> Vec<u8> {
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    if !bytes.starts_with(br"\\?\") {
        bytes.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    bytes
}

/// Whether a name can follow a root without a separator: `dir/`, `C:\`, and `C:`, which is the current
/// directory of a drive.
#[must_use]
pub fn ends_open(root: &[u8]) -> bool {
    matches!(root, [.., b'/' | b'\\'] | [_, b':'])
}

/// A directory's path without the separator at its end, unless it is a root that needs it.
#[must_use]
pub fn without_separator(prefix: &[u8]) -> &[u8] {
    match prefix {
        [b'/'] | [_, b':', b'/'] => prefix,
        [rest @ .., b'/'] => rest,
        whole => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_are_roots() {
        for (prefix, path) in [("C:/", "C:/"), ("C:/a/", "C:/a"), ("a/", "a"), ("/", "/"), ("", "")]
        {
            assert_eq!(without_separator(prefix.as_bytes()), path.as_bytes());
        }
        for root in ["C:", r"C:\", "C:/", r"\\server\share\", r"\\?\C:\"] {
            assert!(ends_open(root.as_bytes()), "{root}");
        }
        for root in [".", "C:a", r"\\server\share", r"\\?\C:\a"] {
            assert!(!ends_open(root.as_bytes()), "{root}");
        }
    }

    #[test]
    fn names_that_are_no_utf8_are_paths() {
        use std::os::windows::ffi::OsStrExt;
        let path = bytes_to_path(b"a/\xed\xa0\xbd");
        let units: Vec<u16> = path.as_os_str().encode_wide().collect();
        assert_eq!(units, [0x61, 0x2f, 0xd83d]);
    }
}
