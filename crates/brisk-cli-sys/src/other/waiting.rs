//! Waiting for several things at once, by looking at them again and again.

use std::time::{Duration, Instant};

use brisk_sys::BorrowedHandle;

use crate::{StreamEnds, input};

/// How long a wait lasts at most, so that callers look at what cannot be waited for.
const LONGEST: Duration = Duration::from_millis(20);

/// Waits a little, at most until `until`. With `reads`, a thread reads standard input and throws it
/// away, until it ends. What becomes of standard output is not seen.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the fallback has nothing else to wait for")]
pub fn wait(_handles: &[BorrowedHandle<'_>], reads: bool, until: Option<Instant>) -> StreamEnds {
    let has_ended = || reads && input::has_ended(|| {});
    has_ended();
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    std::thread::sleep(left.map_or(LONGEST, |left| left.min(LONGEST)));
    StreamEnds { output_closed: false, input_ended: has_ended() }
}

/// Returns at once: the write waits.
#[must_use]
pub fn wait_for_output() -> bool {
    true
}

/// Nothing can be waited for on this system.
#[cfg(unix)]
pub(crate) fn end_of(_process: rustix::process::Pid) -> Option<std::os::fd::OwnedFd> {
    None
}

/// The first process of the system does this.
#[cfg(unix)]
pub(crate) fn adopt_orphans() {}
