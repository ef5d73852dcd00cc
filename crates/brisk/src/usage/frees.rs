//! [`Frees`]: what a file system would get back if exactly the counted entries were removed.
//!
//! A file frees something once all its names are counted, an extent once all its users are. Both
//! then count in the lowest directory that holds all of them, and so in those above it:
//!
//! ```text
//!   d ─┬─ a ── x ─┐             removing a or b frees nothing, and removing d frees the extent:
//!      └─ b ── y ─┴─► extent    it counts in d
//! ```
//!
//! Each number is two: what is sure ([`Sums::apparent`]), and the most that it can be
//! ([`Sums::allocated`]). Where users of an extent are unknown, the extent is only in the second.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use brisk_sys::btrfs::{Inspected, StoredExtent};
use brisk_sys::{BorrowedHandle, Extent, Identity, handle_of, storage};

use super::account::Account;
use super::meeting::{common, each_range, joins};
use super::sums::Sums;
use crate::entry::bytes_to_path;
use crate::sched::lock;
use crate::{Entry, FileType, Meta};

/// The magic numbers (statfs(2)) of file systems that share nothing: the blocks of a file are its
/// own. ext, tmpfs, ramfs, F2FS, FAT, exFAT.
const APART: [u32; 6] = [0xef53, 0x0102_1994, 0x8584_58f6, 0xf2f5_2010, 0x4d44, 0x2011_bab0];
const XFS: u32 = 0x5846_5342;
const BTRFS: u32 = 0x9123_683e;
/// Bcachefs and OCFS2: an extent that was shared once is told as shared for ever.
const SHARING: [u32; 2] = [0xca45_1a4e, 0x7461_636f];

/// What an inode takes that no block count tells, at most: an inode of XFS has 512 bytes and its
/// part of a tree, and inodes are freed 64 at a time. 2,000 files took 561 bytes each.
const XFS_INODE: u64 = 1024;
/// The same on btrfs: items of a name, an inode and an extent, stored twice. 2,000 files took 1,100
/// bytes each.
const BTRFS_ITEMS: u64 = 2048;
/// The part of the data that checksums take on btrfs, at most: 4 bytes for 4 KiB, stored twice, in
/// nodes that may be half full.
const CHECKSUMS: u64 = 256;

/// What a file system tells of shared extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing is shared.
    Apart,
    /// Which ranges have more than one user now.
    Xfs,
    /// Who uses an extent, if this user may ask; otherwise as `Sharing`.
    Btrfs,
    /// Which ranges may have more than one user.
    Sharing,
    /// Nothing is known.
    Unknown,
}

impl Kind {
    fn of(magic: Option<u32>) -> Kind {
        match magic {
            Some(magic) if APART.contains(&magic) => Kind::Apart,
            Some(XFS) => Kind::Xfs,
            Some(BTRFS) => Kind::Btrfs,
            Some(magic) if SHARING.contains(&magic) => Kind::Sharing,
            _ => Kind::Unknown,
        }
    }
}

/// What is known of a device.
#[derive(Debug)]
struct Device {
    kind: Kind,
    /// Which file system it is: a btrfs has a device for each subvolume.
    fs: u128,
    /// The subvolume.
    root: u64,
    may_ask: AtomicBool,
}

/// An entry that is counted.
pub(crate) struct Removable<'a> {
    handle: Option<BorrowedHandle<'a>>,
    /// Relative to the handle.
    path: Cow<'a, CStr>,
    file_type: FileType,
    meta: &'a Meta,
}

