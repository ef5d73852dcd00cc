//! [`Sample`]: what one worker has measured since its last report.

use std::time::{Duration, Instant};

use brisk_sys::clock::{ThreadClock, ThreadUsage, is_machine_crowded};

/// The length of a worker's first sample. For less work a second thread costs more than it brings:
/// starting one takes about 0.1 ms.
pub(crate) const FIRST_SAMPLE: Duration = Duration::from_micros(400);

/// The processor time of a worker that is alone on a crowded machine, before there is a second one.
/// The second one would wait for a processor, and the walk cannot end before it does: in a short
/// walk, that wait is most of the time.
const CROWDED: Duration = Duration::from_millis(8);

/// The least work for which a second worker pays off, as far as the first one knows: the pending
/// tasks, at the mean time of those that are done.
const WORTHWHILE: Duration = Duration::from_millis(2);
/// The least tasks of which a mean is taken. Fewer are large, and so may be the pending ones: a part
/// of a large directory, or the rest of it.
const FEW: u32 = 8;
/// For this long the first worker relies on that mean. Later, few pending tasks do not mean that
/// little is left.
const SHORT_WALK: Duration = Duration::from_millis(4);

/// One worker's own measurements.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(super) since: Instant,
    clock: ThreadClock,
    pub(super) usage: Option<ThreadUsage>,
    /// The worker has gone on in another thread at least once.
    moves: bool,
    /// What it had used in other threads, and this thread before the worker came.
    before: ThreadUsage,
    base: ThreadUsage,
    /// What it had used when it left a thread.
    left: Option<ThreadUsage>,
    pub(super) length: Duration,
    pub(super) epoch: u64,
    /// Wall time that is not spent on storage: writing output, being parked.
    pub off_storage: Duration,
    pub(super) requests: u64,
    pub(super) tasks: u32,
}

impl Sample {
    /// A sample that begins now. A thread that has yet to start has used no processor time; the
    /// calling thread may have, so that its clock is read.
    pub fn start(now: Instant, is_calling_thread: bool) -> Sample {
        let used = if is_calling_thread { ThreadClock::quick() } else { None };
        Sample {
            since: now,
            clock: ThreadClock::default(),
            usage: used,
            moves: false,
            before: ThreadUsage::default(),
            base: ThreadUsage::default(),
            left: None,
            length: FIRST_SAMPLE,
            epoch: u64::MAX,
            off_storage: Duration::ZERO,
            requests: 0,
            tasks: 0,
        }
    }

    /// The worker goes on in another thread.
    #[cold]
    pub fn moved(&mut self) {
        self.moves = true;
        self.before = self.left.or(self.usage).unwrap_or_default();
        self.base = ThreadClock::quick().unwrap_or_default();
    }

    /// The worker may go on in another thread. Most never do, and those that do once may do again.
    pub fn leave(&mut self) {
        if self.moves {
            self.left = self.quick();
        }
    }

    /// What the worker has used so far.
    pub(super) fn used(&mut self) -> Option<ThreadUsage> {
        if self.moves { self.quick() } else { self.clock.read() }
    }

    /// As [`used`](Sample::used), without the time in line for a processor. A worker that changes
    /// threads does not count that time, because asking for it opens a file in each thread.
    fn quick(&self) -> Option<ThreadUsage> {
        let now = ThreadClock::quick()?;
        Some(ThreadUsage {
            cpu: self.before.cpu + now.cpu.saturating_sub(self.base.cpu),
            queued: None,
            voluntary: self.before.voluntary + now.voluntary.saturating_sub(self.base.voluntary),
            involuntary: self.before.involuntary
                + now.involuntary.saturating_sub(self.base.involuntary),
        })
    }

    /// Whether the thread has waited for storage since the last report. A thread that is slow
    /// although it never waited stood in line for a processor. True where that is unknown.
    #[cold]
    pub fn has_waited(&self) -> bool {
        let before = self.usage.unwrap_or_default();
        self.quick().is_none_or(|now| now.voluntary > before.voluntary)
    }

    /// Whether another worker would only stand in line: all processors are taken, and this worker
    /// has worked for a short time and has not waited for storage.
    #[cold]
    pub(super) fn has_no_place_for_another(&self) -> bool {
        is_machine_crowded()
            && self.usage.zip(self.quick()).is_some_and(|(before, now)| {
                let worked = now.cpu.saturating_sub(before.cpu);
                now.voluntary == before.voluntary && worked < CROWDED
            })
    }

    /// Whether so many pending tasks are too few for a second worker, early in a walk.
    pub(super) fn has_little_left(&self, pending: usize, now: Instant) -> bool {
        let took = now.duration_since(self.since).saturating_sub(self.off_storage);
        let left = |pending| took / self.tasks * pending < WORTHWHILE;
        self.tasks >= FEW && took < SHORT_WALK && u32::try_from(pending).is_ok_and(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_changes_threads_keeps_what_it_has_used() {
        if ThreadClock::quick().is_none() {
            return;
        }
        fn work(sample: &mut Sample) -> Duration {
            sample.moved();
            let used = |sample: &Sample| sample.quick().expect("the system tells").cpu;
            let before = used(sample);
            while used(sample) - before < Duration::from_millis(2) {}
            sample.leave();
            sample.left.expect("the system tells").cpu
        }
        let mut sample = Sample::start(Instant::now(), true);
        let first = work(&mut sample);
        let second = std::thread::scope(|scope| scope.spawn(|| work(&mut sample)).join());
        let second = second.expect("no panic");
        assert!(second >= first + Duration::from_millis(2), "{first:?} {second:?}");
        let third = work(&mut sample);
        let most = second + Duration::from_millis(20);
        assert!((second + Duration::from_millis(2)..most).contains(&third), "{second:?} {third:?}");
    }
}
