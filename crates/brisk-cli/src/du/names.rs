//! The paths that count: those of the command line, or the names in a file.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::options::Options;
use crate::common::list::{List, Rest};
use crate::common::messages::Caller;
use crate::common::safe::os_str;

/// The paths, and whether all can be used: there is a message about each that cannot. `None`: the
/// names cannot be read.
pub(super) fn paths(caller: Caller, options: &Options) -> Option<(Vec<PathBuf>, bool)> {
    let Some(file) = &options.files_from else {
        let (empty, named): (Vec<_>, Vec<_>) =
            options.paths.iter().partition(|path| path.is_empty());
        empty.iter().for_each(|_| caller.complain("invalid zero-length file name"));
        let usual = options.paths.is_empty().then(|| ".".into());
        let paths = named.into_iter().map(|path| tidy(path)).chain(usual);
        return Some((paths.collect(), empty.is_empty()));
    };
    let mut list = List::open(file, Rest::Read, |message| caller.complain(message));
    if !list.is_fine() {
        return None;
    }
    let paths: Vec<_> = list.by_ref().map(|path| tidy(path.as_os_str())).collect();
    let (refused, paths): (Vec<_>, Vec<_>) =
        paths.into_iter().partition(|path| file == "-" && path.as_os_str() == "-");
    if !refused.is_empty() {
        caller.complain("when reading file names from stdin, no file name of '-' allowed");
    }
    Some((paths, list.is_fine() && refused.is_empty()))
}

/// Without slashes that end a path twice.
fn tidy(path: &OsStr) -> PathBuf {
    let mut name = path.as_encoded_bytes();
    while name.len() > 2 && name.ends_with(b"//") {
        name = &name[..name.len() - 1];
    }
    os_str(name).into()
}
