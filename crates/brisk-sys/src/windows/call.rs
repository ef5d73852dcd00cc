//! Windows's calls, each behind a safe function. Statuses become errors, and lengths are checked.

use std::ffi::c_void;
use std::fs::OpenOptions;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr::{null, null_mut};

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_OPEN, FILE_OPEN_BY_FILE_ID, FILE_OPEN_FOR_BACKUP_INTENT, FILE_SYNCHRONOUS_IO_NONALERT,
    NtCreateFile, NtFsControlFile, NtQueryDirectoryFile, NtQueryInformationFile,
    NtQueryVolumeInformationFile, NtSetInformationFile,
};
use windows_sys::Win32::Foundation as win;
use windows_sys::Win32::Foundation::{NTSTATUS, OBJ_DONT_REPARSE, UNICODE_STRING};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, GetFileAttributesExW, GetFileExInfoStandard, GetFinalPathNameByHandleW,
    SYNCHRONIZE, VOLUME_NAME_GUID, WIN32_FILE_ATTRIBUTE_DATA,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use crate::Links;

/// How brisk shares what it opens: other programs may read, write and delete it meanwhile.
pub(super) const SHARE: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// A status that means failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status(pub NTSTATUS);

pub(super) use win::{
    STATUS_BUFFER_OVERFLOW, STATUS_DELETE_PENDING, STATUS_FILE_IS_A_DIRECTORY,
    STATUS_INVALID_DEVICE_REQUEST, STATUS_INVALID_INFO_CLASS, STATUS_INVALID_PARAMETER,
    STATUS_NO_MORE_FILES, STATUS_NO_SUCH_FILE, STATUS_NOT_IMPLEMENTED, STATUS_NOT_SUPPORTED,
    STATUS_REPARSE_POINT_ENCOUNTERED,
};

impl Status {
    /// Whether the status means that this system or file system lacks the call, or this form of it.
    pub fn is_unsupported(self) -> bool {
        matches!(
            self.0,
            STATUS_INVALID_INFO_CLASS
                | STATUS_NOT_IMPLEMENTED
                | STATUS_NOT_SUPPORTED
                | STATUS_INVALID_PARAMETER
                | STATUS_INVALID_DEVICE_REQUEST
        )
    }
}

impl From<Status> for io::Error {
    fn from(status: Status) -> io::Error {
        match status.0 {
            // The file is deleted and only waits for its last handle to be closed.
            STATUS_DELETE_PENDING => io::ErrorKind::NotFound.into(),
            STATUS_FILE_IS_A_DIRECTORY => io::ErrorKind::IsADirectory.into(),
            // A link stands in the place of a directory.
            STATUS_REPARSE_POINT_ENCOUNTERED => io::ErrorKind::NotADirectory.into(),
            status => {
                // SAFETY: the function takes a number and returns a number.
                let code = unsafe { win::RtlNtStatusToDosError(status) };
                io::Error::from_raw_os_error(code.cast_signed())
            }
        }
    }
}

fn checked(status: NTSTATUS) -> Result<(), Status> {
    if status >= 0 { Ok(()) } else { Err(Status(status)) }
}

/// Whether a call refuses or follows a name that leads through a reparse point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reparse {
    Follow,
    Refuse,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// Access rights, to which the call adds SYNCHRONIZE.
    pub access: u32,
    /// FILE_DIRECTORY_FILE, FILE_OPEN_REPARSE_POINT and the like.
    pub options: u32,
    pub reparse: Reparse,
}

/// Opens a file by its name relative to a directory. One NtCreateFile.
pub(super) fn open_at(
    dir: BorrowedHandle<'_>,
    name: &[u16],
    opening: Opening,
) -> Result<OwnedHandle, Status> {
    let options = opening.options | FILE_SYNCHRONOUS_IO_NONALERT;
    open_asynchronous(dir, name, Opening { options, ..opening })
}

