//! [`Finder`]: the first walk. It reads each block that the result depends on, and verifies its
//! checksum. It marks the directories with differences. It also collects the entries that only one
//! side has, because they may have been renamed.

use brisk::{Fields, FileType};
use xxhash_rust::xxh3::xxh3_64;

use super::criteria::Criteria;
use super::input::{Input, NEW, OLD, RecordId};
use super::walk::{Enter, EntryPair, Inputs, Next, SideEntry, Visit};
use crate::change::{DiffError, Differs};
use crate::format::index::Index;
use crate::format::record::{DirId, Record, TOP, hash};
use crate::rescan::marks::Marks;

/// An entry that only one side has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Entries with equal keys may be the same file.
    pub key: u64,
    pub id: RecordId,
    /// A hash of the name; 0 where names do not count.
    pub name: u32,
    pub is_dir: bool,
    /// Whether different files are unlikely to have the same key: the time has a fraction of a
    /// second, or the key comes from many entries.
    pub is_telling: bool,
}

/// The candidates of both sides.
pub(super) type Candidates = [Vec<Candidate>; 2];

/// Tells which directories are the same on both sides, with everything below, by comparing the
/// checksums of blocks. A block holds the numbers of its subdirectories. A directory keeps its
/// number from one state to the next, so the block of an unchanged directory stays the same.
/// Unrelated states number directories differently, so there only blocks without subdirectories can
/// be equal.
pub(super) struct Equal {
    /// The directories that have differences, in them or below.
    differs: [Marks; 2],
    /// The directories with subdirectories.
    parents: [Marks; 2],
}

impl Equal {
    pub fn new(inputs: &Inputs) -> Equal {
        let indexes = inputs.each_ref().map(|input| &input.index);
        let differs = indexes.map(|index| Marks::new(index.len()));
        let parents = indexes.map(|index| Marks::new(index.len()));
        for number in 0..indexes[OLD].len().max(indexes[NEW].len()) as DirId {
            let is_same = block(indexes[OLD], number) == block(indexes[NEW], number);
            for (side, index) in indexes.into_iter().enumerate() {
                if !is_same {
                    mark_upwards(index, &differs[side], number);
                }
                if let Some(dir) = index.dir(number) {
                    parents[side].set(dir.parent as usize);
                }
            }
        }
        Equal { differs, parents }
    }

    fn holds(&self, inputs: &Inputs, old: DirId, new: DirId) -> bool {
        // An entry that one side could not read may differ.
        if !inputs.iter().all(Input::is_known) {
            return false;
        }
        if old == new && !self.differs.iter().any(|differs| differs.get(old as usize)) {
            return true;
        }
        let is_leaf = !self.parents[OLD].get(old as usize) && !self.parents[NEW].get(new as usize);
        is_leaf && block(&inputs[OLD].index, old) == block(&inputs[NEW].index, new)
    }
}

/// What the index says about a directory's block.
fn block(index: &Index, number: DirId) -> Option<(u64, u32, u32, bool)> {
    index.dir(number).map(|dir| (dir.checksum, dir.len, dir.count, dir.listing.may_be_recalled))
}

fn mark_upwards(index: &Index, marks: &Marks, number: DirId) {
    let mut number = number;
    while !marks.get(number as usize)
        && let Some(dir) = index.dir(number)
    {
        marks.set(number as usize);
        number = dir.parent;
    }
}

/// Where the first walk is.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// The innermost directory that both sides have: its number in the later state.
    dir: DirId,
    /// Whether the walk is in a directory that only one side has.
    is_alone: bool,
}

/// The fingerprint of a directory that only one side has: a hash of everything below it.
struct Fingerprint {
    id: RecordId,
    side: usize,
    /// Whether the directory may have been renamed, and can be recognised only by its fingerprint.
    is_candidate: bool,
    name: u64,
    sum: u64,
    /// Whether an entry below makes the fingerprint characteristic: a link, a file with bytes.
    is_telling: bool,
}

/// The first walk.
pub(super) struct Finder<'a> {
    equal: &'a Equal,
    criteria: Criteria,
    /// Whether to search for renamed entries.
    renames: bool,
    /// The directories of the later state that have differences, in them or below.
    pub marks: Marks,
    /// By inode and birth time.
    pub by_identity: Candidates,
    /// By size and mtime, where inode numbers do not identify files.
    pub by_looks: Candidates,
    /// How many bytes of files have to be read; `None` if no file has to be read.
    pub to_read: Option<u64>,
    fingerprints: Vec<Fingerprint>,
}

