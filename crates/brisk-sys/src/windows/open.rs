//! `Dir` on Windows: opening directories, and reading small files, relative to a handle.
//!
//! With OBJ_DONT_REPARSE the system refuses a link or junction in any component of a relative name:
//! the object manager sees each reparse that a file system asks for. A file that a driver completes
//! by itself (cloud files, deduplication) asks for none, and opens as an ordinary file. Systems
//! without the flag open the reparse point itself; its tag then shows whether it is a link.

use std::ffi::{CStr, CString};
use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE, FILE_OPEN_REPARSE_POINT,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_GENERIC_READ, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES, FILE_TRAVERSE,
};

use super::call::{Opening, Reparse, STATUS_INVALID_PARAMETER, Status, open_at, open_path};
use super::enumerate::Reading;
use super::owner;
use super::paths::bytes_to_path;
use super::stat;
use crate::nt::{reparse, wtf8};
use crate::{Attributes, Buffer, Fields, FileType, Fill, Freshness, Links, Meta, Xattr};

/// An open directory. [`crate::Dir`] names the system calls of its methods.
#[derive(Debug)]
pub struct Dir {
    /// `None` is the current directory.
    handle: Option<OwnedHandle>,
    volume: Arc<Volume>,
    reading: Mutex<Reading>,
}

/// The serial number of a volume. A directory shares it with everything below it that is not
/// reached through a link. The system is asked when a caller first wants the number, because the
/// answer may take as long as opening the directory.
type Volume = OnceLock<Option<u64>>;

/// The access rights with which a directory is opened.
const DIRECTORY: u32 = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES;

/// Whether the system has refused OBJ_DONT_REPARSE once.
static NO_DONT_REPARSE: AtomicBool = AtomicBool::new(false);

pub(crate) fn duplicate(handle: BorrowedHandle<'_>) -> io::Result<Dir> {
    Ok(Dir::new(handle.try_clone_to_owned()?, Arc::default()))
}

/// The system goes on behind the last name that it returned.
pub(crate) fn marks_end(_: &Dir) -> bool {
    true
}

pub(crate) fn handle_of(dir: &Dir) -> Option<BorrowedHandle<'_>> {
    dir.handle.as_ref().map(AsHandle::as_handle)
}

pub(crate) use handle_of as base_of;

impl Dir {
    pub(crate) fn current() -> Dir {
        Dir { handle: None, volume: Arc::default(), reading: Mutex::default() }
    }

    fn new(handle: OwnedHandle, volume: Arc<Volume>) -> Dir {
        Dir { handle: Some(handle), volume, reading: Mutex::default() }
    }

    /// A directory on the volume of this one.
    pub(super) fn like(&self, handle: OwnedHandle) -> Dir {
        Dir::new(handle, Arc::clone(&self.volume))
    }

