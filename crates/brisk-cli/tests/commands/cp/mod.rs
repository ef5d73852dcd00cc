//! `brisk cp`: what GNU cp does not have, and everything that makes copying dangerous. tests/gnu
//! compares its calls with GNU cp's.

mod attributes;
mod beyond;
mod danger;
mod left_trees;
mod losses;
mod slow;
mod surplus;
mod swaps;

use std::process::Command;

use testkit::{Installation, Scratch, brisk, stderr, stdout};

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

/// Runs a script that checks itself. `$U` runs a program that permission bits bind.
fn succeeds(test: &str, script: &str) {
    let user = "U='setpriv --bounding-set=-dac_override,-dac_read_search'\n\
                $U true 2>told || { echo 'left out: setpriv cannot give up rights'; exit 0; }\n";
    Installation::new().succeeds(test, &format!("{user}{script}"));
}
