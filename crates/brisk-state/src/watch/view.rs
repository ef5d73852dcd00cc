//! [`View`]: a picture of trees that a [`Watcher`] keeps up to date, and that answers from memory.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::{OnceLock, RwLock};
use std::time::{Duration, Instant};

use brisk::{Fields, FileType, Follow, Meta, Timestamp, Walk};
use brisk_sys::events::Events;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::slashed::below;
use brisk_sys::volume::VolumeKind;
use brisk_sys::{Backend, Links, stat_path};
use xxhash_rust::xxh3::xxh3_64;

use super::Watcher;
use crate::format::block::Block;
use crate::format::record::{Attrs, DirId, NO_DIR, Record, TOP};
use crate::format::state::State;
use crate::rescan::{Rescan, RescanError, roots};

/// The most batches that a refresh takes. The second one is for the other names of a file.
const MOST_LOOKS: usize = 3;

/// A picture of trees that answers what is there, and what is not, without asking the file system.
///
/// [`refresh`](View::refresh) takes the events that the system has queued, and rescans where they
/// point. Between two refreshes the picture stays as it is, and any number of threads may query it
/// without a system call. A search, for example for the headers of a compilation, refreshes once
/// and then asks for thousands of files, most of which do not exist:
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let scratch = tempfile::tempdir()?;
/// # let root = scratch.path();
/// # for dir in ["include", "include/net"] { std::fs::create_dir(root.join(dir))?; }
/// use brisk_state::{Rescan, View};
///
/// let view = View::new(Rescan::over([root]))?;
/// std::fs::write(root.join("include/net/socket.h"), "")?;
/// view.refresh()?;
/// let dirs = ["include", "include/net"].map(|dir| root.join(dir));
/// let found = dirs.iter().map(|dir| dir.join("socket.h")).find(|path| view.exists(path));
/// assert_eq!(found, Some(dirs[1].join("socket.h")));
/// # Ok(())
/// # }
/// ```
///
/// Where the picture cannot vouch for an answer, the view asks the file system, with the calls that
/// each method names. This is so:
/// - for relative paths, those outside the trees, those with `.`, `..`, `//` or a slash at the end,
///   and those that lead through a link;
/// - where no events come: directories that cannot be watched, see [`Watcher::polled`], and all of
///   them on systems other than Linux, where an event may come after the next refresh;
/// - where a directory or an entry could not be read; while a root is gone; after a refresh that
///   failed; and while another thread refreshes the picture;
/// - for the metadata of a file with several names, which may be written by another one;
/// - for what does not exist, on file systems other than ext, XFS, btrfs, tmpfs, overlay, and ZFS,
///   because names may be equal there that differ; and for lists and for what does not exist, if
///   [filters](field@Rescan::filter), [rules](field@Rescan::rules), roots within roots, or
///   [omitted](field@Rescan::omitted) files keep entries out of the picture.
///
/// What a watcher cannot notice is not in the picture: writes through a mapping while the mapping
/// stays, a new name outside the trees for a file that had one name, and writes by that name.
/// Directories that ignore case (`chattr +F`) must not be in the trees: another spelling of a name
/// does not exist in the picture.
pub struct View(RwLock<Picture>);

struct Picture {
    watcher: Watcher,
    /// When the last refresh began; `None`: the picture vouches for nothing.
    as_of: Option<Instant>,
    /// The number of the rescan since which `dirs` is filled.
    serial: u64,
    /// The names in each directory, filled on the first query; `None`: the file system has to be
    /// asked.
    dirs: Box<[OnceLock<Option<NameTable>>]>,
    /// Whether all entries are in the picture.
    is_whole: bool,
}

/// What a [`View`] answers.
#[derive(Debug)]
pub struct ViewAnswer<T> {
    /// What was found; `None`: nothing exists at the path. An error comes from the file system.
    pub found: io::Result<Option<T>>,
    /// How fresh an answer from memory is: it includes the changes by all calls that had returned
    /// by this time, and may include later ones. `None`: the file system was asked just now.
    pub as_of: Option<Instant>,
}

