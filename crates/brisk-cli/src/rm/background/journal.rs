//! The journal: one file for each `--background`, locked by whoever works on it.
//!
//! Below `$XDG_STATE_HOME/brisk/rm`, in a directory that only this user can write to. A record is JSON;
//! paths and names are in base64, because they are bytes.

use std::ffi::{CString, OsStr};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use brisk::remove::Known;
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::rm::talk::system_text;

/// Records are called so; other files in the directory are left alone.
const SUFFIX: &str = ".json";

/// The user's journal.
pub(super) struct Journal {
    place: PathBuf,
}

/// A tree that was set aside, or is about to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The directory that holds it, without links in its path.
    pub(super) parent: PathBuf,
    /// The name it has from now on.
    pub(super) name: CString,
    pub(super) known: Known,
}

/// A record whose lock is ours.
pub(super) struct Record {
    path: PathBuf,
    file: File,
    targets: Vec<Target>,
}

impl Journal {
    /// Finds the directory, and makes it if need be.
    ///
    /// # Errors
    /// A message: there is none, or it is not this user's alone.
    pub(super) fn open() -> Result<Journal, String> {
        let state = std::env::var_os("XDG_STATE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| std::env::home_dir().map(|home| home.join(".local/state")))
            .ok_or("cannot find a home directory for the journal")?;
        let place = state.join("brisk").join("rm");
        let shown = place.display();
        let failed =
            |error: io::Error| format!("cannot use the journal '{shown}': {}", system_text(&error));
        DirBuilder::new().recursive(true).mode(0o700).create(&place).map_err(failed)?;
        let meta = fs::symlink_metadata(&place).map_err(failed)?;
        if !meta.is_dir() || meta.uid() != euid() || meta.mode() & 0o022 != 0 {
            return Err(format!("cannot use the journal '{shown}': others can write to it"));
        }
        Ok(Journal { place })
    }

    /// Where a detached process leaves its messages.
    pub(super) fn log(&self) -> io::Result<File> {
        OpenOptions::new().append(true).create(true).mode(0o600).open(self.place.join("log"))
    }

    /// Writes a record, locked, and has it on the disk before anything is moved: a power failure may
    /// leave a tree under its new name, but none that no record tells of.
    pub(super) fn add(&self, targets: &[Target]) -> Result<Record, String> {
        let write = || {
            let name = super::unguessable()?;
            let name = String::from_utf8_lossy(name.to_bytes()).into_owned() + SUFFIX;
            let path = self.place.join(name.trim_start_matches('.'));
            let options =
                OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).clone();
            let mut file = options.open(&path)?;
            flock(&file, FlockOperation::LockExclusive)?;
            let all: Vec<Value> = targets.iter().map(Target::to_json).collect();
            file.write_all(json!({ "version": 1, "targets": all }).to_string().as_bytes())?;
            self.sync(&file)?;
            Ok(Record { path, file, targets: targets.to_vec() })
        };
        write().map_err(|error: io::Error| {
            format!("cannot write to '{}': {}", self.place.display(), system_text(&error))
        })
    }

    /// A file system that knows nothing of this promises nothing anyway.
    fn sync(&self, record: &File) -> io::Result<()> {
        for file in [record, &File::open(&self.place)?] {
            match file.sync_all() {
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                done => done?,
            }
        }
        Ok(())
    }

    /// The paths of all records.
    pub(super) fn records(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.place).into_iter().flatten().flatten();
        let names = entries
            .filter(|entry| entry.file_name().as_encoded_bytes().ends_with(SUFFIX.as_bytes()));
        names.map(|entry| entry.path()).collect()
    }
}

impl Record {
    /// Locks a record and reads it; `None` if somebody else has the lock, or it is gone.
    ///
    /// # Errors
    /// It cannot be opened, or is not this user's.
    pub(super) fn lock(path: &Path) -> io::Result<Option<Record>> {
        let nofollow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(nofollow).open(path)?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Ok(None);
        }
        Record::read(path, file)
    }

    /// The record that this process was given, locked, as its standard input.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn inherited(path: &Path) -> io::Result<Record> {
        let stdin = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
        let mut file = File::from(stdin);
        io::Seek::rewind(&mut file)?;
        Record::read(path, file)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn read(path: &Path, mut file: File) -> io::Result<Option<Record>> {
        let meta = file.metadata()?;
        // Without a name it was finished before we had the lock.
        if meta.nlink() == 0 || !meta.is_file() || meta.uid() != euid() {
            return Ok(None);
        }
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(parse(&text).map(|targets| Record { path: path.to_owned(), file, targets }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The file, whose lock lasts as long as anybody has it open.
    pub(super) fn into_file(self) -> File {
        self.file
    }

    /// Removes the record: nothing is left of what it names.
    pub(super) fn drop_it(self) {
        // If it stays, the next one finds nothing to remove, and drops it.
        let _ = fs::remove_file(&self.path);
    }
}

impl Target {
    fn to_json(&self) -> Value {
        let Known { parent, itself, owner } = self.known;
        json!({
            "parent": BASE64.encode(self.parent.as_os_str().as_bytes()),
            "name": BASE64.encode(self.name.to_bytes()),
            "parent_id": [parent.0, parent.1],
            "id": [itself.0, itself.1],
            "owner": owner,
        })
    }

    fn from_json(value: &Value) -> Option<Target> {
        let bytes = |key: &str| BASE64.decode(value.get(key)?.as_str()?).ok();
        let pair = |key: &str| {
            let pair = value.get(key)?;
            Some((pair.get(0)?.as_u64()?, pair.get(1)?.as_u64()?))
        };
        let owner = u32::try_from(value.get("owner")?.as_u64()?).ok()?;
        let name = CString::new(bytes("name")?).ok()?;
        // A name is one component; anything else did not come from here.
        if name.to_bytes().contains(&b'/') {
            return None;
        }
        Some(Target {
            parent: PathBuf::from(OsStr::from_bytes(&bytes("parent")?)),
            name,
            known: Known { parent: pair("parent_id")?, itself: pair("id")?, owner },
        })
    }
}

/// The targets; `None` if the record is not of this program's making.
fn parse(text: &str) -> Option<Vec<Target>> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        // A record that was cut off was never acted on: the renames come after it.
        return Some(Vec::new());
    };
    value.get("targets")?.as_array()?.iter().map(Target::from_json).collect()
}

fn euid() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_says_what_was_written() {
        let known = Known { parent: (1, 2), itself: (u64::MAX, 4), owner: euid() };
        let target =
            Target { parent: OsStr::from_bytes(b"/a\xff").into(), name: c"n\n".into(), known };
        let text = json!({ "targets": [target.to_json()] }).to_string();
        assert_eq!(parse(&text), Some(vec![target]));
        assert_eq!(parse("{\"version\":2}"), None);
        for cut in 0..text.len() {
            assert_eq!(parse(&text[..cut]), Some(Vec::new()), "cut at {cut}");
        }
    }
}
