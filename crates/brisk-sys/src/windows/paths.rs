//! Paths as bytes in WTF-8, with `/` between components; and what a root may end in.

use std::ffi::OsStr;
use std::path::Path;

use crate::nt::wtf8;

/// A path from the bytes of names and roots, which are WTF-8. Makes no system call.
///
/// # Panics
/// If the bytes are not WTF-8. Names that brisk has read are WTF-8, and so is every `OsStr`.
#[must_use]
pub fn bytes_to_path(bytes: &[u8]) -> &Path {
    assert!(wtf8::is_valid(bytes), "BUG: a path that is no WTF-8");
    // SAFETY: on Windows the encoding of `OsStr` is WTF-8, and the line above checked that the
    // bytes are WTF-8. (`is_valid` also checks that no two surrogates side by side form a pair.)
    Path::new(unsafe { OsStr::from_encoded_bytes_unchecked(bytes) })
}

/// A path's bytes, with `/` between components. A verbatim path (`\\?\`) stays unchanged, because
/// Windows takes a `/` in it for a part of a name. Makes no system call.
#[must_use]
pub fn with_slashes(path: &Path) -> Vec<u8> {
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    if !bytes.starts_with(br"\\?\") {
        bytes.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    bytes
}

/// Whether a name can follow a root without a separator: `dir/`, `C:\`, and `C:`, which is the
/// current directory of a drive. Makes no system call.
#[must_use]
pub fn ends_open(root: &[u8]) -> bool {
    matches!(root, [.., b'/' | b'\\'] | [_, b':'])
}

/// A directory's path without the separator at its end. The path of a drive's root keeps its
/// separator. Makes no system call.
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