impl<'a> Removable<'a> {
    pub fn new(entry: &'a Entry<'_>, meta: &'a Meta) -> Option<Removable<'a>> {
        let handle = entry.dir.handle.and_then(handle_of);
        let path = match handle {
            Some(_) => Cow::Borrowed(entry.name),
            None => CString::new(entry.path().into_os_string().into_encoded_bytes()).ok()?.into(),
        };
        Some(Removable { handle, path, file_type: entry.file_type(), meta })
    }

    /// The extents that other files share.
    pub fn shared(&self) -> Option<Vec<Extent>> {
        let mut found = Vec::new();
        let asked = storage::shared_extents(self.handle, &self.path, |extent| found.push(extent));
        asked.ok().map(|()| found)
    }
}

/// One use of an extent: by which file, and in which directory; without one, that is decided when
/// all names of the file are known.
#[derive(Debug)]
struct Use {
    file: Identity,
    place: Option<Arc<Account>>,
}

/// An extent whose users are known, each by subvolume and inode.
#[derive(Debug)]
struct SharedExtent {
    bytes: u64,
    users: Vec<(u64, u64)>,
    met: Vec<(u64, Use)>,
}

/// A range of a device whose other users are unknown.
#[derive(Debug)]
struct Range {
    start: u64,
    end: u64,
    by: Use,
}

/// A file with several names.
#[derive(Debug)]
struct LinkedFile {
    links: u64,
    /// The directory of each name that was met.
    places: Vec<Arc<Account>>,
    own: Sums,
}

#[derive(Debug, Default)]
struct Met {
    devices: HashMap<u64, Arc<Device>>,
    linked: HashMap<Identity, LinkedFile>,
    known: HashMap<(u128, u64), SharedExtent>,
    /// By file system, with how many uses a range must have to count.
    ranges: HashMap<(u128, usize), Vec<Range>>,
}

/// What the entries of a count free.
#[derive(Debug, Default)]
pub(crate) struct Frees(Mutex<Met>);

/// What is not in the sums.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unfreed {
    /// How much the entries would free if no snapshot held it.
    pub held_by_snapshots: u64,
    /// Overwritten parts of files may be freed as well: this user may not ask for them.
    pub hides_overwritten: bool,
}

/// What a file's extents are.
#[derive(Default)]
struct Stored {
    /// What no other file uses.
    own: Sums,
    /// Whose users are known, and who they are; empty if the extent was met before.
    known: Vec<(StoredExtent, Vec<(u64, u64)>)>,
    /// What others use, or may use.
    ranges: Vec<(u64, u64)>,
}

impl Frees {
    /// What a directory itself frees. System calls: one statfs for each device, of the directory of
    /// this handle or, without one, path.
    pub fn directory(&self, meta: &Meta, handle: Option<BorrowedHandle<'_>>, path: &Path) -> Sums {
        let magic = || handle.map_or_else(|| storage::magic(path), storage::magic_at);
        self.device(meta, magic, || None).sums(meta)
    }

    /// What an entry of this directory frees: if it is removed alone; and, as far as it is known
    /// yet, with everything that counts. System calls: one statfs for each device. For each regular
    /// file with blocks, on file systems that share extents: an open, a FIEMAP for 64 extents and a
    /// close; on btrfs, for users who may ask, an open, two searches, a request for each extent that
    /// was not met, and a close.
    pub fn entry(&self, of: &Removable<'_>, place: &Arc<Account>) -> (Sums, Sums) {
        let magic = || match of.handle {
            Some(handle) => storage::magic_at(handle),
            None => storage::magic(bytes_to_path(of.path.to_bytes())),
        };
        let inspected = || match of.file_type {
            FileType::File => Inspected::open(of.handle, &of.path).ok()?.place().ok(),
            _ => None,
        };
        let device = self.device(of.meta, magic, inspected);
        let links = of.meta.nlink().filter(|links| *links > 1 && !of.file_type.is_dir());
        let file = of.meta.identity().unwrap_or_default();
        let name = Sums { entries: 1, ..Sums::default() };
        let Some(links) = links else {
            let stored = self.stored(&device, of);
            let own = stored.own;
            return (self.share(&device, file, Some(place), stored), own);
        };
        if self.add_name(file, links, place) {
            let stored = self.stored(&device, of);
            let own = Sums { entries: 0, ..stored.own };
            self.share(&device, file, None, stored);
            lock(&self.0).linked.entry(file).and_modify(|linked| linked.own = own);
        }
        (name, name)
    }

    /// Adds a name of a file that has several. Returns whether it is the first.
    fn add_name(&self, file: Identity, links: u64, place: &Arc<Account>) -> bool {
        let mut met = lock(&self.0);
        let new = || LinkedFile { links, places: Vec::new(), own: Sums::default() };
        let linked = met.linked.entry(file).or_insert_with(new);
        linked.places.push(Arc::clone(place));
        linked.places.len() == 1
    }

    /// Remembers what this file may share. Returns what it frees if it is removed alone.
    fn share(
        &self,
        device: &Device,
        file: Identity,
        place: Option<&Arc<Account>>,
        stored: Stored,
    ) -> Sums {
        let mut alone = stored.own;
        let least = if device.kind == Kind::Xfs { 2 } else { 1 };
        let mut met = lock(&self.0);
        let by = || Use { file, place: place.cloned() };
        for (StoredExtent { address, bytes, .. }, users) in stored.known {
            let new = || SharedExtent { bytes, users, met: Vec::new() };
            let known = met.known.entry((device.fs, address)).or_insert_with(new);
            known.met.push((device.root, by()));
        }
        let of_one = stored.ranges.iter().map(|(start, end)| (*start, *end, ()));
        each_range(of_one.collect(), least, |length, _| alone.allocated += length);
        let ranges = stored.ranges.into_iter().map(|(start, end)| Range { start, end, by: by() });
        met.ranges.entry((device.fs, least)).or_default().extend(ranges);
        alone
    }

