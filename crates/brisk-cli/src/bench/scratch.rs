//! A copy of a tree's shape, to be removed or read: the same directories, an empty file for each
//! file, links as links. The copy lies in a directory of its own beside the tree, on the same file
//! system. That directory is removed, with everything in it, when the measurement ends, however it
//! ends.
//!
//! ```text
//! PLACE/                        the tree's parent, or what --scratch names
//! └── .brisk-bench-1234-5678/   made by this process
//!     ├── empty/                for programs that mirror an empty directory
//!     └── tree/                 the copy, made anew for each run
//! ```

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use brisk::remove::Remove;
use brisk::{FileType, Meta, Order, Walk};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::{Backend, Fields, Links, stat_path};

use super::turns::go_on;
use crate::front::messages::{Caller, cannot, unnumbered};
use crate::show::quoting::quoted;
use crate::system::{self, Making, Room};

/// Bytes that a copied entry may take: its name, its inode, and the file system's own records of
/// both. An inode takes 256 bytes on ext4, 512 on XFS, about 1,000 on tmpfs.
const ENTRY_BYTES: u64 = 1 << 10;

/// Bytes that a copied directory may take besides.
const DIRECTORY_BYTES: u64 = 4 << 10;

/// Inodes that must stay free for other users of the file system.
const SPARE_INODES: u64 = 1000;

/// The files in the directory of a package.
const PACKAGE_FILES: [&str; 6] =
    ["package.json", "README.md", "LICENSE", "index.js", "index.d.ts", "CHANGELOG.md"];

/// Entries that are made between two checks for an interruption: the check is an atomic load.
const LOOK_EVERY: usize = 256;

/// What the copy of a tree consists of.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// A directory stands before what is below it, which stays together.
    parts: Vec<Named>,
    /// Directories of the tree that could not be read: their contents are missing from the copy.
    pub(crate) unread: u64,
}

/// An entry of the copy.
#[derive(Debug)]
struct Named {
    /// 1 for what is in the tree itself.
    depth: usize,
    name: OsString,
    part: Part,
}

