//! Whether another process uses a file, and which process that is.

use std::io;
use std::path::Path;

use brisk::remove::{Failure, Why};
use brisk_cli_sys::holders;

use crate::show::quoting::in_message;

/// Whether another process may be the cause, so that a later try may succeed.
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
