//! What a thread has used of the processor, in one type for every system.

use std::time::Duration;

/// What a thread has used since it started. Reading a field makes no system call.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadUsage {
    /// Processor time in user and system mode.
    pub cpu: Duration,
    /// Time that the thread was ready to run but waited for a processor; `None` if unknown.
    pub queued: Option<Duration>,
    /// How many times the thread gave up the processor because it had to wait.
    pub voluntary: u64,
    /// How many times the kernel took the processor from the thread.
    pub involuntary: u64,
}
