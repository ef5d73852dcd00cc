//! Metadata that comes with the listing on some systems and must be asked for on others: visitors
//! get the same.

use std::collections::HashSet;

use brisk::{Fields, Walk};

use crate::record::{MODES, ORDERS, Rules, in_time, run};
use crate::tree::{files, grow};

/// More files than one call of a visitor brings with their metadata, and a directory among them.
const FILES: usize = 700;

#[test]
fn wide_directories_are_handed_on_once_with_sizes_and_devices() {
    let place = tempfile::tempdir().expect("a scratch directory");
    files(place.path(), FILES, 40);
    grow(place.path(), "d/ d/five:5");
    let fields = Fields::SIZE | Fields::DEV | Fields::INO;
    for (order, mode) in ORDERS.iter().flat_map(|order| MODES.map(|mode| (*order, mode))) {
        let walk = Walk::new(place.path()).order(order);
        let rules = Rules { fields, ..Rules::default() };
        let outcome = in_time("a wide directory", move || run(walk, mode, rules));
        let what = format!("{order:?}, {mode:?}");
        assert_eq!(outcome.wrong, [""; 0], "{what}");
        assert_eq!(outcome.errors, [""; 0], "{what}");
        let paths: HashSet<_> = outcome.found.iter().map(|found| &found.path).collect();
        assert_eq!((paths.len(), outcome.found.len()), (FILES + 3, FILES + 3), "{what}");
        let metas = || outcome.found.iter().filter_map(|found| found.meta.as_ref());
        let devices: HashSet<_> = metas().map(|meta| meta.identity.map(|(dev, _)| dev)).collect();
        assert!(devices.len() == 1 && !devices.contains(&None), "{what}: {devices:?}");
        let inodes: HashSet<_> = metas().map(|meta| meta.identity.map(|(_, ino)| ino)).collect();
        assert_eq!(inodes.len(), FILES + 3, "{what}");
        let five = metas().filter(|meta| meta.size == Some(5)).count();
        assert_eq!(five, 1, "{what}");
        #[cfg(windows)]
        if let Some(stats) = outcome.stats {
            // The root.
            assert_eq!(stats.calls.stat, 1, "{what}");
        }
    }
}