/// What the picture has at a path.
enum Known<'p> {
    Entry(Record<'p>, DirId),
    Nothing,
}

impl View {
    /// A view of the trees of a rescan, after a first scan of them. Relative roots are made
    /// absolute. [`names_only`](field@Rescan::names_only) has no effect, because names alone are
    /// not enough.
    ///
    /// # Errors
    /// As [`refresh`](View::refresh), and the current directory is gone.
    pub fn new(mut rescan: Rescan) -> Result<View, RescanError> {
        for root in &mut rescan.roots {
            let absolute = std::path::absolute(&*root);
            *root = absolute.map_err(|error| RescanError::Root(root.clone(), error))?;
        }
        rescan.names_only = false;
        let picture = Picture {
            watcher: Watcher::new(rescan, None)?,
            as_of: None,
            serial: 0,
            dirs: Box::default(),
            is_whole: false,
        };
        let view = View(RwLock::new(picture));
        view.refresh()?;
        Ok(view)
    }

    /// Brings the picture up to date with all changes by calls that returned before this one.
    /// System calls on Linux: four, one statx for each root, and those of a rescan of what has
    /// changed. On other systems, what is polled may be older.
    ///
    /// # Errors
    /// As [`Watcher::next`] and [`Watcher::accept`]. Until a refresh succeeds, the view asks the
    /// file system for everything.
    pub fn refresh(&self) -> Result<(), RescanError> {
        let mut picture = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let began = Instant::now();
        picture.as_of = None;
        picture.take()?;
        picture.as_of = Some(began);
        Ok(())
    }

    /// The metadata of what a path leads to, through links. From memory, a file has its type, mode,
    /// owner, group, inode number, size, and birth, modification and change times; a directory has
    /// all of these except its size and the last two times. Otherwise one stat, with all fields.
    pub fn metadata(&self, path: &Path) -> ViewAnswer<Meta> {
        self.stat(path, Links::Follow)
    }

    /// As [`metadata`](View::metadata), but for a link, of the link itself.
    pub fn symlink_metadata(&self, path: &Path) -> ViewAnswer<Meta> {
        self.stat(path, Links::NoFollow)
    }

    /// Whether a path leads to something, through links. Also `false` if the file system returns an
    /// error. One stat, unless the answer is from memory.
    pub fn exists(&self, path: &Path) -> bool {
        let known = |picture: &Picture| match picture.find(path)? {
            Known::Nothing => Some(None),
            Known::Entry(record, _) if record.attrs.file_type().is_symlink() => None,
            Known::Entry(..) => Some(Some(())),
        };
        let asked = || stat_path(Backend::Native, path, Fields::TYPE, Links::Follow).map(drop);
        matches!(self.answer(known, asked).found, Ok(Some(())))
    }

