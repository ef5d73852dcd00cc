//! `brisk cp`: what GNU cp does not have, and everything that makes copying dangerous. tests/gnu
//! compares its calls with GNU cp's.

mod beyond;
mod danger;
mod losses;
mod slow;
mod surplus;
mod swaps;

use std::process::Command;

use testkit::{Scratch, brisk, stderr, stdout};

/// What a call in this place prints, and its exit code.
fn run(place: &Scratch, words: &str) -> (String, i32) {
    let output = Command::new(brisk())
        .arg("cp")
        .args(words.split_whitespace())
        .current_dir(place.path(""))
        .output()
        .unwrap();
    let lines = stdout(&output) + &stderr(&output);
    (lines, output.status.code().unwrap())
}

/// A tree `t` with these files.
fn tree() -> Scratch {
    let place = Scratch::new();
    place.fill("t", ["a", "b.o", "d/c", "d/e/f", ".hidden"], "text\n");
    place
}
