//! [`Merge`]: turns the walk's findings into changes and into directories of the next state.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use brisk::{Error, Fields, FileType, Operation};
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::components;

use super::roots::Paths;
use super::shared::{DirName, Findings, NewRecord, Shared};
use crate::change::{Change, Differs, Kind, Place};
use crate::format::block::{BlockBuilder, NewBlock};
use crate::format::record::{DirId, Flags, NO_BLOCK, Record, Stamp, TOP};
use crate::format::writer::NextDir;

/// Turns the walk's findings into changes and the next state.
pub(crate) struct Merge<'a> {
    shared: &'a Shared<'a>,
    paths: &'a Paths<'a>,
    /// For each file system, whether inode numbers identify its files.
    trusted: Vec<bool>,
    /// The numbers of new directories by name, and their names by number.
    new_dirs: HashMap<DirName, DirId>,
    names: HashMap<DirId, DirName>,
    pub changes: Vec<Change>,
    pub dirs: BTreeMap<DirId, NextDir>,
}

/// A record whose entry is gone, or an entry without a record.
struct Unpaired {
    change: Change,
    identity: Option<u64>,
    stamp: Stamp,
}

impl<'a> Merge<'a> {
    /// Merges the findings. Errors and warnings stay in `findings`.
    pub fn of(shared: &'a Shared<'a>, paths: &'a Paths<'a>, findings: &mut Findings) -> Merge<'a> {
        let new_dirs = std::mem::take(&mut findings.new_dirs);
        let mut merge = Merge {
            shared,
            paths,
            trusted: shared.volumes.trusted(),
            new_dirs: new_dirs.iter().map(|(number, name)| (name.clone(), *number)).collect(),
            names: new_dirs.into_iter().collect(),
            changes: Vec::new(),
            dirs: BTreeMap::new(),
        };
        for (number, listing) in findings.listings.drain(..) {
            merge.dirs.entry(number).or_default().listing = Some(listing);
        }
        findings.errors.sort_by(|a, b| a.path().cmp(b.path()));
        findings.errors.dedup_by(|a, b| a.path() == b.path() && a.operation() == b.operation());
        findings.errors.iter().for_each(|error| merge.keep(error));
        merge.run(std::mem::take(&mut findings.records));
        merge
    }

    fn run(&mut self, records: Vec<NewRecord>) {
        let (gone, mut parents) = self.gone();
        parents.extend(self.paths.has_moved().then_some(TOP));
        if !self.shared.rescan.names {
            self.find_changes(&records, gone);
        }
        self.build(records, parents);
    }

    fn find_changes(&mut self, records: &[NewRecord], mut gone: Vec<Unpaired>) {
        let pairs = self.shared.rescan.renames && !gone.is_empty();
        let mut added = Vec::new();
        for record in records {
            match self.change(record) {
                Some(change) if pairs && change.kind == Kind::Added => {
                    let is_new = record.old.is_none();
                    let identity = self.identity(record.volume, &record.stamp);
                    let identity = identity.filter(|_| is_new);
                    added.push(Unpaired { change, identity, stamp: record.stamp });
                }
                change => self.changes.extend(change),
            }
        }
        self.changes.extend(pair(&mut gone, &mut added));
        self.changes.extend(gone.into_iter().chain(added).map(|unpaired| unpaired.change));
        self.changes.sort_by(|a, b| a.place.cmp_by_component(&b.place));
    }

    /// Builds the blocks of the directories that have new records, and of `parents`: the
    /// directories from which entries are gone, and [`TOP`] if a root has moved. There may be
    /// millions of new records. Each is freed once it is in a block.
    fn build(&mut self, mut records: Vec<NewRecord>, mut parents: BTreeSet<DirId>) {
        records.sort_unstable_by_key(|record| record.parent);
        while let Some(parent) = records.last().map(|last| last.parent) {
            let first = records.partition_point(|record| record.parent < parent);
            self.dirs.entry(parent).or_default().block =
                Some(self.block(parent, &records[first..]));
            parents.remove(&parent);
            records.truncate(first);
            if first < records.capacity() / 2 {
                records.shrink_to_fit();
            }
        }
        for parent in parents {
            self.dirs.entry(parent).or_default().block = Some(self.block(parent, &[]));
        }
        // A new directory gets a block even if it is empty.
        for &number in self.new_dirs.values() {
            self.dirs.entry(number).or_default().block.get_or_insert_default();
        }
    }

    /// The number of the directory `name` in `parent`, if it was ever entered.
    fn subdir(&self, parent: DirId, name: &[u8]) -> Option<DirId> {
        let old = || {
            let block = self.shared.state?.block(parent);
            let record = block.record(block.find(name, 0)?)?;
            (record.block != NO_BLOCK).then_some(record.block)
        };
        self.new_dirs.get(&(parent, name.into())).copied().or_else(old)
    }

    /// The place of an entry.
    fn place(&self, parent: DirId, name: &[u8]) -> Place {
        let mut names = vec![name];
        let mut dir = parent;
        while let Some((parent, name)) = self.names.get(&dir) {
            names.push(name);
            dir = *parent;
        }
        self.paths.place(dir, names)
    }

    /// Keeps the record of an entry that failed, and reports the entry as unknown. If a directory
    /// failed, the records below it stay too.
    fn keep(&mut self, error: &Error) {
        let Some(place) = self.paths.place_of(&with_slashes(error.path())) else { return };
        let is_of_dir =
            matches!(error.operation(), Operation::Open | Operation::Reopen | Operation::Read);
        let mut file_type = FileType::Unknown;
        if let Some((state, (dir, at))) = self.shared.state.zip(self.paths.find(&place)) {
            self.shared.seen.set(state.first(dir) + at);
            let record = state.block(dir).record(at);
            file_type = record.map_or(file_type, |record| record.stamp.file_type());
            if let Some(record) = record.filter(|_| is_of_dir) {
                self.shared.seen.set_below(state, record.block);
            }
        }
        // The next rescan has to read a directory in which an entry was not seen.
        let above = place.path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let unseen = if is_of_dir { &place.path[..] } else { &place.path[..above] };
        if let Some(dir) = self.dir_at(place.root, unseen) {
            let known =
                self.shared.state.and_then(|state| state.index.dir(dir)).unwrap_or_default();
            let listing = &mut self.dirs.entry(dir).or_default().listing;
            listing.get_or_insert(known.listing).is_whole = false;
        }
        if self.changes.last().is_none_or(|last| last.place != place) {
            self.changes.push(Change::new(Kind::Unknown, place, file_type));
        }
    }

    fn dir_at(&self, root: usize, path: &[u8]) -> Option<DirId> {
        let root = self.subdir(TOP, &self.paths.roots.get(root)?.name)?;
        components(path).try_fold(root, |dir, name| self.subdir(dir, name))
    }

    /// The change that a new record stands for, if there is one.
    fn change(&self, new: &NewRecord) -> Option<Change> {
        let old = self.old(new).filter(Record::is_listed);
        let (kind, differs) = match (old, new.flags.has(Flags::LISTED)) {
            (None, false) => return None,
            (Some(_), false) => (Kind::Deleted, Differs::default()),
            (None, true) => (Kind::Added, Differs::default()),
            (Some(old), true) => {
                let differs = self.differs(&old, new);
                let is_other = differs.fields.contains(Fields::TYPE);
                (if is_other { Kind::TypeChanged } else { Kind::Modified }, differs)
            }
        };
        let is_change = kind != Kind::Modified || differs != Differs::default();
        is_change.then(|| {
            let place = self.place(new.parent, &new.name);
            Change { differs, ..Change::new(kind, place, new.stamp.file_type()) }
        })
    }

    fn old(&self, new: &NewRecord) -> Option<Record<'a>> {
        self.shared.state?.block(new.parent).record(new.old? as usize)
    }

    fn differs(&self, old: &Record<'_>, new: &NewRecord) -> Differs {
        let rescan = self.shared.rescan;
        let trusts_inodes = self.trusts_inodes(new.volume);
        let new = new.record();
        let mut differs = Differs { fields: old.differs(&new, trusts_inodes), content: false };
        if !rescan.ctime {
            differs.fields -= Fields::CTIME;
        }
        if !rescan.content && !differs.fields.is_empty() {
            // Digests are not compared, so that racy files are reported like all others.
            return differs;
        }
        match old.digest().zip(new.digest()) {
            Some((old, new)) if old != new => differs.content = true,
            Some(_) if rescan.content => {
                differs.fields -= Fields::MTIME | Fields::CTIME | Fields::INO;
            }
            Some(_) => {}
            // The file may have changed without a trace in its times, and there are no digests.
            None => differs.content = old.flags.has(Flags::RACY) && new.stamp.is_file(),
        }
        differs
    }

    fn trusts_inodes(&self, volume: u16) -> bool {
        self.trusted.get(usize::from(volume)).is_some_and(|&is| is)
    }

    /// The identity of a file; `None` where inode numbers do not identify files.
    fn identity(&self, volume: u16, stamp: &Stamp) -> Option<u64> {
        self.trusts_inodes(volume).then(|| stamp.identity(volume.into(), true))
    }

    /// The records whose entries are gone, and the directories in which they were.
    fn gone(&self) -> (Vec<Unpaired>, BTreeSet<DirId>) {
        let mut gone = Vec::new();
        let mut parents = BTreeSet::new();
        let Some(state) = self.shared.state else { return (gone, parents) };
        for (number, dir) in state.index.dirs() {
            let first = state.first(number);
            for at in (0..dir.count as usize).filter(|at| !self.shared.seen.get(first + at)) {
                let Some(record) = state.block(number).record(at) else { continue };
                parents.insert(number);
                if record.is_listed() {
                    let stamp = record.stamp;
                    let place = self.place(number, record.name);
                    let change = Change::new(Kind::Deleted, place, stamp.file_type());
                    let identity = self.identity(dir.listing.volume, &stamp);
                    gone.push(Unpaired { change, identity, stamp });
                }
            }
        }
        (gone, parents)
    }

    /// The block of a directory: the old records that still hold, and the new ones.
    fn block(&self, parent: DirId, new: &[NewRecord]) -> NewBlock {
        let mut records: Vec<Record<'_>> = Vec::new();
        if let Some(state) = self.shared.state {
            let replaced: HashSet<u32> = new.iter().filter_map(|new| new.old).collect();
            let first = state.first(parent);
            let is_kept =
                |at: u32| self.shared.seen.get(first + at as usize) && !replaced.contains(&at);
            let kept = (0..).zip(state.block(parent).iter()).filter(|(at, _)| is_kept(*at));
            records.extend(kept.map(|(_, record)| record));
        }
        records.extend(new.iter().map(|new| {
            let is_dir = new.stamp.file_type().is_dir();
            let number = is_dir.then(|| self.subdir(parent, &new.name)).flatten();
            Record { block: number.unwrap_or(NO_BLOCK), ..new.record() }
        }));
        if parent == TOP {
            records.iter_mut().for_each(|record| record.name = self.paths.next_name(record.name));
        }
        records.sort_by(|a, b| a.name.cmp(b.name));
        let mut builder = BlockBuilder::default();
        records.iter().for_each(|record| builder.push(record));
        builder.finish()
    }
}

/// Pairs the entries that are gone with the added ones by identity: they were renamed. Takes the
/// pairs out of both lists.
fn pair(gone: &mut Vec<Unpaired>, added: &mut Vec<Unpaired>) -> Vec<Change> {
    let mut by_identity: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, gone) in gone.iter().enumerate() {
        if let Some(identity) = gone.identity {
            by_identity.entry(identity).or_default().push(at);
        }
    }
    let mut is_paired = vec![false; gone.len()];
    let mut renamed = Vec::new();
    added.retain_mut(|added| {
        let from = added.identity.and_then(|identity| by_identity.get_mut(&identity)?.pop());
        let Some(from) = from else { return true };
        is_paired[from] = true;
        let Unpaired { change, stamp, .. } = &gone[from];
        let mut to = Change { kind: Kind::Renamed, ..added.change.clone() };
        to.from = Some(change.place.clone());
        // On many file systems, renaming changes the ctime.
        to.differs.fields = stamp.differs(&added.stamp) - Fields::CTIME;
        renamed.push(to);
        false
    });
    let mut is_paired = is_paired.into_iter();
    gone.retain(|_| !is_paired.next().unwrap_or(false));
    renamed
}
