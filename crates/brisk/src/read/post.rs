//! Where a worker is that asks for metadata, for the guard to see.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::sched::lock;
use crate::task::{Chunk, Kind};

/// How often the guard looks, and how long a request must have been out between two looks: what is
/// ready goes out within about two of these.
pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// A worker's post.
pub(crate) struct Post<K: Kind> {
    /// The number of the record within the part that was asked about last; 0 before the first.
    at: AtomicU32,
    /// The part was taken over: this record alone is left.
    is_taken: AtomicBool,
    kept: AtomicU32,
    part: Mutex<Option<Posted<K>>>,
}

/// What is being asked about, and where its worker was when the guard looked.
pub(crate) struct Posted<K: Kind> {
    pub chunk: Arc<Chunk<K>>,
    pub range: Range<usize>,
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
    /// Requests about a part are about to be made.
    pub fn begin(&self, chunk: &Arc<Chunk<K>>, range: Range<usize>) {
        // Before the part can be seen: what was asked of another part is none of this one.
        self.at.store(0, Ordering::Relaxed);
        *lock(&self.part) = Some(Posted { chunk: Arc::clone(chunk), range, seen: None });
    }

    /// Where the number of the record stands that is asked about.
    pub fn at(&self) -> &AtomicU32 {
        &self.at
    }

    #[inline]
    pub fn is_taken(&self) -> bool {
        self.is_taken.load(Ordering::Relaxed)
    }

    /// The worker leaves what comes after `end` to others; `false` if they have taken it already.
    pub fn shorten(&self, end: usize) -> bool {
        let mut part = lock(&self.part);
        let range = part.as_mut().map(|part| part.range.end = end);
        range.is_some()
    }

    /// All that was to be asked was answered. The number of the record that is left to the worker, if the
    /// others were taken over.
    pub fn end(&self) -> Option<u32> {
        let part = lock(&self.part).take();
        if part.is_some() {
            return None;
        }
        self.is_taken.store(false, Ordering::Relaxed);
        Some(self.kept.load(Ordering::Relaxed))
    }

    /// Takes the part if its request has been out since the last look, long enough. `account` is
    /// called before the worker can notice: the worker may be done at any moment, and the walk would
    /// end without what nothing accounts for.
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

    /// A worker whose answer comes at that very moment would find nothing left, and end the walk.
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
