//! [`Extents`]: which parts of devices have counted already, where files share them.

use std::collections::{BTreeMap, HashMap};

use brisk_sys::Extent;

/// The parts of devices that have counted. Memory: about 40 bytes for each that stands alone.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// By device. Of an encoded extent the device alone says too little: each has positions of its
    /// own, those in the file.
    spaces: HashMap<(u64, Option<u64>), Ranges>,
}

/// Ranges by their beginnings, each with its end. No two touch.
type Ranges = BTreeMap<u64, u64>;

impl Extents {
    /// Adds an extent of a file on this device. Returns how many of its bytes have counted before.
    pub fn add(&mut self, dev: u64, extent: &Extent) -> u64 {
        let Extent { logical, physical, length, encoded } = *extent;
        let (space, start) = if encoded { (Some(physical), logical) } else { (None, physical) };
        let ranges = self.spaces.entry((dev, space)).or_default();
        add(ranges, start, start.saturating_add(length))
    }
}

/// Adds a range. Returns how much of it was there.
fn add(ranges: &mut Ranges, start: u64, end: u64) -> u64 {
    let mut from = start;
    let mut to = end;
    let mut known = 0;
    // From the last range that may touch this one back to the first.
    while let Some((&begins, &ends)) = ranges.range(..=end).next_back()
        && ends >= start
    {
        known += ends.min(end).saturating_sub(begins.max(start));
        from = from.min(begins);
        to = to.max(ends);
        ranges.remove(&begins);
    }
    ranges.insert(from, to);
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_counts_once() {
        let mut ranges = Ranges::new();
        // Begin and end, and how much of that was known.
        let table = [(10, 20, 0), (10, 20, 10), (15, 25, 5), (30, 40, 0), (0, 50, 25), (50, 60, 0)];
        for (start, end, known) in table {
            assert_eq!(add(&mut ranges, start, end), known, "{start} {end}");
        }
        assert_eq!(ranges, Ranges::from([(0, 60)]));
    }

    #[test]
    fn devices_and_encoded_extents_are_apart() {
        let mut extents = Extents::default();
        let plain = Extent { logical: 0, physical: 100, length: 10, encoded: false };
        let encoded = Extent { encoded: true, ..plain };
        let later = Extent { logical: 10, ..encoded };
        for (dev, extent) in [(1, plain), (2, plain), (1, encoded), (1, later)] {
            assert_eq!(extents.add(dev, &extent), 0);
            assert_eq!(extents.add(dev, &extent), 10);
        }
    }
}
