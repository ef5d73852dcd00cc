//! [`Post`]: what one worker asks for, shown to the guard. The guard takes the part from a hung
//! worker's post.
//!
//! ```text
//!            begin             ask about 1                ask about the next
//!   ┌──────┐       ┌─────────┐             ┌────────────┐ ◄─────────────────┐
//!   │ free │ ────► │ nothing │ ──────────► │ asked      │                   │
//!   │      │       │ asked   │             │ about n    │ ── look ─┐        │
//!   └──────┘       └─────────┘             └────────────┘          ▼        │
//!     ▲  ▲              │                        │           ┌───────────────┐
//!     │  └──────────────┴─────── end: None ──────┴───────────│ seen at n     │
//!     │        all of the part is the worker's               └───────────────┘
//!     │                                                            │ look, LOOK later
//!     │                                                            ▼
//!     │                  end: Some(n)                        ┌───────────────┐
//!     └───────────────────────────────────────────────────── │ taken, but n  │
//!        record n is the worker's, the others are tasks      └───────────────┘
//! ```
//!
//! A worker whose part is taken may ask about further records before it notices. It hands on `n`
//! alone, and drops what it knows of the others.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::sched::lock;
use crate::task::{Chunk, Kind};

/// The time between two looks of the guard, and the least age of a request that hangs. Entries that
/// are ready are handed on within about two of these.
pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// A worker's post.
pub(crate) struct Post<K: Kind> {
    /// The number within the part of the record that was asked about last; 0 before the first.
    at: AtomicU32,
    /// The guard has taken the part; one record is left to the worker.
    is_taken: AtomicBool,
    /// The number of the record that is left.
    kept: AtomicU32,
    part: Mutex<Option<Posted<K>>>,
}

/// The part that a worker asks about, and what the guard saw when it looked.
pub(crate) struct Posted<K: Kind> {
    pub chunk: Arc<Chunk<K>>,
    pub range: Range<usize>,
    /// The record that was asked about when the guard looked, and when that was.
    seen: Option<(u32, Instant)>,
}

impl<K: Kind> Default for Post<K> {
    fn default() -> Self {
        Post {
            at: AtomicU32::new(0),
            is_taken: AtomicBool::new(false),
            kept: AtomicU32::new(0),
            part: Mutex::new(None),
        }
    }
}

impl<K: Kind> Post<K> {
    /// The worker is about to ask about a part.
    pub fn begin(&self, chunk: &Arc<Chunk<K>>, range: Range<usize>) {
        // Reset before the guard can see the part, because the number is one of another part.
        self.at.store(0, Ordering::Relaxed);
        *lock(&self.part) = Some(Posted { chunk: Arc::clone(chunk), range, seen: None });
    }

    /// Where the worker notes the number of the record that it asks about.
    pub fn at(&self) -> &AtomicU32 {
        &self.at
    }

    #[inline]
    pub fn is_taken(&self) -> bool {
        self.is_taken.load(Ordering::Relaxed)
    }

    /// The worker leaves the records from `end` on to others; `false` if the guard has taken the
    /// part.
    pub fn shorten(&self, end: usize) -> bool {
        let mut part = lock(&self.part);
        let range = part.as_mut().map(|part| part.range.end = end);
        range.is_some()
    }

    /// The worker's requests were answered. Returns the number of the one record that is left to
    /// the worker, if the guard has taken the part.
    pub fn end(&self) -> Option<u32> {
        let part = lock(&self.part).take();
        if part.is_some() {
            return None;
        }
        self.is_taken.store(false, Ordering::Relaxed);
        Some(self.kept.load(Ordering::Relaxed))
    }

    /// Takes the part if its worker hangs: the same request has been out since an earlier look.
    /// `account` counts the part as unfinished before the worker can notice, because otherwise the
    /// worker might end the walk first.
    pub fn take_hung(
        &self,
        now: Instant,
        account: impl FnOnce(&Posted<K>),
    ) -> Option<(Posted<K>, u32)> {
        let mut slot = self.part.try_lock().ok()?;
        let part = slot.as_mut()?;
        let at = self.at.load(Ordering::Relaxed);
        match part.seen {
            _ if at == 0 => return None,
            Some((seen, since)) if seen == at => {
                if now.saturating_duration_since(since) < LOOK {
                    return None;
                }
            }
            _ => {
                part.seen = Some((at, now));
                return None;
            }
        }
        account(part);
        self.kept.store(at, Ordering::Relaxed);
        self.is_taken.store(true, Ordering::Relaxed);
        slot.take().map(|part| (part, at))
    }
}

