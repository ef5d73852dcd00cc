//! [`Inodes`]: files by device and inode, each with a number.
//!
//! A file takes 12 bytes in a table of open addressing. A table is at least 8/15 full once it has
//! grown, so that a file takes 23 bytes at most. Each device has many small tables, which grow one
//! after the other: the copying of one to larger memory takes little.
//!
//! A table that may not grow any further is written to an unnamed file as it is, and is empty
//! again. Of such a [`InodeRun`], ten bits for each file stay in memory, which say of most other files that
//! they are not in it. 10,000,000 files of one device take 45 MB in all:
//!
//! ```text
//!   add ─► a table in memory ─► the table's runs, newest first ─► new: into the table
//!           found: done          bits say no: the next run
//!                                else: read where the inode belongs; found: done
//! ```
//!
//! Where no such file can be made or written, tables grow on: the set is then as large as it must
//! be, and the walk goes on.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom, Write};

use brisk_sys::Identity;
use brisk_sys::whole::create_unnamed;

/// The number of tables a device. While one of them grows, it takes 1/64 of the memory twice.
const PARTS: usize = 64;

/// The most slots of a device's table that may be written to a file instead of growing. All tables
/// of a device together take 31 MB then, for 2,000,000 files.
const MAX_SLOTS: usize = 40_000;

/// The bytes of a slot in a file.
const SLOT_BYTES: usize = size_of::<Slot>();

/// How many slots of a file are read at once. In a table that is four fifths full, a new inode meets
/// 13 slots on average.
const WINDOW: usize = 64;

/// Files by device and inode, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Inodes {
    /// Random, so that no file system can choose inodes that collide.
    hasher: RandomState,
    devices: HashMap<u64, Vec<InodeTable>>,
    spill: Spill,
}

/// Some of the inodes of one device.
#[derive(Clone, Debug, Default)]
struct InodeTable {
    slots: Vec<Slot>,
    used: usize,
    runs: Vec<InodeRun>,
}

/// An inode, in halves so that a slot takes 12 bytes, and its number; 0 if the slot is free.
type Slot = [u32; 3];

/// A table that was written to the file.
#[derive(Clone, Debug)]
struct InodeRun {
    /// Where it begins in the file.
    at: u64,
    /// The number of its slots.
    length: usize,
    /// Three bits of one word for each inode; a word for every six inodes. If one of its bits is not
    /// set, an inode is not in this run. Of the others, one in 50 is not either.
    bits: Vec<u64>,
}

/// The unnamed file.
#[derive(Debug)]
struct Spill {
    file: Option<File>,
    /// Where the last run ends.
    end: u64,
    /// The most slots of a table, if there is only one device.
    max: usize,
    devices: usize,
}

impl Default for Spill {
    fn default() -> Spill {
        Spill { file: None, end: 0, max: MAX_SLOTS, devices: 0 }
    }
}

impl Inodes {
    /// Adds a file with this number, which is not 0. If the file is known already, returns the
    /// number that it has.
    pub fn add(&mut self, (dev, ino): Identity, number: u32) -> Option<u32> {
        let parts = self.devices.entry(dev).or_insert_with(|| {
            self.spill.devices += 1;
            vec![InodeTable::default(); PARTS]
        });
        let hash = |ino| self.hasher.hash_one(ino);
        parts[hash(ino) as usize % PARTS].add(hash, ino, number, &mut self.spill)
    }

    /// Gives a known file another number.
    pub fn set(&mut self, (dev, ino): Identity, number: u32) {
        let Some(parts) = self.devices.get_mut(&dev) else { return };
        let hash = self.hasher.hash_one(ino);
        parts[hash as usize % PARTS].set(hash, ino, number, &mut self.spill);
    }

    /// The bytes of all tables, and of what stays of written ones.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let tables = self.devices.values().flatten();
        let runs = |table: &InodeTable| {
            table.runs.iter().map(|run| run.bits.capacity() * 8).sum::<usize>()
        };
        tables.map(|table| table.slots.capacity() * SLOT_BYTES + runs(table)).sum()
    }
}

