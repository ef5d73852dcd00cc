//! [`PathOf`]: the paths that tests compare.

use std::path::is_separator;

use brisk_sys::slashed::last;

use crate::Entry;

/// Which path a test compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathOf {
    /// The path below the root, without a separator before it; that of a root is empty.
    BelowRoot,
    /// The same, and of a root its name: what leaves entries out leaves out roots too.
    NameOrBelowRoot,
    /// The path as results show it: what the root was called, and the path below it.
    Printed,
    /// The absolute path. The text is the working directory with a separator at its end, where
    /// relative paths begin.
    Absolute(Vec<u8>),
}

impl PathOf {
    /// The path of an entry, built in `out`, which is empty.
    pub(super) fn build<'o>(&self, entry: &Entry<'_>, out: &'o mut Vec<u8>) -> &'o [u8] {
        match self {
            PathOf::NameOrBelowRoot if entry.depth() == 0 => {
                out.extend_from_slice(name(entry));
                out
            }
            PathOf::BelowRoot | PathOf::NameOrBelowRoot => {
                entry.path_into(out);
                below_root(out, entry.depth())
            }
            PathOf::Printed => {
                entry.path_into(out);
                out
            }
            PathOf::Absolute(base) => {
                let mut prefix = entry.directory().prefix();
                if !prefix.starts_with(b"/") {
                    out.extend_from_slice(base);
                }
                while let Some(shorter) = prefix.strip_prefix(b"./") {
                    prefix = shorter;
                }
                out.extend_from_slice(prefix);
                out.extend_from_slice(entry.name());
                out
            }
        }
    }
}

/// An entry's name; of a root, whose name may be any path, the last component.
#[inline]
pub(super) fn name<'e>(entry: &Entry<'e>) -> &'e [u8] {
    if entry.depth() == 0 { last(entry.name()) } else { entry.name() }
}

/// The last `depth` components of a path.
fn below_root(path: &[u8], depth: usize) -> &[u8] {
    if depth == 0 {
        return b"";
    }
    let separates = |at: &usize| is_separator(path[*at] as char);
    let separator = (0..path.len()).rev().filter(separates).nth(depth - 1);
    separator.map_or(path, |at| &path[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::below_root;

    #[test]
    fn the_path_below_the_root_has_depth_components() {
        for (path, depth, below) in [
            ("./a/b", 2, "a/b"),
            ("/usr/lib/a", 1, "a"),
            ("x//a/b", 2, "a/b"),
            ("a", 1, "a"),
            ("x/a", 0, ""),
        ] {
            assert_eq!(below_root(path.as_bytes(), depth), below.as_bytes());
        }
    }
}
