//! What `cp` and `cpSync` call: the engine's copy of a file or a tree.

use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;

use brisk::copy::{
    Copy, Modes, NotCopied, Overwriting, Pair, Preserve, Specials, Step, Update, When,
};
use brisk::{Follow, Walk};
use brisk_sys::errno;
use brisk_sys::paths::bytes_to_path;
use napi::Result;
use napi_derive::napi;

use crate::job::{JobResult, Stop, answer};
use crate::packed::{ErrorParts, FsRefusal, Packed};
use crate::walk::Selecting;

/// What index.js passes: options of `fs.cp`.
#[napi(object, object_to_js = false)]
pub struct CpOptions {
    pub dereference: bool,
    pub error_on_exist: bool,
    pub force: bool,
    pub preserve_timestamps: bool,
    pub recursive: bool,
    pub verbatim_symlinks: bool,
    /// Blocks are shared, or the copy fails.
    pub must_clone: bool,
}

impl CpOptions {
    fn copy(&self, walk: Walk) -> Copy {
        let preserve = Preserve { mode: Modes::PreservedInNew, ..Preserve::default() };
        let timestamps = self.preserve_timestamps;
        Copy {
            preserve,
            preserve_files: Some(Preserve { mode: Modes::Preserved, timestamps, ..preserve }),
            recursive: self.recursive,
            absolute_links: !self.verbatim_symlinks,
            reflink: if self.must_clone { When::Always } else { When::Auto },
            specials: Specials::Refuse,
            overwriting: Overwriting::Replace,
            update: match (self.force, self.error_on_exist) {
                (true, _) => Update::All,
                (false, true) => Update::Refuse,
                (false, false) => Update::None,
            },
            ..Copy::new(walk)
        }
    }
}

/// Copies a file or a tree to the end. Finds what was not copied.
#[napi]
pub fn copy(
    src: &[u8],
    dest: &[u8],
    options: CpOptions,
    selecting: Selecting,
    stop: &Stop,
    sync: bool,
) -> Result<JobResult> {
    let [src, dest] = [src, dest].map(|path| bytes_to_path(path).to_owned());
    let follow = if options.dereference { Follow::Always } else { Follow::Never };
    let walk = Walk::new(&src).follow(follow).cancelled_by(&stop.cancel);
    let copy = options.copy(selecting.applied_to(walk, options.dereference)?);
    answer(sync, move || {
        let report = copy.run([Pair::new(src.clone(), dest)], &());
        let parts = |failure: &NotCopied| {
            let fatal = failure.source == src;
            ErrorParts { fatal, ..parts(failure, options.dereference) }
        };
        Packed { errors: report.failures.iter().map(parts).collect(), ..Packed::default() }
    })
}

/// What `fs.cp` would have thrown.
fn parts(failure: &NotCopied, dereference: bool) -> ErrorParts {
    let error = failure.to_io();
    let is_own = failure.error.as_ref().is_none_or(|error| error.raw_os_error().is_none());
    if is_own && error.kind() != ErrorKind::Unsupported {
        let (errno, refusal) = refusal(failure);
        let is_of_source = failure.step == Step::OmitDirectory;
        let path = if is_of_source { &failure.source } else { &failure.destination };
        return ErrorParts { refusal: Some(refusal), ..ErrorParts::new(errno, "cp", path) };
    }
    let syscall = call_of(failure.step, dereference);
    let takes_two = syscall == "copyfile";
    let path = if takes_two { &failure.source } else { failure.path() };
    let dest = takes_two.then(|| failure.destination.to_string_lossy().into_owned());
    ErrorParts { dest, ..ErrorParts::new(errno(&error), syscall, path) }
}

/// The call of `fs.cp` that fails.
fn call_of(step: Step, dereference: bool) -> &'static str {
    match step {
        Step::Stat if dereference => "stat",
        Step::Stat | Step::StatDestination => "lstat",
        Step::ReadDirectory => "opendir",
        Step::ReadLink => "readlink",
        Step::MakeDirectory => "mkdir",
        Step::CreateLink => "symlink",
        Step::Times => "utime",
        Step::Mode => "chmod",
        _ => "copyfile",
    }
}

/// What the engine refuses, and the number of the error.
// long: a part for each refusal
fn refusal(failure: &NotCopied) -> (i32, FsRefusal) {
    let [src, dest] = [&failure.source, &failure.destination].map(|path| path.to_string_lossy());
    let file_type = failure.source.metadata().map(|meta| meta.file_type());
    let is_fifo = file_type.as_ref().is_ok_and(FileTypeExt::is_fifo);
    let is_socket = file_type.as_ref().is_ok_and(FileTypeExt::is_socket);
    let (errno, kind, title, message) = match failure.step {
        Step::OmitDirectory => (
            libc::EISDIR,
            "EISDIR",
            "Path is a directory",
            format!("{src} is a directory (not copied)"),
        ),
        Step::CreateFile => {
            (libc::EEXIST, "CP_EEXIST", "Target already exists", format!("{dest} already exists"))
        }
        Step::NoDirectoryInTheWay => (
            libc::EISDIR,
            "CP_DIR_TO_NON_DIR",
            "Cannot overwrite non-directory with directory",
            format!("cannot overwrite non-directory {dest} with directory {src}"),
        ),
        Step::DirectoryInTheWay => (
            libc::ENOTDIR,
            "CP_NON_DIR_TO_DIR",
            "Cannot overwrite directory with non-directory",
            format!("cannot overwrite directory {dest} with non-directory {src}"),
        ),
        Step::SpecialFile if is_fifo => (
            libc::EINVAL,
            "CP_FIFO_PIPE",
            "Cannot copy a FIFO pipe",
            format!("cannot copy a FIFO pipe: {dest}"),
        ),
        Step::SpecialFile if is_socket => (
            libc::EINVAL,
            "CP_SOCKET",
            "Cannot copy a socket file",
            format!("cannot copy a socket file: {dest}"),
        ),
        step => {
            let message = match step {
                Step::SameFile => "src and dest cannot be the same".to_owned(),
                Step::IntoItself => format!("cannot copy {src} to a subdirectory of self {dest}"),
                _ => failure.to_string(),
            };
            (libc::EINVAL, "CP_EINVAL", "Invalid src or dest", message)
        }
    };
    (errno, FsRefusal { kind, title, message })
}
