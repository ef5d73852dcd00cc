//! [`Marks`]: a bit for each record or directory of a state, which workers set concurrently.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::format::record::DirId;
use crate::format::state::State;

/// Bits that several workers set.
pub(crate) struct Marks(Vec<AtomicU64>);

impl Marks {
    pub fn new(count: usize) -> Marks {
        Marks((0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    pub fn set(&self, at: usize) {
        if let Some(word) = self.0.get(at / 64) {
            word.fetch_or(1 << (at % 64), Relaxed);
        }
    }

    fn set_all(&self, range: Range<usize>) {
        let first = range.start / 64;
        let last = range.end / 64;
        for at in first..=last {
            let from = if at == first { u64::MAX << (range.start % 64) } else { u64::MAX };
            let to = if at == last { !(u64::MAX << (range.end % 64)) } else { u64::MAX };
            if let Some(word) = self.0.get(at).filter(|_| from & to != 0) {
                word.fetch_or(from & to, Relaxed);
            }
        }
    }

    #[inline]
    pub fn get(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word.load(Relaxed) & (1 << (at % 64)) != 0)
    }

    /// Sets the bits of all records below a directory of the state.
    pub fn set_below(&self, state: &State, first: DirId) {
        let mut pending = vec![first];
        while let Some(id) = pending.pop() {
            let block = state.block(id);
            self.set_all(state.first_record(id)..state.record_number(id, block.len()));
            // In a damaged state, subdirectories may form a cycle. So a subdirectory counts only
            // below the parent that the index names, and the first directory not once more.
            let parent = |child| state.index.dir(child).map(|child| child.parent);
            let is_own = |child: &DirId| *child != first && parent(*child) == Some(id);
            pending.extend(block.subdirs().map(|(_, child)| child).filter(is_own));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::record::TOP;
    use crate::format::state::tests::forged;

    #[test]
    fn directories_of_a_cycle_are_marked_once() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        // The top has a root, and the root a directory: one of them is itself, or the one above.
        for (dir, id) in [(0, TOP), (1, TOP), (1, TOP + 1)] {
            let file = scratch.path().join(format!("{dir} {id}"));
            forged(&file, dir, id);
            let state = State::load(&file).expect("a state");
            for first in [TOP, TOP + 1] {
                let marks = Marks::new(state.len());
                marks.set_below(&state, first);
                assert!(marks.get(state.first_record(first)), "{dir} {id} {first}");
            }
        }
    }
}
