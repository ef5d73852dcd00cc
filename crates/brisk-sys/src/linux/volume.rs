//! The file system of an open directory: statfs, and what statfs does not report.

use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::call::retry;
use super::{statx, xfs};
use crate::volume::kind::{Mount, Volume, VolumeKind};
use crate::{Fields, whole};

pub(crate) fn volume_of(dir: BorrowedFd<'_>) -> io::Result<Volume> {
    // One request, for which NFS asks its server each time.
    let statfs = retry(|| rustix::fs::fstatfs(dir))?;
    // The type of `f_type` differs between architectures; a magic number has 32 bits.
    let kind = VolumeKind::from_magic(statfs.f_type as u32);
    let fsid = number(&statfs);
    let told = Volume { kind, fsid, has_nanoseconds: true };
    if is_of_server(kind, || statx::has_driver(dir), || has_birth_time(dir)) {
        return Ok(Volume { kind: VolumeKind::NineP, ..told });
    }
    Ok(match kind {
        VolumeKind::Ext => Volume { has_nanoseconds: has_birth_time(dir), ..told },
        // Made of the device's number, which another boot may change.
        VolumeKind::Xfs => Volume { fsid: xfs::uuid(dir).map_or(0, folded), ..told },
        _ => told,
    })
}

/// Whether this is not the file system's own type, but what a 9P server (such as QEMU) has its files
/// on: statfs passes that on. There the device has no driver, and files have no birth time. A
/// server's tmpfs cannot be told from one of this machine.
fn is_of_server(
    kind: VolumeKind,
    has_driver: impl Fn() -> bool,
    has_birth_time: impl Fn() -> bool,
) -> bool {
    use VolumeKind::{Btrfs, ExFat, Ext, F2fs, Fat, Ntfs, Xfs};
    match kind {
        Btrfs => !has_birth_time(),
        ExFat | Ext | F2fs | Fat | Ntfs | Xfs => !has_driver(),
        _ => false,
    }
}

/// The number of the file system, as statvfs(3) has it.
fn number(statfs: &rustix::fs::StatFs) -> u64 {
    // SAFETY: `f_fsid` is two numbers of 32 bits, but its field is private on some architectures.
    let [low, high]: [u32; 2] = unsafe { std::mem::transmute_copy(&statfs.f_fsid) };
    u64::from(low) | u64::from(high) << 32
}

/// On ext file systems the fields beyond the first 128 bytes of an inode hold the nanoseconds of
/// its times, and its birth time behind them.
fn has_birth_time(dir: BorrowedFd<'_>) -> bool {
    statx::stat_handle(dir, Fields::BTIME).is_ok_and(|meta| meta.btime().is_some())
}

/// The two halves of a UUID, folded into one number.
fn folded(uuid: [u8; 16]) -> u64 {
    let uuid = u128::from_le_bytes(uuid);
    (uuid as u64) ^ ((uuid >> 64) as u64)
}

/// The mounts below a directory, which is an absolute path without links. Reads
/// `/proc/self/mountinfo`.
///
/// # Errors
/// That file cannot be read.
pub fn mounts_below(top: &Path) -> io::Result<Vec<Mount>> {
    Ok(points_below(&whole::read("/proc/self/mountinfo".as_ref())?, top))
}

/// The mounts below a directory.
fn points_below(table: &[u8], top: &Path) -> Vec<Mount> {
    let mount = |line: &[u8]| {
        let place = without_octal(line.split(|&byte| byte == b' ').nth(4)?);
        let path = Path::new(OsStr::from_bytes(&place));
        let is_below = path != top && path.starts_with(top);
        is_below.then(|| Mount { place, told: line.to_vec() })
    };
    table.split(|&byte| byte == b'\n').filter_map(mount).collect()
}

