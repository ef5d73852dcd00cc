//! Thread times: unknown on Windows, which counts them in ticks of 15.6 ms. That is longer than a
//! sample of the engine's pace, which goes by the time of requests instead. (QueryThreadCycleTime
//! counts cycles, which Windows's documentation forbids to convert to time, and Wine 8.0 lacks it.)

use std::time::{Duration, SystemTime};

use crate::Timestamp;
pub use crate::usage::ThreadUsage;

/// The time of the system's clock, of which file systems make timestamps. One reading of the clock.
#[must_use]
pub fn coarse_now() -> Timestamp {
    SystemTime::now().into()
}

/// The step in which that clock advances: the clock advances every 15.625 ms. Makes no system call.
#[must_use]
pub fn coarse_resolution() -> Duration {
    Duration::from_millis(16)
}

/// Whether more threads want to run than there are processors: unknown on Windows, so `false`. Makes
/// no system call.
#[must_use]
pub fn is_machine_crowded() -> bool {
    false
}

/// What a thread has used: unknown on Windows.
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
