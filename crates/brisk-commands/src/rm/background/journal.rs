//! The journal: one file for each `--background`, locked by the process that works on it.
//!
//! Below `$XDG_STATE_HOME/brisk/rm`, on Windows below `%LOCALAPPDATA%\brisk\rm`, in a directory
//! that only this user can write to: `unix.rs` and `windows.rs`.
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
use std::path::PathBuf;

use brisk_sys::output::sync;

use super::folder::Folder;
use super::target::{self, SetAside};
use crate::front::messages::cannot;
use crate::show::quoting::quoted;
use crate::system;

/// The suffix of records. Files with another suffix are left alone.
const SUFFIX: &str = ".json";
/// The suffix of a draft, which is not yet a record.
const DRAFT: &str = ".new";
/// Bytes of the largest record: several hundred thousand trees.
const MAX_TEXT: u64 = 64 << 20;
/// Bytes of the largest log: a log that has grown larger is begun anew.
const MAX_LOG: u64 = 1 << 20;
/// How many times to try. Another process may remove this process's draft as one that was left, or
/// lock a record for a moment to look at it.
const MAX_TRIES: u32 = 100;
/// The journal's directory, below the user's own state.
const OWN: [&str; 2] = ["brisk", "rm"];

/// The user's journal.
pub(super) struct Journal {
    place: PathBuf,
    pub(super) folder: Folder,
}

/// A record.
pub(super) struct LockedRecord {
    pub(super) name: String,
    /// A lock on the file lasts as long as any process has the file open.
    pub(super) file: File,
    pub(super) targets: Vec<SetAside>,
}

impl Journal {
    /// Opens the journal, and makes it if there is none.
    ///
    /// # Errors
    /// A message: the journal cannot be made, or other users can change it.
    pub(super) fn open() -> Result<Journal, String> {
        Ok(Journal::reach(true)?.expect("BUG: what was missing was made"))
    }

    /// Opens the journal; `None` if there is none.
    ///
    /// # Errors
    /// The same as for [`Journal::open`].
    pub(super) fn find() -> Result<Option<Journal>, String> {
        Journal::reach(false)
    }

    fn reach(makes: bool) -> Result<Option<Journal>, String> {
        let base = system::user_state().filter(|path| path.is_absolute());
        let base = base.ok_or("cannot find a home directory for the journal")?;
        let place = OWN.iter().fold(base.clone(), |path, name| path.join(name));
        match Folder::reach(&base, &OWN, makes) {
            Ok(folder) => Ok(folder.map(|folder| Journal { place, folder })),
            Err(why) => {
                // `why` names the directory that is to blame.
                let shown = quoted(&place);
                let why = why.strip_prefix(&format!("{shown}: ")).unwrap_or(&why);
                Err(format!("cannot use the journal {shown}: {why}"))
            }
        }
    }

    /// The log, to which a detached process writes its messages.
    pub(super) fn log(&self) -> io::Result<File> {
        let file = self.folder.append("log")?;
        if file.metadata()?.len() > MAX_LOG {
            file.set_len(0)?;
        }
        Ok(file)
    }

    /// Writes a record, locked, and forces it to the disk before any tree is renamed. A power
    /// failure may leave a tree under its new name, but never without a record.
    pub(super) fn add(&self, targets: &[SetAside]) -> Result<LockedRecord, String> {
        let failed = |error: io::Error| cannot("write to the journal", &self.place, &error);
        let text = target::text(targets);
        if text.len() as u64 > MAX_TEXT {
            return Err(failed(io::Error::other("too many names at once")));
        }
        let mut tries = 0;
        loop {
            let stem = format!("brisk-rm-{}", target::digits().map_err(failed)?);
            let draft = format!("{stem}{DRAFT}");
            let name = format!("{stem}{SUFFIX}");
            match self.write(&draft, &name, text.as_bytes()) {
                Ok(file) => return Ok(LockedRecord { name, file, targets: targets.to_vec() }),
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MAX_TRIES => {
                    tries += 1;
                }
                Err(error) => {
                    // Only one of the two names exists.
                    let _ = self.folder.unlink(&draft);
                    let _ = self.folder.unlink(&name);
                    return Err(failed(error));
                }
            }
        }
    }

