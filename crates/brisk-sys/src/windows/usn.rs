//! Reading a volume's journal of changes. [`nt::usn`](crate::nt::usn) has the structures.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::os::windows::io::{AsHandle, BorrowedHandle};

use windows_sys::Wdk::Storage::FileSystem::{FILE_OPEN_REPARSE_POINT, FileHardLinkInformation};
use windows_sys::Win32::Storage::FileSystem::{FILE_GENERIC_READ, FILE_READ_ATTRIBUTES};

use super::call::{bytes_of, control, open_by_number, open_path, query_information};
use super::volume::device_of;
use crate::Links;
use crate::nt::links;
use crate::nt::usn::{Position, UsnJournal, UsnRecord, deliver};

/// FSCTL_QUERY_USN_JOURNAL and FSCTL_READ_USN_JOURNAL.
const QUERY: u32 = 0x0009_00f4;
const READ: u32 = 0x0009_00bb;

/// Room for the records of one reading, and for the names of a file, in words of eight bytes: 64
/// KiB.
const ROOM: usize = 8192;

/// Opens the volume of a directory, whose journal can then be read. One GetFinalPathNameByHandle and
/// one CreateFile.
///
/// # Errors
/// The errors of the calls: a user who may not manage the volume, a directory on another machine.
pub fn open_volume(dir: BorrowedHandle<'_>) -> io::Result<File> {
    // With fewer rights the system opens the disk, and not the file system on it.
    open_path(&device_of(dir)?, FILE_GENERIC_READ, Links::Follow).map(File::from)
}

/// The journal of a volume. One NtFsControlFile.
///
/// # Errors
/// The errors of the call: a volume without a journal.
pub fn journal_of(volume: &File) -> io::Result<UsnJournal> {
    let mut space = [0; 10];
    let length = control(volume.as_handle(), QUERY, &[], &mut space)?;
    UsnJournal::from_bytes(bytes_of(&space, length)).ok_or(io::ErrorKind::InvalidData.into())
}

/// READ_USN_JOURNAL_DATA_V1: every reason, at once, in records of version 2 or 3.
fn request(journal: u64, from: i64) -> Vec<u8> {
    let mut bytes = from.to_le_bytes().to_vec();
    bytes.extend(u32::MAX.to_le_bytes());
    // Not only when the file is closed; no waiting, neither in time nor for bytes.
    bytes.extend([0; 4 + 8 + 8]);
    bytes.extend(journal.to_le_bytes());
    bytes.extend([2, 0, 3, 0, 0, 0, 0, 0]);
    bytes
}

/// Calls `each` for every change since a position of a volume's journal, in the order of the
/// changes, until `each` breaks. A file appears once for each change. One NtFsControlFile for each
/// 64 KiB of records, and one that finds no more.
///
/// # Errors
/// As [`journal_of`]; the journal no longer holds a change. A record that cannot be read is
/// [`InvalidData`](io::ErrorKind::InvalidData).
pub fn changed_since(
    volume: &File,
    since: &Position,
    mut each: impl FnMut(UsnRecord) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut space = vec![0; ROOM];
    let mut next = Some(since.next);
    while let Some(from) = next {
        let length = control(volume.as_handle(), READ, &request(since.id, from), &mut space)?;
        next = deliver(bytes_of(&space, length), from, &mut each)?;
    }
    Ok(())
}

/// The numbers of the directories that hold a name of the file with this number on a volume, one for
/// each name. NtCreateFile, NtQueryInformationFile, NtClose.
///
/// # Errors
/// The errors of the calls. [`InvalidData`](io::ErrorKind::InvalidData): the file has more names than
/// 64 KiB hold.
pub fn directories_of(volume: &File, file: u64) -> io::Result<Vec<u64>> {
    let volume = volume.as_handle();
    let file = open_by_number(volume, file, FILE_READ_ATTRIBUTES, FILE_OPEN_REPARSE_POINT)?;
    let mut space = vec![0; ROOM];
    let length = query_information(file.as_handle(), FileHardLinkInformation, &mut space)?;
    links::directories(bytes_of(&space, length)).ok_or(io::ErrorKind::InvalidData.into())
}