    /// The handle.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported): the current directory has no handle.
    pub(super) fn handle(&self) -> io::Result<BorrowedHandle<'_>> {
        match &self.handle {
            Some(handle) => Ok(handle.as_handle()),
            None => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    pub(crate) fn open(path: &Path, links: Links) -> io::Result<Dir> {
        let handle = open_path(path, DIRECTORY, links)?;
        if stat::type_of(handle.as_handle())? != FileType::Directory {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Dir::new(handle, Arc::default()))
    }

    pub(crate) fn open_child(&self, name: &CStr, links: Links) -> io::Result<Dir> {
        if self.handle.is_none() {
            return Dir::open(bytes_to_path(name.to_bytes()), links);
        }
        self.open_relative(&wide(name.to_bytes())?, links)
    }

    fn open_relative(&self, name: &[u16], links: Links) -> io::Result<Dir> {
        let handle = self.handle()?;
        if links == Links::Follow {
            let opening = Opening {
                access: DIRECTORY,
                options: FILE_DIRECTORY_FILE,
                reparse: Reparse::Follow,
            };
            let opened = open_at(handle, name, opening)?;
            return Ok(Dir::new(opened, Arc::default()));
        }
        let opened = open_no_link(handle, name, DIRECTORY, FILE_DIRECTORY_FILE)?;
        Ok(self.like(opened))
    }

    pub(crate) fn open_beneath(
        &self,
        relative: &CStr,
        links: Links,
        _one_mount: bool,
    ) -> io::Result<Dir> {
        if self.handle.is_none() {
            return self.open_child(relative, links);
        }
        let name = wide(relative.to_bytes())?;
        if links == Links::Follow || !NO_DONT_REPARSE.load(Ordering::Relaxed) {
            return self.open_relative(&name, links);
        }
        self.open_by_component(&name)
    }

    /// Opens one component after the other, and refuses links: what OBJ_DONT_REPARSE does in one
    /// call.
    fn open_by_component(&self, relative: &[u16]) -> io::Result<Dir> {
        let mut current: Option<Dir> = None;
        let components = relative.split(|unit| *unit == BACKSLASH);
        for component in components.filter(|part| !part.is_empty()) {
            let parent = current.as_ref().unwrap_or(self);
            current = Some(parent.open_relative(component, Links::NoFollow)?);
        }
        current.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    pub(crate) fn fill(&self, buffer: &mut Buffer) -> Fill {
        match self.handle() {
            Ok(handle) => super::enumerate::fill(handle, &self.reading, buffer),
            Err(error) => Fill { calls: 0, at_end: Err(error) },
        }
    }

    pub(crate) fn stat(
        &self,
        name: &CStr,
        wanted: Fields,
        links: Links,
        _freshness: Freshness,
    ) -> io::Result<Meta> {
        if self.handle.is_none() {
            return stat::stat_path(bytes_to_path(name.to_bytes()), wanted, links);
        }
        let file = self.open_for(name, FILE_READ_ATTRIBUTES, links)?;
        let dev = if links == Links::NoFollow { self.dev_if(wanted) } else { None };
        stat::stat_handle(file.as_handle(), wanted, dev)
    }

    /// The device of all entries. No entry is on another volume than the directory, because only
    /// links lead to other volumes. One NtQueryVolumeInformationFile for all directories below a
    /// root.
    pub(crate) fn dev_of_entries(&self) -> Option<u64> {
        *self.volume.get_or_init(|| stat::volume(self.handle().ok()?).ok())
    }

    fn dev_if(&self, wanted: Fields) -> Option<u64> {
        if wanted.contains(Fields::DEV) { self.dev_of_entries() } else { None }
    }

    pub(crate) fn stat_self(&self, wanted: Fields) -> io::Result<Meta> {
        match &self.handle {
            Some(handle) => stat::stat_handle(handle.as_handle(), wanted, self.dev_if(wanted)),
            None => stat::stat_path(".".as_ref(), wanted, Links::Follow),
        }
    }

    /// Opens a child of any type. With `NoFollow`, a reparse point is opened itself.
    pub(super) fn open_for(
        &self,
        name: &CStr,
        access: u32,
        links: Links,
    ) -> io::Result<OwnedHandle> {
        let Some(dir) = &self.handle else {
            return open_path(bytes_to_path(name.to_bytes()), access, links);
        };
        let options = if links == Links::NoFollow { FILE_OPEN_REPARSE_POINT } else { 0 };
        let opening = Opening { access, options, reparse: Reparse::Follow };
        Ok(open_at(dir.as_handle(), &wide(name.to_bytes())?, opening)?)
    }

    pub(crate) fn read_link(&self, name: &CStr) -> io::Result<CString> {
        let file = self.open_for(name, FILE_READ_ATTRIBUTES, Links::NoFollow)?;
        let mut space = [0; LONGEST_REPARSE / 8];
        let length =
            super::call::control(file.as_handle(), FSCTL_GET_REPARSE_POINT, &[], &mut space)?;
        let target = reparse::target(super::call::bytes_of(&space, length));
        Ok(CString::new(target.ok_or(io::ErrorKind::InvalidData)?)?)
    }

    pub(crate) fn attributes(&self, _: &CStr, _: Links) -> io::Result<Xattr<Attributes>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn has_capability(&self, _: &CStr, _: Links) -> io::Result<Xattr<bool>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The owner's name: the part of a security descriptor that users look for first.
    pub(crate) fn context(
        &self,
        name: &CStr,
        links: Links,
    ) -> io::Result<Xattr<Option<Box<[u8]>>>> {
        let file = self.open_for(name, owner::READ_CONTROL, links)?;
        owner::of(file.as_handle()).map(Xattr::Known)
    }

    pub(crate) fn open_file(&self, name: &CStr) -> io::Result<std::fs::File> {
        let name = wide(name.to_bytes())?;
        let file = open_no_link(self.handle()?, &name, FILE_GENERIC_READ, FILE_NON_DIRECTORY_FILE)?;
        Ok(file.into())
    }
}

/// The control code that reads a reparse point.
const FSCTL_GET_REPARSE_POINT: u32 = 0x0009_00a8;
/// The size, in bytes, of the largest reparse point that Windows permits.
const LONGEST_REPARSE: usize = 16 << 10;

/// Opens a child that neither is a link nor is reached through a link.
pub(super) fn open_no_link(
    dir: BorrowedHandle<'_>,
    name: &[u16],
    access: u32,
    options: u32,
) -> io::Result<OwnedHandle> {
    if !NO_DONT_REPARSE.load(Ordering::Relaxed) {
        let opening = Opening { access, options, reparse: Reparse::Refuse };
        match open_at(dir, name, opening) {
            // The system refuses the flag, or a name that no file can have. Opening without the
            // flag shows which.
            Err(Status(STATUS_INVALID_PARAMETER)) => {}
            opened => return Ok(opened?),
        }
    }
    let options = options | FILE_OPEN_REPARSE_POINT;
    let opening =
        Opening { access: access | FILE_READ_ATTRIBUTES, options, reparse: Reparse::Follow };
    let opened = open_at(dir, name, opening)?;
    NO_DONT_REPARSE.store(true, Ordering::Relaxed);
    if stat::type_of(opened.as_handle())? == FileType::Symlink {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(opened)
}

/// A name in UTF-16, or a path of names, in which `/` becomes `\`. (No name contains a `/`.)
pub(super) fn wide(name: &[u8]) -> io::Result<Vec<u16>> {
    let mut units = wtf8::to_utf16(name).ok_or(io::ErrorKind::InvalidFilename)?;
    units.iter_mut().filter(|unit| **unit == SLASH).for_each(|unit| *unit = BACKSLASH);
    Ok(units)
}

const SLASH: u16 = b'/' as u16;
const BACKSLASH: u16 = b'\\' as u16;