#[cfg(test)]
mod tests {
    use brisk_sys::{Backend, Buffer, Dir};

    use super::*;
    use crate::emit::unordered::Unordered;
    use crate::task::Reading;
    use crate::tree::Node;

    fn chunk() -> Arc<Chunk<Unordered<()>>> {
        let node = Arc::new(Node::top(()));
        let handle = Arc::new(Dir::current(Backend::Native));
        let reading = Reading::of_roots(node, handle, ());
        Arc::new(Chunk::new(reading, Buffer::with_capacity(64), 0, None))
    }

    /// What happens to a post.
    enum Event {
        Begin,
        Ask(u32),
        /// The guard looks at this millisecond, and takes the part or not.
        Look(u64, Option<u32>),
        /// The worker leaves records to others; `false` if the part is taken.
        Shorten(bool),
        End(Option<u32>),
    }

    #[test]
    fn a_post_goes_through_its_states() {
        use Event::{Ask, Begin, End, Look, Shorten};
        let cases: [&[Event]; 7] = [
            // An idle worker does not hang, nor does one that has asked about nothing.
            &[Look(0, None), Look(10, None), Begin, Look(20, None), Look(30, None), End(None)],
            // Answered in time, between two looks or before any.
            &[Begin, Ask(1), End(None), Look(0, None), Look(10, None)],
            &[Begin, Ask(1), Look(0, None), Shorten(true), End(None), Look(10, None)],
            // The next request is another one, whatever its number.
            &[Begin, Ask(1), Look(0, None), Ask(2), Look(10, None), Look(19, None), End(None)],
            &[Begin, Ask(1), Look(0, None), End(None), Begin, Ask(1), Look(10, None), End(None)],
            // It hangs. The worker may have gone on when it notices.
            &[Begin, Ask(3), Look(0, None), Look(9, None), Look(10, Some(3)), Look(20, None)],
            &[
                Begin,
                Ask(3),
                Look(0, None),
                Look(10, Some(3)),
                Ask(4),
                Shorten(false),
                Look(20, None),
                End(Some(3)),
                Begin,
                Ask(3),
                Look(30, None),
                Shorten(true),
                End(None),
            ],
        ];
        let chunk = chunk();
        let start = Instant::now();
        for (case, events) in cases.iter().enumerate() {
            let post = Post::default();
            for (number, event) in events.iter().enumerate() {
                let what = format!("case {case}, event {number}");
                match event {
                    Begin => post.begin(&chunk, 0..0),
                    Ask(record) => post.at().store(*record, Ordering::Relaxed),
                    Look(at, taken) => {
                        let now = start + Duration::from_millis(*at);
                        let found = post.take_hung(now, |_| ()).map(|(_, record)| record);
                        assert_eq!(found, *taken, "{what}");
                    }
                    Shorten(done) => assert_eq!(post.shorten(0), *done, "{what}"),
                    End(kept) => assert_eq!(post.end(), *kept, "{what}"),
                }
            }
        }
    }

    /// If the answer came before the part was counted, the worker would find nothing left, and end
    /// the walk.
    #[test]
    fn what_is_taken_over_is_accounted_for_before_its_worker_can_notice() {
        let chunk = chunk();
        let post = Post::default();
        let now = Instant::now();
        post.begin(&chunk, 0..0);
        post.at().store(3, Ordering::Relaxed);
        let mut accounted = 0;
        for later in [Duration::ZERO, LOOK, 2 * LOOK] {
            let taken = post.take_hung(now + later, |_| {
                assert!(!post.is_taken() && post.part.try_lock().is_err());
                accounted += 1;
            });
            assert_eq!(taken.is_some(), later == LOOK);
        }
        assert_eq!((accounted, post.end()), (1, Some(3)));
    }
}
