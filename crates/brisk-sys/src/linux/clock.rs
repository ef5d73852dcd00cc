//! How much of a thread's time was work, and how much was waiting.

use std::time::Duration;

/// What the kernel charged a thread with.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadUsage {
    /// Processor time, user and system.
    pub cpu: Duration,
    /// How often the thread gave the processor up because it had to wait.
    pub voluntary: u64,
    /// How often the processor was taken from it.
    pub involuntary: u64,
}

/// The calling thread's usage so far; `None` where the system does not tell. One getrusage.
#[must_use]
pub fn thread_usage() -> Option<ThreadUsage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for one `rusage`, which the kernel fills.
    let status = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    if status != 0 {
        return None;
    }
    // SAFETY: the value was zeroed, a valid `rusage`, before the kernel filled it.
    let usage = unsafe { usage.assume_init() };
    let time = |time: libc::timeval| {
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
    };
    Some(ThreadUsage {
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        voluntary: u64::try_from(usage.ru_nvcsw).unwrap_or(0),
        involuntary: u64::try_from(usage.ru_nivcsw).unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_voluntary_and_costs_no_processor_time() {
        let before = thread_usage().expect("Linux tells");
        let pair = (std::sync::Mutex::new(()), std::sync::Condvar::new());
        let guard = pair.0.lock().expect("no panic holds it");
        let waited = pair.1.wait_timeout(guard, Duration::from_millis(20));
        drop(waited);
        let after = thread_usage().expect("Linux tells");
        assert!(after.voluntary > before.voluntary);
        assert!(after.cpu - before.cpu < Duration::from_millis(15));
    }
}
