//! `--parents`: the directories of the sources' paths. They are made in the target directory before
//! a source is copied, and get their attributes when all sources are copied.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use brisk::copy::{Begun, Copy, Modes, Observer, Pair, Preserve, TargetDir};
use brisk::{Fields, FileType, Follow, Walk};
use brisk_sys::{Links, slashed, stat_path};

use super::talk;
use super::teller::CopyTeller;
use crate::front::config::backend;
use crate::front::messages::failure;
use crate::show::quoting::in_message;
use crate::show::safe::{os_str, path_bytes};

/// Makes the directories of one source after the other.
pub(super) struct ParentDirs<'a> {
    /// How directories are made.
    making: Copy,
    /// How they get their attributes.
    finishing: Copy,
    teller: &'a CopyTeller<'a>,
    target: &'a TargetDir,
    /// Directories are copied (-R).
    recursive: bool,
    /// The directories of the sources so far, outer ones first.
    levels: Vec<Level>,
}

/// A directory of a source's path.
struct Level {
    source: PathBuf,
    /// Open, because another user may rename the directory.
    place: TargetDir,
    /// The final mode, if the directory is new and modes are not preserved.
    mode: Option<u32>,
}

impl<'a> ParentDirs<'a> {
    pub fn new(copy: &Copy, teller: &'a CopyTeller<'a>, target: &'a TargetDir) -> ParentDirs<'a> {
        let walk = Walk::over([] as [&Path; 0]).max_depth(0).follow(Follow::Always);
        let Preserve { mode, ownership, timestamps, .. } = copy.preserve;
        let preserve = Preserve { mode, ownership, timestamps, ..Preserve::default() };
        let finishing = Copy { preserve, umask: copy.umask, ..Copy::new(walk) };
        let fresh = Preserve { mode: Modes::Fresh, ..Preserve::default() };
        // Only this user enters a directory before it has its mode.
        let making = Copy { preserve: fresh, umask: Some(0o077), ..finishing.clone() };
        let recursive = copy.recursive;
        ParentDirs { making, finishing, teller, target, recursive, levels: Vec::new() }
    }

    /// The pairs of these sources. Before each is returned its directories are made.
    pub fn pairs(&mut self, sources: &[PathBuf]) -> impl Iterator<Item = Pair> {
        sources.iter().filter_map(move |source| {
            self.pair(source).map_err(|message| self.teller.complain(&message)).ok()
        })
    }

    /// Makes the directories of a source.
    ///
    /// # Errors
    /// The message.
    fn pair(&mut self, source: &Path) -> Result<Pair, String> {
        let path = slashed::without_slashes(path_bytes(source));
        let mut from = slashes(path);
        let is_end = |at: &usize| path[*at] == b'/' && path[at - 1] != b'/';
        let ends: Vec<usize> = (from + 1..path.len()).filter(is_end).collect();
        let parent = os_str(&path[from..ends.last().map_or(from, |end| *end)]);
        let exists = fs::metadata(self.target.path().join(parent)).is_ok();
        let mut place = self.target.clone();
        let before = self.levels.len();
        for end in ends {
            let source = Path::new(os_str(&path[..end]));
            place = self.enter(&place, source, os_str(&path[from..end]), exists)?;
            from = end + slashes(&path[end..]);
        }
        let name = &path[from..];
        let is_new = self.levels[before..].iter().any(|level| level.mode.is_some());
        if is_new && self.recursive && matches!(name, b"." | b"..") {
            // In a new directory GNU cp makes the copy without checking whether it exists.
            let path = place.path().join(os_str(name));
            let error = io::ErrorKind::AlreadyExists.into();
            return Err(failure("cannot create directory", path_bytes(&path), &error));
        }
        Ok(place.pair(source.to_owned(), Path::new(os_str(name))))
    }

    /// Enters a directory, and makes it if it does not exist. `exists`: all of the path exists.
    fn enter(
        &mut self,
        place: &TargetDir,
        source: &Path,
        name: &OsStr,
        exists: bool,
    ) -> Result<TargetDir, String> {
        let path = place.path().join(name);
        let mut entered = place.enter(name);
        let mut mode = None;
        if !exists {
            let new_mode = self.mode(source).map_err(|error| unknown(source, &error))?;
            if matches!(&entered, Err(error) if error.kind() == io::ErrorKind::NotFound) {
                mode = Some(new_mode);
                let pair = place.pair(source.to_owned(), Path::new(name));
                let has_mode = self.is_made_with(new_mode);
                let making = if has_mode { &self.finishing } else { &self.making };
                let made = making.run([pair], &ParentTeller { teller: self.teller });
                if let Some(why) = made.failures.first() {
                    return Err(talk::parent_message(why));
                }
                entered = Ok(place.enter(name).map_err(|error| unknown(&path, &error))?);
            }
        }
        let is_other =
            |_| format!("{} exists but is not a directory", in_message(path_bytes(&path)));
        let entered = entered.map_err(is_other)?;
        if !exists {
            self.levels.push(Level { source: source.to_owned(), place: entered.clone(), mode });
        }
        Ok(entered)
    }

    /// The mode of a copy of this directory.
    fn mode(&self, source: &Path) -> io::Result<u32> {
        let meta = stat_path(backend(), source, Fields::TYPE | Fields::MODE, Links::Follow)?;
        if !meta.file_type().is_some_and(FileType::is_dir) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let is_fresh = self.finishing.preserve.mode == Modes::Fresh;
        let mode = meta.mode().filter(|_| !is_fresh).unwrap_or(0o777);
        let umask = self.finishing.umask.expect("BUG: the flags set it");
        Ok(mode & 0o1777 & !umask)
    }

    /// Whether a directory is made with its final mode.
    fn is_made_with(&self, mode: u32) -> bool {
        let Preserve { mode: modes, ownership, .. } = self.finishing.preserve;
        modes == Modes::Masked && !ownership && mode & 0o700 == 0o700
    }

    /// Gives the directories their attributes, the inner ones first.
    pub fn finish(mut self) {
        let Preserve { mode, ownership, timestamps, .. } = self.finishing.preserve;
        let is_preserved = mode == Modes::Preserved;
        for Level { source, place, mode } in std::mem::take(&mut self.levels).into_iter().rev() {
            if is_preserved || ownership || timestamps {
                let _ = self.finishing.run([place.itself(source)], self.teller);
            }
            if let Some(mode) = mode.filter(|&mode| !is_preserved && !self.is_made_with(mode))
                && let Err(error) = place.set_mode(mode)
            {
                let what = "failed to preserve permissions for";
                self.teller.complain(&failure(what, path_bytes(place.path()), &error));
            }
        }
    }
}

/// The number of slashes at the beginning of a path.
fn slashes(path: &[u8]) -> usize {
    path.iter().take_while(|byte| **byte == b'/').count()
}

fn unknown(path: &Path, error: &io::Error) -> String {
    failure("failed to get attributes of", path_bytes(path), error)
}

/// Prints each directory that is made.
struct ParentTeller<'a> {
    teller: &'a CopyTeller<'a>,
}

impl Observer for ParentTeller<'_> {
    fn wants_begun(&self) -> bool {
        self.teller.wants_begun()
    }

    fn begun(&self, begun: &Begun<'_>) {
        // GNU cp quotes neither name here.
        let [source, destination] = [begun.paths.source(), begun.paths.destination()];
        self.teller.line(|lines| {
            lines.bytes.extend([source, b" -> ", destination, b"\n"].concat());
        });
    }
}
