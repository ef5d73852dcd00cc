//! Btrfs's ioctls: which subvolume a directory is in, and which inodes a generation wrote.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, StatxFlags};

use super::call::{ioctl, retry};
use super::open::reopen;
use crate::btrfs::items::{INODE, Items, Subvolume, TreeItem};
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

/// Commits the file system of a directory. This takes as long as writing all its dirty pages
/// ([`memory::dirty`](crate::memory::dirty)). System calls: openat, syncfs, close.
///
/// # Errors
/// The errors of these calls.
pub fn sync(dir: BorrowedFd<'_>) -> io::Result<()> {
    let dir = reopen(dir)?;
    Ok(retry(|| rustix::fs::syncfs(&dir))?)
}
