//! [`Merge`]: turns the walk's findings into changes and into directories of the next state.
//!
//! ```text
//!   the old block   a   b   c   d     (of each directory that differs; records sorted by name)
//!   new records         b       d   e
//!                   │   │   │   │   └ added
//!                   │   │   │   └ in both, and differs: modified, or another type
//!                   │   │   └ no new record, but seen by the walk: kept
//!                   │   └ in both, and nothing to report: replaced by the new record
//!                   └ no new record, and not seen: gone
//!   the next block      b   c   d   e
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

use brisk::{Error, Fields, FileType, Operation};
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::components;

use super::roots::Paths;
use super::shared::{DirName, Findings, NewRecord, Shared};
use crate::change::{Change, Differs, Kind, RootedPath};
use crate::format::block::{BlockBuilder, NewBlock};
use crate::format::index::Listing;
use crate::format::record::{DIGEST, DirId, Flags, NO_SUBDIR, Record, Stamp, TOP};
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
    /// Whether gone entries are paired with added ones: if renames are wanted and any is gone.
    pairs: bool,
    gone: Vec<Unpaired>,
    added: Vec<Unpaired>,
    pub changes: Vec<Change>,
    pub dirs: BTreeMap<DirId, NextDir>,
}

/// A record whose entry is gone, or an entry without a record.
struct Unpaired {
    change: Change,
    identity: u64,
    stamp: Stamp,
    /// The digest, if contents decide.
    digest: Option<Box<[u8; DIGEST]>>,
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
            pairs: false,
            gone: Vec::new(),
            added: Vec::new(),
            changes: Vec::new(),
            dirs: BTreeMap::new(),
        };
        for (number, listing) in findings.listings.drain(..) {
            let known = &mut merge.dirs.entry(number).or_default().listing;
            let is_whole = listing.is_whole && known.is_none_or(|known| known.is_whole);
            *known = Some(Listing { is_whole, ..listing });
        }
        findings.errors.sort_by(|a, b| a.path().cmp(b.path()));
        findings.errors.dedup_by(|a, b| a.path() == b.path() && a.operation() == b.operation());
        findings.errors.iter().for_each(|error| merge.keep(error));
        merge.run(std::mem::take(&mut findings.records));
        merge
    }

    /// Merges directory by directory. There may be millions of new records. Each is freed once it is
    /// in a block. Ends early if the rescan is cancelled.
    fn run(&mut self, mut records: Vec<NewRecord>) {
        records.sort_unstable_by(|a, b| (a.parent, &a.name).cmp(&(b.parent, &b.name)));
        let mut dirs = self.with_gone();
        self.pairs = self.shared.rescan.renames && !dirs.is_empty();
        dirs.extend(records.chunk_by(|a, b| a.parent == b.parent).map(|chunk| chunk[0].parent));
        // A new directory gets a block even if it is empty.
        dirs.extend(self.new_dirs.values());
        dirs.extend(self.paths.has_moved().then_some(TOP));
        let cancel = &self.shared.rescan.cancel;
        for dir in dirs.into_iter().rev().take_while(|_| !cancel.is_cancelled()) {
            let first = records.partition_point(|record| record.parent < dir);
            self.dirs.entry(dir).or_default().block = Some(self.merge(dir, &records[first..]));
            records.truncate(first);
            if first < records.capacity() / 2 {
                records.shrink_to_fit();
            }
        }
        let gone = std::mem::take(&mut self.gone);
        self.changes.extend(pair(gone, std::mem::take(&mut self.added)));
        self.changes.sort_by(|a, b| a.place.cmp_by_component(&b.place));
    }

    /// The directories from which entries are gone.
    fn with_gone(&self) -> BTreeSet<DirId> {
        let Shared { state, seen, .. } = self.shared;
        let Some(state) = state else { return BTreeSet::new() };
        let dirs = state.index.dirs().filter(|(number, dir)| {
            let first = state.first(*number);
            (first..first + dir.count as usize).any(|at| !seen.get(at))
        });
        dirs.map(|(number, _)| number).collect()
    }

    /// Merges the old records of a directory and the new ones, both sorted by name. Adds the changes,
    /// and returns the next block.
    fn merge(&mut self, parent: DirId, new: &[NewRecord]) -> NewBlock {
        let shared = self.shared;
        let first = shared.state.map_or(0, |state| state.first(parent));
        let mut next: Vec<Record<'_>> = Vec::new();
        let mut new = new.iter().peekable();
        for (at, old) in shared.block(parent).iter().enumerate() {
            while let Some(new) = new.next_if(|new| *new.name < *old.name) {
                next.push(self.take(None, new));
            }
            if let Some(new) = new.next_if(|new| *new.name == *old.name) {
                next.push(self.take(Some(&old), new));
            } else if shared.seen.get(first + at) {
                next.push(old);
            } else {
                self.lose(parent, &old);
            }
        }
        next.extend(new.map(|new| self.take(None, new)));
        if parent == TOP {
            next.iter_mut().for_each(|record| record.name = self.paths.next_name(record.name));
            next.sort_by(|a, b| a.name.cmp(b.name));
        }
        let mut builder = BlockBuilder::default();
        next.iter().for_each(|record| builder.push(record));
        builder.finish()
    }

    /// Adds the change that a new record stands for, if there is one. Returns the record for the
    /// next block.
    fn take<'n>(&mut self, old: Option<&Record<'_>>, new: &'n NewRecord) -> Record<'n> {
        if let Some(change) = self.change(old, new) {
            let is_new = self.pairs && old.is_none();
            match self.identity(new.volume, &new.stamp).filter(|_| is_new) {
                Some(identity) => self.added.push(self.unpaired(change, identity, &new.record())),
                None => self.changes.push(change),
            }
        }
        let is_entered = new.stamp.file_type().is_dir() && !new.is_pruned;
        let number = is_entered.then(|| self.subdir(new.parent, &new.name)).flatten();
        Record { subdir: number.unwrap_or(NO_SUBDIR), ..new.record() }
    }

    /// Adds the change for a record whose entry is gone.
    fn lose(&mut self, parent: DirId, old: &Record<'_>) {
        if !old.is_result() || self.shared.rescan.names {
            return;
        }
        let stamp = old.stamp;
        let place = self.place(parent, old.name);
        let change = Change::new(Kind::Deleted, place, stamp.file_type());
        let dir = self.shared.state.and_then(|state| state.index.dir(parent));
        let identity = dir.and_then(|dir| self.identity(dir.listing.volume, &stamp));
        match identity.filter(|_| self.pairs) {
            Some(identity) => self.gone.push(self.unpaired(change, identity, old)),
            None => self.changes.push(change),
        }
    }

    fn unpaired(&self, change: Change, identity: u64, record: &Record<'_>) -> Unpaired {
        let digest = record.digest().filter(|_| self.shared.rescan.content);
        Unpaired { change, identity, stamp: record.stamp, digest: digest.copied().map(Box::new) }
    }

    /// The number of the directory `name` in `parent`, if it was ever entered.
    fn subdir(&self, parent: DirId, name: &[u8]) -> Option<DirId> {
        let old = || {
            let block = self.shared.state?.block(parent);
            let record = block.record(block.find(name, 0)?)?;
            (record.subdir != NO_SUBDIR).then_some(record.subdir)
        };
        self.new_dirs.get(&(parent, name.into())).copied().or_else(old)
    }

    /// The place of an entry.
    fn place(&self, parent: DirId, name: &[u8]) -> RootedPath {
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
        let is_unread = is_of_dir || error.operation() == Operation::Stat;
        let mut file_type = FileType::Unknown;
        if let Some((state, (dir, at))) = self.shared.state.zip(self.paths.find(&place)) {
            self.shared.seen.set(state.first(dir) + at);
            let record = state.block(dir).record(at);
            file_type = record.map_or(file_type, |record| record.stamp.file_type());
            if let Some(record) = record.filter(|_| is_unread) {
                self.shared.seen.set_below(state, record.subdir);
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
    fn change(&self, old: Option<&Record<'_>>, new: &NewRecord) -> Option<Change> {
        if self.shared.rescan.names {
            return None;
        }
        let old = old.filter(|old| old.is_result());
        let (kind, differs) = match (old, new.flags.has(Flags::RESULT)) {
            (None, false) => return None,
            (Some(_), false) => (Kind::Deleted, Differs::default()),
            (None, true) => (Kind::Added, Differs::default()),
            (Some(old), true) => {
                let differs = self.differs(old, new);
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
}

/// Pairs the entries that are gone with the added ones by identity: they were renamed. Returns all
/// changes.
fn pair(gone: Vec<Unpaired>, added: Vec<Unpaired>) -> Vec<Change> {
    let mut by_identity: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, gone) in gone.iter().enumerate() {
        by_identity.entry(gone.identity).or_default().push(at);
    }
    let mut gone: Vec<_> = gone.into_iter().map(Some).collect();
    let mut changes = Vec::new();
    for Unpaired { mut change, identity, stamp, digest } in added {
        let at = by_identity.get_mut(&identity).and_then(Vec::pop);
        if let Some(from) = at.and_then(|at| gone[at].take()) {
            change.kind = Kind::Renamed;
            change.from = Some(from.change.place);
            // On many file systems, renaming changes the ctime.
            change.differs.fields = from.stamp.differs(&stamp) - Fields::CTIME;
            change.differs.content = from.digest.zip(digest).is_some_and(|(old, new)| old != new);
        }
        changes.push(change);
    }
    changes.extend(gone.into_iter().flatten().map(|gone| gone.change));
    changes
}
