//! Questions about numbers, each asked once: whether an owner has a name, whether a device has a
//! type of file system.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// For which numbers the answer is yes. The system is asked once about each.
pub(super) struct Named<F> {
    ask: F,
    known: Mutex<HashMap<u64, bool>>,
    /// The number that was asked about last, shifted by two bits, the answer, and a bit that is set
    /// once there is such a number. Neighbouring entries mostly have the same owner and device.
    last: AtomicU64,
}

impl<F: Fn(u64) -> bool> Named<F> {
    pub fn new(ask: F) -> Named<F> {
        Named { ask, known: Mutex::default(), last: AtomicU64::new(0) }
    }

    pub fn has(&self, id: u64) -> bool {
        let last = self.last.load(Ordering::Relaxed);
        if last & !2 == id << 2 | 1 {
            return last & 2 != 0;
        }
        let mut known = self.known.lock().expect("BUG: no worker panics here");
        let has = *known.entry(id).or_insert_with(|| (self.ask)(id));
        self.last.store(id << 2 | u64::from(has) << 1 | 1, Ordering::Relaxed);
        has
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_asked_about_once() {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let named = Named::new(|id| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            id % 2 == 0
        });
        for id in [0, 0, 1, 1, 0, 1 << 60, 2, 1 << 60] {
            assert_eq!(named.has(id), id % 2 == 0, "{id}");
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 4);
    }
}
