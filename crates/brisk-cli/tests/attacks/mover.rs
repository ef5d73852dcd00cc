//! An attacker moves directories out of the tree into the victim, and back to another place in the
//! tree, while the tree is removed. The process may empty a directory that it has open, wherever
//! that is now. The victim's files beside that directory must stay.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::removals::{self, Removal};
use crate::round::Round;
use crate::seed::Seed;

/// Where in the tree directories are moved: so deep that few descriptors do not reach there, and
/// the way back up leads through `..`.
const DEEP: &str = "1/2/3/4/5/6";
/// The directories that are moved. Beside each lie others with the names of the victim's
/// directories. A removal that mistakes the victim for the parent would empty those next.
const MOVED: [&str; 8] = ["a/s", "a/d0", "a/d1", "a/d2", "b/s", "b/d1", "c/d0", "c/d2/s"];
const TREES: usize = 4;

pub fn round(round: &mut Round) {
    for tree in 0..TREES {
        for top in ["a", "b", "c"] {
            round.plant(&format!("t/tree/{DEEP}/{top}"));
        }
        let removal = Removal::any(&mut round.seed);
        let done = AtomicBool::new(false);
        let moves = AtomicU64::new(0);
        let inside = round.path("t/tree").join(DEEP);
        let outside = round.path("victim");
        let mut seed = round.seed.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| attack(&inside, &outside, &mut seed, &done, &moves));
            for _ in 0..2 {
                removal.run(round, "tree");
            }
            done.store(true, Ordering::Relaxed);
        });
        round.strikes(moves.load(Ordering::Relaxed));
        round.check_victim(&format!("tree {tree}, {removal:?}"));
        removals::clear(&round.path("t"));
        for number in 0..MOVED.len() {
            for at in ["", "s/", "s/t/"] {
                let moved = outside.join(format!("{at}moved-{number}"));
                if moved.exists() {
                    testkit::run("/bin/rm", &["-rf", moved.to_str().unwrap()]);
                }
            }
        }
        round.seed.next();
    }
}

/// Moves directories between the tree and the victim until it is told to stop.
fn attack(inside: &Path, outside: &Path, seed: &mut Seed, done: &AtomicBool, moves: &AtomicU64) {
    while !done.load(Ordering::Relaxed) {
        let number = seed.below(MOVED.len() as u64) as usize;
        let there = outside.join(seed.pick(&["", "s", "s/t"])).join(format!("moved-{number}"));
        let here = inside.join(MOVED[number]);
        // Back to the old place, or below another directory, so that the way up is another one.
        let back =
            if seed.one_in(2) { here.clone() } else { inside.join(format!("c/back-{number}")) };
        let flags = RenameFlags::NOREPLACE;
        let out = renameat_with(CWD, &here, CWD, &there, flags)
            .or_else(|_| renameat_with(CWD, &back, CWD, &there, flags));
        for _ in 0..seed.pick(&[0, 5, 50, 500]) {
            std::thread::yield_now();
        }
        let back = renameat_with(CWD, &there, CWD, &back, flags);
        moves.fetch_add(u64::from(out.is_ok()) + u64::from(back.is_ok()), Ordering::Relaxed);
    }
}
