//! The journal: one file for each `--background`, locked by the process that works on it.
//!
//! Below `$XDG_STATE_HOME/brisk/rm`, in a directory that only this user can write to, reached as
//! `trusted.rs` says. Everything in it is opened relative to its handle.
//!
//! ```text
//!   brisk-rm-9f….new   a draft: created, locked, written, on the disk
//!        │ rename
//!   brisk-rm-9f….json  a record: whole and locked from its first moment on. A process that gets
//!                      the lock knows that the process that held it has ended
//! ```
//!
//! A draft whose lock is free was left by a process that died before it renamed anything, so the
//! next process removes the draft. A process whose draft was removed before it had the lock makes
//! another draft.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::target::{self, Target};
use super::trusted::{self, Missing, euid};
use crate::front::messages::cause;
use crate::show::quoting::in_message;
use crate::show::safe::path_bytes;

/// The suffix of records. Files with another suffix are left alone.
const SUFFIX: &str = ".json";
/// The suffix of a draft, which is not yet a record.
const DRAFT: &str = ".new";
/// Bytes of the largest record: several hundred thousand trees.
const MOST_TEXT: u64 = 64 << 20;
/// Bytes of the largest log: a log that has grown larger is begun anew.
const MOST_LOG: u64 = 1 << 20;
/// How many times to try. Another process may remove this process's draft as one that was left, or
/// lock a record for a moment to look at it.
const MOST_TRIES: u32 = 100;

/// Files are opened without following a link, and without waiting for a pipe or a device.
const SAFE: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// The user's journal.
pub(super) struct Journal {
    place: PathBuf,
    dir: OwnedFd,
}

/// A record.
pub(super) struct Record {
    pub(super) name: String,
    /// A lock on the file lasts as long as any process has the file open.
    pub(super) file: File,
    pub(super) targets: Vec<Target>,
}

impl Journal {
    /// Opens the journal, and makes it if there is none.
    ///
    /// # Errors
    /// A message: the journal cannot be made, or other users can change it.
    pub(super) fn open() -> Result<Journal, String> {
        let journal = Journal::reach(Missing::Make)?;
        Ok(journal.expect("BUG: what was missing was made"))
    }

    /// Opens the journal; `None` if there is none.
    ///
    /// # Errors
    /// The same as for [`Journal::open`].
    pub(super) fn find() -> Result<Option<Journal>, String> {
        Journal::reach(Missing::Leave)
    }

    fn reach(missing: Missing) -> Result<Option<Journal>, String> {
        let state = std::env::var_os("XDG_STATE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| std::env::home_dir().map(|home| home.join(".local/state")))
            .filter(|path| path.is_absolute())
            .ok_or("cannot find a home directory for the journal")?;
        let place = state.join("brisk").join("rm");
        let dir = trusted::reach(&state, &["brisk", "rm"], missing).map_err(|why| {
            let shown = in_message(path_bytes(&place));
            // The message names the directory that is to blame, unless that is the journal itself.
            let why = why.strip_prefix(&format!("{shown}: ")).unwrap_or(&why);
            format!("cannot use the journal {shown}: {why}")
        })?;
        Ok(dir.map(|dir| Journal { place, dir }))
    }

    /// The log, to which a detached process writes its messages.
    pub(super) fn log(&self) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | SAFE;
        let mode = Mode::RUSR | Mode::WUSR;
        let file = File::from(rustix::fs::openat(&self.dir, c"log", flags, mode)?);
        if check(&file)?.len() > MOST_LOG {
            file.set_len(0)?;
        }
        Ok(file)
    }

    /// Writes a record, locked, and forces it to the disk before any tree is renamed. A power
    /// failure may leave a tree under its new name, but never without a record.
    pub(super) fn add(&self, targets: &[Target]) -> Result<Record, String> {
        let failed = |error: io::Error| {
            let shown = in_message(path_bytes(&self.place));
            format!("cannot write to the journal {shown}: {}", cause(&error))
        };
        let text = target::text(targets);
        if text.len() as u64 > MOST_TEXT {
            return Err(failed(io::Error::other("too many names at once")));
        }
        let mut tries = 0;
        loop {
            let stem = format!("brisk-rm-{}", target::digits().map_err(failed)?);
            let draft = format!("{stem}{DRAFT}");
            let name = format!("{stem}{SUFFIX}");
            match self.write(&draft, &name, text.as_bytes()) {
                Ok(file) => return Ok(Record { name, file, targets: targets.to_vec() }),
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MOST_TRIES => {
                    tries += 1;
                }
                Err(error) => {
                    // Only one of the two names exists.
                    self.unlink(&draft);
                    self.unlink(&name);
                    return Err(failed(error));
                }
            }
        }
    }

