//! The bound on open directories: a [`HandleBudget`] for the walk, a [`Permit`] for each handle
//! that stays open while workers read other directories.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use brisk_sys::Dir;

/// How many handles may stay open while workers read other directories. A walk has a budget of its
/// own, unless it shares one with its visitor: see [`Walk::handle_budget`](crate::Walk::handle_budget).
#[derive(Debug)]
pub struct HandleBudget {
    limit: usize,
    in_use: AtomicUsize,
    /// A permit was refused.
    is_scarce: AtomicBool,
}

/// The right to keep one handle open; dropping the permit gives the right back.
#[derive(Debug)]
pub struct Permit(Arc<HandleBudget>, usize);

/// A handle that stays open. The permit is missing where another owner of the handle has it.
pub(crate) type KeptHandle = (Arc<Dir>, Option<Permit>);

impl HandleBudget {
    /// A budget of so many handles.
    #[must_use]
    pub fn new(limit: usize) -> Arc<HandleBudget> {
        let in_use = AtomicUsize::new(0);
        Arc::new(HandleBudget { limit, in_use, is_scarce: AtomicBool::new(false) })
    }

    /// A permit, unless the budget is spent.
    #[must_use]
    pub fn permit(self: &Arc<HandleBudget>) -> Option<Permit> {
        self.take(1)
    }

    /// A permit for so many together, unless fewer are left.
    pub(crate) fn take(self: &Arc<HandleBudget>, count: usize) -> Option<Permit> {
        let permit = Permit(Arc::clone(self), count);
        if self.in_use.fetch_add(count, Ordering::Relaxed) + count <= self.limit {
            return Some(permit);
        }
        self.is_scarce.store(true, Ordering::Relaxed);
        None
    }

    /// Whether a permit was refused in this walk.
    pub(crate) fn is_scarce(&self) -> bool {
        self.is_scarce.load(Ordering::Relaxed)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.in_use.fetch_sub(self.1, Ordering::Relaxed);
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
}
