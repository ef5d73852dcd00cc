//! What `rm` and `rmSync` call: the engine's removal of a tree.

use std::io::ErrorKind;
use std::path::Path;

use brisk::Walk;
use brisk::remove::{Directories, Remove};
use brisk_sys::errno;
use brisk_sys::paths::bytes_to_path;
use napi::Result;
use napi_derive::napi;

use crate::job::{JobResult, answer};
use crate::packed::{ErrorParts, FsRefusal, Packed};

/// Removes a tree to the end. Finds why entries stay. Unlike the engine, node:fs ignores nothing but
/// ENOENT with `force`.
#[napi]
pub fn remove(path: &[u8], recursive: bool, force: bool, sync: bool) -> Result<JobResult> {
    let directories = if recursive { Directories::Recursive } else { Directories::Refused };
    let removal = Remove { directories, ..Remove::new(Walk::new(bytes_to_path(path))) };
    answer(sync, move || {
        let report = removal.run(&());
        let errors = report.failures.iter().map(|failure| {
            let error = failure.why().to_io();
            let path = failure.path();
            let is_dir = error.kind() == ErrorKind::IsADirectory;
            let message = || "is a directory".to_owned();
            let refusal =
                || FsRefusal { kind: "EISDIR", title: "Path is a directory", message: message() };
            let syscall = if is_dir { "rm" } else { refused_call(path) };
            let parts = ErrorParts::new(errno(&error), syscall, path);
            ErrorParts { refusal: is_dir.then(refusal), ..parts }
        });
        let is_missing =
            |error: &ErrorParts| error.errno == libc::ENOENT && error.syscall == "lstat";
        let errors = errors.filter(|error| !(force && is_missing(error))).collect();
        Packed { errors, ..Packed::default() }
    })
}

/// The call that fails in `fs.rm`.
fn refused_call(path: &Path) -> &'static str {
    match path.symlink_metadata() {
        Err(_) => "lstat",
        Ok(meta) if !meta.is_dir() => "unlink",
        Ok(_) if path.read_dir().is_err() => "scandir",
        Ok(_) => "rmdir",
    }
}
