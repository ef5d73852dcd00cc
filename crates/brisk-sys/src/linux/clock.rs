//! How much of a thread's time was work, and how much was waiting; the clock of timestamps.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use crate::Timestamp;
pub use crate::usage::ThreadUsage;

/// Reads what the calling thread has used, as often as that thread wants.
#[derive(Debug, Default)]
pub struct ThreadClock {
    /// `/proc/thread-self/schedstat`, which the first [`read`](ThreadClock::read) opens.
    schedstat: Option<File>,
}

impl ThreadClock {
    /// What the calling thread has used so far. The caller must be the same thread at every call.
    /// One clock_gettime, one getrusage and one pread; the first call makes one openat more.
    #[must_use]
    pub fn read(&mut self) -> Option<ThreadUsage> {
        Some(ThreadUsage { queued: self.queued(), ..Self::quick()? })
    }

    /// As [`read`](ThreadClock::read), without the time that the thread was queued. One
    /// clock_gettime, one getrusage.
    #[must_use]
    pub fn quick() -> Option<ThreadUsage> {
        let (voluntary, involuntary) = switches()?;
        Some(ThreadUsage { cpu: cpu_time()?, queued: None, voluntary, involuntary })
    }

    fn queued(&mut self) -> Option<Duration> {
        if self.schedstat.is_none() {
            self.schedstat = File::open("/proc/thread-self/schedstat").ok();
        }
        let mut text = [0; 64];
        let length = self.schedstat.as_ref()?.read_at(&mut text, 0).ok()?;
        parse_queued(&text[..length])
    }
}

/// Whether more threads of the machine want to run than it has processors. One open, one read and
/// one close of `/proc/loadavg`, and what sysconf asks.
#[must_use]
pub fn is_machine_crowded() -> bool {
    let mut text = [0; 64];
    let length = File::open("/proc/loadavg").and_then(|file| file.read_at(&mut text, 0));
    // SAFETY: the call takes a number and returns one.
    let processors = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    let running = length.ok().and_then(|length| parse_running(&text[..length]));
    running.is_some_and(|running| running > processors)
}

/// The clock that local file systems make timestamps of. No file that changes after this call gets
/// an earlier timestamp, unless the clock is set back. One clock_gettime, which makes no system
/// call.
#[must_use]
pub fn coarse_now() -> Timestamp {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    Timestamp { secs: time.tv_sec, nanos: u32::try_from(time.tv_nsec).unwrap_or(0) }
}

/// The step in which [`coarse_now`] advances: 1 to 10 ms. One clock_getres.
#[must_use]
pub fn coarse_resolution() -> Duration {
    let step = rustix::time::clock_getres(rustix::time::ClockId::RealtimeCoarse);
    Duration::from_nanos(u64::try_from(step.tv_nsec).unwrap_or(LONGEST_STEP))
}

/// In nanoseconds: the kernel's tick is at least 100 times a second.
const LONGEST_STEP: u64 = 10_000_000;

/// Processor time of the calling thread. getrusage would return the time at the last tick, which is
/// up to 10 ms ago.
fn cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec).ok()?);
    Some(seconds + Duration::from_nanos(u64::try_from(time.tv_nsec).ok()?))
}

/// How many times the calling thread gave up the processor, and how many times the kernel took the
/// processor from it.
fn switches() -> Option<(u64, u64)> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for one `rusage`, which the kernel fills.
    let status = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    if status != 0 {
        return None;
    }
    // SAFETY: the value was zeroed, a valid `rusage`, before the kernel filled it.
    let usage = unsafe { usage.assume_init() };
    Some((u64::try_from(usage.ru_nvcsw).ok()?, u64::try_from(usage.ru_nivcsw).ok()?))
}

/// The second of the three numbers in schedstat: nanoseconds on a run queue.
fn parse_queued(text: &[u8]) -> Option<Duration> {
    let number = std::str::from_utf8(text).ok()?.split_ascii_whitespace().nth(1)?;
    Some(Duration::from_nanos(number.parse().ok()?))
}

/// The number before the slash in loadavg: threads that run or stand in line for a processor.
fn parse_running(text: &[u8]) -> Option<libc::c_long> {
    let (before, _) = std::str::from_utf8(text).ok()?.split_once('/')?;
    before.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_voluntary_and_costs_no_processor_time() {
        let mut clock = ThreadClock::default();
        let before = clock.read().expect("Linux tells");
        let switched = switches().expect("Linux tells");
        let pair = (std::sync::Mutex::new(()), std::sync::Condvar::new());
        let guard = pair.0.lock().expect("no panic holds it");
        let waited = pair.1.wait_timeout(guard, Duration::from_millis(20));
        drop(waited);
        let after = clock.read().expect("Linux tells");
        assert!(switches().expect("Linux tells").0 > switched.0);
        assert!(after.cpu - before.cpu < Duration::from_millis(15));
    }

    #[test]
    fn work_is_charged_at_once_not_at_the_next_tick() {
        let mut clock = ThreadClock::default();
        for _ in 0..20 {
            let before = clock.read().expect("Linux tells");
            let mut sum = 0_u64;
            for number in 0..100_000 {
                sum = std::hint::black_box(sum.wrapping_add(number));
            }
            assert!(clock.read().expect("Linux tells").cpu > before.cpu, "{sum}");
        }
    }

    #[test]
    fn schedstat_is_three_numbers() {
        assert_eq!(parse_queued(b"1 2000 3\n"), Some(Duration::from_micros(2)));
        assert_eq!(parse_queued(b""), None);
        assert_eq!(parse_queued(b"x y z"), None);
    }

    #[test]
    fn the_fourth_number_of_loadavg_counts_running_threads() {
        assert_eq!(parse_running(b"0.50 1.20 1.10 3/512 4711\n"), Some(3));
        assert_eq!(parse_running(b"0.50 1.20"), None);
        assert_eq!(parse_running(b"0.50 x/512"), None);
    }
}
