//! [`Finder`]: the first walk. It reads, and so checks, each block that the result depends on. It
//! marks the directories in which there are differences, and gathers the entries that may have been
//! renamed: those that only one side has.

use brisk::{Fields, FileType, Timestamp};
use xxhash_rust::xxh3::xxh3_64;

use super::answer::Fault;
use super::compare::Terms;
use super::input::Input;
use super::pieces::Pieces;
use super::walk::{Enter, Inside, Met, NEW, OLD, Spot, Step, Visit, is_opaque};
use crate::bits::Bits;
use crate::change::Differs;
use crate::record::{Flags, Record};

/// An entry that one side alone has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Equal keys say: the same entry.
    pub key: u64,
    pub spot: Spot,
    /// The checksum of the name; of an identity 0.
    pub name: u32,
    pub is_dir: bool,
    /// The time has a fraction of a second, or there are many of them: chance makes no such key.
    pub is_telling: bool,
}

/// The candidates of both sides.
pub(super) type Candidates = [Vec<Candidate>; 2];

/// Directories that are the same on both sides, with all that is below them, by the checksums of
/// their blocks. A number stays a directory's own from one state to the next; in states that are
/// unrelated, the blocks of directories without subdirectories are the same all the same.
pub(super) struct Equal {
    /// The directories in or below which there are differences, by their numbers.
    differs: [Bits; 2],
    /// The directories with subdirectories.
    parents: [Bits; 2],
}

impl Equal {
    pub fn new(inputs: &[Input; 2]) -> Equal {
        let pieces = inputs.each_ref().map(|input| &input.pieces);
        let lens = pieces.map(|pieces| pieces.dirs().len());
        let (differs, parents) = (lens.map(Bits::new), lens.map(Bits::new));
        for number in 0..lens[OLD].max(lens[NEW]) as u32 {
            let is_same = block(pieces[OLD], number) == block(pieces[NEW], number);
            for (side, pieces) in pieces.into_iter().enumerate() {
                if !is_same {
                    mark_upwards(pieces, &differs[side], number);
                }
                if let Some(dir) = pieces.dir(number) {
                    parents[side].set(dir.parent as usize);
                }
            }
        }
        Equal { differs, parents }
    }

    fn holds(&self, inputs: &[Input; 2], old: u32, new: u32) -> bool {
        // What is unknown on both sides may differ.
        if !inputs.iter().all(Input::is_known) {
            return false;
        }
        if old == new && !self.differs.iter().any(|differs| differs.get(old as usize)) {
            return true;
        }
        let is_leaf = !self.parents[OLD].get(old as usize) && !self.parents[NEW].get(new as usize);
        is_leaf && block(&inputs[OLD].pieces, old) == block(&inputs[NEW].pieces, new)
    }
}

/// What the index says of a block.
fn block(pieces: &Pieces, number: u32) -> Option<(u64, u32, u32, bool)> {
    pieces.dir(number).map(|dir| (dir.checksum, dir.len, dir.count, dir.is_whole))
}

fn mark_upwards(pieces: &Pieces, marks: &Bits, number: u32) {
    let mut number = number;
    while !marks.get(number as usize)
        && let Some(dir) = pieces.dir(number)
    {
        marks.set(number as usize);
        number = dir.parent;
    }
}

/// On which way a directory was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Both,
    One,
}

/// What is made of what is below a directory that one side alone has.
struct Print {
    spot: Spot,
    side: usize,
    /// The directory may be found again by what is in it.
    is_candidate: bool,
    name: u64,
    sum: u64,
    /// Something below says which directory this is: a file that is not empty, or a link.
    says_enough: bool,
}

/// The first walk.
pub(super) struct Finder<'a> {
    pub equal: &'a Equal,
    pub terms: Terms,
    /// Whether entries that were renamed are looked for.
    pub renames: bool,
    /// The later directories in which there are differences, by their numbers.
    pub marks: Bits,
    /// By inode and birth time.
    pub by_identity: Candidates,
    /// By size and time, where inodes say nothing.
    pub by_looks: Candidates,
    /// The bytes of the files that have to be read; `None` if no file has to.
    pub to_read: Option<u64>,
    prints: Vec<Print>,
}

