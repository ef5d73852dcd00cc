//! [`Marks`]: a bit for each record or directory of a state, which workers set concurrently.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

    pub fn clear(&self, at: usize) {
        if let Some(word) = self.0.get(at / 64) {
            word.fetch_and(!(1 << (at % 64)), Relaxed);
        }
    }

    /// Whether all these bits are set.
    pub fn has_all(&self, range: Range<usize>) -> bool {
        let first = range.start / 64;
        let last = range.end / 64;
        (first..=last).all(|at| {
            let from = if at == first { u64::MAX << (range.start % 64) } else { u64::MAX };
            let to = if at == last { !(u64::MAX << (range.end % 64)) } else { u64::MAX };
            let set = self.0.get(at).map_or(0, |word| word.load(Relaxed));
            set & from & to == from & to
        })
    }

    #[inline]
    pub fn get(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word.load(Relaxed) & (1 << (at % 64)) != 0)
    }

    /// The positions of the bits that are set.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().map(|word| word.load(Relaxed)).enumerate();
        words.filter(|(_, word)| *word != 0).flat_map(|(at, word)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| at * 64 + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_one_by_one_and_in_ranges() {
        let marks = Marks::new(200);
        assert!(marks.has_all(0..0) && marks.has_all(64..64) && !marks.has_all(0..1));
        (60..130).for_each(|at| marks.set(at));
        assert!(marks.all().eq(60..130));
        assert!(marks.has_all(60..130) && marks.has_all(64..128) && marks.has_all(129..130));
        assert!(!marks.has_all(59..61) && !marks.has_all(129..131) && !marks.has_all(60..500));
    }
}
