//! Btrfs's ioctls: which subvolume a directory is in, which inodes a generation wrote, where a file
//! is stored, and who uses an extent.

use std::ffi::CStr;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, StatxFlags};

use super::call::{ioctl, retry};
use super::open::reopen;
use super::storage::open_to_ask;
use crate::btrfs::items::{EXTENT, INODE, Items, StoredExtent, Subvolume, TreeItem};
use crate::whole;

/// The type of btrfs's ioctls.
const BTRFS: u32 = 0x94;

/// The kernel's `struct btrfs_ioctl_fs_info_args`.
#[repr(C)]
struct FsInfo {
    devices: [u64; 2],
    uuid: [u8; 16],
    sizes: [u32; 3],
    checksums: [u16; 2],
    flags: u64,
    generation: u64,
    reserved: [u64; 120],
}

/// Asks for `generation`; set in the answer by the kernels that report it.
const WITH_GENERATION: u64 = 1 << 1;

/// The kernel's `struct btrfs_ioctl_get_subvol_info_args`.
#[repr(C)]
struct SubvolInfo {
    id: u64,
    name: [u8; 256],
    parent: [u64; 2],
    generation: u64,
    flags: u64,
    uuid: [u8; 16],
    reserved: [u64; 24],
}

/// The kernel's `struct btrfs_ioctl_search_key`, and the size of the room behind it, in bytes.
#[repr(C)]
struct SearchKey {
    tree: u64,
    objects: [u64; 2],
    offsets: [u64; 2],
    generations: [u64; 2],
    kinds: [u32; 2],
    count: u32,
    unused: [u32; 9],
    room: u64,
}

/// Room for the answer of a search, in bytes: the size of the largest node, which no item is larger
/// than.
const ROOM: usize = 64 << 10;

/// The kernel's `struct btrfs_ioctl_search_args_v2`.
#[repr(C)]
struct SearchArgs {
    key: SearchKey,
    answer: [u8; ROOM],
}

/// The kernel's `struct btrfs_ioctl_logical_ino_args`.
#[repr(C)]
struct LogicalIno {
    address: u64,
    size: u64,
    reserved: [u64; 3],
    flags: u64,
    answer: u64,
}

/// All who use the extent, whichever part of it.
const WHOLE_EXTENT: u64 = 1;

/// The kernel's `struct btrfs_data_container`: for each use the inode, the position in it, the
/// subvolume.
#[repr(C)]
struct Uses {
    bytes: [u32; 2],
    count: u32,
    missed: u32,
    numbers: [u64; MAX_NUMBERS],
}

/// More uses of one extent are not asked for: some 2,700.
const MAX_NUMBERS: usize = 8 << 10;

const BTRFS_IOC_LOGICAL_INO_V2: libc::Ioctl = libc::_IOWR::<LogicalIno>(BTRFS, 59);
const BTRFS_IOC_TREE_SEARCH_V2: libc::Ioctl = libc::_IOWR::<SearchKey>(BTRFS, 17);
const BTRFS_IOC_FS_INFO: libc::Ioctl = libc::_IOR::<FsInfo>(BTRFS, 31);
const BTRFS_IOC_GET_SUBVOL_INFO: libc::Ioctl = libc::_IOR::<SubvolInfo>(BTRFS, 60);

/// The inode numbers that files have; what is above belongs to the file system.
const FIRST_INODE: u64 = 256;
const LAST_INODE: u64 = 256_u64.wrapping_neg();

pub(crate) fn subvolume_of(dir: BorrowedFd<'_>) -> io::Result<Subvolume> {
    let dir = reopen(dir)?;
    // In this order: a transaction that is found committed cannot have begun later.
    let SubvolInfo { id, uuid, generation: committed, .. } = subvol_info(dir.as_fd())?;
    let fs = fs_info(dir.as_fd())?;
    if fs.flags & WITH_GENERATION == 0 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    // A subvolume gets the number of a transaction once that transaction takes no more changes.
    let next = if committed == fs.generation { committed + 1 } else { fs.generation };
    let boot = boot_id()?;
    let mount = mount_id(dir.as_fd())?;
    Ok(Subvolume { filesystem: fs.uuid, id, uuid, boot, mount, next })
}