/// Undoes the kernel's escapes: `\040` is a blank.
fn without_octal(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let digits = after.first_chunk::<3>().filter(|_| *first == b'\\');
        let number = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|number| u8::from_str_radix(number, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &after[3..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::Dir;
    use crate::{Links, Timestamp};

    #[test]
    fn mounts_below_a_directory_are_told_by_their_paths() {
        let table = b"25 1 8:1 / / rw - ext4 a rw\n26 25 0:5 / /a\\040b rw - tmpfs b rw\n\
            27 26 0:6 / /a\\040b/c rw - tmpfs c rw\n28 25 0:7 / /a\\040bc rw - tmpfs d rw\n";
        let below = |top: &str| {
            let mounts = points_below(table, Path::new(top)).into_iter();
            mounts.map(|mount| String::from_utf8(mount.place).expect("text")).collect::<Vec<_>>()
        };
        assert_eq!(below("/"), ["/a b", "/a b/c", "/a bc"]);
        assert_eq!(below("/a b"), ["/a b/c"]);
        assert_eq!((below("/a b/c"), below("/x")), (Vec::new(), Vec::new()));
        let told = &points_below(table, Path::new("/a b"))[0].told;
        assert_eq!(*told, b"27 26 0:6 / /a\\040b/c rw - tmpfs c rw");
    }

    #[test]
    fn octal_escapes_are_undone_and_nothing_else() {
        let table: [(&[u8], &[u8]); 5] = [
            (b"a\\040b", b"a b"),
            (b"\\134\\134", b"\\\\"),
            (b"\\04", b"\\04"),
            (b"\\999x", b"\\999x"),
            (b"", b""),
        ];
        for (text, plain) in table {
            assert_eq!(without_octal(text), plain);
        }
    }

    #[test]
    fn a_directory_tells_its_volume_whether_or_not_it_can_be_read() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let open = Dir::open(place.path(), Links::NoFollow).expect("opens");
        let volume = volume_of(open.fd()).expect("a volume");
        assert_eq!(told(place.path()), volume);
        let proc = told("/proc".as_ref());
        assert_eq!(proc.kind, VolumeKind::Other(0x9fa0));
        assert!(!proc.is_same(&volume) && !proc.trusts_directory_times());
    }

    #[test]
    fn the_type_that_a_server_passes_on_is_not_taken_for_a_disk() {
        use VolumeKind::{Btrfs, Ext, Nfs, Tmpfs, Xfs};
        // The type; has a driver, has birth times; is a server's.
        let table = [
            (Ext, true, false, false),
            (Ext, false, false, true),
            (Xfs, true, true, false),
            (Xfs, false, false, true),
            (Btrfs, false, true, false),
            (Btrfs, false, false, true),
            (Tmpfs, false, false, false),
            (Nfs, false, false, false),
        ];
        for (kind, driver, birth, expected) in table {
            assert_eq!(is_of_server(kind, || driver, || birth), expected, "{kind:?}");
        }
    }

    fn told(path: &Path) -> Volume {
        let dir = Dir::open_path_only(path).expect("a directory");
        volume_of(dir.fd()).expect("a volume")
    }

    #[test]
    fn file_systems_of_each_type_tell_theirs() {
        let name = "file_systems_of_each_type_tell_theirs";
        let table = [
            ("ext4", "-q -I 256", VolumeKind::Ext, true),
            ("ext4", "-q -I 128", VolumeKind::Ext, false),
            ("xfs", "-q", VolumeKind::Xfs, true),
            ("btrfs", "-q", VolumeKind::Btrfs, true),
        ];
        for (kind, options, expected, has_nanoseconds) in table {
            let Some(mounted) = testkit::LoopMount::new(name, kind, options) else { continue };
            let volume = told(&mounted.path());
            assert_eq!((volume.kind, volume.has_nanoseconds), (expected, has_nanoseconds));
            assert!(
                volume.fsid != 0 && volume.trusts_directory_times() == has_nanoseconds,
                "{volume:?}"
            );
        }
    }

    #[test]
    fn the_coarse_clock_is_never_ahead_of_the_time_of_a_new_file() {
        let place = tempfile::tempdir().expect("a scratch directory");
        if !told(place.path()).is_local() {
            return;
        }
        let before = crate::clock::coarse_now();
        std::fs::write(place.path().join("file"), "x").expect("a file");
        let meta = std::fs::metadata(place.path().join("file")).expect("a file");
        assert!(Timestamp::from(meta.modified().expect("a time")) >= before);
        assert!(crate::clock::coarse_resolution() <= std::time::Duration::from_millis(10));
    }
}
