//! A copy of a tree's shape, to be removed or read: the same directories, an empty file for each
//! file, links as links. The copy lies in a directory of its own on the tree's file system. That
//! directory is removed, with everything in it, when the measurement ends, however it ends.
//!
//! ```text
//! PLACE/                        the tree's parent, or what --scratch names
//! └── .brisk-bench-1234-5678/   made by this process
//!     ├── empty/                for programs that mirror an empty directory
//!     └── tree/                 the copy, made anew for each run
//! ```

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use brisk::remove::Remove;
use brisk::{FileType, Meta, Order, Walk};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::{Backend, Fields, Links, stat_path};

use super::turns::go_on;
use crate::front::messages::{Caller, cannot, error_text, unnumbered};
use crate::show::quoting::quoted;
use crate::system;

/// What the copy of a tree consists of: paths below its root, each directory before what it holds.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    parts: Vec<(PathBuf, Part)>,
    /// Directories of the tree that could not be read: their contents are missing from the copy.
    pub(crate) unread: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Directory,
    /// A regular file, or anything else that holds no names.
    File,
    /// A link, with its target.
    Link(PathBuf),
}

impl Shape {
    /// The shape of everything below a directory, which is only read.
    ///
    /// # Errors
    /// The directory itself cannot be read, or the user interrupted.
    pub(crate) fn of(dir: &Path) -> Result<Shape, String> {
        let root = system::root(dir);
        let mut shape = Shape::default();
        let walk = Walk::new(&root).order(Order::Depth(brisk::Shape::Pre)).min_depth(1);
        for entry in walk.iter_with(Fields::LINK_TARGET) {
            go_on()?;
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if error.depth() == 0 => return Err(error_text(&error)),
                Err(_) => {
                    shape.unread += 1;
                    continue;
                }
            };
            let target = entry.meta().and_then(Meta::link_target);
            let part = match (entry.file_type(), target) {
                (FileType::Directory, _) => Part::Directory,
                (_, Some(target)) => Part::Link(bytes_to_path(target).to_owned()),
                _ => Part::File,
            };
            let path = entry.path();
            let path = path.strip_prefix(&root).expect("BUG: a path begins with its root");
            shape.parts.push((path.to_owned(), part));
        }
        Ok(shape)
    }

    /// A tree of so many entries as package managers of JavaScript make it: a package is a directory
    /// of 60 entries, and every eighth one is in a directory of the package before it. Seven in a
    /// hundred entries are directories.
    pub(crate) fn of_packages(entries: usize) -> Shape {
        let mut shape = Shape::default();
        for number in 0.. {
            if shape.parts.len() >= entries {
                break;
            }
            let outer = format!("package-{}/node_modules", number.max(1) - 1);
            let is_inner = number % 8 == 7;
            if is_inner {
                shape.add(outer.clone(), Part::Directory);
            }
            let package =
                if is_inner { format!("{outer}/inner") } else { format!("package-{number}") };
            for (directory, files) in [("", 6), ("/lib", 22), ("/dist", 0), ("/dist/esm", 28)] {
                shape.add(format!("{package}{directory}"), Part::Directory);
                (0..files).for_each(|file| {
                    shape.add(format!("{package}{directory}/file-{file}.js"), Part::File);
                });
            }
        }
        shape.parts.truncate(entries);
        shape
    }

    /// A directory for each of these numbers, which is its name, with as many files.
    pub(crate) fn of_files(counts: &BTreeSet<NonZeroUsize>) -> Shape {
        let mut shape = Shape::default();
        for count in counts {
            shape.add(count.to_string(), Part::Directory);
            (0..count.get()).for_each(|file| shape.add(format!("{count}/file-{file}"), Part::File));
        }
        shape
    }

    fn add(&mut self, path: String, part: Part) {
        self.parts.push((path.into(), part));
    }

    /// The number of entries that a copy has below its root.
    pub(crate) fn entries(&self) -> u64 {
        self.parts.len() as u64
    }

    fn make(&self, root: &Path) -> Result<(), String> {
        fs::create_dir(root).map_err(|error| cannot("make", root, &error))?;
        for (path, part) in &self.parts {
            let path = root.join(path);
            let made = match part {
                Part::Directory => fs::create_dir(&path),
                Part::File => File::create_new(&path).map(drop),
                Part::Link(target) => system::make_link(target, &path),
            };
            made.map_err(|error| cannot("make", &path, &error))?;
            go_on()?;
        }
        Ok(())
    }
}

/// The directory that holds the copy. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    place: PathBuf,
    shape: Shape,
}