    /// Renames a draft to a record; `NotFound` if another process removed the draft as one that was
    /// left.
    fn write(&self, draft: &str, name: &str, text: &[u8]) -> io::Result<File> {
        let mut file = self.folder.create(draft)?;
        file.write_all(text)?;
        sync(&file)?;
        self.folder.rename(draft, name)?;
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
            if let Ok(Some(_locked)) = self.folder.try_lock(&name) {
                let _ = self.folder.unlink(&name);
            }
        }
    }

    fn names(&self, suffix: &str) -> Result<Vec<String>, String> {
        let names = self.folder.names();
        let mut names = names.map_err(|error| cannot("read the journal", &self.place, &error))?;
        names.retain(|name| name.ends_with(suffix));
        Ok(names)
    }

    /// Locks a record and reads it; `None` if another process has the lock, or the record is gone.
    ///
    /// # Errors
    /// A message: the record cannot be trusted or read. The record stays.
    pub(super) fn lock(&self, name: &str) -> Result<Option<LockedRecord>, String> {
        self.record(name, self.lock_file(name))
    }

    /// Locks a record; `None` if another process works on it, or it is gone. A process that only
    /// looks at the record soon releases the lock.
    fn lock_file(&self, name: &str) -> io::Result<Option<File>> {
        for _ in 0..MAX_TRIES {
            if let Some(file) = self.folder.try_lock(name)? {
                return Ok(Some(file));
            }
            if !self.folder.is_free(name)? {
                break;
            }
            std::thread::yield_now();
        }
        Ok(None)
    }

    /// Reads a record, and finds out whether a process works on it; `None` if the record is gone.
    ///
    /// # Errors
    /// The same as for [`Journal::lock`].
    pub(super) fn glance(&self, name: &str) -> Result<Option<(LockedRecord, bool)>, String> {
        let Some(record) = self.record(name, self.folder.open(name))? else { return Ok(None) };
        let is_free = self.folder.is_free(name).map_err(|error| self.refused(name, &error))?;
        Ok(Some((record, !is_free)))
    }

    /// The record that this process was started for; `None` if another process works on it.
    ///
    /// # Errors
    /// A message: the file is not the record of that name in the journal, or cannot be read.
    pub(super) fn inherited(&self, name: &str) -> Result<Option<LockedRecord>, String> {
        // A name from the command line must not lead out of the journal.
        let found = if name.contains(std::path::is_separator) {
            Err(io::ErrorKind::InvalidInput.into())
        } else {
            self.folder.inherited(name)
        };
        self.record(name, found)
    }

    /// Reads the record in the file that was found under this name, if one was.
    fn record(
        &self,
        name: &str,
        found: io::Result<Option<File>>,
    ) -> Result<Option<LockedRecord>, String> {
        let record = |file| Ok(LockedRecord { name: name.to_owned(), targets: read(&file)?, file });
        let read = found.and_then(|found| found.map(record).transpose());
        read.map_err(|error| self.refused(name, &error))
    }

    /// Removes a record: all trees that it names are gone.
    pub(super) fn drop_record(&self, record: &LockedRecord) {
        // If the record stays, the next `--finish` finds nothing to remove, and drops it.
        let _ = self.folder.unlink(&record.name);
    }

    /// The path of a record, for messages.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    fn refused(&self, name: &str, error: &io::Error) -> String {
        cannot("use the record", &self.path(name), error)
    }
}

/// The trees that a record names. A record that is cut off was damaged after it was written. Which
/// trees it named is not known, so the user has to remove it.
fn read(mut file: &File) -> io::Result<Vec<SetAside>> {
    io::Seek::rewind(&mut file)?;
    let mut text = Vec::new();
    if file.metadata()?.len() <= MAX_TEXT {
        file.take(MAX_TEXT).read_to_end(&mut text)?;
    }
    let why = "it is damaged, or of another version of brisk; remove it if nothing called \
               '.brisk-rm-…' is left";
    target::parse(&text).ok_or_else(|| io::Error::other(why))
}
