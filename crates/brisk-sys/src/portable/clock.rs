//! The clock of timestamps. What a thread has used is unknown: Windows counts it in ticks of 15.6 ms,
//! which is longer than a sample of the engine's pace. (QueryThreadCycleTime counts cycles, which
//! Windows's documentation forbids to convert to time, and Wine 8.0 lacks it.)

use std::time::{Duration, SystemTime};

use crate::Timestamp;
pub use crate::usage::ThreadUsage;

/// Whether more threads want to run than there are processors: unknown, so `false`. Makes no system
/// call.
#[must_use]
pub fn is_machine_crowded() -> bool {
    false
}

/// The time of the system's clock, of which file systems make timestamps. One reading of the clock.
#[must_use]
pub fn coarse_now() -> Timestamp {
    SystemTime::now().into()
}

/// The step in which that clock advances: 15.625 ms on Windows, and elsewhere the longest step that
/// kernels make, 10 ms. Makes no system call.
#[must_use]
pub fn coarse_resolution() -> Duration {
    Duration::from_millis(if cfg!(windows) { 16 } else { 10 })
}

/// What a thread has used: unknown.
#[derive(Debug, Default)]
pub struct ThreadClock(());

impl ThreadClock {
    /// Always `None`. Makes no system call.
    #[must_use]
    pub fn quick() -> Option<ThreadUsage> {
        None
    }

    /// Always `None`. Makes no system call.
    #[must_use]
    pub fn read(&mut self) -> Option<ThreadUsage> {
        None
    }
}
