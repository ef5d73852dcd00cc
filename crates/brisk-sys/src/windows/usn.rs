//! Reading a volume's journal of changes.

use std::io;
use std::ops::ControlFlow;
use std::os::windows::io::BorrowedHandle;

use super::call::{bytes_of, control};
use crate::nt::usn::{Change, Changes, Journal};

/// FSCTL_QUERY_USN_JOURNAL and FSCTL_READ_USN_JOURNAL.
const QUERY: u32 = 0x0009_00f4;
const READ: u32 = 0x0009_00bb;

/// Room for the records of one reading, in words of eight bytes: 64 KiB.
const ROOM: usize = 8192;

pub(crate) fn journal_of(volume: BorrowedHandle<'_>) -> io::Result<Journal> {
    let mut space = [0; 10];
    let length = control(volume, QUERY, &[], &mut space)?;
    Journal::from_bytes(bytes_of(&space, length)).ok_or(io::ErrorKind::InvalidData.into())
}

/// READ_USN_JOURNAL_DATA_V1: every reason, at once, in records of version 2 or 3.
fn request(journal: &Journal, from: i64) -> Vec<u8> {
    let mut bytes = from.to_le_bytes().to_vec();
    bytes.extend(u32::MAX.to_le_bytes());
    // Not only when the file is closed; no waiting, neither in time nor for bytes.
    bytes.extend([0; 4 + 8 + 8]);
    bytes.extend(journal.id.to_le_bytes());
    bytes.extend([2, 0, 3, 0, 0, 0, 0, 0]);
    bytes
}

pub(crate) fn changed_since(
    volume: BorrowedHandle<'_>,
    earlier: &Journal,
    mut each: impl FnMut(Change) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut space = vec![0; ROOM];
    let mut from = earlier.next;
    loop {
        let length = control(volume, READ, &request(earlier, from), &mut space)?;
        let changes = Changes::new(bytes_of(&space, length));
        let Some(mut changes) = changes else { return Err(io::ErrorKind::InvalidData.into()) };
        if changes.by_ref().any(|change| each(change).is_break()) {
            return Ok(());
        }
        match changes.next_usn() {
            _ if changes.is_malformed() => return Err(io::ErrorKind::InvalidData.into()),
            // Nothing has been added since.
            next if next <= from => return Ok(()),
            next => from = next,
        }
    }
}
