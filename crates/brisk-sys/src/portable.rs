//! The backend that works everywhere, on `std::fs` alone.
//!
//! This backend keeps the same contract as the native one. Every system compiles both, so that
//! tests can compare them on the same tree. `std` cannot open relative to a handle: this backend
//! remembers paths, and so follows a link that another process puts in the place of a parent
//! directory. Times and sizes come from `symlink_metadata`; fields that `std` does not have stay
//! unfilled.

pub mod btrfs;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub mod change;
pub mod clock;
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos", windows)))]
pub mod events;
pub(crate) mod file;
pub mod map;
pub mod memory;
pub(crate) mod place;
pub mod storage;
pub mod usn;
pub mod volume;
pub mod xfs;

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::paths::bytes_to_path;
use crate::{
    Attributes, Buffer, Fields, FileType, Fill, Freshness, Identity, Links, Meta, Timestamp, Xattr,
};

/// An open directory that is known by its path.
#[derive(Debug)]
pub struct Dir {
    path: PathBuf,
    /// `None` for a directory that is not read from: the current one, or one that names are
    /// relative to.
    reading: Option<Mutex<Reading>>,
}

#[derive(Debug)]
struct Reading {
    entries: fs::ReadDir,
    /// An entry that did not fit in the last buffer.
    left_over: Option<fs::DirEntry>,
}

impl Dir {
    pub(crate) fn open(path: &Path, links: Links) -> io::Result<Dir> {
        if links == Links::NoFollow && fs::symlink_metadata(path)?.is_symlink() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let reading = Reading { entries: fs::read_dir(path)?, left_over: None };
        Ok(Dir { path: path.to_owned(), reading: Some(Mutex::new(reading)) })
    }

    pub(crate) fn open_path_only(path: &Path) -> io::Result<Dir> {
        if !fs::metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Dir { path: path.to_owned(), reading: None })
    }

    pub(crate) fn current() -> Dir {
        Dir { path: PathBuf::new(), reading: None }
    }

    pub(crate) fn open_child(&self, name: &CStr, links: Links) -> io::Result<Dir> {
        Dir::open(&self.child(name), links)
    }

    fn child(&self, name: &CStr) -> PathBuf {
        self.path.join(bytes_to_path(name.to_bytes()))
    }

    pub(crate) fn fill(&self, buffer: &mut Buffer) -> Fill {
        let Some(reading) = &self.reading else {
            return Fill { calls: 0, at_end: Err(io::ErrorKind::Unsupported.into()) };
        };
        let mut reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
        Fill { calls: 1, at_end: reading.fill(buffer) }
    }

    pub(crate) fn open_beneath(
        &self,
        relative: &CStr,
        links: Links,
        _one_mount: bool,
    ) -> io::Result<Dir> {
        self.open_child(relative, links)
    }

    pub(crate) fn stat(
        &self,
        name: &CStr,
        wanted: Fields,
        links: Links,
        _freshness: Freshness,
    ) -> io::Result<Meta> {
        stat_path(&self.child(name), wanted, links)
    }

    pub(crate) fn stat_self(&self, wanted: Fields) -> io::Result<Meta> {
        stat_path(&self.path, wanted, Links::Follow)
    }

    pub(crate) fn open_child_same_mount(&self, name: &CStr) -> io::Result<Dir> {
        let child = self.open_child(name, Links::NoFollow)?;
        let dev = |dir: &Dir| dir.stat_self(Fields::DEV).map(|meta| meta.dev());
        if dev(&child)? == dev(self)? {
            Ok(child)
        } else {
            Err(io::ErrorKind::CrossesDevices.into())
        }
    }

    pub(crate) fn is_mount_point(&self, name: &CStr) -> io::Result<bool> {
        let child = self.stat(name, Fields::DEV, Links::NoFollow, Freshness::AsStat)?;
        Ok(child.dev() != self.stat_self(Fields::DEV)?.dev())
    }

    /// By the path: `..` would not lead to the path's parent if the last component is a link.
    pub(crate) fn open_parent(&self, _: Identity) -> io::Result<Dir> {
        let path = self.path.parent().ok_or(io::ErrorKind::NotFound)?.to_owned();
        Ok(Dir { path, reading: None })
    }

    pub(crate) fn unlink(&self, name: &CStr) -> io::Result<()> {
        fs::remove_file(self.child(name))
    }

    pub(crate) fn remove_dir(&self, name: &CStr) -> io::Result<()> {
        fs::remove_dir(self.child(name))
    }

    pub(crate) fn rename_here(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        if fs::symlink_metadata(self.child(to)).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(self.child(from), self.child(to))
    }

    pub(crate) fn may_write(&self, name: &CStr) -> io::Result<bool> {
        Ok(!fs::metadata(self.child(name))?.permissions().readonly())
    }

    pub(crate) fn may_execute(&self, _: &CStr) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn read_link(&self, name: &CStr) -> io::Result<CString> {
        let target = fs::read_link(self.child(name))?.into_os_string();
        Ok(CString::new(target.into_encoded_bytes())?)
    }

    pub(crate) fn attributes(&self, _: &CStr, _: Links) -> io::Result<Xattr<Attributes>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn has_capability(&self, _: &CStr, _: Links) -> io::Result<Xattr<bool>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn context(&self, _: &CStr, _: Links) -> io::Result<Xattr<Option<Box<[u8]>>>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn open_file(&self, name: &CStr) -> io::Result<fs::File> {
        let path = self.child(name);
        if !fs::symlink_metadata(&path)?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        file::open_file(&path)
    }
}

