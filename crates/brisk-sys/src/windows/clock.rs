//! Thread times. Windows counts them in ticks of 15.6 ms, which is longer than a sample of the pace: they
//! are not told, and the pace goes by cores alone.

pub use crate::usage::ThreadUsage;

/// A thread's usage: not told.
#[derive(Debug, Default)]
pub struct ThreadClock(());

impl ThreadClock {
    /// Not told.
    #[must_use]
    pub fn quick() -> Option<ThreadUsage> {
        None
    }

    /// Not told.
    #[must_use]
    pub fn read(&mut self) -> Option<ThreadUsage> {
        None
    }
}
