//! [`InFlight`]: what one worker asks for, shown to the watchdog. The watchdog takes the part from
//! a hung worker.
//!
//! ```text
//!            begin             ask about 1                ask about the next
//!   ┌──────┐       ┌─────────┐             ┌────────────┐ ◄─────────────────┐
//!   │ free │ ────► │ nothing │ ──────────► │ asked      │                   │
//!   │      │       │ asked   │             │ about n    │ ── check ┐        │
//!   └──────┘       └─────────┘             └────────────┘          ▼        │
//!     ▲  ▲              │                        │           ┌───────────────┐
//!     │  └──────────────┴─────── end: None ──────┴───────────│ seen at n     │
//!     │        all of the part is the worker's               └───────────────┘
//!     │                                                            │ check, PERIOD later
//!     │                                                            ▼
//!     │                  end: Some(n)                        ┌───────────────┐
//!     └───────────────────────────────────────────────────── │ taken, but n  │
//!        record n is the worker's, the others are tasks      └───────────────┘
//! ```
//!
//! A worker whose part is taken may ask about further records before it notices. It delivers `n`
//! alone, and drops what it knows of the others.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::drive::task::{Chunk, WalkKind};
use crate::sched::lock;

/// The time between two checks by the watchdog, and the least age of a request that hangs. Entries
/// that are ready are delivered within about two of these.
pub(crate) const PERIOD: Duration = Duration::from_millis(10);

/// What one worker has in flight.
pub(crate) struct InFlight<K: WalkKind> {
    /// The number within the part of the record that was asked about last; 0 before the first. The
    /// worker notes it here.
    pub at: AtomicU32,
    /// The number of the record that is left to the worker; 0 unless the watchdog has taken the
    /// part.
    kept: AtomicU32,
    part: Mutex<Option<Watched<K>>>,
}

/// The part that a worker asks about, and what the watchdog saw when it checked.
pub(crate) struct Watched<K: WalkKind> {
    pub chunk: Arc<Chunk<K>>,
    pub range: Range<usize>,
    /// The record that was asked about when the watchdog checked, and when that was.
    seen: Option<(u32, Instant)>,
}

impl<K: WalkKind> Default for InFlight<K> {
    fn default() -> Self {
        InFlight { at: AtomicU32::new(0), kept: AtomicU32::new(0), part: Mutex::new(None) }
    }
}

impl<K: WalkKind> InFlight<K> {
    /// The worker is about to ask about a part.
    pub fn begin(&self, chunk: &Arc<Chunk<K>>, range: Range<usize>) {
        // Reset before the watchdog can see the part, because the number is one of another part.
        self.at.store(0, Ordering::Relaxed);
        *lock(&self.part) = Some(Watched { chunk: Arc::clone(chunk), range, seen: None });
    }

    #[inline]
    pub fn is_taken(&self) -> bool {
        self.kept.load(Ordering::Relaxed) > 0
    }

    /// The worker leaves the records from `end` on to others; `false` if the watchdog has taken the
    /// part.
    pub fn shorten(&self, end: usize) -> bool {
        lock(&self.part).as_mut().map(|part| part.range.end = end).is_some()
    }

    /// The worker's requests were answered. Returns the number of the one record that is left to
    /// the worker, if the watchdog has taken the part.
    pub fn end(&self) -> Option<u32> {
        let part = lock(&self.part).take();
        if part.is_some() { None } else { Some(self.kept.swap(0, Ordering::Relaxed)) }
    }

    /// Takes the part if its worker hangs: the same request has been out since an earlier check.
    /// `account` counts the part as unfinished before the worker can notice, because otherwise the
    /// worker might end the walk first. If it returns `false`, the part stays with its worker.
    pub fn take_hung(
        &self,
        now: Instant,
        account: impl FnOnce(&Watched<K>) -> bool,
    ) -> Option<(Watched<K>, u32)> {
        let mut slot = self.part.try_lock().ok()?;
        let part = slot.as_mut()?;
        let at = self.at.load(Ordering::Relaxed);
        match part.seen {
            _ if at == 0 => return None,
            Some((seen, since)) if seen == at => {
                if now.saturating_duration_since(since) < PERIOD {
                    return None;
                }
            }
            _ => {
                part.seen = Some((at, now));
                return None;
            }
        }
        if !account(part) {
            return None;
        }
        self.kept.store(at, Ordering::Relaxed);
        slot.take().map(|part| (part, at))
    }
}