impl Reading {
    fn fill(&mut self, buffer: &mut Buffer) -> io::Result<bool> {
        loop {
            let entry = match self.left_over.take() {
                Some(entry) => entry,
                None => match self.entries.next() {
                    Some(entry) => entry?,
                    None => return Ok(true),
                },
            };
            let file_type = entry.file_type().map_or(FileType::Unknown, file_type);
            if !buffer.push(ino(&entry), file_type, entry.file_name().as_encoded_bytes()) {
                self.left_over = Some(entry);
                return Ok(false);
            }
        }
    }
}

pub(crate) fn stat_path(path: &Path, _wanted: Fields, links: Links) -> io::Result<Meta> {
    let meta = match links {
        Links::Follow => fs::metadata(path)?,
        Links::NoFollow => fs::symlink_metadata(path)?,
    };
    let mut filled = Meta {
        filled: Fields::TYPE | Fields::SIZE,
        file_type: file_type(meta.file_type()),
        size: meta.len(),
        ..Meta::default()
    };
    for (field, slot, time) in [
        (Fields::MTIME, &mut filled.mtime, meta.modified()),
        (Fields::ATIME, &mut filled.atime, meta.accessed()),
        (Fields::BTIME, &mut filled.btime, meta.created()),
    ] {
        if let Ok(time) = time {
            *slot = Timestamp::from(time);
            filled.filled |= field;
        }
    }
    add_unix_fields(&mut filled, &meta);
    Ok(filled)
}

#[cfg(unix)]
fn add_unix_fields(filled: &mut Meta, meta: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    filled.mode = meta.mode();
    filled.nlink = meta.nlink();
    filled.uid = meta.uid();
    filled.gid = meta.gid();
    filled.ino = meta.ino();
    filled.blocks = meta.blocks();
    filled.dev = meta.dev();
    filled.rdev = meta.rdev();
    filled.ctime = Timestamp { secs: meta.ctime(), nanos: meta.ctime_nsec() as u32 };
    filled.filled |= Fields::MODE | Fields::NLINK | Fields::UID | Fields::GID | Fields::INO;
    filled.filled |= Fields::BLOCKS | Fields::DEV | Fields::CTIME;
}

#[cfg(not(unix))]
fn add_unix_fields(_filled: &mut Meta, _meta: &fs::Metadata) {}

#[cfg(unix)]
fn ino(entry: &fs::DirEntry) -> u64 {
    std::os::unix::fs::DirEntryExt::ino(entry)
}

#[cfg(not(unix))]
fn ino(_entry: &fs::DirEntry) -> u64 {
    0
}

/// The type of a file in brisk's own terms. Makes no system call.
#[cfg(unix)]
#[doc(hidden)]
#[must_use]
pub fn file_type(file_type: fs::FileType) -> FileType {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if file_type.is_file() => FileType::File,
        () if file_type.is_dir() => FileType::Directory,
        () if file_type.is_symlink() => FileType::Symlink,
        () if file_type.is_fifo() => FileType::Fifo,
        () if file_type.is_socket() => FileType::Socket,
        () if file_type.is_block_device() => FileType::BlockDevice,
        () if file_type.is_char_device() => FileType::CharDevice,
        () => FileType::Other,
    }
}

/// The type of a file in brisk's own terms. Makes no system call.
#[cfg(not(unix))]
#[doc(hidden)]
#[must_use]
pub fn file_type(file_type: fs::FileType) -> FileType {
    match () {
        () if file_type.is_dir() => FileType::Directory,
        () if file_type.is_symlink() => FileType::Symlink,
        () => FileType::File,
    }
}