    fn device(
        &self,
        meta: &Meta,
        magic: impl FnOnce() -> Option<u32>,
        inspected: impl FnOnce() -> Option<([u8; 16], u64)>,
    ) -> Arc<Device> {
        let dev = meta.dev().unwrap_or(0);
        let known = lock(&self.0).devices.get(&dev).map(Arc::clone);
        // A directory does not tell which file system it is, and the first file does.
        if let Some(known) = known.filter(|known| known.kind != Kind::Btrfs || known.fs > 0) {
            return known;
        }
        let kind = Kind::of(magic());
        let inspected = if kind == Kind::Btrfs { inspected() } else { None };
        let (fs, root) = match inspected {
            Some((uuid, root)) => (u128::from_ne_bytes(uuid), root),
            None if kind == Kind::Btrfs => (0, 0),
            None => (dev.into(), 0),
        };
        let device = Arc::new(Device { kind, fs, root, may_ask: true.into() });
        lock(&self.0).devices.insert(dev, Arc::clone(&device));
        device
    }

    fn stored(&self, device: &Device, of: &Removable<'_>) -> Stored {
        let whole = device.sums(of.meta);
        let has_extents = of.file_type == FileType::File && of.meta.blocks().unwrap_or(0) > 0;
        if !has_extents || matches!(device.kind, Kind::Apart | Kind::Unknown) {
            return Stored { own: whole, ..Stored::default() };
        }
        if device.kind == Kind::Btrfs
            && device.fs > 0
            && device.may_ask.load(Relaxed)
            && let Some(stored) = self.of_btrfs(device, of)
        {
            return stored;
        }
        of_ranges(of, whole)
    }

    /// What btrfs itself knows; `None` if this user may not ask, or the file cannot be opened.
    fn of_btrfs(&self, device: &Device, of: &Removable<'_>) -> Option<Stored> {
        let file = Inspected::open(of.handle, &of.path).ok()?;
        let mut extents = BTreeMap::new();
        let mut length = 0;
        let add = |extent: StoredExtent| {
            length += extent.length;
            extents.insert(extent.address, extent);
        };
        if let Err(error) = file.extents(of.meta.ino()?, add) {
            let may_ask = error.kind() != ErrorKind::PermissionDenied;
            device.may_ask.fetch_and(may_ask, Relaxed);
            return None;
        }
        // What is in no extent: content among the items, or not written yet.
        let rest = of.meta.blocks()?.saturating_mul(512).saturating_sub(length);
        let own = Sums { allocated: rest + BTRFS_ITEMS, entries: 1, ..Sums::default() };
        let mut stored = Stored { own, ..Stored::default() };
        self.sort(device, &file, extents, &mut stored);
        Some(stored)
    }

    /// Asks who uses each extent.
    fn sort(
        &self,
        device: &Device,
        file: &Inspected,
        extents: BTreeMap<u64, StoredExtent>,
        stored: &mut Stored,
    ) {
        for (address, extent) in extents {
            if lock(&self.0).known.contains_key(&(device.fs, address)) {
                stored.known.push((extent, Vec::new()));
                continue;
            }
            match file.users(extent) {
                Ok(Some(users)) if users.len() < 2 => {
                    stored.own.allocated += extent.bytes + extent.bytes / CHECKSUMS;
                    stored.own.apparent += extent.bytes;
                }
                Ok(Some(users)) => stored.known.push((extent, users)),
                _ => stored.ranges.push((address, address + extent.bytes)),
            }
        }
    }

