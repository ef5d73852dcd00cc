//! What to do when Windows refuses to delete a file. The status alone decides, so that tests need
//! no Windows.
//!
//! ```text
//!   POSIX disposition ──unsupported─► classic disposition ──read-only─► clear the attribute, again
//!        │ in use, not empty: wait 1, 2, 4 … 64 ms and try again, then give up
//!        └ marked as deleted already: done
//! ```

use std::time::Duration;

/// The statuses that decide, as Windows numbers them.
pub mod status {
    /// Another program has the file open and does not share it.
    pub const SHARING_VIOLATION: u32 = 0xc000_0043;
    /// The file was deleted, but another program still has it open.
    pub const DELETE_PENDING: u32 = 0xc000_0056;
    /// The directory has entries, perhaps deleted ones that are still open.
    pub const DIRECTORY_NOT_EMPTY: u32 = 0xc000_0101;
    /// The file is read-only, or is a program that is running.
    pub const CANNOT_DELETE: u32 = 0xc000_0121;
    /// This user has no right to delete the file.
    pub const ACCESS_DENIED: u32 = 0xc000_0022;
    /// The file system does not support this way of deleting.
    pub const UNSUPPORTED: [u32; 5] =
        [0xc000_0003, 0xc000_0002, 0xc000_00bb, 0xc000_000d, 0xc000_0010];
}

/// How a file is marked as deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// FileDispositionInformationEx: the name disappears at once, also that of a read-only file.
    Posix,
    /// FileDispositionInformation: the name disappears when the last handle is closed. Read-only
    /// files are refused.
    Classic,
    /// As `Classic`, after the read-only attribute was cleared.
    Cleared,
}

/// What follows a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The file counts as deleted.
    Done,
    /// Try again in this way.
    Try(Mark),
    /// Wait this long, and try again in the same way.
    Wait(Duration),
    /// Report the refusal to the caller.
    GiveUp,
}

/// The flags of FileDispositionInformationEx: delete, with POSIX semantics, and ignore the
/// read-only attribute.
pub const POSIX_FLAGS: u32 = 0x1 | 0x2 | 0x10;
/// The number of waits before giving up. Seven waits take 127 ms in all: a virus scanner or an
/// indexer that has not closed the file by then will not do so soon.
const WAITS: u32 = 7;

/// What to do about this status after `waits` waits. Makes no system call.
#[must_use]
pub fn after(refusal: u32, way: Mark, waits: u32) -> Then {
    match refusal {
        status::DELETE_PENDING => Then::Done,
        status::SHARING_VIOLATION | status::DIRECTORY_NOT_EMPTY if waits < WAITS => {
            Then::Wait(Duration::from_millis(1 << waits))
        }
        unknown if way == Mark::Posix && status::UNSUPPORTED.contains(&unknown) => {
            Then::Try(Mark::Classic)
        }
        status::CANNOT_DELETE | status::ACCESS_DENIED if way == Mark::Classic => {
            Then::Try(Mark::Cleared)
        }
        _ => Then::GiveUp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_answer() {
        let table = [
            (status::DELETE_PENDING, Mark::Posix, 0, Then::Done),
            (status::DELETE_PENDING, Mark::Classic, 9, Then::Done),
            (status::UNSUPPORTED[0], Mark::Posix, 0, Then::Try(Mark::Classic)),
            (status::UNSUPPORTED[3], Mark::Posix, 3, Then::Try(Mark::Classic)),
            (status::UNSUPPORTED[0], Mark::Classic, 0, Then::GiveUp),
            (status::CANNOT_DELETE, Mark::Posix, 0, Then::GiveUp),
            (status::CANNOT_DELETE, Mark::Classic, 0, Then::Try(Mark::Cleared)),
            (status::CANNOT_DELETE, Mark::Cleared, 0, Then::GiveUp),
            (status::ACCESS_DENIED, Mark::Posix, 0, Then::GiveUp),
            (status::SHARING_VIOLATION, Mark::Posix, 0, Then::Wait(Duration::from_millis(1))),
            (status::DIRECTORY_NOT_EMPTY, Mark::Cleared, 6, Then::Wait(Duration::from_millis(64))),
            (status::DIRECTORY_NOT_EMPTY, Mark::Posix, 7, Then::GiveUp),
            (0xc000_0034, Mark::Posix, 0, Then::GiveUp),
        ];
        for (refusal, way, waits, next) in table {
            assert_eq!(after(refusal, way, waits), next, "{refusal:#x} {way:?} {waits}");
        }
    }

    #[test]
    fn waiting_ends() {
        let mut waited = Duration::ZERO;
        let mut waits = 0;
        while let Then::Wait(time) = after(status::SHARING_VIOLATION, Mark::Posix, waits) {
            waited += time;
            waits += 1;
        }
        assert_eq!((waits, waited), (7, Duration::from_millis(127)));
    }

    #[test]
    fn the_flags_are_those_of_the_documentation() {
        assert_eq!(POSIX_FLAGS, 0x13);
    }
}
