//! Which entry a call asks about: the path that it names, from the current directory or from what a
//! descriptor stands for.

use super::strace::{Call, place, text};

/// A call that asks a file system something.
pub(super) struct Request<'c> {
    pub(super) call: &'c Call<'c>,
    /// The path from the root, as far as it is known.
    pub(super) path: Vec<u8>,
    /// The path as the program gave it, and the number of its argument; `None` where the program
    /// gave a descriptor.
    pub(super) given: Option<(Vec<u8>, usize)>,
}

impl<'c> Request<'c> {
    /// Of a call by a process in this directory.
    pub(super) fn of(call: &'c Call<'c>, directory: &[u8]) -> Request<'c> {
        let argument = |at: usize| call.arguments.get(at).copied().unwrap_or_default();
        // symlink(2) and symlinkat(2) begin with the target, which is only a text.
        let first = usize::from(call.name.starts_with("symlink"));
        let has_path = text(argument(first)).is_some();
        let is_here = has_path || argument(first).starts_with("AT_FDCWD");
        let base = if is_here { directory.to_vec() } else { place(argument(first)) };
        let at = if has_path { first } else { first + 1 };
        // fgetxattr(2) and its relatives have a name behind the descriptor that is no path.
        let is_path = !(call.name.starts_with('f') && call.name.ends_with("xattr"));
        let given = text(argument(at)).filter(|given| is_path && !given.is_empty());
        let path = given.as_ref().map_or_else(|| base.clone(), |given| below(&base, given));
        Request { call, path, given: given.map(|given| (given, at)) }
    }
}

/// A path from a directory on, without `.` and doubled slashes, so that each entry has one name. `..`
/// stays: it may lead out of a link.
fn below(directory: &[u8], given: &[u8]) -> Vec<u8> {
    let mut path = if given.starts_with(b"/") { Vec::new() } else { directory.to_vec() };
    for name in given.split(|byte| *byte == b'/').filter(|name| ![&b""[..], b"."].contains(name)) {
        if path != b"/" {
            path.push(b'/');
        }
        path.extend(name);
    }
    if path.is_empty() { b"/".to_vec() } else { path }
}
