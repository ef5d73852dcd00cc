//! The file system of an open directory: statfs, and what statfs does not report.

use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::call::retry;
use super::open::Dir;
use super::{mounts, statx, storage, xfs};
use crate::volume::kind::{Mount, Volume, VolumeKind};
use crate::{Fields, whole};

pub(crate) fn volume_of(dir: BorrowedFd<'_>) -> io::Result<Volume> {
    // The type of `f_type` differs between architectures; a magic number has 32 bits.
    let kind = VolumeKind::from_magic(retry(|| rustix::fs::fstatfs(dir))?.f_type as u32);
    // `fstatfs` alone would do, but its `f_fsid` is private on some architectures.
    let fsid = retry(|| rustix::fs::fstatvfs(dir))?.f_fsid;
    let told = Volume { kind, fsid, is_fine: true };
    Ok(match kind {
        VolumeKind::Ext => Volume { is_fine: has_birth_time(dir), ..told },
        VolumeKind::Overlay => Volume { is_fine: has_fine_layers(dir), ..told },
        // Made of the device's number, which another boot may change.
        VolumeKind::Xfs => Volume { fsid: xfs::uuid(dir).map_or(0, folded), ..told },
        _ => told,
    })
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

/// Whether all layers of the overlay that a directory is on are known, and each is on a file system
/// whose directory times are trusted. A container does not see the layers of its own root.
fn has_fine_layers(dir: BorrowedFd<'_>) -> bool {
    let Some(mount) = mounts::mount_id(dir) else { return false };
    let Ok(table) = whole::read("/proc/self/mountinfo".as_ref()) else { return false };
    let layers = layers_of(&table, mount);
    !layers.is_empty() && layers.iter().all(|layer| is_fine_layer(OsStr::from_bytes(layer)))
}

fn is_fine_layer(layer: &OsStr) -> bool {
    let layer = Path::new(layer);
    let kind = storage::magic(layer).map(VolumeKind::from_magic);
    match kind {
        Some(VolumeKind::Ext) => Dir::open_place(layer).is_ok_and(|dir| has_birth_time(dir.fd())),
        Some(VolumeKind::Xfs | VolumeKind::Btrfs | VolumeKind::Tmpfs) => layer.is_absolute(),
        _ => false,
    }
}

/// The layers of an overlay, by the text of `/proc/self/mountinfo`. Empty if the mount is missing
/// or is no overlay.
///
/// ```text
///   36 25 0:31 / /merged rw,relatime shared:1 - overlay none rw,lowerdir=/b:/a,upperdir=/up,…
/// ```
fn layers_of(table: &[u8], mount: u64) -> Vec<Vec<u8>> {
    let mount = format!("{mount} ");
    let mut lines = table.split(|&byte| byte == b'\n');
    let Some(line) = lines.find(|line| line.starts_with(mount.as_bytes())) else {
        return Vec::new();
    };
    let options = line.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
    let mut layers = Vec::new();
    for option in options.split(|&byte| byte == b',') {
        let Some(equals) = option.iter().position(|&byte| byte == b'=') else { continue };
        let value = without_octal(&option[equals + 1..]);
        match &option[..equals] {
            b"upperdir" | b"lowerdir+" | b"datadir+" => layers.push(value),
            b"lowerdir" => append_layers(&value, &mut layers),
            _ => {}
        }
    }
    layers
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

/// Splits a list at its colons, of which two in a row separate layers that hold data alone. A
/// backslash before a colon makes it part of a name.
fn append_layers(list: &[u8], layers: &mut Vec<Vec<u8>>) {
    let mut layer = Vec::new();
    let mut bytes = list.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => layer.extend(bytes.next()),
            b':' => layers.push(std::mem::take(&mut layer)),
            byte => layer.push(byte),
        }
    }
    layers.push(layer);
    layers.retain(|layer| !layer.is_empty());
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::{Links, Timestamp};

    #[test]
    fn the_layers_of_an_overlay_are_found() {
        let table = b"25 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
            36 25 0:31 / /merged rw,relatime shared:1 - overlay none rw,lowerdir=/b\\040c:/a\\134:d\
            ::/data,upperdir=/up\\054x,workdir=/work\n\
            37 25 0:32 / /new rw - overlay none rw,lowerdir+=/one:two,datadir+=/three\n";
        let layers = |mount| {
            let found = layers_of(table, mount);
            found.into_iter().map(|layer| String::from_utf8(layer).expect("text")).collect()
        };
        let none: Vec<String> = Vec::new();
        assert_eq!((layers(25), layers(3), layers(38)), (none.clone(), none.clone(), none));
        assert_eq!(layers(36), ["/b c", "/a:d", "/data", "/up,x"]);
        assert_eq!(layers(37), ["/one:two", "/three"]);
    }

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

    fn told(path: &Path) -> Volume {
        let dir = Dir::open_place(path).expect("a directory");
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
        for (kind, options, expected, is_fine) in table {
            let Some(mounted) = testkit::LoopMount::new(name, kind, options) else { continue };
            let volume = told(&mounted.path());
            assert_eq!((volume.kind, volume.is_fine), (expected, is_fine));
            assert!(volume.fsid != 0 && volume.trusts_directory_times() == is_fine, "{volume:?}");
        }
    }

    #[test]
    fn an_overlay_is_as_fine_as_its_layers() {
        let name = "an_overlay_is_as_fine_as_its_layers";
        for (options, is_fine) in [("-q -I 256", true), ("-q -I 128", false)] {
            let Some(mounted) = testkit::LoopMount::new(name, "ext4", options) else { return };
            let at = mounted.path();
            let made = "mkdir 'lo:w er' u w m && mount -t overlay none m -o \
                \"lowerdir=$PWD/lo\\\\:w er,upperdir=$PWD/u,workdir=$PWD/w\"";
            let run = |script| {
                Command::new("sh").args(["-c", script]).current_dir(&at).status().expect("sh")
            };
            if !run(made).success() {
                testkit::left_out(name, "overlayfs cannot be mounted");
                return;
            }
            let volume = told(&at.join("m"));
            assert!(run("umount m").success());
            assert_eq!((volume.kind, volume.is_fine), (VolumeKind::Overlay, is_fine));
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