fn boot_id() -> io::Result<[u8; 16]> {
    let text = whole::read_text("/proc/sys/kernel/random/boot_id".as_ref())?;
    let number = u128::from_str_radix(&text.trim().replace('-', ""), 16);
    Ok(number.map_err(|_| io::ErrorKind::InvalidData)?.to_be_bytes())
}

/// STATX_MNT_ID_UNIQUE (Linux 6.8): an id that no later mount gets.
const UNIQUE: StatxFlags = StatxFlags::from_bits_retain(0x4000);

fn mount_id(dir: BorrowedFd<'_>) -> io::Result<u64> {
    // Older kernels ignore the first of these bits.
    let mask = UNIQUE | StatxFlags::MNT_ID;
    Ok(retry(|| rustix::fs::statx(dir, c"", AtFlags::EMPTY_PATH, mask))?.stx_mnt_id)
}

fn fs_info(dir: BorrowedFd<'_>) -> io::Result<FsInfo> {
    let mut told = FsInfo {
        devices: [0; 2],
        uuid: [0; 16],
        sizes: [0; 3],
        checksums: [0; 2],
        flags: WITH_GENERATION,
        generation: 0,
        reserved: [0; 120],
    };
    // SAFETY: the kernel reads and writes one structure, which consists of numbers.
    unsafe { ioctl(dir, BTRFS_IOC_FS_INFO, &mut told) }?;
    Ok(told)
}

fn subvol_info(dir: BorrowedFd<'_>) -> io::Result<SubvolInfo> {
    let mut told = SubvolInfo {
        id: 0,
        name: [0; 256],
        parent: [0; 2],
        generation: 0,
        flags: 0,
        uuid: [0; 16],
        reserved: [0; 24],
    };
    // SAFETY: as for `fs_info`.
    unsafe { ioctl(dir, BTRFS_IOC_GET_SUBVOL_INFO, &mut told) }?;
    Ok(told)
}

/// Calls `each` with the number of every inode of a subvolume that this generation or a later one
/// wrote, in ascending order, until `each` breaks. Only what is committed is found: call [`sync`]
/// first. `dir` is any directory of the subvolume. System calls: openat, one ioctl for each 64 KiB
/// of metadata that changed, close.
///
/// # Errors
/// [`PermissionDenied`](io::ErrorKind::PermissionDenied) without CAP_SYS_ADMIN.
pub fn changed_since(
    dir: BorrowedFd<'_>,
    generation: u64,
    mut each: impl FnMut(u64) -> ControlFlow<()>,
) -> io::Result<()> {
    let dir = reopen(dir)?;
    let key = SearchKey {
        // The tree of the subvolume that `dir` is in.
        tree: 0,
        objects: [FIRST_INODE, LAST_INODE],
        offsets: [0, u64::MAX],
        generations: [generation, u64::MAX],
        kinds: [INODE; 2],
        count: u32::MAX,
        unused: [0; 9],
        room: ROOM as u64,
    };
    let mut search = Box::new(SearchArgs { key, answer: [0; ROOM] });
    loop {
        let items = answer(dir.as_fd(), &mut search)?;
        let mut last = None;
        for item in items {
            last = Some(item.object);
            // A node that was written holds items that were not.
            let is_newer = item.written_by().is_some_and(|writer| writer >= generation);
            if is_newer && each(item.object).is_break() {
                return Ok(());
            }
        }
        // An inode's item is the first one of that inode: the search goes on behind all of them.
        match last {
            Some(last) if last < LAST_INODE => search.key.objects[0] = last + 1,
            _ => return Ok(()),
        }
    }
}

/// One search, from `key.objects[0]` on.
fn answer<'a>(
    dir: BorrowedFd<'_>,
    search: &'a mut SearchArgs,
) -> io::Result<impl Iterator<Item = TreeItem<'a>>> {
    search.key.count = u32::MAX;
    // SAFETY: the kernel reads and writes one key, and writes at most `key.room` bytes behind the
    // key, which `answer` has. All of them are numbers.
    unsafe { ioctl(dir, BTRFS_IOC_TREE_SEARCH_V2, search) }?;
    Ok(Items::new(&search.answer).take(search.key.count as usize))
}