    /// The entries of a directory with their types, in no order; `None` if there is no directory at
    /// the path. Unless the answer is from memory, the directory is opened and read.
    pub fn list(&self, path: &Path) -> ViewAnswer<Vec<(OsString, FileType)>> {
        let name = |record: Record<'_>| {
            (bytes_to_path(record.name).as_os_str().to_owned(), record.attrs.file_type())
        };
        let known = |picture: &Picture| match picture.find(path)? {
            Known::Nothing => Some(None),
            Known::Entry(record, _) if record.attrs.file_type().is_symlink() => None,
            Known::Entry(record, _) if !record.is_dir() => Some(None),
            Known::Entry(record, _) => {
                picture.names(record.dir_id)?;
                let block = picture.state()?.block(record.dir_id);
                picture.is_whole.then(|| Some(block.iter().map(name).collect()))
            }
        };
        let asked = || {
            let walk = Walk::over::<&Path>([]).directory(path).follow(Follow::Roots);
            let entry = |entry: brisk::DirEntry| (entry.file_name().to_owned(), entry.file_type());
            let entries = walk.min_depth(1).max_depth(1).into_iter();
            entries.map(|found| found.map(entry).map_err(brisk::Error::into_io)).collect()
        };
        self.answer(known, asked)
    }

    fn stat(&self, path: &Path, links: Links) -> ViewAnswer<Meta> {
        let known = |picture: &Picture| match picture.find(path)? {
            Known::Nothing => Some(None),
            Known::Entry(record, parent) => {
                let is_link = record.attrs.file_type().is_symlink();
                let may_be_written = picture.watcher.linked.has(parent, record.name);
                let is_known = !(may_be_written || is_link && links == Links::Follow);
                is_known.then(|| Some(meta(&record.attrs)))
            }
        };
        self.answer(known, || stat_path(Backend::Native, path, Fields::all(), links))
    }

    fn answer<T>(
        &self,
        known: impl FnOnce(&Picture) -> Option<Option<T>>,
        asked: impl FnOnce() -> io::Result<T>,
    ) -> ViewAnswer<T> {
        // Asking the file system takes less time than waiting for a refresh.
        let known = self.0.try_read().ok().and_then(|picture| known(&picture).zip(picture.as_of));
        if let Some((found, as_of)) = known {
            return ViewAnswer { found: Ok(found), as_of: Some(as_of) };
        }
        use io::ErrorKind::{NotADirectory, NotFound};
        let found = match asked() {
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
            found => found.map(Some),
        };
        ViewAnswer { found, as_of: None }
    }
}

impl Picture {
    /// Takes batches until there are no more.
    fn take(&mut self) -> Result<(), RescanError> {
        let watcher = &mut self.watcher;
        for _ in 0..MOST_LOOKS {
            let Some(batch) = watcher.next(Duration::ZERO, Some(Instant::now()))? else { break };
            watcher.accept(batch)?;
        }
        let (roots, _) = roots::find(&watcher.rescan.roots, None, true)?;
        if self.serial != watcher.serial {
            self.serial = watcher.serial;
            let Rescan { rules, filter, omitted, .. } = &watcher.rescan;
            self.is_whole =
                rules.is_none() && filter.is_all() && roots::omitted(omitted, &roots).is_empty();
            let count = self.state().map_or(0, |state| state.index.len());
            self.dirs = (0..count).map(|_| OnceLock::new()).collect();
        }
        Ok(())
    }

    fn state(&self) -> Option<&State> {
        self.watcher.base.state.as_deref()
    }

    /// What is at a path, with the id of its directory; `None`: the file system has to be asked.
    fn find(&self, path: &Path) -> Option<Known<'_>> {
        let state = self.state()?;
        let path = path.as_os_str().as_encoded_bytes();
        let roots = self.watcher.places.roots.iter().enumerate();
        let inside = roots.filter_map(|(number, root)| {
            let rest = below(path, &root.walked).or_else(|| below(path, &root.absolute))?;
            Some((number, root, rest))
        });
        let (number, root, rest) = inside.min_by_key(|(.., rest)| rest.len())?;
        let is_silent =
            |part: &super::Scanned| part.place.as_ref().is_some_and(|p| p.root == number);
        if self.watcher.places.silent_files.iter().any(is_silent) {
            return None;
        }
        let top = state.block(TOP);
        let mut record = top.record(top.find(&root.absolute, 0)?)?;
        let mut parent = TOP;
        for name in rest.split(|&byte| byte == b'/').filter(|_| !rest.is_empty()) {
            if !record.is_dir() {
                return (!record.attrs.file_type().is_symlink()).then_some(Known::Nothing);
            }
            if matches!(name, b"" | b"." | b"..") {
                return None;
            }
            parent = record.dir_id;
            let Some(found) = self.names(parent)?.find(name, || state.block(parent)) else {
                return self.has_all_names(parent, state).then_some(Known::Nothing);
            };
            record = found;
        }
        // A path with a slash at its end leads to a directory, and through a link.
        (!path.ends_with(b"/")).then_some(Known::Entry(record, parent))
    }

    /// The names in a directory of the state, if events have reported everything that changed
    /// there.
    fn names(&self, id: DirId) -> Option<&NameTable> {
        let state = self.state()?;
        let known = || {
            // Elsewhere, an event may come after the refresh that follows the change.
            let is_prompt = !Events::IS_RECURSIVE;
            let is_read = is_prompt && id != NO_DIR && state.index.dir(id).is_some();
            let is_known =
                is_read && !self.watcher.failed.contains(&id) && self.watcher.watched.has(id);
            is_known.then(|| NameTable::of(state.block(id)))
        };
        self.dirs.get(id as usize)?.get_or_init(known).as_ref()
    }

    /// Whether a directory has no names other than those in the state, whatever their spelling.
    fn has_all_names(&self, id: DirId, state: &State) -> bool {
        use VolumeKind as Kind;
        let exact = [Kind::Ext, Kind::Xfs, Kind::Btrfs, Kind::Tmpfs, Kind::Overlay, Kind::Zfs];
        self.is_whole && state.index.volume(id).is_some_and(|volume| exact.contains(&volume.kind))
    }
}

