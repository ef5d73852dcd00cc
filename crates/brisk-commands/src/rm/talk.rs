//! Failures in GNU rm's words, with the processes that use a file; and counts in brisk's.

use std::io;
use std::path::Path;

use brisk::remove::{Failure, Report, Why};
use brisk_cli_sys::holders;

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
pub(super) fn operand(path: &[u8], below: &Report) -> String {
    let gone = entries(below.files, below.directories);
    format!("{}: {gone} ({})", in_message(path), counted(below.bytes, "byte", "bytes"))
}

/// How many entries, by kind.
pub(super) fn entries(files: u64, directories: u64) -> String {
    let files = counted(files, "file", "files");
    format!("{files} and {}", counted(directories, "directory", "directories"))
}

/// Whether another process may be the cause, so that a later try may succeed. If the user was
/// asked, it may be the answer as well: see `Teller::take_failed`.
pub(super) fn is_in_use(failure: &Failure) -> bool {
    let Why::System(error) = failure.why() else { return false };
    is_windows_refusal(error)
        || matches!(
            error.kind(),
            // The second is also NFS's, which keeps a file that is open under another name.
            io::ErrorKind::ResourceBusy
                | io::ErrorKind::DirectoryNotEmpty
                | io::ErrorKind::ExecutableFileBusy
        )
}

/// A sharing violation, a lock, a mapped file; or no access, which is also the answer for a program
/// that runs.
fn is_windows_refusal(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 33 | 1224))
}

/// ` (in use by 'make', process 7)`, or nothing where no process is known.
pub(super) fn by_whom(path: &Path) -> String {
    let users: Vec<String> = holders::of(path)
        .iter()
        .map(|user| format!("{}, process {}", in_message(user.name.as_bytes()), user.process))
        .collect();
    if users.is_empty() { String::new() } else { format!(" (in use by {})", users.join("; ")) }
}
