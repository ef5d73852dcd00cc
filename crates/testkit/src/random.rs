//! Random edits of trees: numbers that are the same in every run, and what there is to edit.

use std::fs;
use std::path::{Path, PathBuf};

/// Whether the tests are those of `scripts/test all`, which sets `BRISK_PRODUCTS`.
#[must_use]
pub fn has_products() -> bool {
    std::env::var_os("BRISK_PRODUCTS").is_some()
}

/// How many rounds a test makes that edits at random: `push` of them for each push, and `all` with
/// `BRISK_PRODUCTS` in the environment, as `scripts/test all` sets it. `BRISK_ROUNDS` says another
/// number.
///
/// # Panics
/// `BRISK_ROUNDS` is not a number.
#[must_use]
pub fn rounds(push: u64, all: u64) -> u64 {
    match std::env::var("BRISK_ROUNDS") {
        Ok(rounds) => rounds.parse().expect("BRISK_ROUNDS is a number"),
        Err(_) if has_products() => all,
        Err(_) => push,
    }
}

/// Random numbers that suffice for edits (xorshift). The seed is not 0.
pub struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// One of these.
    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// A directory and everything below it, sorted.
///
/// # Panics
/// A directory cannot be read.
#[must_use]
pub fn tree(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    let mut at = 0;
    while at < found.len() {
        if found[at].is_dir() && !found[at].is_symlink() {
            let below = fs::read_dir(&found[at]).expect("a directory that can be read");
            found.extend(below.map(|entry| entry.expect("an entry").path()));
        }
        at += 1;
    }
    found.sort();
    found
}
