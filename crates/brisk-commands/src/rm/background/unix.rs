//! The journal's directory on Unix, reached as `trusted.rs` says; everything in it is opened
//! relative to its handle. And what the process that removes in the background inherits.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use brisk::Meta;
use brisk_sys::output::sync;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::trusted::{self, euid};

/// Files are opened without following a link, and without waiting for a pipe or a device.
const SAFE: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
/// This user alone may read and write what is made.
const OURS: Mode = Mode::RUSR.union(Mode::WUSR);

/// The journal's directory.
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Opens the directory `own` below `base`; `None` if there is none, and `makes` is not set.
    ///
    /// # Errors
    /// A message: it cannot be made, or other users can change it.
    pub(super) fn reach(base: &Path, own: &[&str], makes: bool) -> Result<Option<Folder>, String> {
        Ok(trusted::reach(base, own, makes)?.map(Folder))
    }

    /// Opens a file to which text is appended, and makes it if it is missing.
    pub(super) fn append(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | SAFE;
        let file = File::from(rustix::fs::openat(&self.0, name, flags, OURS)?);
        check(&file)?;
        Ok(file)
    }

    /// Makes a file and locks it.
    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | SAFE;
        let file = File::from(rustix::fs::openat(&self.0, name, flags, OURS)?);
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(file)
    }

    /// Gives a file that is on the disk another name, on the disk as well.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        rustix::fs::renameat(&self.0, from, &self.0, to)?;
        sync(&File::from(self.0.try_clone()?))
    }

    pub(super) fn unlink(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// The names of all files.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            // A name that is not UTF-8 is no record's.
            if let Ok(name) = entry?.file_name().to_str() {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Opens a file for reading; `None` if there is none.
    pub(super) fn open(&self, name: &str) -> io::Result<Option<File>> {
        let opened = rustix::fs::openat(&self.0, name, OFlags::RDONLY | SAFE, Mode::empty());
        let file = match opened {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(io::Error::other("it is a link")),
            opened => File::from(opened?),
        };
        check(&file)?;
        Ok(Some(file))
    }

    /// Opens a file and locks it; `None` if it is locked or gone. The lock lasts as long as any
    /// process has this opening of the file.
    pub(super) fn try_lock(&self, name: &str) -> io::Result<Option<File>> {
        let Some(file) = self.open(name)? else { return Ok(None) };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return Ok(None),
            done => done?,
        }
        // A record without a name was finished before this process had the lock.
        Ok((file.metadata()?.nlink() > 0).then_some(file))
    }

    /// Whether there is such a file, and no process has locked it but to look at it.
    pub(super) fn is_free(&self, name: &str) -> io::Result<bool> {
        let Some(file) = self.open(name)? else { return Ok(false) };
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => Ok(false),
            done => Ok(done.map(|()| true)?),
        }
    }

    /// The file of this name that this process was given, locked, as its standard input.
    ///
    /// # Errors
    /// It is another file.
    pub(super) fn inherited(&self, name: &str) -> io::Result<Option<File>> {
        let file = File::from(rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?);
        let named = self.open(name)?.ok_or(io::ErrorKind::NotFound)?;
        let id = |file: &File| file.metadata().map(|meta| (meta.dev(), meta.ino()));
        if id(&file)? != id(&named)? {
            return Err(io::Error::other("it is not the record that this process was given"));
        }
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Some(file))
    }

    /// Lets a process inherit a locked file, and nothing else of this one: no directory stays in
    /// use, and the program's name is not a link's.
    pub(super) fn hand_over(&self, file: File, command: &mut Command) {
        command.arg0("brisk").current_dir("/").stdin(file);
    }
}

/// The process gets a session of its own, so that the terminal's signals do not reach it.
pub(super) fn leave_terminal() {
    let _ = rustix::process::setsid();
}

/// 128 random bits.
pub(super) fn random() -> io::Result<u128> {
    let mut bits = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bits)?;
    Ok(u128::from_be_bytes(bits))
}

/// Checks that only this user can have written the file.
fn check(file: &File) -> io::Result<()> {
    let meta = file.metadata()?;
    let why = if !meta.is_file() {
        "it is not a regular file"
    } else if meta.uid() != euid() {
        "it is another user's"
    } else if meta.mode() & 0o022 != 0 {
        "other users can write to it"
    } else if meta.nlink() > 1 {
        "it has another hard link"
    } else {
        return Ok(());
    };
    Err(io::Error::other(why))
}

/// The time of birth, in nanoseconds since 1970; a file system that keeps none may say 0.
pub(super) fn birth(meta: &Meta) -> Option<u64> {
    let time = meta.btime()?;
    let nanos = i128::from(time.secs) * 1_000_000_000 + i128::from(time.nanos);
    u64::try_from(nanos).ok().filter(|&born| born > 0)
}