impl<'a> Finder<'a> {
    pub fn new(equal: &'a Equal, criteria: Criteria, renames: bool, dirs: usize) -> Finder<'a> {
        Finder {
            equal,
            criteria,
            renames,
            marks: Marks::new(dirs),
            by_identity: Default::default(),
            by_looks: Default::default(),
            to_read: None,
            fingerprints: Vec::new(),
        }
    }

    fn collect(&mut self, inputs: &Inputs, entry: &SideEntry<'_>) {
        let SideEntry { side, id, record, .. } = *entry;
        let known = self.criteria.known;
        if entry.trusts_inodes(inputs) && self.knows_identities() {
            let volume = volume(inputs, side, id.dir);
            let key = record.attrs.identity(volume, known.contains(Fields::BTIME));
            let candidate = Candidate { key, id, name: 0, is_dir: false, is_telling: true };
            self.by_identity[side].push(candidate);
        }
        let looks = looks(&record).filter(|_| match record.attrs.file_type() {
            FileType::Symlink => known.contains(Fields::LINK_TARGET),
            _ => known.contains(Fields::SIZE),
        });
        if let Some(above) = self.fingerprints.last_mut() {
            let name = xxh3_64(record.name);
            let own = looks.unwrap_or_else(|| plain_looks(&record, known));
            // The entries below a directory are added when the walk leaves it.
            above.sum = above.sum.wrapping_add(hash(&[name, own]));
            above.is_telling |= looks.is_some();
        }
        if self.has_no_identity(inputs, entry) {
            let name = xxh3_64(record.name) as u32;
            let is_telling = record.attrs.mtime.nanos != 0;
            let candidate = |key| Candidate { key, id, name, is_dir: false, is_telling };
            self.by_looks[side].extend(looks.map(candidate));
        }
    }

    /// Whether the other side has to be searched for an entry by its [`looks`], because inode
    /// numbers do not identify it.
    fn has_no_identity(&self, inputs: &Inputs, entry: &SideEntry<'_>) -> bool {
        let trusts = entry.trusts_inodes(inputs) && self.criteria.is_one_tree;
        (!trusts || !self.knows_identities()) && self.criteria.known.contains(Fields::MTIME)
    }

    /// Whether both sides have the fields of an identity: the inode number, and what tells a file
    /// from a later one with the same number.
    fn knows_identities(&self) -> bool {
        let known = self.criteria.known;
        known.contains(Fields::INO) && known.contains(Fields::SIZE | Fields::MTIME)
    }

    /// Enters a directory that only one side has. If it `is_candidate`, it may have been renamed,
    /// and can be recognised only by its fingerprint.
    fn enter_alone(
        &mut self,
        entry: &SideEntry<'_>,
        dir: DirId,
        is_candidate: bool,
    ) -> Next<Finder<'a>> {
        let enter = Enter::alone(entry, Scope { dir, is_alone: true })?;
        let SideEntry { side, id, record, .. } = *entry;
        let name = xxh3_64(record.name);
        let fingerprint = Fingerprint { id, side, is_candidate, name, sum: 0, is_telling: false };
        self.fingerprints.push(fingerprint);
        Some(enter)
    }

    /// Marks the directory in which an entry differs, and those above.
    fn mark(&self, inputs: &Inputs, scope: Scope) {
        mark_upwards(&inputs[NEW].index, &self.marks, scope.dir);
    }
}

