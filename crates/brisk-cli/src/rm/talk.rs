//! Failures in GNU rm's words, and counts in brisk's.

use brisk::remove::{Failure, Progress, Why};

use crate::front::messages::{at_root, cause, mounted, unnumbered};
use crate::front::progress::counted;
use crate::show::quoting::in_message;
use crate::show::safe::path_bytes;

/// What went wrong: one line or two, without the program's name before them. A path is quoted, so
/// that it ends no line.
pub(super) fn failure(failure: &Failure) -> String {
    let path = in_message(path_bytes(failure.path()));
    match failure.why() {
        Why::System(error) => format!("cannot remove {path}: {}", cause(error)),
        Why::Dots => format!("refusing to remove '.' or '..' directory: skipping {path}"),
        Why::Root => at_root(path_bytes(failure.path())),
        Why::Preserved => format!(
            "skipping {path}, since it's on a different device\n\
             and --preserve-root=all is in effect"
        ),
        Why::UnknownParent(error) => {
            let parent = in_message(&[path_bytes(failure.path()), b"/.."].concat());
            format!("failed to stat {parent}: skipping {path}: {}", cause(error))
        }
        Why::OtherDevice => format!("skipping {path}, since it's on a different device"),
        Why::Mounted => mounted(path_bytes(failure.path())),
        Why::LinkBehindSlash => format!("cannot remove {path}: Not a directory"),
        Why::Swapped => format!("skipping {path}, since it was swapped meanwhile"),
        _ => unnumbered(failure),
    }
}

/// What would be removed of one operand: the line of a dry run.
pub(super) fn operand(path: &[u8], of_it: &Progress) -> String {
    let gone = entries(of_it.files, of_it.directories);
    format!("{}: {gone} ({})", in_message(path), counted(of_it.bytes, "byte", "bytes"))
}

/// How many entries, by kind.
pub(super) fn entries(files: u64, directories: u64) -> String {
    let files = counted(files, "file", "files");
    format!("{files} and {}", counted(directories, "directory", "directories"))
}
