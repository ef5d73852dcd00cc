//! brisk called find against the installed GNU find: the same bytes, in the same order, the same
//! messages, the same exit codes, the same files written, the same entries left.
//!
//! A table has shell lines by what they are about (`rows.rs`); each group of them is a test. Random
//! command lines (`lines.rs`) run by the fifty on a random tree (`random.rs`), as many as
//! `BRISK_EXPRESSIONS` says, or 300, other ones with another `BRISK_SEED`; a line that makes a
//! difference is cut down before it is shown. All of it runs without the privilege to read what is closed, and where nothing else can
//! be written. Messages are compared sorted, because directories are read ahead of their turn.

mod lines;
mod place;
mod random;
mod rows;

use libtest_mimic::{Failed, Trial};

/// Random lines on one tree.
const LINES: usize = 50;

/// Whether there is a GNU find 4.9, and the privilege to read everything can be given up.
fn is_possible() -> bool {
    let version = std::process::Command::new("/usr/bin/find").arg("--version").output();
    let why = if !version.is_ok_and(|out| out.stdout.starts_with(b"find (GNU findutils) 4.9.0\n")) {
        "there is no GNU find 4.9.0"
    } else if testkit::obedient("true").is_none() {
        "root cannot give up the privilege to read everything"
    } else {
        return true;
    };
    testkit::left_out("find", why);
    false
}

/// A test in a thread of its own: where a thread may remove, it no longer sees the trees of others.
fn trial(name: String, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    let inner = move || {
        let thread = std::thread::Builder::new().spawn(test).unwrap();
        thread.join().unwrap_or_else(|_| Err("the test panicked".into()))
    };
    Trial::test(name, inner)
}

/// The tests, if there is a GNU find.
pub fn trials() -> Vec<Trial> {
    if !is_possible() {
        return Vec::new();
    }
    let number = |name, otherwise| std::env::var(name).map_or(otherwise, |it| it.parse().unwrap());
    let lines: usize = number("BRISK_EXPRESSIONS", 300);
    let seed = number("BRISK_SEED", 0);
    let mut trials =
        vec![trial("a difference of find is seen".to_owned(), place::sees_differences)];
    for tree in (1..=lines.div_ceil(LINES)).map(|tree| tree + seed) {
        let name = format!("find: random lines on tree {tree}");
        trials.push(trial(name, move || random::check(tree as u64, LINES)));
    }
    for (group, rows) in rows::GROUPS {
        trials.push(trial(format!("find: {group}"), || rows::check(rows)));
    }
    trials
}
