//! Thread times: unknown on Windows, which counts them in ticks of 15.6 ms. That is longer than a
//! sample of the engine's pace, which goes by the number of cores instead.

pub use crate::usage::ThreadUsage;

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