/// As `open_at`; a call with the handle may return before it is done. One NtCreateFile.
pub(super) fn open_asynchronous(
    dir: BorrowedHandle<'_>,
    name: &[u16],
    opening: Opening,
) -> Result<OwnedHandle, Status> {
    let Ok(length) = u16::try_from(name.len() * 2) else {
        return Err(Status(win::STATUS_OBJECT_NAME_INVALID));
    };
    if length == 0 {
        return Err(Status(win::STATUS_OBJECT_NAME_INVALID));
    }
    // The native calls know no `.`: an empty name opens the directory itself.
    let length = if name == [u16::from(b'.')] { 0 } else { length };
    let object_name =
        UNICODE_STRING { Length: length, MaximumLength: length, Buffer: name.as_ptr().cast_mut() };
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: dir.as_raw_handle(),
        ObjectName: &raw const object_name,
        Attributes: if opening.reparse == Reparse::Refuse { OBJ_DONT_REPARSE } else { 0 },
        SecurityDescriptor: null(),
        SecurityQualityOfService: null(),
    };
    let options = opening.options | FILE_OPEN_FOR_BACKUP_INTENT;
    let access = opening.access | SYNCHRONIZE;
    let mut handle = null_mut();
    let mut block = IO_STATUS_BLOCK::default();
    // SAFETY: `attributes` outlives the call, and so do the name and the borrowed handle that it
    // points to. The call only reads the name. It writes to `handle` and `block`, which are on this
    // stack.
    let status = unsafe {
        NtCreateFile(
            &raw mut handle,
            access,
            &raw const attributes,
            &raw mut block,
            null(),
            0,
            SHARE,
            FILE_OPEN,
            options,
            null(),
            0,
        )
    };
    checked(status)?;
    // SAFETY: the call succeeded, so that the handle is open, and this function alone owns it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// Opens a file by its number on the volume of another one. One NtCreateFile.
pub(super) fn open_by_number(
    on: BorrowedHandle<'_>,
    number: u64,
    access: u32,
    options: u32,
) -> Result<OwnedHandle, Status> {
    // The number stands in the place of a name.
    let bytes = number.to_le_bytes();
    let name: Vec<u16> = bytes.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    let options = options | FILE_OPEN_BY_FILE_ID;
    open_at(on, &name, Opening { access, options, reparse: Reparse::Follow })
}

/// Opens a path in any form that Windows programs accept: relative, drive-relative, UNC, `\\?\`.
/// The path may be longer than MAX_PATH. One CreateFile.
///
/// # Errors
/// Those of the call.
pub fn open_path(path: &Path, access: u32, links: Links) -> io::Result<OwnedHandle> {
    let flags = match links {
        Links::Follow => FILE_FLAG_BACKUP_SEMANTICS,
        Links::NoFollow => FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT,
    };
    let file = OpenOptions::new()
        .access_mode(access | SYNCHRONIZE)
        .share_mode(SHARE)
        .custom_flags(flags)
        .open(path)?;
    Ok(file.into())
}

