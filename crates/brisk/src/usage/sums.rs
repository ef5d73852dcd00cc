//! [`Sums`]: what files take, added up.

use std::ops::{AddAssign, SubAssign};

use crate::Timestamp;

/// What one file takes, or several together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sums {
    /// The bytes allocated: blocks of 512 bytes, as `st_blocks` counts them.
    pub allocated: u64,
    /// The bytes of the contents. Of which types they count: [`Apparent`](super::Apparent).
    pub apparent: u64,
    /// The number of files and directories; hard links as [`HardLinks`](super::HardLinks) says.
    pub entries: u64,
    /// The newest of the times that the observer reads ([`Observer::time`](super::Observer::time)).
    pub newest: Option<Timestamp>,
}

impl Sums {
    /// As a caller sees it. A file that grows while its links are met is subtracted with another
    /// size than it was added with, so that a sum can be less than 0.
    #[must_use]
    pub(super) fn shown(self) -> Sums {
        let shown = |sum: u64| sum.cast_signed().max(0).cast_unsigned();
        let (allocated, apparent) = (shown(self.allocated), shown(self.apparent));
        Sums { allocated, apparent, ..self }
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.allocated = self.allocated.wrapping_add(other.allocated);
        self.apparent = self.apparent.wrapping_add(other.apparent);
        self.entries = self.entries.wrapping_add(other.entries);
        self.newest = self.newest.max(other.newest);
    }
}

/// Takes back what was added, or will be. The newest time stays.
impl SubAssign for Sums {
    fn sub_assign(&mut self, other: Sums) {
        self.allocated = self.allocated.wrapping_sub(other.allocated);
        self.apparent = self.apparent.wrapping_sub(other.apparent);
        self.entries = self.entries.wrapping_sub(other.entries);
    }
}