    /// Adds to each directory what it frees as a whole.
    pub fn settle(&self) -> Unfreed {
        let Met { devices, linked, known, ranges } = std::mem::take(&mut *lock(&self.0));
        let is_silent = |device: &Arc<Device>| !device.may_ask.load(Relaxed);
        linked.values().for_each(|file| add(file.place(), file.own));
        let place = |by| place(by, &linked);
        let mut held = 0;
        for SharedExtent { bytes, users, met } in known.values() {
            let places: Vec<_> = met.iter().filter_map(|(_, by)| place(by)).collect();
            if places.len() >= users.len() {
                let allocated = bytes + bytes / CHECKSUMS;
                let sums = Sums { allocated, apparent: *bytes, ..Sums::default() };
                add(common(places.into_iter()), sums);
            } else if users.iter().any(|(root, _)| met.iter().all(|(met, _)| met != root)) {
                held += bytes;
            }
        }
        for ((_, least), ranges) in &ranges {
            let placed = ranges.iter().filter_map(|it| Some((it.start, it.end, place(&it.by)?)));
            each_range(placed.collect(), *least, |length, users| add_once(users, *least, length));
        }
        Unfreed { held_by_snapshots: held, hides_overwritten: devices.values().any(is_silent) }
    }
}

/// What is told of ranges that a file may share; `whole` is what it takes.
fn of_ranges(of: &Removable<'_>, whole: Sums) -> Stored {
    let Some(mut shared) = of.shared() else {
        return Stored { own: Sums { apparent: 0, ..whole }, ..Stored::default() };
    };
    // The length of a compressed extent is not that on the device.
    shared.retain(|extent| !extent.encoded);
    let bytes = shared.iter().map(|extent| extent.length).sum::<u64>();
    let own = Sums {
        allocated: whole.allocated.saturating_sub(bytes),
        apparent: whole.apparent.saturating_sub(bytes),
        ..whole
    };
    let range = |extent: &Extent| (extent.physical, extent.physical + extent.length);
    Stored { own, ranges: shared.iter().map(range).collect(), ..Stored::default() }
}

impl Device {
    /// What an entry frees that shares nothing.
    fn sums(&self, meta: &Meta) -> Sums {
        let bytes = meta.blocks().unwrap_or(0).saturating_mul(512);
        let (more, is_sure) = match self.kind {
            Kind::Apart => (0, true),
            Kind::Xfs => (XFS_INODE, true),
            // What was overwritten may still be stored, and what is compressed is smaller.
            Kind::Btrfs | Kind::Sharing => (BTRFS_ITEMS + bytes / CHECKSUMS, false),
            Kind::Unknown => (0, false),
        };
        let apparent = if is_sure { bytes } else { 0 };
        Sums { allocated: bytes.saturating_add(more), apparent, entries: 1, newest: None }
    }
}

/// What entries free that are removed together.
#[derive(Debug, Default)]
pub(crate) struct Together {
    frees: Frees,
    all: Arc<Account>,
}

impl Together {
    /// Adds a directory, of whose file system this is a handle; see [`Frees::directory`].
    pub fn directory(&self, meta: &Meta, handle: Option<BorrowedHandle<'_>>) {
        *lock(&self.all.own) += self.frees.directory(meta, handle, Path::new(""));
    }

    /// Adds an entry; see [`Frees::entry`].
    pub fn entry(&self, of: &Removable<'_>) {
        let (_, part) = self.frees.entry(of, &self.all);
        *lock(&self.all.own) += part;
    }

    /// What all of them free, and what is not in that.
    pub fn total(&self) -> (Sums, Unfreed) {
        let unfreed = self.frees.settle();
        let mut all = *lock(&self.all.own);
        all += *lock(&self.all.below);
        (all.shown(), unfreed)
    }
}

impl LinkedFile {
    /// The lowest directory whose removal removes the file.
    fn place(&self) -> Option<&Account> {
        let is_whole = self.places.len() as u64 >= self.links;
        common(self.places.iter().map(|place| &**place)).filter(|_| is_whole)
    }
}

/// The lowest directory whose removal ends this use.
fn place<'a>(by: &'a Use, linked: &'a HashMap<Identity, LinkedFile>) -> Option<&'a Account> {
    by.place.as_deref().or_else(|| linked.get(&by.file)?.place())
}

/// Adds a range to each directory that has at least `least` of these uses, once.
fn add_once(users: &[&Account], least: usize, length: u64) {
    // Where each has to have two uses, what counts is where two of them meet.
    let meet = || joins(users.iter().copied()).filter_map(|(_, join)| join);
    let places = if least > 1 { meet().collect() } else { users.to_vec() };
    let sums = Sums { allocated: length, ..Sums::default() };
    for (place, join) in joins(places.into_iter()) {
        *lock(&place.below) += sums;
        join.into_iter().for_each(|join| *lock(&join.below) -= sums);
    }
}

fn add(place: Option<&Account>, sums: Sums) {
    place.into_iter().for_each(|place| *lock(&place.below) += sums);
}
