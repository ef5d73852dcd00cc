//! The journal's directory on Windows, and the process that removes in the background.
//!
//! The directory lies in the user's `AppData\Local`, whose access list (the user, administrators,
//! the system) new files inherit: nothing else is checked.
//!
//! A process locks a record by opening it for writing without sharing. Another process tests the
//! lock by opening the record for reading without sharing writes, which fails while the lock is
//! held. The system closes the handle when the process ends, however it ends.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use brisk::Meta;

use crate::front::messages::cause;

/// FILE_SHARE_READ and FILE_SHARE_DELETE: not FILE_SHARE_WRITE.
const SHARE: u32 = 0x1 | 0x4;
/// What Windows answers if another process has the file open in a way that excludes this one.
const SHARING_VIOLATION: i32 = 32;
/// DETACHED_PROCESS: the process has no console, so none appears and none interrupts it.
const DETACHED: u32 = 0x8;

/// The journal's directory.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Finds the directory `own` below `base`; `None` if there is none, and `makes` is not set.
    ///
    /// # Errors
    /// A message: it cannot be made or reached.
    pub(super) fn reach(base: &Path, own: &[&str], makes: bool) -> Result<Option<Folder>, String> {
        let place = own.iter().fold(base.to_owned(), |path, name| path.join(name));
        let is_there =
            if makes { std::fs::create_dir_all(&place).map(|()| true) } else { place.try_exists() };
        Ok(is_there.map_err(|error| cause(&error))?.then_some(Folder(place)))
    }

    /// Opens a file to which text is appended, and makes it if it is missing.
    pub(super) fn append(&self, name: &str) -> io::Result<File> {
        File::options().append(true).create(true).open(self.0.join(name))
    }

    /// Makes a file and locks it.
    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        writing().create_new(true).open(self.0.join(name))
    }

    /// Gives a file another name.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn unlink(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.0.join(name))
    }

    /// The names of all files.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.0)? {
            // A name that is not UTF-8 is no record's.
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    /// Opens a file for reading; `None` if there is none.
    pub(super) fn open(&self, name: &str) -> io::Result<Option<File>> {
        opened(File::open(self.0.join(name)))
    }

    /// Opens a file and locks it; `None` if it is locked or gone.
    pub(super) fn try_lock(&self, name: &str) -> io::Result<Option<File>> {
        opened(writing().open(self.0.join(name)))
    }

    /// Whether there is such a file, and no process has locked it but to look at it.
    pub(super) fn is_free(&self, name: &str) -> io::Result<bool> {
        let looking = File::options().read(true).share_mode(SHARE).open(self.0.join(name));
        Ok(opened(looking)?.is_some())
    }

    /// The file of this name, locked; `None` if another process was faster.
    pub(super) fn inherited(&self, name: &str) -> io::Result<Option<File>> {
        self.try_lock(name)
    }

    /// Releases a file for a process that will lock it, and keeps this process's console from that
    /// one. A process that locks the file in between does the same work.
    pub(super) fn hand_over(&self, file: File, command: &mut Command) {
        drop(file);
        brisk_cli_sys::standard::keep_from_children();
        command.creation_flags(DETACHED).current_dir(&self.0).stdin(Stdio::null());
    }
}

/// Opens a file for writing that no other process may write to.
fn writing() -> OpenOptions {
    let mut how = File::options();
    how.read(true).write(true).share_mode(SHARE);
    how
}

/// What an opening says: `None` where the file is gone or another process excludes this one. A file
/// that waits for its last handle to be closed is as good as gone.
fn opened(file: io::Result<File>) -> io::Result<Option<File>> {
    match file {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        file => file.map(Some),
    }
}

/// The process has no console.
pub(super) fn leave_terminal() {}

/// 128 bits that no other process knows: the hasher's keys come from the system's generator.
pub(super) fn random() -> io::Result<u128> {
    let half = || u128::from(RandomState::new().hash_one(()));
    Ok(half() << 64 | half())
}

/// No time of birth is compared: a volume keeps its number for good, and a file's number is not used
/// again soon.
pub(super) fn birth(_: &Meta) -> Option<u64> {
    None
}
