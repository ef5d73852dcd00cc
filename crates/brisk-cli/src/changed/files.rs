//! The files that `brisk changed` writes: the state and the files beside it, the stamp, and the
//! depfile. None of them counts as an entry of the trees.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use brisk_state::State;
use brisk_sys::whole::create_private;

use super::options::Options;
use crate::common::messages::{Caller, cause};

/// The files, by absolute paths.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) state: PathBuf,
    /// Where the next state goes when it is accepted.
    pub(super) next: PathBuf,
    /// Whether the next state is kept once it is accepted, and not thrown away.
    pub(super) keeps: bool,
    /// The next state while COMMAND runs.
    pub(super) pending: PathBuf,
    /// Locked while COMMAND runs.
    pub(super) lock: PathBuf,
    /// What `BRISK_CHANGED` names.
    pub(super) list: PathBuf,
    /// The paths that COMMAND reads from its standard input.
    pub(super) input: PathBuf,
    pub(super) stamp: Option<Replaced>,
    pub(super) depfile: Option<Replaced>,
}

/// A file that is replaced in one step.
#[derive(Debug)]
pub(super) struct Replaced {
    pub(super) path: PathBuf,
    /// What is renamed to it.
    pub(super) temporary: PathBuf,
}

impl Files {
    /// The files that these options name.
    ///
    /// # Errors
    /// The message for the user: a file's directory is missing, two options name one file, or there
    /// is something in a file's place that cannot be replaced.
    pub(super) fn new(options: &Options) -> Result<Files, String> {
        let state = absolute(&options.state)?;
        let save = options.save.as_deref().map(absolute).transpose()?;
        let replaced = |path: &Option<PathBuf>| -> Result<Option<Replaced>, String> {
            let path = path.as_deref().map(absolute).transpose()?;
            Ok(path.map(|path| Replaced { temporary: beside(&path, "pending"), path }))
        };
        let keeps = save.is_some() || options.stamp.is_some() || !options.command.is_empty();
        let next = save.unwrap_or_else(|| state.clone());
        let files = Files {
            keeps,
            pending: beside(&next, "pending"),
            lock: beside(&state, "lock"),
            list: beside(&state, "changed"),
            input: beside(&state, "paths"),
            stamp: replaced(&options.stamp)?,
            depfile: replaced(&options.depfile)?,
            state,
            next,
        };
        files.check()?;
        Ok(files)
    }

    /// Whether each file is one of its own, and the next state can be put in its place.
    fn check(&self) -> Result<(), String> {
        let mut paths = self.all();
        if self.next == self.state {
            paths.swap_remove(0);
        }
        paths.sort();
        if let Some(pair) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!(
                "two of the files that brisk writes would be '{}'",
                pair[0].display()
            ));
        }
        let found = if self.keeps { State::is_at(&self.next) } else { Ok(true) };
        match found {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(cannot("replace", &self.next, &error))
            }
            _ => Ok(()),
        }
    }

    /// Renames a file that is no state, and in whose place the next state is about to be put, to
    /// `NAME.orig`, or to the first name of `NAME.orig1`, `NAME.orig2` … that is free.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn make_way(&self) -> Result<(), String> {
        if !matches!(State::is_at(&self.next), Ok(false)) {
            return Ok(());
        }
        let mut kept = beside(&self.next, "orig");
        let mut number = 0;
        while kept.symlink_metadata().is_ok() {
            number += 1;
            kept = beside(&self.next, &format!("orig{number}"));
        }
        rename(&self.next, &kept)?;
        let (next, kept) = (self.next.display(), kept.display());
        Caller::Brisk.complain(&format!("'{next}' is no state of brisk: renamed to '{kept}'"));
        Ok(())
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<PathBuf> {
        let own = [&self.state, &self.next, &self.pending, &self.lock, &self.list, &self.input];
        let others = self.stamp.iter().chain(&self.depfile);
        let others = others.flat_map(|file| [&file.path, &file.temporary]);
        own.into_iter().chain(others).cloned().collect()
    }
}

impl Replaced {
    /// Writes the temporary file if the file's contents are others. Returns whether they are.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn prepare(&self, contents: &[u8]) -> Result<bool, String> {
        if fs::read(&self.path).is_ok_and(|present| present == contents) {
            return Ok(false);
        }
        let failed = |error| cannot("write", &self.temporary, &error);
        remove(&self.temporary);
        let created = File::create_new(&self.temporary);
        created.and_then(|mut file| file.write_all(contents)).map_err(failed)?;
        Ok(true)
    }

    /// Puts the temporary file in the file's place.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn accept(&self) -> Result<(), String> {
        rename(&self.temporary, &self.path)
    }
}

/// Writes a file that only this user may read. What has its name is removed first, and a link that
/// another user puts there meanwhile is not followed.
///
/// # Errors
/// The message for the user.
pub(super) fn write_private(path: &Path, contents: &[u8]) -> Result<(), String> {
    remove(path);
    let written = create_private(path).and_then(|mut file| file.write_all(contents));
    written.map_err(|error| cannot("write", path, &error))
}

/// Removes a file that may be missing. What else is wrong with it is told by the next one that
/// writes it.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Renames a file.
///
/// # Errors
/// The message for the user.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), String> {
    fs::rename(from, to).map_err(|error| cannot("write", to, &error))
}

/// The message about a file.
#[cold]
pub(super) fn cannot(what: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot {what} '{}': {}", path.display(), cause(error))
}

/// The path with links in its directory resolved, so that a walk that meets the file knows it.
fn absolute(path: &Path) -> Result<PathBuf, String> {
    let name =
        path.file_name().ok_or_else(|| format!("'{}' is no name of a file", path.display()))?;
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let parent = parent.canonicalize().map_err(|error| cannot("use", path, &error))?;
    Ok(parent.join(name))
}

/// A file beside another one.
fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(".");
    name.push(extension);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_named_by_its_absolute_path() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let options = Options {
            state: place.join("../").join(place.file_name().unwrap()).join("s"),
            save: Some(place.join("n")),
            stamp: Some(place.join("t")),
            ..Options::default()
        };
        let files = Files::new(&options).unwrap();
        let names = ["s", "n", "n.pending", "s.lock", "s.changed", "s.paths", "t", "t.pending"];
        assert_eq!(files.all(), names.map(|name| place.join(name)));
        let missing = Options { state: place.join("x/s"), ..Options::default() };
        assert!(Files::new(&missing).unwrap_err().starts_with("cannot use '"));
        assert!(Files::new(&Options { state: "..".into(), ..missing }).is_err());
    }

    #[test]
    fn a_file_with_the_same_contents_stays() {
        let place = tempfile::tempdir().unwrap();
        let file = Replaced { path: place.path().join("f"), temporary: place.path().join("f.p") };
        assert!(file.prepare(b"a").unwrap());
        file.accept().unwrap();
        assert!(!file.prepare(b"a").unwrap());
        assert!(!file.temporary.exists());
        assert!(file.prepare(b"b").unwrap());
        assert_eq!(fs::read(&file.path).unwrap(), b"a");
    }
}
