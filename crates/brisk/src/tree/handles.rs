//! The bound on open directories: a [`HandleBudget`] for the walk, a [`Permit`] for each handle
//! that stays open while workers read other directories.

use std::sync::Arc;

use brisk_sys::Dir;
use crossbeam_utils::CachePadded;

use crate::sched::sync::{AtomicBool, AtomicUsize, Ordering, count_writes};

/// The most permits that a worker takes at once.
const MOST_AT_ONCE: usize = 16;
/// The budget is cut into so many shares; a worker takes up to one at once, and keeps less than two.
/// By default there are at most 128 workers.
const SHARES: usize = 256;

/// How many handles may stay open while workers read other directories. A walk has a budget of its
/// own, unless it shares one with its visitor: see [`Walk::handle_budget`](crate::Walk::handle_budget).
#[derive(Debug)]
pub struct HandleBudget {
    /// The permits that are left. A worker's own budget is written by others where they close a
    /// handle of that worker.
    free: CachePadded<AtomicUsize>,
    /// A permit was refused.
    is_scarce: AtomicBool,
    /// How many are taken from the budget above at once.
    at_once: usize,
    /// The walk's budget, of which this is a worker's part.
    above: Option<Arc<HandleBudget>>,
}

/// The right to keep one handle open; dropping the permit gives the right back.
#[derive(Debug)]
pub struct Permit(Arc<HandleBudget>, usize);

/// A handle that stays open. The permit is missing where another owner of the handle has it.
pub(crate) type HeldHandle = (Arc<Dir>, Option<Permit>);

impl HandleBudget {
    /// A budget of so many handles.
    #[must_use]
    pub fn new(limit: usize) -> Arc<HandleBudget> {
        let at_once = (limit / SHARES).clamp(1, MOST_AT_ONCE);
        HandleBudget::with(limit, at_once, None)
    }

    fn with(free: usize, at_once: usize, above: Option<Arc<HandleBudget>>) -> Arc<HandleBudget> {
        let free = CachePadded::new(AtomicUsize::new(free));
        Arc::new(HandleBudget { free, is_scarce: AtomicBool::new(false), at_once, above })
    }

    /// A worker's own part of this budget, from which it takes several permits at once, until
    /// permits are scarce.
    pub(crate) fn part(self: &Arc<HandleBudget>) -> Arc<HandleBudget> {
        HandleBudget::with(0, self.at_once, Some(Arc::clone(self)))
    }

    /// A permit, unless the budget is spent.
    #[must_use]
    pub fn permit(self: &Arc<HandleBudget>) -> Option<Permit> {
        self.take(1)
    }

    /// A permit for so many together, unless fewer are left.
    pub(crate) fn take(self: &Arc<HandleBudget>, count: usize) -> Option<Permit> {
        let is_taken = self.claim(count);
        if !is_taken {
            let whole = self.above.as_ref().unwrap_or(self);
            whole.is_scarce.store(true, Ordering::Relaxed);
        }
        is_taken.then(|| {
            count_writes(&**self, 1);
            Permit(Arc::clone(self), count)
        })
    }

    fn claim(&self, count: usize) -> bool {
        let less = |free: usize| free.checked_sub(count);
        if self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
            return true;
        }
        let Some(above) = &self.above else { return false };
        let more = self.spare();
        if more > 0 && above.claim(count + more) {
            self.free.fetch_add(more, Ordering::Relaxed);
            return true;
        }
        above.claim(count)
    }

    fn give_back(&self, count: usize) {
        let free = self.free.fetch_add(count, Ordering::Relaxed) + count;
        let Some(above) = &self.above else { return };
        let kept = self.spare();
        if free > 2 * kept {
            let keep = |free: usize| Some(free.min(kept));
            let (Ok(all) | Err(all)) =
                self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, keep);
            above.give_back(all.saturating_sub(kept));
        }
    }

    /// How many permits a worker keeps for later.
    fn spare(&self) -> usize {
        if self.is_scarce() { 0 } else { self.at_once - 1 }
    }

    /// Whether a permit of this budget was ever refused.
    pub(crate) fn is_scarce(&self) -> bool {
        self.above
            .as_ref()
            .map_or(&self.is_scarce, |above| &above.is_scarce)
            .load(Ordering::Relaxed)
    }
}

/// A worker's part is given back.
impl Drop for HandleBudget {
    fn drop(&mut self) {
        if let Some(above) = &self.above {
            above.give_back(self.free.load(Ordering::Relaxed));
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        count_writes(&*self.0, 1);
        self.0.give_back(self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_that_is_dropped_can_be_given_again() {
        let budget = HandleBudget::new(2);
        let permits = (budget.permit(), budget.permit());
        assert!(permits.0.is_some() && permits.1.is_some() && !budget.is_scarce());
        assert!(budget.permit().is_none() && budget.is_scarce());
        drop(permits);
        assert!(budget.permit().is_some());
        assert!(budget.take(3).is_none() && budget.take(2).is_some());
    }
    #[test]
    fn workers_take_several_permits_at_once_and_give_all_back() {
        let budget = HandleBudget::new(SHARES * 4);
        let parts = [budget.part(), budget.part()];
        let permits: Vec<_> = (0..40).filter_map(|number| parts[number % 2].permit()).collect();
        drop(permits);
        assert!(budget.take(SHARES * 4 - 12).is_some(), "each part keeps three to six");
        drop(parts);
        assert!(budget.take(SHARES * 4).is_some());
    }

    #[test]
    fn scarce_permits_are_taken_one_at_a_time_and_none_stays_with_a_worker() {
        let budget = HandleBudget::new(SHARES * 4);
        let part = budget.part();
        let permit = part.permit();
        let mut rest = Vec::from_iter(std::iter::from_fn(|| budget.permit()));
        assert_eq!((rest.len(), part.is_scarce()), (SHARES * 4 - 4, true));
        rest.extend((0..3).map_while(|_| part.permit()));
        assert!(rest.len() == SHARES * 4 - 1 && part.permit().is_none());
        drop(permit);
        assert!(budget.permit().is_some());
    }
}