impl Visit for Finder<'_> {
    type Scope = Scope;

    fn begin(&mut self, _: usize, criteria: Criteria) -> Scope {
        self.criteria = criteria;
        Scope { dir: TOP, is_alone: false }
    }

    fn passes_same(&self, _: Scope) -> bool {
        !self.criteria.content
    }

    fn both(&mut self, inputs: &Inputs, scope: Scope, pair: &EntryPair<'_>) -> Next<Self> {
        let [old, new] = pair;
        let trusts_inodes = new.trusts_inodes(inputs);
        let compared = self.criteria.compare(trusts_inodes, &old.record, &new.record);
        let listed = pair.map(|entry| entry.record.is_result());
        let needs_contents =
            listed == [true, true] && self.criteria.needs_contents(&compared, &new.record);
        if needs_contents && pair.iter().all(|entry| entry.source(inputs).is_some()) {
            let size = new.record.attrs.size;
            self.to_read = Some(self.to_read.unwrap_or(0).saturating_add(size));
        }
        let is_equal = compared.differs == Differs::default() || listed == [false, false];
        let are_dirs = pair.map(|entry| entry.record.is_dir());
        let is_opaque =
            are_dirs == [true, true] && pair.iter().any(|entry| entry.is_unknown(inputs));
        if needs_contents || !is_equal || listed[OLD] != listed[NEW] || is_opaque {
            self.mark(inputs, scope);
        }
        match are_dirs {
            [true, true] => {
                // If contents decide, files in directories with equal blocks have to be read.
                let [old_dir, new_dir] = pair.map(|entry| entry.record.dir_id);
                let is_same = !self.criteria.content && self.equal.holds(inputs, old_dir, new_dir);
                if is_same || is_opaque {
                    return None;
                }
                let dirs = [Some(old.dir()?), Some(new.dir()?)];
                Some(Enter { dirs, scope: Scope { dir: new_dir, ..scope } })
            }
            [true, false] => self.enter_alone(old, scope.dir, false),
            [false, _] => self.enter_alone(new, scope.dir, false),
        }
    }

    fn alone(
        &mut self,
        inputs: &mut Inputs,
        scope: Scope,
        entry: &SideEntry<'_>,
    ) -> Result<Next<Self>, DiffError> {
        self.mark(inputs, scope);
        let is_wanted = self.renames && entry.record.is_result();
        if is_wanted {
            self.collect(inputs, entry);
        }
        let is_candidate = is_wanted && self.has_no_identity(inputs, entry);
        Ok(self.enter_alone(entry, scope.dir, is_candidate))
    }

    /// Completes the fingerprint of a directory, and adds it to its parent's.
    fn leave(&mut self, scope: Scope) {
        let Some(left) = self.fingerprints.pop_if(|_| scope.is_alone) else { return };
        let Fingerprint { id, side, is_candidate, name, sum, is_telling } = left;
        if let Some(above) = self.fingerprints.last_mut() {
            above.sum = above.sum.wrapping_add(hash(&[name, sum, 1]));
            above.is_telling |= is_telling;
        }
        if is_candidate && is_telling {
            let key = hash(&[sum, DIRECTORY]);
            let name = name as u32;
            self.by_looks[side].push(Candidate { key, id, name, is_dir: true, is_telling });
        }
    }
}

/// The number that a directory's file system has in the earlier state. Both sides use it, so that
/// their keys can be compared.
fn volume(inputs: &Inputs, side: usize, dir: DirId) -> u64 {
    let Some(volume) = inputs[side].index.volume(dir) else { return u64::MAX };
    let known = &inputs[OLD].index.volumes;
    let same = known.iter().position(|other| other.volume.is_same(volume));
    same.map_or(u64::MAX - 1, |at| at as u64)
}

/// Part of the key of a directory, so that it differs from the keys of files.
const DIRECTORY: u64 = 2;

/// The *looks* of a file or link: a hash of its size or target, and its mtime, which a renamed
/// entry keeps even where inode numbers change. `None` for an entry that looks like many others,
/// such as an empty file.
fn looks(record: &Record<'_>) -> Option<u64> {
    let attrs = &record.attrs;
    let times = [attrs.mtime.secs.cast_unsigned(), u64::from(attrs.mtime.nanos)];
    match attrs.file_type() {
        FileType::File if attrs.size > 0 => Some(hash(&[attrs.size, times[0], times[1], 0])),
        FileType::Symlink => Some(hash(&[xxh3_64(record.target_or_digest), times[0], times[1], 1])),
        _ => None,
    }
}

/// What an entry without [`looks`] adds to the fingerprint of its directory.
fn plain_looks(record: &Record<'_>, known: Fields) -> u64 {
    let attrs = &record.attrs;
    let mode = if known.contains(Fields::MODE) { attrs.mode } else { attrs.mode & !0o7777 };
    u64::from(mode) ^ if known.contains(Fields::SIZE) { attrs.length() } else { 0 }
}