impl<'a> Finder<'a> {
    pub fn new(equal: &'a Equal, terms: Terms, renames: bool, dirs: usize) -> Finder<'a> {
        Finder {
            equal,
            terms,
            renames,
            marks: Bits::new(dirs),
            by_identity: Default::default(),
            by_looks: Default::default(),
            to_read: None,
            prints: Vec::new(),
        }
    }

    fn both(&mut self, inputs: &[Input; 2], old: &Met<'_>, new: &Met<'_>) -> Step<Way> {
        let trusts = inputs[NEW].trusts_inodes(new.spot.dir);
        let found = self.terms.compare(trusts, &old.record, &new.record);
        let listed = [old, new].map(|met| met.record.flags.has(Flags::LISTED));
        let asks = listed == [true, true] && self.terms.asks(&found, &new.record);
        if asks && inputs[OLD].has_source(&old.record) && inputs[NEW].has_source(&new.record) {
            let size = new.record.stamp.size;
            self.to_read = Some(self.to_read.unwrap_or(0).saturating_add(size));
        }
        let is_equal = found.differs == Differs::default() || listed == [false, false];
        let differs_here = asks || !is_equal || listed[OLD] != listed[NEW];
        let (inside, way) = ([old.inside(), new.inside()], Way::Both);
        let enter = match inside {
            // What is recorded as equal may have other contents.
            [Some(a), Some(b)]
                if !self.terms.content && self.equal.holds(inputs, a.block, b.block) =>
            {
                None
            }
            [Some(_), Some(_)] if is_opaque(inputs, old, new) => {
                return Step { differs: true, enter: None };
            }
            [Some(_), Some(_)] => Some(Enter::new(inside, way)),
            [None, None] => None,
            _ => Some(Enter::new(inside, Way::One)),
        };
        Step { differs: differs_here, enter: enter.filter(|enter| has_blocks(inputs, enter)) }
    }

    fn one(&mut self, inputs: &[Input; 2], side: usize, met: &Met<'_>) -> Step<Way> {
        let is_listed = met.record.flags.has(Flags::LISTED);
        if self.renames && is_listed {
            self.gather(inputs, side, met);
        }
        let mut dirs = [None, None];
        dirs[side] = met.inside();
        let enter = Enter::new(dirs, Way::One);
        let enter = (dirs[side].is_some() && has_blocks(inputs, &enter)).then_some(enter);
        if enter.is_some() {
            let name = xxh3_64(met.record.name);
            let is_candidate = self.renames && is_listed && self.has_no_identity(inputs, side, met);
            self.push_print(side, met, is_candidate, name);
        }
        Step { differs: true, enter }
    }

    fn gather(&mut self, inputs: &[Input; 2], side: usize, met: &Met<'_>) {
        let Met { spot, record, .. } = *met;
        let trusts = inputs[side].trusts_inodes(spot.dir);
        if trusts && self.knows_identities() {
            let key = identity(volume(inputs, side, spot.dir), &record, self.terms.known);
            self.by_identity[side].push(Candidate {
                key,
                spot,
                name: 0,
                is_dir: false,
                is_telling: true,
            });
        }
        let known = self.terms.known;
        let looks = looks(&record).filter(|_| match record.stamp.file_type() {
            FileType::Symlink => known.contains(Fields::LINK_TARGET),
            _ => known.contains(Fields::SIZE),
        });
        if let Some(above) = self.prints.last_mut() {
            let name = xxh3_64(record.name);
            let own = looks.unwrap_or_else(|| plain(&record, known));
            // Of directories counts what is in them; that is added when the walk leaves them.
            above.sum = above.sum.wrapping_add(key_of(&[name, own]));
            above.says_enough |= looks.is_some();
        }
        if self.has_no_identity(inputs, side, met) {
            let name = xxh3_64(record.name) as u32;
            let is_telling = record.stamp.mtime.nanos != 0;
            let candidate = |key| Candidate { key, spot, name, is_dir: false, is_telling };
            self.by_looks[side].extend(looks.map(candidate));
        }
    }

    /// Whether an inode does not say what became of an entry.
    fn has_no_identity(&self, inputs: &[Input; 2], side: usize, met: &Met<'_>) -> bool {
        let trusts = inputs[side].trusts_inodes(met.spot.dir) && self.terms.is_one_tree;
        (!trusts || !self.knows_identities()) && self.terms.known.contains(Fields::MTIME)
    }

    /// Whether both sides know what tells a file from one that has its inode number later.
    fn knows_identities(&self) -> bool {
        let known = self.terms.known;
        known.contains(Fields::INO) && known.contains(Fields::SIZE | Fields::MTIME)
    }

    fn push_print(&mut self, side: usize, met: &Met<'_>, is_candidate: bool, name: u64) {
        let Met { spot, .. } = *met;
        self.prints.push(Print { spot, side, is_candidate, name, sum: 0, says_enough: false });
    }

    /// A directory that one side alone has was left: the sum says what was in it.
    fn leave_print(&mut self) {
        let Some(Print { spot, side, is_candidate, name, sum, says_enough }) = self.prints.pop()
        else {
            return;
        };
        if let Some(above) = self.prints.last_mut() {
            above.sum = above.sum.wrapping_add(key_of(&[name, sum, 1]));
            above.says_enough |= says_enough;
        }
        if is_candidate && says_enough {
            let key = key_of(&[sum, DIRECTORY]);
            let (name, is_dir, is_telling) = (name as u32, true, true);
            self.by_looks[side].push(Candidate { key, spot, name, is_dir, is_telling });
        }
    }
}

impl Visit for Finder<'_> {
    type Way = Way;

