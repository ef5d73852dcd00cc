//! [`Sums`]: what files take, added up; and [`Balance`], from which files can be taken back.

use std::ops::{AddAssign, SubAssign};

use crate::Timestamp;

/// What one file takes, or several together. A sum that does not fit is [`u64::MAX`], which stands
/// for that much or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sums {
    /// The bytes allocated: blocks of 512 bytes, as `st_blocks` counts them. With
    /// [`Usage::frees`](field@super::Usage::frees): what removing frees at most.
    pub allocated: u64,
    /// The bytes of the contents. Of which types they count: [`Apparent`](super::Apparent). With
    /// [`Usage::frees`](field@super::Usage::frees): what removing frees at least.
    pub apparent: u64,
    /// The number of files and directories; hard links as [`HardLinks`](super::HardLinks) says.
    pub entries: u64,
    /// The newest of the times that the observer reads ([`Observer::time`](super::Observer::time)).
    pub newest: Option<Timestamp>,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.allocated = self.allocated.saturating_add(other.allocated);
        self.apparent = self.apparent.saturating_add(other.apparent);
        self.entries = self.entries.saturating_add(other.entries);
        self.newest = self.newest.max(other.newest);
    }
}

/// Takes back what was added; no number gets less than 0. The newest time stays.
impl SubAssign for Sums {
    fn sub_assign(&mut self, other: Sums) {
        self.allocated = self.allocated.saturating_sub(other.allocated);
        self.apparent = self.apparent.saturating_sub(other.apparent);
        self.entries = self.entries.saturating_sub(other.entries);
    }
}

/// The sums of a directory while it is counted. They are exact, because a file may be taken back
/// before it is added, or after the sum was too large for [`Sums`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    allocated: Wide,
    apparent: Wide,
    entries: i64,
    newest: Option<Timestamp>,
}

/// A number of 96 bits, which the sizes of no tree exceed; with an `i128` an account would take a
/// quarter more.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, packed(4))]
struct Wide {
    low: u64,
    high: i32,
}

impl Wide {
    fn get(self) -> i128 {
        i128::from(self.high) << 64 | i128::from(self.low)
    }

    fn add(&mut self, more: i128) {
        let sum = self.get() + more;
        *self = Wide { low: sum as u64, high: (sum >> 64) as i32 };
    }

    /// As a caller sees it. A sum can be below 0, if a file grows between two of its links and is
    /// subtracted with its new size. Callers see 0.
    fn shown(self) -> u64 {
        u64::try_from(self.get().max(0)).unwrap_or(u64::MAX)
    }
}

impl Balance {
    pub fn shown(&self) -> Sums {
        let allocated = self.allocated.shown();
        let apparent = self.apparent.shown();
        Sums { allocated, apparent, entries: self.entries.max(0) as u64, newest: self.newest }
    }

    fn add(&mut self, sums: Sums, sign: i64) {
        self.allocated.add(i128::from(sums.allocated) * i128::from(sign));
        self.apparent.add(i128::from(sums.apparent) * i128::from(sign));
        self.entries += sums.entries as i64 * sign;
    }
}

impl AddAssign for Balance {
    fn add_assign(&mut self, other: Balance) {
        self.allocated.add(other.allocated.get());
        self.apparent.add(other.apparent.get());
        self.entries += other.entries;
        self.newest = self.newest.max(other.newest);
    }
}

impl AddAssign<Sums> for Balance {
    fn add_assign(&mut self, sums: Sums) {
        self.add(sums, 1);
        self.newest = self.newest.max(sums.newest);
    }
}

/// Takes back what was added, or will be. The newest time stays.
impl SubAssign<Sums> for Balance {
    fn sub_assign(&mut self, sums: Sums) {
        self.add(sums, -1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUGE: Sums =
        Sums { allocated: u64::MAX, apparent: u64::MAX - 1, entries: 1, newest: None };

    #[test]
    fn a_sum_that_does_not_fit_is_the_largest_number() {
        let mut sums = HUGE;
        sums += HUGE;
        assert_eq!(
            sums,
            Sums { allocated: u64::MAX, apparent: u64::MAX, entries: 2, newest: None }
        );
        sums -= HUGE;
        sums -= HUGE;
        assert_eq!(sums, Sums::default());
    }

    #[test]
    fn a_balance_is_exact_in_any_order() {
        let small = Sums { allocated: 3, apparent: 5, ..HUGE };
        let mut balance = Balance::default();
        balance -= HUGE;
        balance -= HUGE;
        assert_eq!(balance.shown(), Sums::default(), "what is less than 0 shows as 0");
        for sums in [small, HUGE, HUGE, HUGE] {
            balance += sums;
        }
        assert_eq!(balance.shown(), Sums { apparent: u64::MAX, entries: 2, ..HUGE });
        balance -= HUGE;
        assert_eq!(balance.shown(), small);
    }
}
