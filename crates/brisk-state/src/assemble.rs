//! From what was found to changes, and to the blocks of the next state.

use std::collections::BTreeSet;

use brisk::{Fields, FileType, Operation};
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::components;

use crate::bits::Bits;
use crate::change::{Change, Differs, Kind, Place};
use crate::found::{DirInfo, Fresh, Key};
use crate::gathered::{Gathered, Paths};
use crate::record::{BlockBuilder, Flags, NO_BLOCK, Record, Stamp};
use crate::rename::{self, Identity, Unpaired};
use crate::save::Blocks;
use crate::settings::Settings;
use crate::state::{State, TOP};

/// What comes of a rescan.
pub(crate) struct Assembled {
    pub changes: Vec<Change>,
    pub blocks: Blocks,
}

/// What is at hand while changes are found.
pub(crate) struct Assembly<'a> {
    pub paths: &'a Paths<'a>,
    pub settings: &'a Settings,
    pub seen: &'a Bits,
    /// The file systems on which inode numbers tell files apart, by their numbers.
    pub trusted: Vec<bool>,
    pub renames: bool,
}

impl Assembly<'_> {
    pub fn run(&self, gathered: &mut Gathered) -> Assembled {
        let mut changes = self.unknown(gathered);
        let (mut gone, mut parents) = self.gone(gathered);
        parents.extend(self.paths.has_moved().then_some(TOP));
        let mut new = (self.renames && !gone.is_empty()).then(Vec::new);
        for fresh in &gathered.fresh {
            self.compare(gathered, fresh, &mut changes, &mut new);
        }
        if let Some(new) = &mut new {
            changes.extend(rename::pair(&mut gone, new));
        }
        changes.extend(gone.into_iter().map(|gone| gone.change));
        changes.extend(new.into_iter().flatten().map(|new| new.change));
        changes.sort_by(|a, b| a.place.cmp_by_component(&b.place));
        Assembled { changes, blocks: self.blocks(gathered, parents) }
    }

    /// The blocks of the directories that have fresh entries, and of these `parents`, whose entries
    /// are gone or, of [`TOP`], have moved. There may be millions of fresh entries: the blocks take over their memory.
    fn blocks(&self, gathered: &mut Gathered, mut parents: BTreeSet<Key>) -> Blocks {
        let mut blocks = Blocks::default();
        let mut fresh = std::mem::take(&mut gathered.fresh);
        fresh.sort_unstable_by_key(|fresh| fresh.parent);
        while let Some(parent) = fresh.last().map(|last| last.parent) {
            let first = fresh.partition_point(|fresh| fresh.parent < parent);
            blocks.new.insert(parent, self.block(gathered, parent, &fresh[first..]));
            parents.remove(&parent);
            fresh.truncate(first);
            if first < fresh.capacity() / 2 {
                fresh.shrink_to_fit();
            }
        }
        for parent in parents {
            blocks.new.insert(parent, self.block(gathered, parent, &[]));
        }
        blocks.infos = std::mem::take(&mut gathered.infos);
        // A directory that is new and empty has a block as well.
        for &key in gathered.dirs.values() {
            blocks.new.entry(key).or_default();
        }
        blocks
    }

    fn state(&self) -> Option<&State> {
        self.paths.state
    }

    fn old<'a>(&'a self, fresh: &Fresh) -> Option<Record<'a>> {
        self.state()?.block(fresh.parent).record(fresh.old? as usize)
    }

    /// What failed: what is known of such an entry, and of all below such a directory, stays.
    fn unknown(&self, gathered: &mut Gathered) -> Vec<Change> {
        gathered.errors.sort_by(|a, b| a.path().cmp(b.path()));
        gathered.errors.dedup_by(|a, b| a.path() == b.path() && a.operation() == b.operation());
        let mut changes: Vec<Change> = Vec::new();
        for error in &gathered.errors {
            let Some(place) = self.paths.place_of(&with_slashes(error.path())) else { continue };
            let is_of_dir =
                matches!(error.operation(), Operation::Open | Operation::Reopen | Operation::Read);
            let found = self.paths.record_at(&place);
            if let Some((state, (dir, at, record))) = self.state().zip(found) {
                self.seen.set(state.first(dir) + at);
                if is_of_dir {
                    self.seen.set_below(state, record.block);
                }
            }
            // The next rescan lists the directory of which something was not seen.
            let above = place.path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
            let unseen = if is_of_dir { &place.path[..] } else { &place.path[..above] };
            if let Some(key) = self.key_at(gathered, place.root, unseen) {
                let info = gathered.infos.entry(key).or_insert_with(|| self.unlisted(key));
                info.is_whole = false;
            }
            let file_type = found.map_or(FileType::Unknown, |(.., old)| old.stamp.file_type());
            let differs = Differs::default();
            if changes.last().is_none_or(|last| last.place != place) {
                let from = None;
                changes.push(Change { kind: Kind::Unknown, place, from, file_type, differs });
            }
        }
        changes
    }

    /// What is known of a directory of the state that was not listed.
    fn unlisted(&self, key: Key) -> DirInfo {
        let old = self.state().and_then(|state| state.dir(key)).copied().unwrap_or_default();
        DirInfo { key, rules: old.rules, volume: old.volume, is_whole: false }
    }

    fn key_at(&self, gathered: &Gathered, root: usize, path: &[u8]) -> Option<Key> {
        let key = gathered.key(self.state(), TOP, &self.paths.roots.get(root)?.name)?;
        components(path).try_fold(key, |key, name| gathered.key(self.state(), key, name))
    }

    /// Whether a fresh entry is a change, and which. Entries without a record go to `new`, if any
    /// may be renamed ones.
    fn compare(
        &self,
        gathered: &Gathered,
        fresh: &Fresh,
        changes: &mut Vec<Change>,
        new: &mut Option<Vec<Unpaired>>,
    ) {
        let old = self.old(fresh);
        let was_listed = old.is_some_and(|old| old.flags.has(Flags::LISTED));
        let is_listed = fresh.flags.has(Flags::LISTED);
        let change = |kind, differs| {
            let place = gathered.place(self.paths, fresh.parent, &fresh.name);
            Change { kind, place, from: None, file_type: fresh.stamp.file_type(), differs }
        };
        match (old.filter(|_| was_listed), is_listed) {
            (None, false) => {}
            (Some(_), false) => changes.push(change(Kind::Deleted, Differs::default())),
            (None, true) => {
                let change = change(Kind::Added, Differs::default());
                let Some(new) = new else { return changes.push(change) };
                let identity = self.identity(fresh.volume, &fresh.stamp).filter(|_| old.is_none());
                new.push(Unpaired { change, identity, stamp: fresh.stamp });
            }
            (Some(old), true) => {
                let differs = self.differs(&old, fresh);
                if differs.fields.contains(Fields::TYPE) {
                    changes.push(change(Kind::TypeChanged, differs));
                } else if differs != Differs::default() {
                    changes.push(change(Kind::Modified, differs));
                }
            }
        }
    }

    fn differs(&self, old: &Record<'_>, fresh: &Fresh) -> Differs {
        let trusts_ino = self.trusted.get(usize::from(fresh.volume)).is_some_and(|&is| is);
        let mut differs = Differs { fields: old.stamp.differs(&fresh.stamp), content: false };
        if !trusts_ino || fresh.stamp.file_type().is_dir() {
            differs.fields -= Fields::INO;
        }
        if !self.settings.ctime {
            differs.fields -= Fields::CTIME;
        }
        if fresh.stamp.file_type() == FileType::Symlink && old.more != &*fresh.more {
            differs.fields |= Fields::LINK_TARGET;
        }
        if !self.settings.content && !differs.fields.is_empty() {
            // The same answer, whether or not the file is racy.
            return differs;
        }
        let fresh_digest = fresh.flags.has(Flags::DIGEST).then_some(&*fresh.more);
        match old.digest().zip(fresh_digest) {
            Some((old, fresh)) if old != fresh => differs.content = true,
            Some(_) if self.settings.content => {
                differs.fields -= Fields::MTIME | Fields::CTIME | Fields::INO;
            }
            Some(_) => {}
            // It may have changed without a trace, and there is nothing to compare.
            None => differs.content = old.flags.has(Flags::RACY) && is_file(&fresh.stamp),
        }
        differs
    }

    /// What tells a file from all others: `None` where the system does not.
    fn identity(&self, volume: u16, stamp: &Stamp) -> Option<Identity> {
        let is_trusted = self.trusted.get(usize::from(volume)).is_some_and(|&is| is);
        is_trusted.then(|| Identity::of(volume, stamp))
    }

    /// The records whose entries are gone, and the directories that have such records.
    fn gone(&self, gathered: &Gathered) -> (Vec<Unpaired>, BTreeSet<Key>) {
        let (mut gone, mut parents) = (Vec::new(), BTreeSet::new());
        let Some(state) = self.state() else { return (gone, parents) };
        for (number, dir) in (0..).zip(state.dirs()).filter(|(_, dir)| dir.is_there) {
            let first = state.first(number);
            for at in (0..dir.count as usize).filter(|at| !self.seen.get(first + at)) {
                let Some(record) = state.block(number).record(at) else { continue };
                parents.insert(number);
                if record.flags.has(Flags::LISTED) {
                    let place = gathered.place(self.paths, number, record.name);
                    gone.push(self.gone_from(place, dir.volume, &record.stamp));
                }
            }
        }
        (gone, parents)
    }

    fn gone_from(&self, place: Place, volume: u16, stamp: &Stamp) -> Unpaired {
        let file_type = stamp.file_type();
        let (from, differs) = (None, Differs::default());
        let change = Change { kind: Kind::Deleted, place, from, file_type, differs };
        Unpaired { change, identity: self.identity(volume, stamp), stamp: *stamp }
    }

    /// The block of a directory: its old records that are still true, and the fresh ones.
    fn block(&self, gathered: &Gathered, parent: Key, fresh: &[Fresh]) -> (Vec<u8>, usize) {
        let mut records: Vec<Record<'_>> = Vec::new();
        if let Some(state) = self.state() {
            let replaced: Vec<u32> = fresh.iter().filter_map(|fresh| fresh.old).collect();
            let replaced: std::collections::HashSet<u32> = replaced.into_iter().collect();
            let first = state.first(parent);
            let kept =
                state.block(parent).iter().zip(0..).filter(|(_, at)| {
                    self.seen.get(first + *at as usize) && !replaced.contains(at)
                });
            records.extend(kept.map(|(record, _)| record));
        }
        records.extend(fresh.iter().map(|fresh| Record {
            name: &fresh.name,
            stamp: fresh.stamp,
            flags: fresh.flags,
            more: &fresh.more,
            block: match fresh.stamp.file_type().is_dir() {
                true => gathered.key(self.state(), parent, &fresh.name).unwrap_or(NO_BLOCK),
                false => NO_BLOCK,
            },
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

fn is_file(stamp: &Stamp) -> bool {
    stamp.file_type() == FileType::File
}

#[cfg(test)]
mod tests {
    use brisk::Timestamp;

    use super::*;

    #[test]
    fn times_of_directories_are_no_change() {
        let mode = FileType::Directory.mode_bits();
        let old = Stamp { mode, ..Stamp::default() };
        let time = Timestamp { secs: 1, nanos: 0 };
        let new = Stamp { mtime: time, ctime: time, size: 7, ..old };
        assert_eq!(old.differs(&new), Fields::empty());
        let new = Stamp { mode: mode | 0o700, ..new };
        assert_eq!(old.differs(&new), Fields::MODE);
    }
}
