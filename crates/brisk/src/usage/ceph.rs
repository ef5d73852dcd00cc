//! What CephFS knows of a whole directory, instead of a walk.

use std::path::Path;

use brisk_sys::storage;

use super::links::HardLinks;
use super::settings::Usage;
use crate::Follow;

/// The magic number (statfs(2)) of CephFS.
const CEPH: u32 = 0x00c3_6400;

/// The bytes of all files below a root, if the file system knows them and they are all that is
/// asked. System calls: one statfs if nothing else is asked; on CephFS, one getxattr more.
pub(super) fn answer(usage: &Usage, root: &Path) -> Option<u64> {
    // The target of a link that the walk does not follow is not asked about.
    let leads_away = || usage.walk.follow == Follow::Never && root.is_symlink();
    (asks_no_more(usage) && storage::magic(root)? == CEPH && !leads_away())
        .then(|| storage::recursive_bytes(root))?
}

/// Whether the size of whole roots is all that is asked.
fn asks_no_more(usage: &Usage) -> bool {
    let Usage { walk, shortcuts, reflinks, links, .. } = usage;
    let whole = walk.max_depth == usize::MAX
        && walk.follow != Follow::Always
        && walk.rules.is_none()
        && walk.filter.is_none();
    *shortcuts && whole && !reflinks && *links != HardLinks::Each
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Walk;

    #[test]
    fn only_sizes_of_whole_roots_are_told() {
        let asked = || Usage { shortcuts: true, ..Usage::new(Walk::new(".")) };
        let asks = |change: fn(Usage) -> Usage| asks_no_more(&change(asked()));
        assert!(asks(|usage| usage));
        assert!(asks(|usage| Usage { links: HardLinks::FirstMet, ..usage }));
        assert!(asks(|usage| Usage { walk: usage.walk.clone().follow(Follow::Never), ..usage }));
        let more: [fn(Usage) -> Usage; 5] = [
            |usage| Usage { shortcuts: false, ..usage },
            |usage| Usage { reflinks: true, ..usage },
            |usage| Usage { links: HardLinks::Each, ..usage },
            |usage| Usage { walk: usage.walk.clone().max_depth(3), ..usage },
            |usage| Usage { walk: usage.walk.clone().follow(Follow::Always), ..usage },
        ];
        for (at, change) in more.into_iter().enumerate() {
            assert!(!asks(change), "{at}");
        }
    }

    #[test]
    fn elsewhere_there_is_no_answer() {
        let usage = Usage { shortcuts: true, ..Usage::new(Walk::new(".")) };
        assert_eq!(answer(&usage, Path::new("/proc")), None);
    }
}