impl InodeTable {
    fn add(
        &mut self,
        hash: impl Fn(u64) -> u64,
        ino: u64,
        number: u32,
        spill: &mut Spill,
    ) -> Option<u32> {
        if (self.used + 1) * 5 > self.slots.len() * 4 {
            self.make_room(&hash, spill);
        }
        let hashed = hash(ino);
        let at = self.place(hashed, ino);
        let known = match self.slots[at][2] {
            0 if self.runs.is_empty() => None,
            0 => self.spilled(hashed, ino, spill).map(|(number, _)| number),
            known => Some(known),
        };
        if known.is_none() {
            let [low, high] = halves(ino);
            self.slots[at] = [low, high, number];
            self.used += 1;
        }
        known
    }

    fn set(&mut self, hash: u64, ino: u64, number: u32, spill: &mut Spill) {
        let at = self.place(hash, ino);
        if self.slots[at][2] != 0 {
            self.slots[at][2] = number;
        } else if let Some((_, slot)) = self.spilled(hash, ino, spill) {
            let at = slot + size_of::<[u32; 2]>() as u64;
            // As in `spilled`: a file that fails leaves the number that it has.
            let _ = spill.at(at).and_then(|file| file.write_all(&number.to_ne_bytes()));
        }
    }

    /// The number of an inode in the file, and where its slot is. A file that cannot be read again
    /// has no inodes: then a file may be delivered twice, and the walk goes on.
    #[cold]
    fn spilled(&self, hash: u64, ino: u64, spill: &mut Spill) -> Option<(u32, u64)> {
        let mask = mask(hash);
        let may_have = |run: &&InodeRun| run.bits[scaled(hash, run.bits.len())] & mask == mask;
        let mut runs = self.runs.iter().rev().filter(may_have);
        runs.find_map(|run| run.find(hash, ino, spill).ok().flatten())
    }

    /// Where an inode of this hash is or belongs. At least one slot in five is free.
    fn place(&self, hash: u64, ino: u64) -> usize {
        let length = self.slots.len();
        let inode = halves(ino);
        let mut at = scaled(hash, length);
        while self.slots[at][2] != 0 && self.slots[at][..2] != inode {
            at = if at + 1 == length { 0 } else { at + 1 };
        }
        at
    }

    /// Half as large again, or empty.
    #[cold]
    fn make_room(&mut self, hash: impl Fn(u64) -> u64, spill: &mut Spill) {
        let length = (self.slots.len() * 3 / 2).max(8);
        if length > spill.max_slots()
            && let Ok(at) = spill.append(&self.slots)
        {
            self.runs.push(InodeRun::new(at, &self.slots, hash));
            self.slots.fill(Slot::default());
            self.used = 0;
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); length]);
        for slot in old.into_iter().filter(|slot| slot[2] != 0) {
            let ino = ino(slot);
            let at = self.place(hash(ino), ino);
            self.slots[at] = slot;
        }
    }
}

impl InodeRun {
    fn new(at: u64, slots: &[Slot], hash: impl Fn(u64) -> u64) -> InodeRun {
        let mut bits = vec![0; slots.len() / 8 + 1];
        let words = bits.len();
        for slot in slots.iter().filter(|slot| slot[2] != 0) {
            let hash = hash(ino(*slot));
            bits[scaled(hash, words)] |= mask(hash);
        }
        InodeRun { at, length: slots.len(), bits }
    }

    /// The number of an inode, and where its slot is in the file.
    fn find(&self, hash: u64, ino: u64, spill: &mut Spill) -> io::Result<Option<(u32, u64)>> {
        let mut slot_at = scaled(hash, self.length);
        loop {
            let count = WINDOW.min(self.length - slot_at);
            let mut words = [[0; 4]; 3 * WINDOW];
            let window = &mut words[..3 * count];
            let mut at = self.at + (slot_at * SLOT_BYTES) as u64;
            spill.at(at)?.read_exact(window.as_flattened_mut())?;
            for words in window.as_chunks().0 {
                let [low, high, number] = words.map(u32::from_ne_bytes);
                if number == 0 {
                    return Ok(None);
                }
                if [low, high] == halves(ino) {
                    return Ok(Some((number, at)));
                }
                at += SLOT_BYTES as u64;
            }
            slot_at = (slot_at + count) % self.length;
        }
    }
}

