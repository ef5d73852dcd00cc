//! Linux: directory reads, and every form of request for one entry.

use std::ffi::CStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use brisk_sys::{Backend, Buffer, Dir, Fields, FileType, Freshness, Links, Timestamp};
use rustix::fs::AtFlags;

use super::{BUFFERS, Hit, NAMES, Receive, Technique, whole};

/// The capacity of a buffer, in bytes, where its size is not what is compared.
const USUAL: usize = 64 << 10;

pub(super) const TECHNIQUES: &[Technique] = &[
    Technique { name: "getdents64 alone", subject: NAMES, run: names::<64> },
    whole("getdents64 + statx, SIZE and MTIME", |dir, sink| {
        statx(dir, sink, Fields::TYPE | Fields::SIZE | Fields::MTIME)
    }),
    whole("getdents64 + statx, everything", |dir, sink| statx(dir, sink, Fields::STATX)),
    whole("getdents64 + fstatat", fstatat),
    whole("readdir + lstat of the path", |dir, sink| by_path(dir, sink, false)),
    whole("std::filesystem: readdir + stat of the path", |dir, sink| by_path(dir, sink, true)),
    buffer::<4>("getdents64, 4 KiB"),
    buffer::<16>("getdents64, 16 KiB"),
    buffer::<64>("getdents64, 64 KiB"),
    buffer::<256>("getdents64, 256 KiB"),
    buffer::<1024>("getdents64, 1 MiB"),
];

const fn buffer<const KIB: usize>(name: &'static str) -> Technique {
    Technique { name, subject: BUFFERS, run: names::<KIB> }
}

/// Reads the directory by system calls, and calls `entry` for each record.
fn each(
    dir: &Path,
    capacity: usize,
    mut entry: impl FnMut(&Dir, &CStr, FileType) -> io::Result<u64>,
) -> io::Result<u64> {
    let opened = Dir::open(Backend::Native, dir, Links::Follow)?;
    let mut buffer = Buffer::with_capacity(capacity);
    let mut calls = 2;
    loop {
        buffer.clear();
        let fill = opened.fill(&mut buffer);
        calls += u64::from(fill.calls);
        for raw in buffer.entries() {
            calls += entry(&opened, raw.name, raw.file_type)?;
        }
        if fill.at_end? {
            return Ok(calls);
        }
    }
}

fn names<const KIB: usize>(dir: &Path, sink: &mut Receive<'_>) -> io::Result<u64> {
    each(dir, KIB << 10, |_, name, file_type| {
        sink(Hit { name: name.to_bytes(), file_type, size: 0, mtime: Timestamp::default() });
        Ok(0)
    })
}

fn statx(dir: &Path, sink: &mut Receive<'_>, mask: Fields) -> io::Result<u64> {
    each(dir, USUAL, |handle, name, _| {
        let meta = handle.stat(name, mask, Links::NoFollow, Freshness::AsStat)?;
        sink(Hit {
            name: name.to_bytes(),
            file_type: meta.file_type().unwrap_or_default(),
            size: meta.size().unwrap_or_default(),
            mtime: meta.mtime().unwrap_or_default(),
        });
        Ok(1)
    })
}

fn fstatat(dir: &Path, sink: &mut Receive<'_>) -> io::Result<u64> {
    let flags = rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC;
    let handle = rustix::fs::open(dir, flags, rustix::fs::Mode::empty())?;
    let calls = each(dir, USUAL, |_, name, _| {
        let stat = rustix::fs::statat(&handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        sink(stat_row(name.to_bytes(), &stat));
        Ok(1)
    })?;
    Ok(calls + 2)
}

/// Asks for each entry by its path. `std::filesystem::last_write_time` follows links; links
/// themselves are asked for here, so that all techniques see the same.
fn by_path(dir: &Path, sink: &mut Receive<'_>, follows: bool) -> io::Result<u64> {
    let opened = rustix::fs::open(dir, rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty())?;
    let mut calls = 3;
    let mut path = dir.as_os_str().as_bytes().to_vec();
    path.push(b'/');
    let length = path.len();
    for entry in rustix::fs::Dir::new(opened)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        path.truncate(length);
        path.extend_from_slice(name);
        let is_link = entry.file_type() == rustix::fs::FileType::Symlink;
        let stat = match follows && !is_link {
            true => rustix::fs::stat(&path[..])?,
            false => rustix::fs::lstat(&path[..])?,
        };
        sink(stat_row(name, &stat));
        calls += 1;
    }
    Ok(calls)
}

#[expect(clippy::unnecessary_cast, reason = "the fields' types differ between architectures")]
fn stat_row<'a>(name: &'a [u8], stat: &rustix::fs::Stat) -> Hit<'a> {
    Hit {
        name,
        file_type: FileType::from_mode(stat.st_mode),
        size: stat.st_size as u64,
        mtime: Timestamp { secs: stat.st_mtime as i64, nanos: stat.st_mtime_nsec as u32 },
    }
}
