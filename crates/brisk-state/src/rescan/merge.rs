//! [`merge`] turns the walk's findings into changes and into directories of the next state.
//!
//! ```text
//!   the old block   a   b   c   d     (of each directory that differs; records sorted by name)
//!   new records         b       d   e
//!                   │   │   │   │   └ added
//!                   │   │   │   └ in both, and differs: modified, or another type
//!                   │   │   └ no new record, but among `carried_over_records`: carried over
//!                   │   └ in both, and nothing to report: replaced by the new record
//!                   └ no new record, and not among them: deleted
//!   the next block      b   c   d   e
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::MutexGuard;

use brisk::{Error, Fields, FileType, Operation};
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::components;

use super::roots::Paths;
use super::shared::{DirName, Findings, NewRecord, Shared};
use super::volumes::RescannedVolume;
use crate::change::{Change, ChangeKind, Differs, RootedPath};
use crate::format::block::{BlockBuilder, NewBlock};
use crate::format::index::ListingInfo;
use crate::format::record::{Attrs, DIGEST, DirId, Flags, NO_DIR, Record, TOP};
use crate::format::writer::NextDir;

/// A merge under way.
struct Merge<'a> {
    shared: &'a Shared<'a>,
    paths: &'a Paths<'a>,
    volumes: MutexGuard<'a, Vec<RescannedVolume>>,
    /// The ids of new directories by name, and their names by id.
    new_dirs: HashMap<DirName, DirId>,
    new_dir_names: HashMap<DirId, DirName>,
    /// Names that were directories when listed and are something else now, and all directories
    /// below. What the walk recorded in them is discarded.
    replaced: HashSet<DirId>,
    /// Whether deleted entries are paired with added ones: if renames are wanted, and there are any.
    finds_renames: bool,
    deleted: Vec<Unpaired>,
    added: Vec<Unpaired>,
    changes: Vec<Change>,
    dirs: BTreeMap<DirId, NextDir>,
}

/// A record whose entry was deleted, or an entry without a record.
struct Unpaired {
    change: Change,
    identity: u64,
    attrs: Attrs,
    /// The digest, if contents decide.
    digest: Option<Box<[u8; DIGEST]>>,
}

/// Merges the findings: returns the changes, and what was learned about directories, by id. Errors
/// and warnings stay in `findings`.
pub(super) fn merge(
    shared: &Shared<'_>,
    paths: &Paths<'_>,
    findings: &mut Findings,
) -> (Vec<Change>, BTreeMap<DirId, NextDir>) {
    let new_dirs = std::mem::take(&mut findings.new_dirs);
    let mut merge = Merge {
        shared,
        paths,
        volumes: shared.volumes.lock(),
        new_dirs: new_dirs.iter().map(|(id, name)| (name.clone(), *id)).collect(),
        new_dir_names: new_dirs.into_iter().collect(),
        replaced: HashSet::new(),
        finds_renames: false,
        deleted: Vec::new(),
        added: Vec::new(),
        changes: Vec::new(),
        dirs: BTreeMap::new(),
    };
    for (id, listing) in findings.listings.drain(..) {
        let all = &mut merge.dirs.entry(id).or_default().listing;
        let may_be_recalled =
            listing.may_be_recalled && all.is_none_or(|before| before.may_be_recalled);
        *all = Some(ListingInfo { may_be_recalled, ..listing });
    }
    findings.errors.sort_by(|a, b| a.path().cmp(b.path()));
    findings.errors.dedup_by(|a, b| a.path() == b.path() && a.operation() == b.operation());
    findings.errors.iter().for_each(|error| merge.carry_over_failed(error));
    merge.find_no_longer_dirs(&findings.no_longer_dirs);
    merge.run(std::mem::take(&mut findings.records));
    (merge.changes, merge.dirs)
}