/// A table of the names in a block: 32 bits of a slot hold a part of the name's hash, the others
/// its position, counted from 1. One step mostly suffices to find that a name is not there.
struct NameTable(Box<[u64]>);

impl NameTable {
    fn of(block: Block<'_>) -> NameTable {
        let mut slots = vec![0; (2 * block.len()).next_power_of_two().max(2)];
        let most = slots.len() - 1;
        for at in 0..block.len() {
            let hash = xxh3_64(block.name(at));
            let free = probed(hash, most).find(|&slot| slots[slot] == 0);
            slots[free.expect("BUG: half of the slots are free")] =
                hash >> 32 << 32 | (at as u64 + 1);
        }
        NameTable(slots.into())
    }

    /// The record with this name in the block. The block is read only if a slot has the name's
    /// hash.
    fn find<'b>(&self, name: &[u8], block: impl Fn() -> Block<'b>) -> Option<Record<'b>> {
        let hash = xxh3_64(name);
        let slots = probed(hash, self.0.len() - 1).map(|slot| self.0[slot]);
        let found = slots.take_while(|slot| *slot != 0).filter(|slot| (slot ^ hash) >> 32 == 0);
        let mut positions = found.map(|slot| slot as u32 as usize - 1);
        let at = positions.find(|&at| block().name(at) == name)?;
        block().record(at)
    }
}

/// The slots in which a hash may be, among a power of two of them.
fn probed(hash: u64, most: usize) -> impl Iterator<Item = usize> {
    (0..=most).map(move |step| (hash as usize).wrapping_add(step) & most)
}

/// What the picture knows of an entry.
fn meta(attrs: &Attrs) -> Meta {
    let time = |field, time: Timestamp| {
        let nanos = time.secs.checked_mul(1_000_000_000)?.checked_add(time.nanos.into())?;
        (nanos != 0).then_some((field, nanos.cast_unsigned()))
    };
    let file_type = attrs.file_type();
    let is_dir = file_type.is_dir();
    let ids = [
        (Fields::TYPE, attrs.mode.into()),
        (Fields::MODE, attrs.mode.into()),
        (Fields::UID, attrs.uid.into()),
        (Fields::GID, attrs.gid.into()),
        (Fields::INO, attrs.ino),
    ];
    let size = (!is_dir).then_some((Fields::SIZE, attrs.length()));
    let times = [
        time(Fields::BTIME, attrs.btime),
        time(Fields::MTIME, attrs.mtime).filter(|_| !is_dir),
        time(Fields::CTIME, attrs.ctime).filter(|_| !is_dir),
    ];
    ids.into_iter().chain(size).chain(times.into_iter().flatten()).collect()
}
