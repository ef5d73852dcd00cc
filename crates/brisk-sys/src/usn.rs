//! What NTFS remembers of its own changes: the calls. [`nt::usn`](crate::nt::usn) has the
//! structures.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use crate::nt::usn::{Position, UsnJournal, UsnRecord};
use crate::{BorrowedHandle, native};

/// Opens the volume of a directory, whose journal can then be read. Windows: one
/// GetFinalPathNameByHandle and one CreateFile.
///
/// # Errors
/// The errors of the calls: a user who may not manage the volume, a directory on another machine.
/// [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn open_volume(dir: BorrowedHandle<'_>) -> io::Result<File> {
    native::usn::open_volume(dir)
}

/// The journal of a volume. Windows: one NtFsControlFile.
///
/// # Errors
/// The errors of the call: a volume without a journal. [`Unsupported`](io::ErrorKind::Unsupported)
/// on other systems.
pub fn journal_of(volume: &File) -> io::Result<UsnJournal> {
    native::usn::journal_of(volume)
}

/// Calls `each` for every change since a position of a volume's journal, in the order of the
/// changes, until `each` breaks. A file appears once for each change. Windows: one NtFsControlFile
/// for each 64 KiB of records, and one that finds no more.
///
/// # Errors
/// As [`journal_of`]; the journal no longer holds a change. A record that cannot be read is
/// [`InvalidData`](io::ErrorKind::InvalidData).
pub fn changed_since(
    volume: &File,
    since: &Position,
    each: impl FnMut(UsnRecord) -> ControlFlow<()>,
) -> io::Result<()> {
    native::usn::changed_since(volume, since, each)
}

/// The numbers of the directories that hold a name of the file with this number on a volume, one for
/// each name. Windows: NtCreateFile, NtQueryInformationFile, NtClose.
///
/// # Errors
/// The errors of the calls. [`InvalidData`](io::ErrorKind::InvalidData): the file has more names than
/// 64 KiB hold. [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn directories_of(volume: &File, file: u64) -> io::Result<Vec<u64>> {
    native::usn::directories_of(volume, file)
}