    fn begin(&mut self, _: usize, terms: Terms) -> Way {
        self.terms = terms;
        Way::Both
    }

    fn passes_same(&self, _: Way) -> bool {
        !self.terms.content
    }

    fn splits(&self, _: Way, _: Spot, _: Spot) -> bool {
        false
    }

    fn meet(
        &mut self,
        inputs: &mut [Input; 2],
        _: Way,
        met: [Option<Met<'_>>; 2],
    ) -> Result<Step<Way>, Fault> {
        Ok(match &met {
            [Some(old), Some(new)] => {
                let step = self.both(inputs, old, new);
                // What is below a directory that has become something else is on one side alone.
                if let Some(Enter { way: Way::One, .. }) = &step.enter {
                    let side = if old.record.is_dir() { OLD } else { NEW };
                    self.push_print(side, [old, new][side], false, 0);
                }
                step
            }
            [Some(old), None] => self.one(inputs, OLD, old),
            [None, Some(new)] => self.one(inputs, NEW, new),
            [None, None] => Step { differs: false, enter: None },
        })
    }

    fn leave(&mut self, dirs: [Option<u32>; 2], differs: bool) {
        match dirs {
            [Some(_), Some(new)] if differs => self.marks.set(new as usize),
            [Some(_), Some(_)] => {}
            _ => self.leave_print(),
        }
    }
}

fn has_blocks(inputs: &[Input; 2], enter: &Enter<Way>) -> bool {
    let is_there = |(input, dir): (&Input, _)| {
        let block = |inside: Inside| input.pieces.dir(inside.block).is_some();
        Option::is_none_or(dir, block)
    };
    inputs.iter().zip(enter.dirs).all(is_there)
}

/// A number that both sides give to the same file system.
fn volume(inputs: &[Input; 2], side: usize, dir: u32) -> u64 {
    let Some(volume) = inputs[side].pieces.volume(dir) else { return u64::MAX };
    let known = inputs[OLD].pieces.volumes();
    known.iter().position(|other| other.is_same(volume)).map_or(u64::MAX - 1, |at| at as u64)
}

/// What tells a file from all others, also from one that has its inode number later.
fn identity(volume: u64, record: &Record<'_>, known: Fields) -> u64 {
    let stamp = &record.stamp;
    let file_type = u64::from(stamp.file_type().mode_bits());
    let btime = if known.contains(Fields::BTIME) { stamp.btime } else { Timestamp::default() };
    let born = [btime.secs as u64, u64::from(btime.nanos)];
    let mut key = [volume, stamp.ino, file_type, born[0], born[1], 0, 0, 0];
    if born == [0, 0] {
        key[5] = stamp.size;
        key[6] = stamp.mtime.secs as u64;
        key[7] = u64::from(stamp.mtime.nanos);
    }
    key_of(&key)
}

/// What an entry that looks like many others says of the directory it is in.
fn plain(record: &Record<'_>, known: Fields) -> u64 {
    let stamp = &record.stamp;
    let mode = if known.contains(Fields::MODE) { stamp.mode } else { stamp.mode & !0o7777 };
    u64::from(mode) ^ if known.contains(Fields::SIZE) { stamp.size } else { 0 }
}

/// Tells keys of directories from those of files.
const DIRECTORY: u64 = 2;

/// What a file that was moved keeps also where inodes say nothing. An empty file is like all others.
fn looks(record: &Record<'_>) -> Option<u64> {
    let stamp = &record.stamp;
    let times = [stamp.mtime.secs as u64, u64::from(stamp.mtime.nanos)];
    match stamp.file_type() {
        FileType::File if stamp.size > 0 => Some(key_of(&[stamp.size, times[0], times[1], 0])),
        FileType::Symlink => Some(key_of(&[xxh3_64(record.more), times[0], times[1], 1])),
        _ => None,
    }
}

fn key_of<const N: usize>(numbers: &[u64; N]) -> u64 {
    xxh3_64(numbers.map(u64::to_le_bytes).as_flattened())
}
