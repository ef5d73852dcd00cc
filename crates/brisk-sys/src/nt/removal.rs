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
pub enum Way {
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
pub enum Next {
    /// The file counts as deleted.
    Done,
    /// Try again in this way.
    Try(Way),
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
pub fn after(refusal: u32, way: Way, waits: u32) -> Next {
    match refusal {
        status::DELETE_PENDING => Next::Done,
        status::SHARING_VIOLATION | status::DIRECTORY_NOT_EMPTY if waits < WAITS => {
            Next::Wait(Duration::from_millis(1 << waits))
        }
        unknown if way == Way::Posix && status::UNSUPPORTED.contains(&unknown) => {
            Next::Try(Way::Classic)
        }
        status::CANNOT_DELETE | status::ACCESS_DENIED if way == Way::Classic => {
            Next::Try(Way::Cleared)
        }
        _ => Next::GiveUp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_answer() {
        let table = [
            (status::DELETE_PENDING, Way::Posix, 0, Next::Done),
            (status::DELETE_PENDING, Way::Classic, 9, Next::Done),
            (status::UNSUPPORTED[0], Way::Posix, 0, Next::Try(Way::Classic)),
            (status::UNSUPPORTED[3], Way::Posix, 3, Next::Try(Way::Classic)),
            (status::UNSUPPORTED[0], Way::Classic, 0, Next::GiveUp),
            (status::CANNOT_DELETE, Way::Posix, 0, Next::GiveUp),
            (status::CANNOT_DELETE, Way::Classic, 0, Next::Try(Way::Cleared)),
            (status::CANNOT_DELETE, Way::Cleared, 0, Next::GiveUp),
            (status::ACCESS_DENIED, Way::Posix, 0, Next::GiveUp),
            (status::SHARING_VIOLATION, Way::Posix, 0, Next::Wait(Duration::from_millis(1))),
            (status::DIRECTORY_NOT_EMPTY, Way::Cleared, 6, Next::Wait(Duration::from_millis(64))),
            (status::DIRECTORY_NOT_EMPTY, Way::Posix, 7, Next::GiveUp),
            (0xc000_0034, Way::Posix, 0, Next::GiveUp),
        ];
        for (refusal, way, waits, next) in table {
            assert_eq!(after(refusal, way, waits), next, "{refusal:#x} {way:?} {waits}");
        }
    }

    #[test]
    fn waiting_ends() {
        let mut waited = Duration::ZERO;
        let mut waits = 0;
        while let Next::Wait(time) = after(status::SHARING_VIOLATION, Way::Posix, waits) {
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
