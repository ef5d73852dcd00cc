//! The files that `brisk changed` writes: the state and the files beside it, the stamp, and the
//! depfile. None of them counts as an entry of the trees.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use brisk_state::State;
use brisk_sys::output::{self, Medium, Output, Readers};
use brisk_sys::whole::open_regular;

use super::flags::Options;
use crate::front::messages::{Caller, cannot};
use crate::show::quoting::quoted;
use crate::write::file;

/// The files, by absolute paths that lead through no link.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) state: PathBuf,
    /// Where the next state goes when it is accepted.
    pub(super) next: PathBuf,
    /// Whether this run puts a next state in place. Otherwise the state stays as it is.
    pub(super) saves_state: bool,
    /// Locked during a run that has COMMAND, or writes a stamp or a depfile.
    pub(super) lock: PathBuf,
    pub(super) stamp: Option<PathBuf>,
    pub(super) depfile: Option<PathBuf>,
}

/// A stamp or a depfile that differs from the one that is there.
pub(super) struct Rewrite<'f> {
    path: &'f Path,
    contents: Vec<u8>,
    /// What takes the file's place. A device or a pipe gets the contents when they are accepted.
    output: Option<Output>,
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
        let files = Files {
            saves_state: save.is_some() || options.stamp.is_some() || options.runs_command(),
            next: save.unwrap_or_else(|| state.clone()),
            lock: beside(&state, "lock"),
            stamp: options.stamp.as_deref().map(writable).transpose()?,
            depfile: options.depfile.as_deref().map(writable).transpose()?,
            state,
        };
        files.check()?;
        Ok(files)
    }

    /// Whether each file is one of its own, and the next state can be put in its place.
    fn check(&self) -> Result<(), String> {
        let mut paths = self.all();
        if self.next == self.state {
            // The state comes first, and once more as the next one.
            paths.swap_remove(0);
        }
        paths.sort();
        if let Some(pair) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
            let shown = quoted(&pair[0]);
            return Err(format!("two of the files that brisk writes have the same path, {shown}"));
        }
        if let Some(stamp) = self.stamp.as_deref().filter(|stamp| !may_be_stamp(stamp)) {
            return Err(format!("{} is not a stamp of brisk: it stays as it is", quoted(stamp)));
        }
        if self.next != self.state && State::names_only_at(&self.next) == Some(true) {
            return Err(index_refusal(&self.next));
        }
        // Another file in the state's place does not matter: `make_way` renames it.
        if self.saves_state
            && let Err(error) = Medium::of(&self.next).and_then(|_| State::may_replace(&self.next))
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(cannot("replace", &self.next, &error));
        }
        Ok(())
    }

    /// Renames a file that is not a state, and in whose place the next state is about to be put, to
    /// `NAME.orig`, or to the first name of `NAME.orig1`, `NAME.orig2` … that is free.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn make_way(&self) -> Result<(), String> {
        if !matches!(State::may_replace(&self.next), Ok(false)) {
            return Ok(());
        }
        let mut kept = beside(&self.next, "orig");
        let mut number = 0;
        while kept.symlink_metadata().is_ok() {
            number += 1;
            kept = beside(&self.next, &format!("orig{number}"));
        }
        fs::rename(&self.next, &kept).map_err(|error| cannot("write", &kept, &error))?;
        let next = quoted(&self.next);
        let kept = quoted(&kept);
        Caller::Brisk.complain(&format!("{next} is not a state of brisk: renamed to {kept}"));
        Ok(())
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<PathBuf> {
        let own = [&self.state, &self.next, &self.lock];
        own.into_iter().chain(&self.stamp).chain(&self.depfile).cloned().collect()
    }
}

impl<'f> Rewrite<'f> {
    /// Writes what takes the file's place, unless the file has these contents.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn new(path: &'f Path, contents: Vec<u8>) -> Result<Option<Rewrite<'f>>, String> {
        let output = match Medium::of(path) {
            Ok(Medium::Stream(_)) => Ok(None),
            Ok(Medium::File(path)) if holds(&path, &contents) => return Ok(None),
            medium => medium.and_then(|medium| {
                let output = medium.open(Readers::All)?;
                output.file().write_all(&contents)?;
                Ok(Some(output))
            }),
        };
        let output = output.map_err(|error| cannot("write", path, &error))?;
        Ok(Some(Rewrite { path, contents, output }))
    }

    /// Whether this goes to a device or a pipe.
    pub(super) fn is_stream(&self) -> bool {
        self.output.is_none()
    }

    /// Puts the contents in the file's place.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn accept(self) -> Result<(), String> {
        let Rewrite { path, contents, output } = self;
        let done = output.map_or_else(|| file::write(path, &contents), Output::commit);
        done.map_err(|error| cannot("write", path, &error))
    }
}

/// The message about a file of another command.
pub(super) fn index_refusal(path: &Path) -> String {
    format!("{} is an index of 'brisk find --index', not a state", quoted(path))
}

/// Whether a regular file has these contents. No more bytes are read than they have, and one.
fn holds(path: &Path, contents: &[u8]) -> bool {
    let Ok(file) = open_regular(path) else { return false };
    let mut present = Vec::new();
    let read = file.take(contents.len() as u64 + 1).read_to_end(&mut present);
    read.is_ok() && present == contents
}

/// Whether it is a stamp, by its first line, or empty, or nothing that can be lost.
fn may_be_stamp(path: &Path) -> bool {
    let Ok(Medium::File(path)) = Medium::of(path) else { return true };
    let Ok(file) = open_regular(&path) else { return true };
    let mut begin = Vec::new();
    let read = file.take(1 << 16).read_to_end(&mut begin);
    let first = begin.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_line = first.split(|byte| *byte == b'\t').nth(2).is_some();
    read.is_err() || begin.is_empty() || is_line
}

/// The path of a file that can be written.
fn writable(path: &Path) -> Result<PathBuf, String> {
    Medium::of(path).map_err(|error| cannot("write", path, &error))?;
    absolute(path)
}

/// The path without links, so that a walk that meets the file knows it.
fn absolute(path: &Path) -> Result<PathBuf, String> {
    let failed = |error| cannot("use", path, &error);
    let followed = output::follow(path).map_err(failed)?;
    let name =
        followed.file_name().ok_or_else(|| format!("{} is not a file name", quoted(path)))?;
    Ok(output::directory(&followed).canonicalize().map_err(failed)?.join(name))
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
        let names = ["s", "n", "s.lock", "t"];
        assert_eq!(files.all(), names.map(|name| place.join(name)));
        let missing = Options { state: place.join("x/s"), ..Options::default() };
        assert!(Files::new(&missing).unwrap_err().starts_with("cannot use '"));
        assert!(Files::new(&Options { state: "..".into(), ..missing }).is_err());
    }

    #[test]
    fn a_file_with_the_same_contents_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("f");
        let rewrite = |text: &str| Rewrite::new(&path, text.into()).unwrap();
        rewrite("a").unwrap().accept().unwrap();
        assert!(rewrite("a").is_none());
        for text in ["", "b", "ab"] {
            assert!(rewrite(text).is_some(), "{text}");
        }
        assert_eq!(fs::read(&path).unwrap(), b"a");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "what is dropped is removed");
    }
}
