//! What NTFS and ReFS remember of their own changes: the calls. [`nt::usn`](crate::nt::usn) has the
//! structures.

use std::io;
use std::ops::ControlFlow;

use crate::nt::usn::{Change, Journal};
use crate::{BorrowedHandle, native};

/// The journal of a volume, which the caller has opened (`\\.\C:`). Windows: one NtFsControlFile.
///
/// # Errors
/// The errors of the call: a volume without a journal, or a user who may not manage the volume.
/// [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn journal_of(volume: BorrowedHandle<'_>) -> io::Result<Journal> {
    native::usn::journal_of(volume)
}

/// Hands on each change since an earlier time of a volume's journal, in the order of the changes,
/// until `each` breaks. A file appears once for each change. Windows: one NtFsControlFile for each
/// 64 KiB of records, and one that finds no more.
///
/// # Errors
/// As [`journal_of`]. A record that cannot be read is [`InvalidData`](io::ErrorKind::InvalidData).
pub fn changed_since(
    volume: BorrowedHandle<'_>,
    earlier: &Journal,
    each: impl FnMut(Change) -> ControlFlow<()>,
) -> io::Result<()> {
    native::usn::changed_since(volume, earlier, each)
}
