//! Paths as bytes with `/` between components, as [`with_slashes`](crate::paths::with_slashes) makes
//! them on every system. Nothing here makes a system call.

/// The components of a path, without empty ones.
pub fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|component| !component.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_directory_is_what_is_left() {
        assert_eq!(below(b"/a/b", b"/a"), Some(&b"b"[..]));
        assert_eq!(below(b"/a", b"/a"), Some(&b""[..]));
        assert_eq!(below(b"/ab", b"/a"), None);
        assert_eq!(below(b"/a", b"/"), Some(&b"a"[..]));
    }

    #[test]
    fn components_are_never_empty() {
        assert_eq!(components(b"/a//b/").collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(components(b"").count(), 0);
    }
}