impl Spill {
    /// The most slots of a table. Devices share the memory, but tables of fewer slots than this are
    /// not worth a read.
    fn max_slots(&self) -> usize {
        (self.max / self.devices.max(1)).max(self.max.min(1_000))
    }

    /// Writes a table. Returns where it begins.
    fn append(&mut self, slots: &[Slot]) -> io::Result<u64> {
        if self.file.is_none() {
            self.file = Some(create_unnamed(&std::env::temp_dir())?);
        }
        let words = slots.as_flattened().iter();
        let bytes: Vec<u8> = words.flat_map(|word| word.to_ne_bytes()).collect();
        let at = self.end;
        self.at(at)?.write_all(&bytes)?;
        self.end += bytes.len() as u64;
        Ok(at)
    }

    /// The file, at this place in it.
    fn at(&mut self, at: u64) -> io::Result<&mut File> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(at))?;
        Ok(file)
    }
}

/// The inode in a slot.
fn ino([low, high, _]: Slot) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// An inode as a slot holds it.
fn halves(ino: u64) -> [u32; 2] {
    [ino as u32, (ino >> 32) as u32]
}

/// A hash as a place among this many. The upper bits decide: the lower ones have chosen the table.
fn scaled(hash: u64, length: usize) -> usize {
    ((u128::from(hash) * length as u128) >> 64) as usize
}

/// The bits of a hash in its word, by bits of the hash that decide nothing else.
fn mask(hash: u64) -> u64 {
    let bit = |shift: u32| 1 << (hash >> shift & 63);
    bit(6) | bit(12) | bit(18)
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
            assert!(inodes.add((7, step), 2) == Some(1) && inodes.add((8, step), 2).is_none());
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

    /// As a HashMap, with tables so small that most files are in the file.
    #[test]
    fn what_is_written_to_the_file_is_known_as_well() {
        let mut inodes = Inodes::default();
        inodes.spill.max = 50;
        let mut expected = HashMap::new();
        let mut random = testkit::Random(7);
        for number in 1..200_000 {
            let id =
                (random.below(3) as u64, (random.below(60_000) as u64) << (random.below(2) * 40));
            let known = inodes.add(id, number);
            assert_eq!(known, expected.get(&id).copied(), "{id:?}");
            expected.entry(id).or_insert(number);
            if known.is_some() && number.is_multiple_of(3) {
                inodes.set(id, number);
                expected.insert(id, number);
            }
        }
        let tables = || inodes.devices.values().flatten();
        assert!(tables().all(|table| table.runs.len() > 5), "{} in all", expected.len());
        assert!(tables().all(|table| table.slots.len() <= 50));
    }

    #[cfg(unix)]
    #[test]
    fn without_a_file_tables_grow() {
        let mut inodes = Inodes::default();
        // Read-only, so that nothing can be written.
        inodes.spill.file = Some(File::open("/dev/null").expect("there"));
        inodes.spill.max = 50;
        assert!((1..20_000).all(|ino| inodes.add((1, ino), 1).is_none()));
        assert!((1..20_000).all(|ino| inodes.add((1, ino), 2) == Some(1)));
        assert_eq!(inodes.spill.end, 0);
    }

    const MANY: u64 = 10_000_000;

    #[test]
    #[ignore = "measured by many_files_take_64_mib"]
    fn many_files() {
        let mut inodes = Inodes::default();
        // Consecutive, as file systems number them, and spread.
        let id = |file: u64| (1, if file.is_multiple_of(2) { file } else { file << 32 });
        assert!((1..=MANY).all(|file| inodes.add(id(file), 1).is_none()));
        assert!((1..=MANY).all(|file| inodes.add(id(file), 1).is_some()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    #[ignore = "20,000,000 look-ups: run by hand, in release"]
    fn many_files_take_64_mib() {
        let program = std::env::current_exe().expect("this program");
        let test = "inodes::tests::many_files";
        let words = [program.to_str().expect("UTF-8"), "--ignored", "--exact", test];
        let peak = testkit::peak(std::path::Path::new("/"), &words);
        assert!(peak <= 64 << 10, "{peak} KiB");
        eprintln!("{MANY} files took {peak} KiB");
    }
}