#[cfg(test)]
mod tests {
    use brisk_sys::{Backend, Buffer, Dir};

    use super::*;
    use crate::drive::task::Reading;
    use crate::emit::Unordered;
    use crate::tree::Node;

    fn chunk() -> Arc<Chunk<Unordered<()>>> {
        let node = Arc::new(Node::above_roots(c"", ()));
        let handle = Arc::new(Dir::current(Backend::Native));
        let reading = Reading::without_permit(node, handle, ());
        Arc::new(Chunk::new(reading, Buffer::with_capacity(64), None))
    }

    /// What happens to a worker's part.
    enum Event {
        Begin,
        Ask(u32),
        /// The watchdog checks at this millisecond, and takes the part or not.
        Check(u64, Option<u32>),
        /// The worker leaves records to others; `false` if the part is taken.
        Shorten(bool),
        End(Option<u32>),
    }

    #[test]
    fn a_part_goes_through_its_states() {
        use Event::{Ask, Begin, Check, End, Shorten};
        let cases: [&[Event]; 7] = [
            // An idle worker does not hang, nor does one that has asked about nothing.
            &[Check(0, None), Check(10, None), Begin, Check(20, None), Check(30, None), End(None)],
            // Answered in time, between two looks or before any.
            &[Begin, Ask(1), End(None), Check(0, None), Check(10, None)],
            &[Begin, Ask(1), Check(0, None), Shorten(true), End(None), Check(10, None)],
            // The next request is another one, whatever its number.
            &[Begin, Ask(1), Check(0, None), Ask(2), Check(10, None), Check(19, None), End(None)],
            &[Begin, Ask(1), Check(0, None), End(None), Begin, Ask(1), Check(10, None), End(None)],
            // It hangs. The worker may have gone on when it notices.
            &[Begin, Ask(3), Check(0, None), Check(9, None), Check(10, Some(3)), Check(20, None)],
            &[
                Begin,
                Ask(3),
                Check(0, None),
                Check(10, Some(3)),
                Ask(4),
                Shorten(false),
                Check(20, None),
                End(Some(3)),
                Begin,
                Ask(3),
                Check(30, None),
                Shorten(true),
                End(None),
            ],
        ];
        let chunk = chunk();
        let start = Instant::now();
        for (case, events) in cases.iter().enumerate() {
            let in_flight = InFlight::default();
            for (number, event) in events.iter().enumerate() {
                let what = format!("case {case}, event {number}");
                match event {
                    Begin => in_flight.begin(&chunk, 0..0),
                    Ask(record) => in_flight.at.store(*record, Ordering::Relaxed),
                    Check(at, taken) => {
                        let now = start + Duration::from_millis(*at);
                        let found = in_flight.take_hung(now, |_| true).map(|(_, record)| record);
                        assert_eq!(found, *taken, "{what}");
                    }
                    Shorten(done) => assert_eq!(in_flight.shorten(0), *done, "{what}"),
                    End(kept) => assert_eq!(in_flight.end(), *kept, "{what}"),
                }
            }
        }
    }

    /// If the answer came before the part was counted, the worker would find nothing left, and end
    /// the walk.
    #[test]
    fn what_is_taken_over_is_accounted_for_before_its_worker_can_notice() {
        let chunk = chunk();
        let in_flight = InFlight::default();
        let now = Instant::now();
        in_flight.begin(&chunk, 0..0);
        in_flight.at.store(3, Ordering::Relaxed);
        let mut accounted = 0;
        for later in [Duration::ZERO, PERIOD, 2 * PERIOD] {
            let taken = in_flight.take_hung(now + later, |_| {
                assert!(!in_flight.is_taken() && in_flight.part.try_lock().is_err());
                accounted += 1;
                true
            });
            assert_eq!(taken.is_some(), later == PERIOD);
        }
        assert_eq!((accounted, in_flight.end()), (1, Some(3)));
    }
}
