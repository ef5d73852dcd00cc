//! Three loops of `--background` beside a loop of `--finish`: every tree is removed by one or the
//! other.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::outcome::Failure;
use crate::removals;
use crate::round::{LIMIT, Round};
use crate::watched::{End, Ended, Watched};

const LOOPS: usize = 3;
const TREES: u64 = 8;

pub fn round(round: &mut Round) {
    let running = AtomicU64::new(LOOPS as u64);
    let ended: Vec<Ended> = std::thread::scope(|scope| {
        let round = &*round;
        let running = &running;
        let loops: Vec<_> = (0..LOOPS)
            .map(|number| {
                scope.spawn(move || {
                    let all = (0..TREES).map(|tree| remove(round, number, tree)).collect();
                    running.fetch_sub(1, Ordering::Relaxed);
                    all
                })
            })
            .chain([scope.spawn(move || finish(round, running))])
            .collect();
        loops.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|_| Vec::new())).collect()
    });
    round.strikes(ended.len() as u64);
    for ended in &ended {
        round.judge(ended, "rm --background beside rm --finish");
        if let End::Exit(1) = ended.end {
            round.note(Failure::Lie, &format!("exit 1: {}", ended.stderr.trim()));
        }
    }
    round.check_orphans("t", "races");
    round.check_victim("races");
    removals::clear(&round.path("t"));
}

/// Removes one small tree in the background.
fn remove(round: &Round, number: usize, tree: u64) -> Ended {
    let name = format!("tree-{number}-{tree}");
    let dir = round.path("t").join(&name);
    fs::create_dir_all(dir.join("a/b")).unwrap();
    fs::write(dir.join("a/f"), "").unwrap();
    let mut command = round.brisk(&[], &["rm", "-rf", "--background", &name]);
    Watched::start(&mut command).finish(LIMIT)
}

/// Finishes until the loops are over.
fn finish(round: &Round, running: &AtomicU64) -> Vec<Ended> {
    let mut all = Vec::new();
    while running.load(Ordering::Relaxed) > 0 {
        let mut command = round.brisk(&[], &["rm", "-f", "--finish"]);
        all.push(Watched::start(&mut command).finish(LIMIT));
    }
    all
}