    /// Renames a draft to a record; `NotFound` if another process removed the draft as one that was
    /// left.
    fn write(&self, draft: &str, name: &str, text: &[u8]) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | SAFE;
        let mode = Mode::RUSR | Mode::WUSR;
        let mut file = File::from(rustix::fs::openat(&self.dir, draft, flags, mode)?);
        flock(&file, FlockOperation::LockExclusive)?;
        file.write_all(text)?;
        sync(&file)?;
        rustix::fs::renameat(&self.dir, draft, &self.dir, name)?;
        sync(&File::from(self.dir.try_clone()?))?;
        Ok(file)
    }

    /// The names of all records.
    ///
    /// # Errors
    /// A message: the journal cannot be read.
    pub(super) fn records(&self) -> Result<Vec<String>, String> {
        self.names(SUFFIX)
    }

    /// Removes the drafts whose processes are gone.
    pub(super) fn clear_drafts(&self) {
        for name in self.names(DRAFT).unwrap_or_default() {
            let Ok(Some(file)) = self.open_file(&name) else { continue };
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                self.unlink(&name);
            }
        }
    }

    fn names(&self, suffix: &str) -> Result<Vec<String>, String> {
        let failed = |error: Errno| {
            let shown = in_message(path_bytes(&self.place));
            format!("cannot read the journal {shown}: {}", cause(&error.into()))
        };
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.dir).map_err(failed)? {
            // A name that is not UTF-8 is no record's.
            if let Ok(name) = entry.map_err(failed)?.file_name().to_str() {
                names.push(name.to_owned());
            }
        }
        names.retain(|name| name.ends_with(suffix));
        Ok(names)
    }

    /// Locks a record and reads it; `None` if another process has the lock, or the record is gone.
    ///
    /// # Errors
    /// A message: the record cannot be trusted or read. The record stays.
    pub(super) fn lock(&self, name: &str) -> Result<Option<Record>, String> {
        let locked = || {
            let Some(file) = self.open_file(name)? else { return Ok(None) };
            // A record without a name was finished before this process had the lock.
            let is_ours = lock(&file)? && file.metadata()?.nlink() > 0;
            Ok(is_ours.then_some(file))
        };
        let refused = |error| self.refused(name, &error);
        let Some(file) = locked().map_err(refused)? else { return Ok(None) };
        let targets = read(&file).map_err(refused)?;
        Ok(Some(Record { name: name.to_owned(), file, targets }))
    }

    /// Reads a record, and finds out whether a process works on it; `None` if the record is gone.
    ///
    /// # Errors
    /// The same as for [`Journal::lock`].
    pub(super) fn glance(&self, name: &str) -> Result<Option<(Record, bool)>, String> {
        let refused = |error| self.refused(name, &error);
        let Some(file) = self.open_file(name).map_err(refused)? else { return Ok(None) };
        let targets = read(&file).map_err(refused)?;
        let is_locked = match flock(&file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => true,
            Err(error) => return Err(refused(error.into())),
            Ok(()) => false,
        };
        // A lock that cannot be released ends when the file is closed.
        let _ = flock(&file, FlockOperation::Unlock);
        Ok(Some((Record { name: name.to_owned(), file, targets }, is_locked)))
    }

    /// The record that this process was given, locked, as its standard input.
    ///
    /// # Errors
    /// A message: the file is not the record of that name in the journal, or cannot be read.
    pub(super) fn inherited(&self, name: &str) -> Result<Record, String> {
        let check = || {
            let file = File::from(rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?);
            let named = self.open_file(name)?.ok_or(io::ErrorKind::NotFound)?;
            let id = |file: &File| file.metadata().map(|meta| (meta.dev(), meta.ino()));
            if id(&file)? != id(&named)? {
                return Err(io::Error::other("it is not the record that this process was given"));
            }
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            let targets = read(&file)?;
            Ok(Record { name: name.to_owned(), file, targets })
        };
        check().map_err(|error| self.refused(name, &error))
    }

    /// Removes a record: all trees that it names are gone.
    pub(super) fn drop_record(&self, record: &Record) {
        // If the record stays, the next `--finish` finds nothing to remove, and drops it.
        self.unlink(&record.name);
    }

    /// The path of a record, for messages.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    fn unlink(&self, name: &str) {
        let _ = rustix::fs::unlinkat(&self.dir, name, AtFlags::empty());
    }

    fn open_file(&self, name: &str) -> io::Result<Option<File>> {
        // A name from the command line must not lead out of the journal.
        if name.contains('/') {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let opened = rustix::fs::openat(&self.dir, name, OFlags::RDONLY | SAFE, Mode::empty());
        let file = match opened {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(io::Error::other("it is a link")),
            opened => File::from(opened?),
        };
        check(&file)?;
        Ok(Some(file))
    }

    fn refused(&self, name: &str, error: &io::Error) -> String {
        let shown = in_message(path_bytes(&self.path(name)));
        format!("cannot use the record {shown}: {}", cause(error))
    }
}

/// Locks a record; `false` if another process works on it. A process that only looks at the record
/// soon releases the lock.
fn lock(file: &File) -> io::Result<bool> {
    for _ in 0..MOST_TRIES {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => {}
            Err(error) => return Err(error.into()),
        }
        match flock(file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => flock(file, FlockOperation::Unlock)?,
            Err(Errno::WOULDBLOCK) => break,
            Err(error) => return Err(error.into()),
        }
        std::thread::yield_now();
    }
    Ok(false)
}

/// Checks that only this user can have written the file.
fn check(file: &File) -> io::Result<std::fs::Metadata> {
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
        return Ok(meta);
    };
    Err(io::Error::other(why))
}

/// The trees that a record names. A record that is cut off was damaged after it was written. Which
/// trees it named is not known, so the user has to remove it.
fn read(mut file: &File) -> io::Result<Vec<Target>> {
    io::Seek::rewind(&mut file)?;
    let mut text = Vec::new();
    if file.metadata()?.len() <= MOST_TEXT {
        file.take(MOST_TEXT).read_to_end(&mut text)?;
    }
    let why = "it is damaged, or of another version of brisk; remove it if nothing called \
               '.brisk-rm-…' is left";
    target::parse(&text).ok_or_else(|| io::Error::other(why))
}

/// Forces a file to the disk. A file system that does not support this makes no promise anyway.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}
