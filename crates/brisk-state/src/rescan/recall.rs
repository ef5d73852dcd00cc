//! Which directories are not read, because their names are known from the state; and how they are
//! watched.

use std::collections::BTreeMap;

use brisk::{Directory, Enter, FileType, Recalled};

use super::look::{DirState, Look};
use super::shared::Shared;
use super::volumes::DirVolume;
use super::watched::WatchedDirs;
use crate::format::block::RecordHead;
use crate::format::record::{Attrs, NO_DIR};
use crate::format::state::State;
use crate::sources::ToCheck;

impl Look<'_> {
    /// If the directory's names are known (from the state, or from events), returns only the
    /// entries that must be checked ([`Prune`](Enter::Prune) if there are none), and carries the
    /// other records over. `None`: the directory has to be read.
    pub(super) fn recall(&self, dir: &DirState) -> Option<Enter<()>> {
        let state = self.shared.state?;
        let id = dir.id;
        let to_check = self.to_check(dir);
        let events = to_check.and_then(ToCheck::events);
        self.knows_names(dir, state, to_check).then_some(())?;
        let block = state.block(id);
        let record_number = |at| state.record_number(id, at);
        let is_wanted = |(at, head): &(usize, RecordHead)| {
            !self.counts_by_name(head.file_type)
                && to_check.is_none_or(|to_check| to_check.must_check(record_number(*at)))
        };
        let heads = || block.heads().enumerate();
        let wants_all = to_check.is_none() && !self.shared.rescan.names_only;
        let count = if wants_all { block.len() } else { heads().filter(is_wanted).count() };
        let names = events.and_then(|events| events.of(id)).map(|touched| &touched.names);
        let most = count + names.map_or(0, BTreeMap::len);
        let mut entries = Recalled::of(state.record_of(id)?.attrs.ino, most);
        // `take` saves the rest of the heads once all wanted ones are found.
        for (at, _) in heads().filter(is_wanted).take(count) {
            let record = block.record(at)?;
            let may_be_other = names.is_some_and(|names| names.get(record.name) == Some(&true));
            let file_type = record.attrs.file_type();
            let file_type = if may_be_other { FileType::Unknown } else { file_type };
            entries.push(record.attrs.ino, file_type, record.name).then_some(())?;
        }
        for name in names.into_iter().flat_map(BTreeMap::keys) {
            if block.find(name, 0).is_none() {
                entries.push(0, FileType::Unknown, name).then_some(())?;
            }
        }
        // Nothing is carried over before it is certain that the directory is not read.
        let unwanted = heads().filter(|head| !is_wanted(head));
        for (at, head) in unwanted.take(block.len() - count) {
            self.shared.carried_over_records.set(record_number(at));
            if head.dir_id != NO_DIR {
                self.shared.carried_over_dirs.set(head.dir_id as usize);
            }
        }
        Some(if most == 0 { Enter::Prune } else { Enter::Recall((), entries) })
    }

    /// What has to be checked in the directory. `None`: not all of its changes are known, so
    /// everything has to be.
    fn to_check(&self, dir: &DirState) -> Option<&ToCheck> {
        let listing = self.shared.state?.index.dir(dir.id)?.listing;
        let volume = dir.volume.filter(|volume| volume.volume_number == listing.volume_number)?;
        let to_check = self.shared.to_check.as_ref().filter(|_| !dir.needs_watch);
        to_check.filter(|found| found.is_complete(&volume))
    }

    /// Whether the names in the directory are those of the state, or those that events tell.
    fn knows_names(&self, dir: &DirState, state: &State, to_check: Option<&ToCheck>) -> bool {
        let Shared { rescan, unchanged_dirs, .. } = self.shared;
        let id = dir.id;
        let known = state.index.dir(id).zip(state.index.volume(id)).zip(dir.volume);
        let Some(((indexed, old), DirVolume { volume, .. })) = known else { return false };
        let trusts_times = || {
            rescan.shortcuts
                && (volume.trusts_directory_times() || to_check.is_some())
                && unchanged_dirs.get(id as usize)
        };
        let has_events = to_check.is_some_and(|to_check| to_check.events().is_some());
        old.is_same(&volume)
            && indexed.listing.may_be_recalled
            && indexed.listing.fingerprint == dir.fingerprint
            && (has_events || trusts_times())
            // A directory reported as changed is read even if its times match: the recorded names
            // may be those of a file system that was mounted over it then.
            && !self.shared.to_check.as_ref().is_some_and(|found| found.has_new_names(id))
    }

    /// Watches an open directory. Whether the directory still is as its record says is known only
    /// now.
    pub(super) fn watch(&self, opened: &Directory<'_>, dir: &DirState, watched: &WatchedDirs) {
        let Shared { state, unchanged_dirs, .. } = self.shared;
        let Some(DirVolume { volume, .. }) = dir.volume else { return };
        let state = state.filter(|state| state.index.dir(dir.id).is_some());
        watched.add(dir.id, dir.parent, opened, &volume, state);
        if unchanged_dirs.get(dir.id as usize) {
            let record = state.and_then(|state| state.record_of(dir.id));
            let now = opened.stat(Attrs::FIELDS).map(|meta| Attrs::of(&meta));
            if record.zip(now.ok()).is_none_or(|(record, now)| record.attrs != now) {
                unchanged_dirs.clear(dir.id as usize);
            }
        }
    }
}
