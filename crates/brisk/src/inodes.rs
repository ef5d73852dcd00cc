//! [`Inodes`]: files by device and inode, each with a number.
//!
//! A file takes 12 bytes in a table of open addressing. A table is at least 8/15 full once it has
//! grown, so that a file takes 23 bytes at most. Each device has many small tables, which grow one
//! after the other: the copying of one to larger memory takes little.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use brisk_sys::Identity;

/// The number of tables a device. While one of them grows, it takes 1/64 of the memory twice.
const PARTS: usize = 64;

/// Files by device and inode, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Inodes {
    /// Random, so that no file system can choose inodes that collide.
    hasher: RandomState,
    devices: HashMap<u64, Vec<Table>>,
}

/// Some of the inodes of one device.
#[derive(Clone, Debug, Default)]
struct Table {
    slots: Vec<Slot>,
    used: usize,
}

/// An inode, in halves so that a slot takes 12 bytes, and its number; 0 if the slot is free.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    inode: [u32; 2],
    number: u32,
}

impl Inodes {
    /// Adds a file with this number, which is not 0. If the file is known already, returns the
    /// number that it has.
    pub fn add(&mut self, (dev, ino): Identity, number: u32) -> Option<&mut u32> {
        let parts = self.devices.entry(dev).or_insert_with(|| vec![Table::default(); PARTS]);
        let hash = |ino| self.hasher.hash_one(ino);
        parts[hash(ino) as usize % PARTS].add(hash, ino, number)
    }

    /// The bytes of all tables.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let tables = self.devices.values().flatten();
        tables.map(|table| table.slots.capacity() * size_of::<Slot>()).sum()
    }
}

impl Table {
    fn add(&mut self, hash: impl Fn(u64) -> u64, ino: u64, number: u32) -> Option<&mut u32> {
        if (self.used + 1) * 5 > self.slots.len() * 4 {
            self.grow(&hash);
        }
        let at = self.place(&hash, ino);
        let slot = &mut self.slots[at];
        if slot.number != 0 {
            return Some(&mut slot.number);
        }
        *slot = Slot { inode: halves(ino), number };
        self.used += 1;
        None
    }

    /// Where an inode is or belongs. At least one slot in five is free.
    fn place(&self, hash: impl Fn(u64) -> u64, ino: u64) -> usize {
        let length = self.slots.len();
        let inode = halves(ino);
        // By the upper bits of the hash: the lower ones have chosen the table.
        let mut at = ((u128::from(hash(ino)) * length as u128) >> 64) as usize;
        while self.slots[at].number != 0 && self.slots[at].inode != inode {
            at = if at + 1 == length { 0 } else { at + 1 };
        }
        at
    }

    /// Half as large again.
    #[cold]
    fn grow(&mut self, hash: impl Fn(u64) -> u64) {
        let length = (self.slots.len() * 3 / 2).max(8);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); length]);
        for slot in old.into_iter().filter(|slot| slot.number != 0) {
            let ino = u64::from(slot.inode[0]) | u64::from(slot.inode[1]) << 32;
            let at = self.place(&hash, ino);
            self.slots[at] = slot;
        }
    }
}

/// An inode as a slot holds it.
fn halves(ino: u64) -> [u32; 2] {
    [ino as u32, (ino >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_24_bytes_at_most() {
        for step in [1, 4, 1 << 32] {
            let mut inodes = Inodes::default();
            for count in 1..=300_000_u64 {
                assert!(inodes.add((7, count * step), 1).is_none());
                if count >= 10_000 && count.is_multiple_of(997) {
                    let each = inodes.bytes() / count as usize;
                    assert!(each <= 24, "{each} bytes each for {count}");
                }
            }
            assert!(inodes.add((7, step), 2) == Some(&mut 1) && inodes.add((8, step), 2).is_none());
        }
    }

    /// The memory for 1,000,000 files with two links each, at its peak: while a table grows, its
    /// old memory is still there.
    #[test]
    fn a_million_files_with_two_links_take_less_than_48_mib() {
        let mut inodes = Inodes::default();
        for ino in 1..=1_000_000 {
            assert!(inodes.add((1, ino), 1).is_none());
        }
        let known = (1..=1_000_000).filter(|&ino| inodes.add((1, ino), 2).is_some()).count();
        let largest = inodes.devices[&1].iter().map(|table| table.slots.len()).max();
        let peak = inodes.bytes() + largest.unwrap_or(0) * size_of::<Slot>();
        assert!(known == 1_000_000 && peak <= 48 << 20, "{known} known, {peak} bytes");
        assert!(peak <= 24 << 20, "{peak} bytes");
    }
}