impl Merge<'_> {
    /// Merges directory by directory. There may be millions of new records. Each is freed once it
    /// is in a block. Ends early if the rescan is cancelled.
    fn run(&mut self, mut records: Vec<NewRecord>) {
        records.sort_unstable_by(|a, b| (a.parent, &a.name).cmp(&(b.parent, &b.name)));
        if !self.replaced.is_empty() {
            records.retain(|record| !self.replaced.contains(&record.parent));
            self.new_dirs.retain(|_, id| !self.replaced.contains(id));
        }
        let mut dirs = self.dirs_with_deleted();
        self.finds_renames = self.shared.rescan.renames && !dirs.is_empty();
        dirs.extend(records.chunk_by(|a, b| a.parent == b.parent).map(|chunk| chunk[0].parent));
        // A new directory gets a block even if it is empty.
        dirs.extend(self.new_dirs.values());
        // So does the top without an old state (its walk may have entered no root), and whenever a
        // root has moved.
        let is_first = self.shared.state.is_none();
        dirs.extend((is_first || self.paths.has_moved()).then_some(TOP));
        let cancel = &self.shared.rescan.cancel;
        for id in dirs.into_iter().rev().take_while(|_| !cancel.is_cancelled()) {
            let first = records.partition_point(|record| record.parent < id);
            self.dirs.entry(id).or_default().block = Some(self.merge_dir(id, &records[first..]));
            records.truncate(first);
            if first < records.capacity() / 2 {
                records.shrink_to_fit();
            }
        }
        let deleted = std::mem::take(&mut self.deleted);
        self.changes.extend(pair_renames(deleted, std::mem::take(&mut self.added)));
        self.changes.sort_by(|a, b| a.place.cmp_by_component(&b.place));
    }

    /// Finds the directories of these names, and all below.
    fn find_no_longer_dirs(&mut self, names: &[DirName]) {
        let mut pending: Vec<_> =
            names.iter().filter_map(|(id, name)| self.dir_id(*id, name)).collect();
        self.replaced.extend(&pending);
        while let Some(id) = pending.pop() {
            let old = self.shared.block(id).subdirs().map(|(_, child)| child);
            let new = self.new_dir_names.iter();
            let new = new.filter(|(_, (parent, _))| *parent == id).map(|(child, _)| *child);
            pending.extend(old.chain(new).filter(|child| self.replaced.insert(*child)));
        }
    }

    /// The directories that lost entries: those that the walk has opened and that have a record which
    /// is not carried over, and all below a deleted directory.
    fn dirs_with_deleted(&self) -> BTreeSet<DirId> {
        let Shared { state, carried_over_records, opened_dirs, carried_over_dirs, .. } =
            self.shared;
        let mut dirs = BTreeSet::new();
        let mut below_deleted = HashSet::new();
        let Some(state) = state else { return dirs };
        let opened = opened_dirs.all().map(|id| id as DirId);
        let opened = opened.filter(|&id| state.index.dir(id).is_some());
        let mut pending: Vec<_> = opened.chain([TOP]).collect();
        let opened_all = pending.len() == state.index.len();
        let is_gone = |id| {
            let is_known = opened_dirs.get(id as usize) || carried_over_dirs.get(id as usize);
            !is_known || self.replaced.contains(&id)
        };
        while let Some(id) = pending.pop() {
            let Some(dir) = state.index.dir(id) else { continue };
            let records = state.first_record(id)..state.record_number(id, dir.count as usize);
            let is_replaced = self.replaced.contains(&id);
            // No record in or below a directory that is carried over is deleted, except in directories
            // that the walk opened.
            if carried_over_dirs.get(id as usize) && !is_replaced {
                continue;
            }
            if is_replaced || !carried_over_records.has_all(records) {
                dirs.insert(id);
            }
            if opened_all && self.replaced.is_empty() {
                continue;
            }
            // In a damaged state, subdirectories may form a cycle.
            let subdirs = state.block(id).subdirs().map(|(_, child)| child);
            pending.extend(subdirs.filter(|&child| is_gone(child) && below_deleted.insert(child)));
        }
        dirs
    }

    /// Merges the old records of a directory and the new ones, both sorted by name. Adds the
    /// changes, and returns the next block.
    fn merge_dir(&mut self, parent: DirId, new: &[NewRecord]) -> NewBlock {
        let shared = self.shared;
        let first = shared.state.map_or(0, |state| state.first_record(parent));
        let carries_over = shared.carried_over_dirs.get(parent as usize);
        let is_replaced = self.replaced.contains(&parent);
        let mut next: Vec<Record<'_>> = Vec::new();
        let mut new = new.iter().peekable();
        for (at, old) in shared.block(parent).iter().enumerate() {
            while let Some(new) = new.next_if(|new| *new.name < *old.name) {
                next.push(self.add_new(None, new));
            }
            if let Some(new) = new.next_if(|new| *new.name == *old.name) {
                next.push(self.add_new(Some(&old), new));
            } else if !is_replaced && (carries_over || shared.carried_over_records.get(first + at))
            {
                next.push(old);
            } else {
                self.add_deleted(parent, &old);
            }
        }
        next.extend(new.map(|new| self.add_new(None, new)));
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
    fn add_new<'n>(&mut self, old: Option<&Record<'_>>, new: &'n NewRecord) -> Record<'n> {
        if let Some(change) = self.change(old, new) {
            let is_new = self.finds_renames && old.is_none();
            match self.identity(new.volume_number, &new.attrs).filter(|_| is_new) {
                Some(identity) => self.added.push(self.unpaired(change, identity, &new.record())),
                None => self.changes.push(change),
            }
        }
        let is_entered = new.attrs.file_type().is_dir() && !new.is_pruned;
        let dir_id = is_entered.then(|| self.dir_id(new.parent, &new.name)).flatten();
        Record { dir_id: dir_id.unwrap_or(NO_DIR), ..new.record() }
    }

    /// Adds the change for a record whose entry was deleted.
    fn add_deleted(&mut self, parent: DirId, old: &Record<'_>) {
        if !old.is_result() || self.shared.rescan.names_only {
            return;
        }
        let attrs = old.attrs;
        let place = self.place(parent, old.name);
        let change = Change::new(ChangeKind::Deleted, place, attrs.file_type());
        let dir = self.shared.state.and_then(|state| state.index.dir(parent));
        let identity = dir.and_then(|dir| self.identity(dir.listing.volume_number, &attrs));
        match identity.filter(|_| self.finds_renames) {
            Some(identity) => self.deleted.push(self.unpaired(change, identity, old)),
            None => self.changes.push(change),
        }
    }

    fn unpaired(&self, change: Change, identity: u64, record: &Record<'_>) -> Unpaired {
        let digest = record.digest().filter(|_| self.shared.rescan.content);
        Unpaired { change, identity, attrs: record.attrs, digest: digest.copied().map(Box::new) }
    }

    /// The id of the directory `name` in `parent`, if it was ever entered.
    fn dir_id(&self, parent: DirId, name: &[u8]) -> Option<DirId> {
        let old = || {
            let block = self.shared.state?.block(parent);
            let record = block.record(block.find(name, 0)?)?;
            (record.dir_id != NO_DIR).then_some(record.dir_id)
        };
        self.new_dirs.get(&(parent, name.into())).copied().or_else(old)
    }

    /// The place of an entry.
    fn place(&self, parent: DirId, name: &[u8]) -> RootedPath {
        let mut names = vec![name];
        let mut id = parent;
        while let Some((parent, name)) = self.new_dir_names.get(&id) {
            names.push(name);
            id = *parent;
        }
        self.paths.place(id, names)
    }

    /// Carries over the record of an entry that failed, and reports the entry as unknown. If a
    /// directory failed, the records below it are carried over too.
    fn carry_over_failed(&mut self, error: &Error) {
        let Some(place) = self.paths.place_of(&with_slashes(error.path())) else { return };
        let is_of_dir =
            matches!(error.operation(), Operation::Open | Operation::Reopen | Operation::Read);
        let is_unread = is_of_dir || error.operation() == Operation::Stat;
        let mut file_type = FileType::Unknown;
        if let Some((state, (id, at))) = self.shared.state.zip(self.paths.find(&place)) {
            self.shared.carried_over_records.set(state.record_number(id, at));
            let record = state.block(id).record(at);
            file_type = record.map_or(file_type, |record| record.attrs.file_type());
            if let Some(record) = record.filter(|_| is_unread) {
                self.shared.carried_over_dirs.set(record.dir_id as usize);
            }
        }
        // The next rescan has to read a directory in which an entry was not seen.
        let above = place.path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let unseen = if is_of_dir { &place.path[..] } else { &place.path[..above] };
        if let Some(id) = self.dir_at(place.root, unseen) {
            let old = self.shared.state.and_then(|state| state.index.dir(id)).unwrap_or_default();
            let listing = &mut self.dirs.entry(id).or_default().listing;
            listing.get_or_insert(old.listing).may_be_recalled = false;
        }
        if self.changes.last().is_none_or(|last| last.place != place) {
            self.changes.push(Change::new(ChangeKind::Unknown, place, file_type));
        }
    }

    fn dir_at(&self, root: usize, path: &[u8]) -> Option<DirId> {
        let root = self.dir_id(TOP, &self.paths.roots.get(root)?.old_name)?;
        components(path).try_fold(root, |id, name| self.dir_id(id, name))
    }

    /// The change that a new record stands for, if there is one.
    fn change(&self, old: Option<&Record<'_>>, new: &NewRecord) -> Option<Change> {
        if self.shared.rescan.names_only {
            return None;
        }
        let old = old.filter(|old| old.is_result());
        let (kind, differs) = match (old, new.flags.has(Flags::RESULT)) {
            (None, false) => return None,
            (Some(_), false) => (ChangeKind::Deleted, Differs::default()),
            (None, true) => (ChangeKind::Added, Differs::default()),
            (Some(old), true) => {
                let differs = self.differs(old, new);
                let is_other = differs.fields.contains(Fields::TYPE);
                (if is_other { ChangeKind::TypeChanged } else { ChangeKind::Modified }, differs)
            }
        };
        let is_change = kind != ChangeKind::Modified || differs != Differs::default();
        is_change.then(|| {
            let place = self.place(new.parent, &new.name);
            let deleted = old.filter(|_| kind == ChangeKind::Deleted).map(|old| old.attrs);
            let file_type = deleted.as_ref().unwrap_or(&new.attrs).file_type();
            Change { differs, ..Change::new(kind, place, file_type) }
        })
    }

    fn differs(&self, old: &Record<'_>, new: &NewRecord) -> Differs {
        let rescan = self.shared.rescan;
        let trusts_inodes = self.trusts_inodes(new.volume_number);
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
            None => differs.content = old.flags.has(Flags::RECHECK) && new.attrs.is_file(),
        }
        differs
    }

    fn trusts_inodes(&self, volume_number: u16) -> bool {
        let known = self.volumes.get(usize::from(volume_number));
        known.is_some_and(|known| known.volume.trusts_inodes())
    }

    /// The identity of a file; `None` where inode numbers do not identify files.
    fn identity(&self, volume_number: u16, attrs: &Attrs) -> Option<u64> {
        self.trusts_inodes(volume_number).then(|| attrs.identity(volume_number.into(), true))
    }
}

/// Pairs the deleted entries with the added ones by identity: they were renamed. Returns all
/// changes.
fn pair_renames(deleted: Vec<Unpaired>, added: Vec<Unpaired>) -> Vec<Change> {
    let mut by_identity: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, old) in deleted.iter().enumerate() {
        by_identity.entry(old.identity).or_default().push(at);
    }
    let mut deleted: Vec<_> = deleted.into_iter().map(Some).collect();
    let mut changes = Vec::new();
    for Unpaired { mut change, identity, attrs, digest } in added {
        let at = by_identity.get_mut(&identity).and_then(Vec::pop);
        if let Some(from) = at.and_then(|at| deleted[at].take()) {
            change.kind = ChangeKind::Renamed;
            change.from = Some(from.change.place);
            // On many file systems, renaming changes the ctime.
            change.differs.fields = from.attrs.differs(&attrs) - Fields::CTIME;
            change.differs.content = from.digest.zip(digest).is_some_and(|(old, new)| old != new);
        }
        changes.push(change);
    }
    changes.extend(deleted.into_iter().flatten().map(|old| old.change));
    changes
}