impl Scratch {
    /// Makes the directory in `wanted` or beside `dir`; in `dir` itself if that is the top of a file
    /// system.
    ///
    /// # Errors
    /// One line: the directory cannot be made.
    pub(crate) fn new(dir: &Path, wanted: Option<&Path>, shape: Shape) -> Result<Scratch, String> {
        let place = wanted.unwrap_or(dir);
        let whole = system::absolute(place).map_err(|error| cannot("find", place, &error))?;
        let is_same = |above: &&Path| device(above) == device(&whole);
        let beside = whole.parent().filter(|above| wanted.is_none() && is_same(above));
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let name = format!(".brisk-bench-{}-{now}", std::process::id());
        let place = beside.unwrap_or(&whole).join(name);
        // Refused if another process has made the directory. Its mode keeps other users from the
        // names.
        system::make_private(&place).map_err(|error| cannot("make", &place, &error))?;
        let scratch = Scratch { place, shape };
        let empty = scratch.place.join("empty");
        fs::create_dir(&empty).map_err(|error| cannot("make", &empty, &error))?;
        Ok(scratch)
    }

    /// The directory in which programs that remove `tree` are started.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// The copy.
    pub(crate) fn tree(&self) -> PathBuf {
        self.place.join("tree")
    }

    /// The number of entries in the copy.
    pub(crate) fn entries(&self) -> u64 {
        self.shape.entries()
    }

    /// Makes a fresh copy and has it written back, so that the removal does not wait for writes.
    ///
    /// # Errors
    /// No further copy can be made.
    pub(crate) fn set(&self) -> Result<(), String> {
        self.shape.make(&self.tree())?;
        system::write_back(&self.place);
        Ok(())
    }

    /// Removes what a program left of the copy.
    ///
    /// # Errors
    /// What this program left undone: it is not measured any further.
    pub(crate) fn look(&self) -> Result<(), String> {
        let tree = self.tree();
        if tree.symlink_metadata().is_err() {
            return Ok(());
        }
        let gone = remove(&tree)?;
        // A program that mirrors an empty directory leaves an empty directory.
        if gone <= 1 { Ok(()) } else { Err(format!("left {} entries behind", gone - 1)) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(why) = remove(&self.place) {
            Caller::Brisk.complain(&why);
        }
    }
}

/// Removes a tree; returns how many entries it had, itself among them.
fn remove(path: &Path) -> Result<u64, String> {
    let report = Remove::new(Walk::new(path)).run(&());
    match report.failures.first() {
        None => Ok(report.files + report.directories),
        Some(failure) => {
            Err(format!("the copy stays in {}: {}", quoted(path), unnumbered(failure)))
        }
    }
}

/// The file system of a directory; `None` where the system does not report it.
fn device(path: &Path) -> Option<u64> {
    stat_path(Backend::Native, path, Fields::DEV, Links::Follow).ok()?.dev()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_shape_and_nothing_else() {
        let place = testkit::scratch();
        let dir = place.path().join("tree");
        fs::create_dir_all(dir.join("a/b")).expect("directories");
        fs::write(dir.join("a/b/file"), "content").expect("a file");
        let shape = Shape::of(&dir).expect("readable");
        assert_eq!(shape.entries(), 3);
        let scratch = Scratch::new(&dir, None, shape).expect("a place");
        scratch.set().expect("made");
        let copy = scratch.tree().join("a/b/file");
        assert_eq!(copy.metadata().expect("there").len(), 0);
        assert_eq!(fs::read(dir.join("a/b/file")).expect("as before"), b"content");
        assert_eq!(scratch.look(), Err("left 3 entries behind".to_owned()));
        assert!(!scratch.tree().exists());
        let made = scratch.place().to_owned();
        assert_eq!(made.parent(), Some(&*system::absolute(place.path()).expect("there")));
        drop(scratch);
        assert!(!made.exists());
    }

    #[test]
    fn packages_have_as_many_entries_as_were_asked_for() {
        let place = testkit::scratch();
        for entries in [0, 1, 61, 5_000] {
            let shape = Shape::of_packages(entries);
            assert_eq!(shape.entries(), entries as u64);
            let scratch = Scratch::new(place.path(), None, shape).expect("a place");
            scratch.set().expect("made");
            let mut copy = Shape::of(&scratch.tree()).expect("readable");
            let mut shape = Shape::of_packages(entries);
            copy.parts.sort();
            shape.parts.sort();
            assert_eq!(copy.parts, shape.parts);
        }
        let directories = Shape::of_packages(62_528).parts;
        let directories = directories.iter().filter(|it| it.1 == Part::Directory).count();
        assert_eq!(directories / 625, 6, "6.7 in a hundred");
    }
}
