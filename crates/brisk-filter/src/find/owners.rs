//! Whether the system knows an owner's number: `-nouser` and `-nogroup`.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which numbers have names. The system is asked once about each.
pub(super) struct Named {
    ask: fn(u32) -> bool,
    known: Mutex<HashMap<u32, bool>>,
    /// The number that was asked about last, shifted by two bits, whether it has a name, and a bit
    /// that is set once there is such a number. Neighbours mostly have the same owner.
    last: AtomicU64,
}

impl Named {
    pub fn new(ask: fn(u32) -> bool) -> Named {
        Named { ask, known: Mutex::default(), last: AtomicU64::new(0) }
    }

    pub fn has(&self, id: u32) -> bool {
        let last = self.last.load(Ordering::Relaxed);
        if last & !2 == u64::from(id) << 2 | 1 {
            return last & 2 != 0;
        }
        let mut known = self.known.lock().expect("BUG: no worker panics here");
        let has = *known.entry(id).or_insert_with(|| (self.ask)(id));
        self.last.store(u64::from(id) << 2 | u64::from(has) << 1 | 1, Ordering::Relaxed);
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
        for id in [0, 0, 1, 1, 0, u32::MAX, 2, u32::MAX] {
            assert_eq!(named.has(id), id % 2 == 0, "{id}");
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 4);
    }
}
