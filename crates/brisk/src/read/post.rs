//! [`Post`]: what one worker asks for, shown to the guard. The guard takes the part from a hung
//! worker's post.

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

    /// If the answer came before the part was counted, the worker would find nothing left, and end
    /// the walk.
    #[test]
    fn what_is_taken_over_is_accounted_for_before_its_worker_can_notice() {
        let (node, handle) = (Arc::new(Node::top(())), Arc::new(Dir::current(Backend::Native)));
        let reading = Reading::<Unordered<()>>::of_roots(node, handle, ());
        let chunk = Arc::new(Chunk::new(reading, Buffer::with_capacity(64), 0, None));
        let (post, now) = (Post::default(), Instant::now());
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
