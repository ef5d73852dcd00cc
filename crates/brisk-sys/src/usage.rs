//! What a thread has used, in the same words on every system.

use std::time::Duration;

/// What the kernel charged a thread with, since it started.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadUsage {
    /// Processor time, user and system.
    pub cpu: Duration,
    /// Time spent ready to run while others had the processor; `None` if the kernel does not tell.
    pub queued: Option<Duration>,
    /// How often the thread gave the processor up because it had to wait.
    pub voluntary: u64,
    /// How often the processor was taken from it.
    pub involuntary: u64,
}
