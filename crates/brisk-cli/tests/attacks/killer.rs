//! SIGKILL at any system call, or at any time. Nothing outside the tree is gone, and `--finish`
//! finds the trees that `--background` set aside, however often `--finish` is killed itself.

use std::time::Duration;

use rustix::process::Signal;

use crate::removals;
use crate::round::{LIMIT, Round};
use crate::watched::Watched;

/// The commands that are killed. The last two leave a journal.
const WORDS: [&[&str]; 5] = [
    &["rm", "-rf", "tree"],
    &["find", "-u", "--delete", ".", "tree"],
    &["rm", "-rf", "--background", "tree"],
    &["rm", "-rf", "--background", "tree", "other"],
    &["rm", "-f", "--finish"],
];

/// The calls that change anything or start a process, and all calls.
const CALLS: [&str; 2] = [
    "openat,flock,write,fsync,renameat2,linkat,statx,clone3,clone,vfork,execve,setsid,unlinkat,unlink,\
     openat2,getdents64,close",
    "all",
];

pub fn round(round: &mut Round) {
    for tree in ["t/tree", "t/other"] {
        round.plant(tree);
    }
    let mut last = String::new();
    for _ in 0..round.seed.between(1, 4) {
        let words = round.seed.pick(&WORDS);
        last = if round.seed.one_in(3) {
            kill_in_time(round, words)
        } else {
            kill_at_a_call(round, words)
        };
        round.strikes(1);
        round.check_victim(&last);
        if round.seed.one_in(2) {
            // Otherwise the next round meets the processes that the killed command left behind.
            round.settle();
        }
    }
    round.check_orphans("t", &last);
    round.check_victim(&format!("--finish after {last}"));
    removals::clear(&round.path("t"));
}

/// strace kills the command at the N-th call.
fn kill_at_a_call(round: &mut Round, words: &[&str]) -> String {
    let calls = round.seed.pick(&CALLS);
    let when = round.seed.between(1, if calls == "all" { 400 } else { 150 });
    let inject = format!("inject={calls}:signal=KILL:when={when}");
    let before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
    let mut command = round.brisk(&before, words);
    round.run(&mut command);
    format!("{words:?} killed at call {when} of {calls}")
}

/// Kills the command after a while, and its children after another.
fn kill_in_time(round: &mut Round, words: &[&str]) -> String {
    let while_ = Duration::from_micros(round.seed.below(20_000));
    let watched = Watched::start(&mut round.brisk(&[], words));
    watched.wait(while_);
    watched.signal(Signal::KILL);
    let ended = watched.finish(LIMIT);
    let what = format!("{words:?} killed after {while_:?}");
    round.judge(&ended, &what);
    if round.seed.one_in(2) {
        round.kill_background();
    }
    what
}
