//! Paths on systems where every byte string is a path and `/` separates components.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path from the bytes of names and roots. Makes no system call.
#[must_use]
pub fn bytes_to_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// A path's bytes, with `/` between components. Makes no system call.
#[must_use]
pub fn with_slashes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// Whether a name can follow a root without a separator. Makes no system call.
#[must_use]
pub fn ends_open(root: &[u8]) -> bool {
    root.ends_with(b"/")
}

/// A directory's path without the separator at its end. The path of a file system's root keeps its
/// separator. Makes no system call.
#[must_use]
pub fn without_separator(prefix: &[u8]) -> &[u8] {
    match prefix {
        [b'/'] => prefix,
        [rest @ .., b'/'] => rest,
        whole => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_keeps_its_separator() {
        for (prefix, path) in [("/", "/"), ("a/", "a"), ("a", "a"), ("", ""), ("/a/b/", "/a/b")] {
            assert_eq!(without_separator(prefix.as_bytes()), path.as_bytes());
        }
    }
}
