//! Links at a destination that no copy replaces: other programs need them.

use std::ffi::CStr;

use brisk_sys::{Links, copy, slashed};

use super::work::Item;
use crate::FileType;

/// Whether the destination is a link that other programs need, as `/dev/stdout` is: to a descriptor,
/// even one that is closed, or to a device, a pipe or a socket.
pub(super) fn is_needed(place: &Item<'_>) -> bool {
    let text_of = |name: &CStr| copy::read_link(place.base, name).unwrap_or_default().into_bytes();
    let text = text_of(place.name);
    // A relative path, as in /dev, where `fd` is a link.
    let number = text.strip_prefix(b"fd/");
    let whole = number.map(|number| [&text_of(c"fd"), &b"/"[..], number].concat());
    if leads_to_descriptor(&whole.unwrap_or(text)) {
        return true;
    }
    let target = place.stat(Links::Follow).ok().and_then(|target| target.file_type());
    !matches!(target.unwrap_or_default(), FileType::File | FileType::Directory | FileType::Unknown)
}

/// Whether a link's text is the path of a descriptor, such as `/proc/self/fd/1`, `/dev/fd/1`,
/// `/dev/stdout`.
fn leads_to_descriptor(text: &[u8]) -> bool {
    let number = slashed::last(text);
    let dir = text.strip_suffix(number).unwrap_or_default();
    let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    let is_process = dir.starts_with(b"/proc/") && dir.ends_with(b"/fd/");
    let is_standard = matches!(text, b"/dev/stdin" | b"/dev/stdout" | b"/dev/stderr");
    is_standard || is_number && (is_process || dir == b"/dev/fd/")
}

#[cfg(test)]
mod tests {
    use super::leads_to_descriptor;

    #[test]
    fn paths_of_descriptors() {
        let are = [
            "/proc/self/fd/1",
            "/proc/thread-self/fd/0",
            "/proc/12/fd/255",
            "/dev/fd/2",
            "/dev/stdin",
            "/dev/stderr",
        ];
        assert!(are.iter().all(|it| leads_to_descriptor(it.as_bytes())));
        let others = [
            "",
            "1",
            "fd/",
            "fd/1",
            "a/fd/1",
            "/fd/1",
            "/proc/self/fdinfo/1",
            "/dev/fd",
            "/dev/fd/x",
            "/dev/null",
        ];
        assert!(!others.iter().any(|it| leads_to_descriptor(it.as_bytes())));
    }
}