#[derive(Debug, PartialEq, Eq)]
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
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if error.depth() == 0 => {
                    return Err(cannot("read", dir, error.io()));
                }
                Err(_) => {
                    shape.unread += 1;
                    continue;
                }
            };
            let part = match entry.file_type() {
                FileType::Directory => Part::Directory,
                FileType::Symlink => entry
                    .meta()
                    .and_then(Meta::link_target)
                    .map_or(Part::File, |target| Part::Link(bytes_to_path(target).to_owned())),
                _ => Part::File,
            };
            let name = entry.file_name().to_owned();
            shape.parts.push(Named { depth: entry.depth(), name, part });
            if shape.parts.len().is_multiple_of(LOOK_EVERY) {
                go_on()?;
            }
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
            let is_inside = number % 8 == 7;
            if is_inside {
                shape.add(2, "node_modules".to_owned(), Part::Directory);
            }
            shape.add_package(if is_inside { 3 } else { 1 }, number);
        }
        shape.parts.truncate(entries);
        shape
    }

    /// A directory for each of these numbers, which is its name, with as many files.
    pub(crate) fn of_files(counts: &BTreeSet<NonZeroUsize>) -> Shape {
        let mut shape = Shape::default();
        for count in counts {
            shape.add(1, count.to_string(), Part::Directory);
            (0..count.get()).for_each(|file| shape.add(2, format!("file-{file}"), Part::File));
        }
        shape
    }

    fn add_package(&mut self, depth: usize, number: usize) {
        self.add(depth, format!("package-{number}"), Part::Directory);
        for name in PACKAGE_FILES {
            self.add(depth + 1, name.to_owned(), Part::File);
        }
        self.add(depth + 1, "lib".to_owned(), Part::Directory);
        (0..22).for_each(|file| self.add(depth + 2, format!("module-{file}.js"), Part::File));
        self.add(depth + 1, "dist".to_owned(), Part::Directory);
        self.add(depth + 2, "esm".to_owned(), Part::Directory);
        (0..28).for_each(|file| self.add(depth + 3, format!("chunk-{file}.mjs"), Part::File));
    }

    fn add(&mut self, depth: usize, name: String, part: Part) {
        self.parts.push(Named { depth, name: name.into(), part });
    }

    /// The number of entries that a copy has below its root.
    pub(crate) fn entries(&self) -> u64 {
        self.parts.len() as u64
    }

    fn directories(&self) -> u64 {
        self.parts.iter().filter(|named| named.part == Part::Directory).count() as u64
    }

    fn make(&self, root: &Path) -> Result<(), String> {
        let made = fs::create_dir(root).and_then(|()| Making::at(root));
        let mut making = made.map_err(|error| cannot("make", root, &error))?;
        let mut depth = 1;
        let mut last = OsStr::new("");
        for (at, Named { depth: own, name, part }) in self.parts.iter().enumerate() {
            // A directory was the last entry, if this one is deeper.
            let moved = match *own > depth {
                true => making.below(last).map(|below| making = below),
                false => (*own..depth).try_for_each(|_| making.leave()),
            };
            depth = *own;
            last = name;
            let made = moved.and_then(|()| match part {
                Part::Directory => making.directory(name),
                Part::File => making.file(name).map(drop),
                Part::Link(target) => making.link(name, target),
            });
            made.map_err(|error| cannot("make", name, &error))?;
            if at % LOOK_EVERY == 0 {
                go_on()?;
            }
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
    /// Makes the directory, in `wanted` or beside the tree.
    ///
    /// # Errors
    /// One line: there is no place on the same file system, there is too little room, or the
    /// directory cannot be made.
    pub(crate) fn new(dir: &Path, wanted: Option<&Path>, shape: Shape) -> Result<Scratch, String> {
        Scratch::at(place_for(dir, wanted)?, shape)
    }

    /// Makes the directory in `wanted` or beside `dir`; in `dir` itself if that is the top of a file
    /// system.
    ///
    /// # Errors
    /// One line: there is too little room, or the directory cannot be made.
    pub(crate) fn on(dir: &Path, wanted: Option<&Path>, shape: Shape) -> Result<Scratch, String> {
        let whole = whole(wanted.unwrap_or(dir))?;
        let is_same = |above: &&Path| identity(above).0 == identity(&whole).0;
        let beside = whole.parent().filter(|above| wanted.is_none() && is_same(above));
        Scratch::at(beside.unwrap_or(&whole).to_owned(), shape)
    }

    fn at(place: PathBuf, shape: Shape) -> Result<Scratch, String> {
        let asked = system::room(&place);
        let room = asked.map_err(|error| cannot("ask for the room in", &place, &error))?;
        enough(&shape, room).map_err(|why| format!("{why} in {}", quoted(&place)))?;
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let place = place.join(format!(".brisk-bench-{}-{now}", std::process::id()));
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

/// Where the copy goes: on the tree's file system, and outside the tree.
fn place_for(dir: &Path, wanted: Option<&Path>) -> Result<PathBuf, String> {
    let shown = quoted(dir);
    let tree = whole(dir)?;
    let place = match wanted {
        Some(place) => whole(place)?,
        None => tree
            .parent()
            .ok_or_else(|| format!("{shown} has nothing beside it; see --scratch"))?
            .to_owned(),
    };
    let tree_is = identity(&tree);
    let place_is = identity(&place);
    let is_tree =
        |above: &Path| above == tree || (tree_is.1.is_some() && identity(above) == tree_is);
    if place.ancestors().any(is_tree) {
        return Err(format!("{} is in {shown}, which stays as it is", quoted(&place)));
    }
    if tree_is.0 != place_is.0 {
        return Err(match wanted {
            Some(place) => {
                format!("{} is on another file system than {shown}", quoted(place))
            }
            None => format!(
                "{shown} is a file system of its own: --scratch must name a place on it, \
                 outside of {shown}"
            ),
        });
    }
    Ok(place)
}

/// The absolute path.
fn whole(path: &Path) -> Result<PathBuf, String> {
    system::absolute(path).map_err(|error| cannot("find", path, &error))
}

/// Device and inode; `None` where the system does not tell them.
fn identity(path: &Path) -> (Option<u64>, Option<u64>) {
    let wanted = Fields::DEV | Fields::INO;
    let meta = stat_path(Backend::Native, path, wanted, Links::Follow).unwrap_or_default();
    (meta.dev(), meta.ino())
}

/// Fails, with what is missing, if there is too little room for a copy.
fn enough(shape: &Shape, room: Room) -> Result<(), String> {
    let entries = shape.entries() + 3;
    let bytes = entries * ENTRY_BYTES + shape.directories() * DIRECTORY_BYTES;
    let inodes = entries + SPARE_INODES;
    let needed = match room.inodes {
        Some(free) if free < inodes => format!("{inodes} free inodes, and there are {free}"),
        _ if room.bytes < bytes => {
            format!("about {} MiB, and {} are free", bytes.div_ceil(1 << 20), room.bytes >> 20)
        }
        _ => return Ok(()),
    };
    Err(format!("a copy of {entries} entries needs {needed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let place = testkit::scratch();
        fs::create_dir_all(place.path().join("tree/a/b")).expect("directories");
        fs::write(place.path().join("tree/a/b/file"), "content").expect("a file");
        place
    }

    #[test]
    fn a_copy_has_the_shape_and_nothing_else() {
        let place = tree();
        let dir = place.path().join("tree");
        let shape = Shape::of(&dir).expect("readable");
        assert_eq!((shape.entries(), shape.directories(), shape.unread), (3, 2, 0));
        let scratch = Scratch::new(&dir, None, shape).expect("room");
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

    /// Links and directories beyond PATH_MAX too: entries are made in directories that are open.
    #[cfg(unix)]
    #[test]
    fn a_copy_is_as_deep_as_the_tree() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let dir = place.path().join("tree");
        let name = "n".repeat(200);
        fs::create_dir(&dir).expect("a directory");
        let mut making = Making::at(&dir).expect("open");
        for _ in 0..30 {
            making.directory(OsStr::new(&name)).expect("a directory");
            making.file(OsStr::new("file")).expect("a file");
            making = making.below(OsStr::new(&name)).expect("there");
        }
        making.link(OsStr::new("link"), Path::new("to")).expect("a link");
        let shape = Shape::of(&dir).expect("readable");
        assert_eq!((shape.entries(), shape.directories(), shape.unread), (61, 30, 0));
        let scratch = Scratch::new(&dir, None, shape).expect("room");
        scratch.set().expect("made");
        let copy = Shape::of(&scratch.tree()).expect("readable");
        let is_link = |named: &Named| named.part == Part::Link("to".into()) && named.depth == 31;
        assert_eq!((copy.entries(), copy.directories()), (61, 30));
        assert!(copy.parts.iter().any(is_link));
    }

    #[test]
    fn packages_have_as_many_entries_as_were_asked_for() {
        let place = tree();
        for entries in [0, 1, 61, 5_000] {
            let shape = Shape::of_packages(entries);
            let expected = (shape.entries(), shape.directories());
            assert_eq!(expected.0, entries as u64);
            let scratch = Scratch::new(&place.path().join("tree"), None, shape).expect("room");
            scratch.set().expect("made");
            let copy = Shape::of(&scratch.tree()).expect("readable");
            assert_eq!((copy.entries(), copy.directories()), expected);
        }
        assert_eq!(Shape::of_packages(62_528).directories() / 625, 6, "6.7 in a hundred");
    }

    #[test]
    fn room_is_counted_in_bytes_and_inodes() {
        let part = || Named { depth: 1, name: "d".into(), part: Part::Directory };
        let shape = Shape { parts: vec![part(), part()], unread: 0 };
        let bytes = 5 * ENTRY_BYTES + 2 * DIRECTORY_BYTES;
        assert_eq!(enough(&shape, Room { bytes, inodes: None }), Ok(()));
        assert_eq!(enough(&shape, Room { bytes, inodes: Some(1005) }), Ok(()));
        let refused = enough(&shape, Room { bytes, inodes: Some(1004) }).expect_err("refused");
        assert_eq!(refused, "a copy of 5 entries needs 1005 free inodes, and there are 1004");
        let refused = enough(&shape, Room { bytes: bytes - 1, inodes: None }).expect_err("refused");
        assert_eq!(refused, "a copy of 5 entries needs about 1 MiB, and 0 are free");
    }

    #[test]
    fn the_tree_itself_is_no_place() {
        let place = tree();
        let dir = place.path().join("tree");
        for inside in [dir.clone(), dir.join("a/b")] {
            let refused = place_for(&dir, Some(&inside)).expect_err("refused");
            assert!(refused.contains("which stays as it is"), "{refused}");
        }
        assert!(place_for(&dir, Some(place.path())).is_ok());
        assert!(place_for(Path::new("/"), None).is_err());
    }
}