/// A file that is open to be asked about its extents.
#[derive(Debug)]
pub struct Inspected(OwnedFd);

impl Inspected {
    /// Opens a file for reading; `path` is relative to `dir` or, without one, to the current
    /// directory, and a link is not followed. System calls: openat, and a close at the end.
    ///
    /// # Errors
    /// The file cannot be opened for reading.
    pub fn open(dir: Option<BorrowedFd<'_>>, path: &CStr) -> io::Result<Inspected> {
        Ok(Inspected(open_to_ask(dir, path)?))
    }

    /// The UUID of the file system, and the id of the subvolume. System calls: two ioctls.
    ///
    /// # Errors
    /// The errors of these calls.
    pub fn place(&self) -> io::Result<([u8; 16], u64)> {
        Ok((fs_info(self.0.as_fd())?.uuid, subvol_info(self.0.as_fd())?.id))
    }

    /// Calls `each` with the extents of the file, which has this inode, in the order of the file.
    /// An extent comes once for each part of the file that is in it. System calls: an ioctl for each
    /// 64 KiB of metadata, and one more.
    ///
    /// # Errors
    /// [`PermissionDenied`](io::ErrorKind::PermissionDenied) without CAP_SYS_ADMIN.
    pub fn extents(&self, inode: u64, mut each: impl FnMut(StoredExtent)) -> io::Result<()> {
        let key = SearchKey {
            tree: 0,
            objects: [inode; 2],
            offsets: [0, u64::MAX],
            generations: [0, u64::MAX],
            kinds: [EXTENT; 2],
            count: u32::MAX,
            unused: [0; 9],
            room: ROOM as u64,
        };
        let mut search = Box::new(SearchArgs { key, answer: [0; ROOM] });
        loop {
            let mut last = None;
            for item in answer(self.0.as_fd(), &mut search)? {
                last = Some(item.offset);
                item.stored().into_iter().for_each(&mut each);
            }
            let Some(next) = last.and_then(|last| last.checked_add(1)) else { return Ok(()) };
            search.key.offsets[0] = next;
        }
    }

    /// Who uses an extent of the file system: each subvolume and inode, once. `None`: they are too
    /// many. System calls: one ioctl.
    ///
    /// # Errors
    /// [`PermissionDenied`](io::ErrorKind::PermissionDenied) without CAP_SYS_ADMIN;
    /// [`NotFound`](io::ErrorKind::NotFound) if there is no such extent any more.
    pub fn users(&self, extent: StoredExtent) -> io::Result<Option<Vec<(u64, u64)>>> {
        let mut uses =
            Box::new(Uses { bytes: [0; 2], count: 0, missed: 0, numbers: [0; MAX_NUMBERS] });
        let mut question = LogicalIno {
            address: extent.address,
            size: size_of::<Uses>() as u64,
            reserved: [0; 3],
            flags: WHOLE_EXTENT,
            answer: (&raw mut *uses).expose_provenance() as u64,
        };
        // SAFETY: the kernel reads the question, and writes at most `size` bytes where `answer`
        // points: that many are `uses`, which consists of numbers and which nothing else uses.
        unsafe { ioctl(self.0.as_fd(), BTRFS_IOC_LOGICAL_INO_V2, &mut question) }?;
        if uses.missed > 0 {
            return Ok(None);
        }
        let numbers = uses.numbers.get(..uses.count as usize).unwrap_or_default();
        let mut users: Vec<_> =
            numbers.chunks_exact(3).map(|use_of| (use_of[2], use_of[0])).collect();
        users.sort_unstable();
        users.dedup();
        Ok(Some(users))
    }
}

/// Commits the file system of a directory. This takes as long as writing all its dirty pages
/// ([`memory::dirty`](crate::memory::dirty)). System calls: openat, syncfs, close.
///
/// # Errors
/// The errors of these calls.
pub fn sync(dir: BorrowedFd<'_>) -> io::Result<()> {
    let dir = reopen(dir)?;
    Ok(retry(|| rustix::fs::syncfs(&dir))?)
}
