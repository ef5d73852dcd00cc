//! [`Changed`]: what file systems report as changed since the state was made, so that a rescan
//! need not check every entry. A [`Source`] asks one kind of file system: [`btrfs`] stores in
//! each inode when it was written, NTFS keeps a journal of its changes ([`usn`]), and [`xfs`]
//! returns all inodes in bulk, which are compared with the state.
//!
//! ```text
//!   Checkpoints    before anything is read: the mounts, and where the next search has to begin
//!   Changed::find  asks each file system of the state
//!   the walk       checks, in a directory whose names did not change, only changed entries, and
//!                  directories with such entries below
//! ```
//!
//! A directory is read in the ordinary way if anything is uncertain: if it is on another file
//! system than the one that was asked, if it was not read to its end, if one of its entries is
//! racy, or at a mount. File systems do not report mounts, so the mounts below the roots must be
//! the same as before. (Tests: `tests/rescan/written.rs`.)

mod btrfs;
mod source;
mod usn;
mod xfs;

use brisk::FileType;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::volume::VolumeKind;
use brisk_sys::{Backend, Dir, handle_of};

use crate::format::block::Head;
use crate::format::index::IndexEntry;
use crate::format::record::{DirId, Flags, TOP};
use crate::format::state::State;
use crate::rescan::marks::Marks;
use crate::rescan::volumes::MountedVolume;

pub(crate) use source::ChangeSearch;
use source::{Answer, AskedVolume, PlacedRecord, Source, for_each_record, text};

/// What has changed since the state was made.
pub(crate) struct Changed {
    /// For each record, whether its entry, or one below it, has to be checked.
    records: Marks,
    /// For each directory of the state, whether names in it may have changed.
    new_names: Marks,
    /// For each file system of the state, its device number, if `records` and `new_names` have all
    /// its changes.
    devices: Vec<Option<u64>>,
}

impl Changed {
    /// Asks each file system of the state. Adds to `explained` how each was asked. `None` if none
    /// of them reports its changes.
    pub fn find(search: &ChangeSearch<'_>, explained: &mut Vec<String>) -> Option<Changed> {
        let ChangeSearch { state, rescan, paths, .. } = *search;
        if !rescan.shortcuts || !rescan.filter.is_steady() {
            return None;
        }
        let volumes = 0..state.index.volumes.len();
        let searched: Vec<_> = volumes.map(|number| search.run(number, explained)).collect();
        let is_any = searched.iter().any(Option::is_some);
        let changed = is_any.then(|| Changed::of(state, &searched, rescan.content))?;
        // A file system does not report what is mounted on it.
        let mounts = search.volumes.checkpoints.mounts.iter();
        for (dir, at) in mounts.flat_map(|mounts| &mounts.places).filter_map(|at| paths.find(at)) {
            changed.mark(state, dir, at);
        }
        Some(changed)
    }

    /// Combines the answers of the file systems. With `content`, checks files without digests.
    fn of(state: &State, searched: &[Option<Answer>], content: bool) -> Changed {
        let changed = Changed {
            records: Marks::new(state.len()),
            new_names: Marks::new(state.index.len()),
            devices: searched.iter().map(|searched| Some(searched.as_ref()?.dev)).collect(),
        };
        for_each_record(state, |record| {
            let PlacedRecord { dir, at, ref head, .. } = record;
            let searched = searched.get(record.volume).and_then(Option::as_ref);
            let has_changed = searched.is_some_and(|searched| {
                searched.inodes.may_have_changed(state.first(dir) + at, head.ino)
            });
            let is_settled = searched.is_some() && is_settled(head, content);
            if has_changed || record.is_mount || !record.is_whole || !is_settled {
                changed.mark(state, dir, at);
            }
            if has_changed {
                changed.new_names.set(head.subdir as usize);
            }
        });
        changed
    }

    /// Marks a record, and those of the directories above.
    fn mark(&self, state: &State, mut dir: DirId, mut at: usize) {
        while !self.records.get(state.first(dir) + at) {
            self.records.set(state.first(dir) + at);
            let Some(above) = state.index.dir(dir).filter(|_| dir != TOP) else { return };
            dir = above.parent;
            at = above.place as usize;
        }
    }

    /// Whether all changes on a file system, which the walk has entered, are known.
    pub fn is_complete(&self, volume: &MountedVolume) -> bool {
        self.devices.get(usize::from(volume.number)).is_some_and(|dev| *dev == Some(volume.dev))
    }

    /// Whether names in a directory of the state may have changed.
    pub fn has_new_names(&self, dir: DirId) -> bool {
        self.new_names.get(dir as usize)
    }

    /// Whether the entry of a record, or one below it, has to be checked. The record is on a file
    /// system whose changes are all known.
    pub fn is_marked(&self, record: usize) -> bool {
        self.records.get(record)
    }
}

/// Whether an entry with an unchanged inode need not be checked.
fn is_settled(head: &Head, content: bool) -> bool {
    let lacks_digest =
        content && head.file_type == FileType::File && !head.flags.has(Flags::DIGEST);
    !head.flags.has(Flags::RACY) && !lacks_digest
}

impl ChangeSearch<'_> {
    /// Asks a file system of the state for its changes, if its kind reports them.
    fn run(&self, number: usize, explained: &mut Vec<String>) -> Option<Answer> {
        let kind = self.state.index.volumes[number].volume.kind;
        let source: Source = match kind {
            VolumeKind::Btrfs => btrfs::search,
            VolumeKind::Xfs => xfs::search,
            VolumeKind::Ntfs => usn::search,
            _ => return None,
        };
        let answer = self.ask(source, number, &self.top_of(number)?);
        explained.push(match &answer {
            Ok(answer) => format!("{kind}: {}", answer.how),
            Err(why) => format!("{kind}: walked, because {why}"),
        });
        let answer = answer.ok()?;
        if let Some(known) = self.volumes.get().get_mut(number) {
            known.is_searched = true;
        }
        Some(answer)
    }

    /// Asks the file system with this number in the state, of which `top` is a directory.
    fn ask(&self, source: Source, number: usize, top: &[u8]) -> Result<Answer, String> {
        let dir = Dir::open_place(Backend::Native, bytes_to_path(top)).map_err(text)?;
        let (dev, _) = dir.identity().map_err(text)?;
        let dir = handle_of(&dir).ok_or("it has no handle")?;
        source(&AskedVolume { search: self, state: self.state, number, dir, dev })
    }

    /// The path of a directory on this file system: the first one in the state.
    fn top_of(&self, number: usize) -> Option<Vec<u8>> {
        let is_own = |(dir, entry): &(DirId, IndexEntry)| {
            *dir != TOP && usize::from(entry.listing.volume) == number
        };
        let (dir, entry) = self.state.index.dirs().find(is_own)?;
        let name = self.state.record_of(dir)?.name;
        Some(self.paths.spelled(&self.paths.place(entry.parent, vec![name])))
    }
}