/// A path in UTF-16 with a zero at its end. Makes no system call.
#[must_use]
pub fn wide_path(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

/// Attributes, times and size of the file that a path leads to. A link is not followed. One
/// NtQueryFullAttributesFile.
///
/// # Errors
/// Those of the call, which also refuses paths that are longer than MAX_PATH.
pub fn attributes_of(path: &Path) -> io::Result<WIN32_FILE_ATTRIBUTE_DATA> {
    let path = wide_path(path);
    let mut data = WIN32_FILE_ATTRIBUTE_DATA::default();
    let place = (&raw mut data).cast::<c_void>();
    // SAFETY: the path ends in a zero, and `place` points to a structure of the type that the call
    // writes.
    if unsafe { GetFileAttributesExW(path.as_ptr(), GetFileExInfoStandard, place) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(data)
}

/// The path of an open file by the GUID of its volume, in UTF-16. One GetFinalPathNameByHandle.
///
/// # Errors
/// Those of the call: a file on another machine has no such path.
pub(super) fn final_path(file: BorrowedHandle<'_>) -> io::Result<Vec<u16>> {
    let mut path = vec![0; LONGEST_PATH as usize];
    // SAFETY: the handle is borrowed, hence open, and `path` has room for as many units as the call
    // is told.
    let length = unsafe {
        GetFinalPathNameByHandleW(
            file.as_raw_handle(),
            path.as_mut_ptr(),
            LONGEST_PATH,
            VOLUME_NAME_GUID,
        )
    };
    match length {
        0 => Err(io::Error::last_os_error()),
        length if length > LONGEST_PATH => Err(io::ErrorKind::InvalidFilename.into()),
        length => {
            path.truncate(length as usize);
            Ok(path)
        }
    }
}

/// The longest path that Windows has, with the zero at its end, in UTF-16 units.
const LONGEST_PATH: u32 = 1 << 15;

/// Reads as many records of a directory as fit, and returns their size in bytes. One
/// NtQueryDirectoryFile.
pub(super) fn query_directory(
    dir: BorrowedHandle<'_>,
    class: i32,
    restart: bool,
    space: &mut [u64],
) -> Result<usize, Status> {
    let dir = dir.as_raw_handle();
    // SAFETY: the handle is borrowed, hence open. It was opened for synchronous calls, so that
    // nothing is written after the call returns. `place` has `room` bytes, aligned as records must
    // be.
    answer(space, |block, place, room| unsafe {
        let null = null_mut();
        NtQueryDirectoryFile(
            dir,
            null,
            None,
            null,
            block,
            place,
            room,
            class,
            false,
            null.cast(),
            restart,
        )
    })
}

/// Makes a call that writes a block and, to a place with this much room, an answer. Returns the
/// length of the answer, in bytes.
fn answer(
    space: &mut [u64],
    call: impl FnOnce(*mut IO_STATUS_BLOCK, *mut c_void, u32) -> NTSTATUS,
) -> Result<usize, Status> {
    let room = size_of_val(space);
    let mut block = IO_STATUS_BLOCK::default();
    let place = space.as_mut_ptr().cast::<c_void>();
    checked(call(&raw mut block, place, u32::try_from(room).unwrap_or(0)))?;
    Ok(block.Information.min(room))
}

/// An answer that was cut for lack of room fills the space.
fn cut_or_whole(answered: Result<usize, Status>, space: &[u64]) -> Result<usize, Status> {
    match answered {
        Err(Status(STATUS_BUFFER_OVERFLOW)) => Ok(size_of_val(space)),
        answered => answered,
    }
}

/// Asks about an open file and returns the length of the answer, in bytes. An answer that was cut
/// for lack of room counts as an answer. One NtQueryInformationFile.
pub(super) fn query_information(
    file: BorrowedHandle<'_>,
    class: i32,
    space: &mut [u64],
) -> Result<usize, Status> {
    let file = file.as_raw_handle();
    // SAFETY: as for `query_directory`.
    let answered = answer(space, |block, place, room| unsafe {
        NtQueryInformationFile(file, block, place, room, class)
    });
    cut_or_whole(answered, space)
}

/// Asks about the volume that holds an open file and returns the length of the answer, in bytes.
/// One NtQueryVolumeInformationFile.
pub(super) fn query_volume(
    file: BorrowedHandle<'_>,
    class: i32,
    space: &mut [u64],
) -> Result<usize, Status> {
    let file = file.as_raw_handle();
    // SAFETY: as for `query_directory`.
    let answered = answer(space, |block, place, room| unsafe {
        NtQueryVolumeInformationFile(file, block, place, room, class)
    });
    cut_or_whole(answered, space)
}

/// Changes a property of an open file. One NtSetInformationFile.
pub(super) fn set_information(
    file: BorrowedHandle<'_>,
    class: i32,
    value: &[u8],
) -> Result<(), Status> {
    let mut block = IO_STATUS_BLOCK::default();
    // SAFETY: the handle is borrowed, hence open. The call only reads `value`, and no further than
    // its length. (The structures that are passed here need an alignment of at most four bytes, and
    // the kernel copies them before it uses them.)
    let status = unsafe {
        NtSetInformationFile(
            file.as_raw_handle(),
            &raw mut block,
            value.as_ptr().cast::<c_void>(),
            u32::try_from(value.len()).unwrap_or(0),
            class,
        )
    };
    checked(status)
}

/// Sends a control code and its input to the file system of an open file and returns the length of
/// the answer, in bytes. One NtFsControlFile.
pub(super) fn control(
    file: BorrowedHandle<'_>,
    code: u32,
    input: &[u8],
    space: &mut [u64],
) -> Result<usize, Status> {
    let file = file.as_raw_handle();
    let length = u32::try_from(input.len()).unwrap_or(0);
    let input = input.as_ptr().cast::<c_void>();
    // SAFETY: as for `query_directory`. The call only reads `input`, and no further than its length.
    answer(space, |block, place, room| unsafe {
        let null = null_mut();
        NtFsControlFile(file, null, None, null.cast(), block, code, input, length, place, room)
    })
}

/// The first `length` bytes of words that the system wrote. Makes no system call.
#[must_use]
pub fn bytes_of(words: &[u64], length: usize) -> &[u8] {
    let length = length.min(size_of_val(words));
    // SAFETY: initialised words are initialised bytes, and `length` is at most their size.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), length) }
}
