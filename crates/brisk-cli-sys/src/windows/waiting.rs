//! Waiting for several things at once, the interrupt key among them.
//!
//! ```text
//!   the interrupt key ──► `note` (signals.rs) ┐
//!   standard input has ended ─────────────────┴► `end_waits`: one event, which stays signalled
//! ```

use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::null;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::WAIT_FAILED;
use windows_sys::Win32::System::Threading::{
    CreateEventW, INFINITE, SetEvent, WaitForMultipleObjects,
};

use crate::{StreamEnds, input};

/// How long a wait lasts where the system refuses to wait.
const STEP: Duration = Duration::from_millis(20);

/// Ends all waits. `None`: the system had no event left.
static END: LazyLock<Option<OwnedHandle>> = LazyLock::new(|| {
    // SAFETY: without attributes and a name, the call reads nothing.
    let event = unsafe { CreateEventW(null(), 1, 0, null()) };
    // SAFETY: the call succeeded, so that the handle is open, and this value alone owns it.
    (!event.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(event) })
});

/// Ends the wait that goes on, and all later ones.
pub(super) fn end_waits() {
    if let Some(end) = &*END {
        // SAFETY: the handle is open.
        unsafe { SetEvent(end.as_raw_handle()) };
    }
}

/// Waits until one of these is signalled, the interrupt key was pressed, or it is `until`. With
/// `reads`, a thread reads standard input and throws it away, until it ends, which also ends the
/// wait. What becomes of standard output is not seen. One WaitForMultipleObjects.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "where the system refuses to wait")]
pub fn wait(handles: &[BorrowedHandle<'_>], reads: bool, until: Option<Instant>) -> StreamEnds {
    // The thread has to be there before the wait.
    let has_ended = || reads && input::has_ended(end_waits);
    has_ended();
    let end = END.iter().map(AsRawHandle::as_raw_handle);
    let awaited: Vec<_> = handles.iter().map(AsRawHandle::as_raw_handle).chain(end).collect();
    let count = u32::try_from(awaited.len()).unwrap_or(u32::MAX);
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    // Rounded up, so that the wait does not end too early again and again.
    let millis = left.and_then(|left| u32::try_from(left.as_nanos().div_ceil(1_000_000)).ok());
    let millis = millis.unwrap_or(INFINITE);
    // SAFETY: there are `count` handles, and they stay open.
    let why = unsafe { WaitForMultipleObjects(count, awaited.as_ptr(), 0, millis) };
    if why == WAIT_FAILED {
        std::thread::sleep(left.map_or(STEP, |left| left.min(STEP)));
    }
    StreamEnds { output_closed: false, input_ended: has_ended() }
}

/// Returns at once: the write waits.
#[must_use]
pub fn wait_for_output() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_lasts_until_its_time_or_until_something_is_signalled() {
        let until = Instant::now() + STEP * 10;
        assert_eq!(wait(&[], false, Some(until)), StreamEnds::default());
        assert!(Instant::now() >= until);
        // The system signals the end of a process.
        let child = std::process::Command::new("cmd").args(["/c", "exit"]).spawn();
        let mut child = child.expect("it starts");
        let handle = std::os::windows::io::AsHandle::as_handle(&child);
        assert_eq!(wait(&[handle], false, None), StreamEnds::default());
        assert!(child.try_wait().expect("its end").is_some());
        end_waits();
        assert_eq!(wait(&[], false, None), StreamEnds::default());
    }
}
