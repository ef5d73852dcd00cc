//! What several workers write: atomics and locks, the standard library's. In unit tests, the atomics
//! count writes by cache line (`drive/writes.rs`), and what else writes is noted by hand. In the
//! model of parking (`tests/model`) another module with these names stands here, made of loom.

pub(crate) use std::sync::atomic::{Ordering, fence};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(test)]
pub(crate) use counting::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, count_writes};
#[cfg(not(test))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};

/// Notes writes beside this value: to the count of an `Arc`, or to a lock.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn count_writes<T: ?Sized>(_: &T, _writes: u64) {}

#[cfg(test)]
pub(crate) mod counting {
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::ops::Deref;
    use std::sync::atomic::{self, Ordering};

    thread_local! {
        /// How often this thread has written to each cache line.
        static LINES: RefCell<HashMap<usize, u64>> = RefCell::default();
    }

    /// What this thread has written since the last call, by cache line.
    pub fn take() -> HashMap<usize, u64> {
        LINES.take()
    }

    pub fn count_writes<T: ?Sized>(at: &T, writes: u64) {
        let line = (&raw const *at).cast::<u8>().addr() / 64;
        LINES.with_borrow_mut(|lines| *lines.entry(line).or_default() += writes);
    }

    /// An atomic whose writes are counted.
    #[derive(Debug, Default)]
    pub struct Counting<A>(A);

    impl Counting<atomic::AtomicUsize> {
        pub fn fetch_update(
            &self,
            set: Ordering,
            fetch: Ordering,
            update: impl FnMut(usize) -> Option<usize>,
        ) -> Result<usize, usize> {
            count_writes(self, 1);
            self.0.fetch_update(set, fetch, update)
        }
    }

    impl<A> Deref for Counting<A> {
        type Target = A;

        fn deref(&self) -> &A {
            &self.0
        }
    }

    macro_rules! counting {
        ($name:ident, $value:ty; $($store:ident)?; $($write:ident)*) => {
            pub type $name = Counting<atomic::$name>;

            #[cfg_attr(windows, allow(dead_code))]
            impl Counting<atomic::$name> {
                pub fn new(value: $value) -> Self {
                    Counting(atomic::$name::new(value))
                }

                $(pub fn $store(&self, value: $value, order: Ordering) {
                    count_writes(self, 1);
                    self.0.$store(value, order);
                })?

                $(pub fn $write(&self, value: $value, order: Ordering) -> $value {
                    count_writes(self, 1);
                    self.0.$write(value, order)
                })*
            }
        };
    }

    counting!(AtomicBool, bool; store; swap);
    counting!(AtomicU32, u32; store;);
    counting!(AtomicU64, u64;; fetch_add);
    counting!(AtomicUsize, usize; store; fetch_add fetch_sub);
}
