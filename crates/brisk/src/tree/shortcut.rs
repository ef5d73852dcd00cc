//! [`Shortcut`]: a way to a directory further up, past those in between.

use std::sync::{Arc, OnceLock};

/// The 64-bit words of a Bloom filter: 16 bits for each inode, so that the filter suspects one in 200
/// without cause.
const WORDS: usize = 32;

/// The way past some of the directories above, from the parent on.
pub(crate) struct Shortcut<N> {
    pub to: Arc<N>,
    pub passed: Option<Passed>,
}

/// What a long shortcut knows of the directories that it passes and of the one to which it leads.
pub(crate) struct Passed {
    /// A Bloom filter of their inodes.
    inos: [u64; WORDS],
    /// The passed names, each with a separator; set by the first worker that builds a path.
    pub names: OnceLock<Box<[u8]>>,
}

impl Passed {
    /// Directories of these inodes.
    pub fn new(all: impl Iterator<Item = u64>) -> Passed {
        let mut inos = [0; WORDS];
        for (word, bit) in all.flat_map(places) {
            inos[word] |= bit;
        }
        Passed { inos, names: OnceLock::new() }
    }

    pub fn has(&self, ino: u64) -> bool {
        places(ino).iter().all(|&(word, bit)| self.inos[word] & bit != 0)
    }
}

/// The three bits of an inode in a Bloom filter.
fn places(ino: u64) -> [(usize, u64); 3] {
    // Fibonacci hashing: inodes are often consecutive.
    let hash = ino.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [20, 31, 42].map(|shift| {
        let bit = (hash >> shift) as usize % (WORDS * 64);
        (bit / 64, 1 << (bit % 64))
    })
}
