//! An attacker who may write to the tree swaps its directories for links to a victim, thousands of
//! times while root removes the tree, with many descriptors and with few. Beyond the bound on
//! handles the way back up leads through `..`, and the attacker moves directories that are open.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, openat, renameat_with};

use crate::removals::{self, Removal};
use crate::round::Round;

/// The attacker's directories in a tree.
pub const SWAPPED: usize = 12;
/// How often a round removes a tree that is attacked.
const TREES: usize = 3;

pub fn round(round: &mut Round) {
    for tree in 0..TREES {
        let here = round.path("t");
        for at in 0..SWAPPED {
            round.plant(&format!("t/tree/d{at}"));
            for (link, target) in [("l", "victim"), ("m", "victim/s")] {
                let link = here.join(format!("{link}{at}"));
                symlink(round.path(target), link).unwrap();
            }
        }
        let removal = Removal::any(&mut round.seed);
        let done = AtomicBool::new(false);
        let swaps = AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| attack(&here, &done, &swaps));
            // The messages do not matter: the attacker can keep anything from being removed.
            for _ in 0..2 {
                removal.run(round, "tree");
            }
            done.store(true, Ordering::Relaxed);
        });
        round.strikes(swaps.load(Ordering::Relaxed));
        round.check_victim(&format!("tree {tree}, {removal:?}"));
        removals::clear(&here);
    }
}

/// Exchanges directories of the tree with links that lead outside, until it is told to stop.
pub fn attack(here: &Path, done: &AtomicBool, swaps: &AtomicU64) {
    let mut at = 0;
    while !done.load(Ordering::Relaxed) {
        at = (at + 7) % SWAPPED;
        let inside = here.join(format!("tree/d{at}"));
        // Deeper directories too: the swap may come below a directory that is open already. (Not
        // through the first link: that would change the victim.)
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let outside = here.join(format!("m{at}"));
        let deeper = openat(CWD, &inside, flags, Mode::empty())
            .and_then(|dir| renameat_with(dir, "s", CWD, &outside, RenameFlags::EXCHANGE));
        let outside = here.join(format!("l{at}"));
        let whole = renameat_with(CWD, &inside, CWD, &outside, RenameFlags::EXCHANGE);
        let both = u64::from(deeper.is_ok()) + u64::from(whole.is_ok());
        swaps.fetch_add(both, Ordering::Relaxed);
        if both == 0 && !fs::exists(&inside).unwrap_or(false) {
            std::thread::yield_now();
        }
    }
}
