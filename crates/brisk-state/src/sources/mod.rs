//! [`ToCheck`]: which entries must be checked, because their file systems report them as changed
//! since the state was made. A rescan then need not check every entry. A [`Source`] asks one kind
//! of file system: [`btrfs`] stores in each inode when it was written, NTFS keeps a journal of its
//! changes ([`usn`]), and [`xfs`] returns all inodes in bulk, which are compared with the state.
//!
//! ```text
//!   BeforeWalk     before anything is read: the mounts, and where the next search has to begin
//!   ToCheck::ask   asks each file system of the state
//!   the walk       checks, in a directory whose names did not change, only changed entries, and
//!                  directories with such entries below
//! ```
//!
//! A directory is read in the ordinary way if anything is uncertain: if it is on another file
//! system than the one that was asked, if it was not read to its end, if it is racy, or at a mount.
//! A racy entry must always be checked. File systems do not report mounts, so the mounts below the
//! roots must be the same as before. (Tests: `tests/rescan/written.rs`.)

mod btrfs;
pub(crate) mod noticed;
mod source;
mod usn;
mod xfs;

use brisk::FileType;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::volume::VolumeKind;
use brisk_sys::{Backend, Dir, handle_of};

use crate::format::block::RecordHead;
use crate::format::index::IndexedDir;
use crate::format::record::{DirId, Flags, TOP};
use crate::format::state::State;
use crate::rescan::marks::Marks;
use crate::rescan::roots::prefix_below;
use crate::rescan::volumes::DirVolume;

use noticed::Noticed;
pub(crate) use source::ChangeSearch;
use source::{Answer, AskedVolume, Source, StateRecord, for_each_record, text};

/// What must be checked, because it may have changed since the state was made.
pub(crate) struct ToCheck {
    /// For each record, whether its entry, or one below it, must be checked.
    records: Marks,
    /// For each directory of the state, whether names in it may have changed.
    new_names: Marks,
    /// For each file system of the state, its device number, if `records` and `new_names` have all
    /// its changes.
    devices: Vec<Option<u64>>,
    /// What events name, if this is made of events.
    events: Option<Noticed>,
}

impl ToCheck {
    /// Asks each file system of the state. Adds to `explained` how each was asked. `None` if none
    /// of them reports its changes, or none is asked: without shortcuts, or with a filter that is
    /// not steady.
    pub fn ask(search: &ChangeSearch<'_>, explained: &mut Vec<String>) -> Option<ToCheck> {
        let ChangeSearch { state, rescan, paths, .. } = *search;
        if !rescan.shortcuts || !rescan.filter.is_steady() {
            return None;
        }
        let volumes = 0..state.index.volumes.len();
        let answers: Vec<_> =
            volumes.map(|volume_number| search.run(volume_number, explained)).collect();
        let is_any = answers.iter().any(Option::is_some);
        let to_check = is_any.then(|| ToCheck::of(state, &answers, rescan.content))?;
        // A file system does not report what is mounted on it.
        let mounts = search.volumes.before_walk.mounts.iter().flat_map(|mounts| &mounts.places);
        for (id, at) in mounts.filter_map(|place| paths.find(place)) {
            to_check.add(state, id, at);
        }
        Some(to_check)
    }

    fn nothing(state: &State, devices: Vec<Option<u64>>) -> ToCheck {
        let records = Marks::new(state.len());
        ToCheck { records, new_names: Marks::new(state.index.len()), devices, events: None }
    }

    /// Combines the answers of the file systems. With `content`, checks files without digests.
    fn of(state: &State, answers: &[Option<Answer>], content: bool) -> ToCheck {
        let devices = answers.iter().map(|answer| Some(answer.as_ref()?.dev)).collect();
        let to_check = ToCheck::nothing(state, devices);
        for_each_record(state, |record| {
            let StateRecord { parent, at, ref head, .. } = record;
            let answer = answers.get(record.volume_number).and_then(Option::as_ref);
            let has_changed = answer.is_some_and(|answer| {
                answer.inodes.may_have_changed(state.record_number(parent, at), head.ino)
            });
            let needs_check = answer.is_none() || needs_check(head, content);
            if has_changed || record.is_mount || record.must_be_read || needs_check {
                to_check.add(state, parent, at);
            }
            if has_changed {
                to_check.new_names.set(head.dir_id as usize);
            }
        });
        to_check
    }

    /// What events name. All else that is watched is unchanged.
    pub fn of_events(state: &State, noticed: Noticed) -> ToCheck {
        let mut to_check = ToCheck::nothing(state, Vec::new());
        for (&id, touched) in noticed.dirs() {
            let Some(dir) = state.index.dir(id) else { continue };
            if id != TOP {
                to_check.add(state, dir.parent, dir.record_at as usize);
            }
            if touched.must_be_read() {
                to_check.new_names.set(id as usize);
            }
            let block = state.block(id);
            for at in touched.names.keys().filter_map(|name| block.find(name, 0)) {
                to_check.add(state, id, at);
            }
        }
        to_check.events = Some(noticed);
        to_check
    }

    /// What events name, if this is made of events.
    pub fn events(&self) -> Option<&Noticed> {
        self.events.as_ref()
    }

    /// Adds a record, and those of the directories above.
    fn add(&self, state: &State, mut id: DirId, mut at: usize) {
        while !self.records.get(state.record_number(id, at)) {
            self.records.set(state.record_number(id, at));
            let Some(dir) = state.index.dir(id).filter(|_| id != TOP) else { return };
            id = dir.parent;
            at = dir.record_at as usize;
        }
    }

    /// Whether all changes on a file system, which the walk has entered, are known.
    pub fn is_complete(&self, volume: &DirVolume) -> bool {
        let dev = self.devices.get(usize::from(volume.volume_number));
        self.events.is_some() || dev == Some(&Some(volume.dev))
    }

    /// Whether names in a directory of the state may have changed.
    pub fn has_new_names(&self, id: DirId) -> bool {
        self.new_names.get(id as usize)
    }

    /// Whether the entry of a record, or one below it, must be checked. Only for a record on a file
    /// system whose changes are all known.
    pub fn must_check(&self, record: usize) -> bool {
        self.records.get(record)
    }
}

/// Whether an entry must be checked although its inode is unchanged.
fn needs_check(head: &RecordHead, content: bool) -> bool {
    let lacks_digest =
        content && head.file_type == FileType::File && !head.flags.has(Flags::DIGEST);
    head.flags.has(Flags::RECHECK) || lacks_digest
}

impl ChangeSearch<'_> {
    /// Asks a file system of the state for its changes, if its kind reports them.
    fn run(&self, volume_number: usize, explained: &mut Vec<String>) -> Option<Answer> {
        let kind = self.state.index.volumes[volume_number].volume.kind;
        let source: Source = match kind {
            VolumeKind::Btrfs => btrfs::search,
            VolumeKind::Xfs => xfs::search,
            VolumeKind::Ntfs => usn::search,
            _ => return None,
        };
        let answer = self.ask(source, volume_number, &self.top_of(volume_number)?);
        explained.push(match &answer {
            Ok(answer) => format!("{kind}: {}", answer.how),
            Err(why) => format!("{kind}: walked, because {why}"),
        });
        let answer = answer.ok()?;
        if let Some(known) = self.volumes.lock().get_mut(volume_number) {
            known.was_asked = true;
        }
        Some(answer)
    }

    /// Asks the file system with this number in the state, of which `top` is a directory.
    fn ask(&self, source: Source, volume_number: usize, top: &[u8]) -> Result<Answer, String> {
        let dir = Dir::open_path_only(Backend::Native, bytes_to_path(top)).map_err(text)?;
        let (dev, _) = dir.identity().map_err(text)?;
        let dir = handle_of(&dir).ok_or("it has no handle")?;
        let (inodes, how) = source(&AskedVolume { search: self, volume_number, dir })?;
        Ok(Answer { inodes, how, dev })
    }

    /// The path of a directory on this file system: the first one in the state.
    fn top_of(&self, volume_number: usize) -> Option<Vec<u8>> {
        let is_own = |(id, dir): &(DirId, IndexedDir)| {
            *id != TOP && usize::from(dir.listing.volume_number) == volume_number
        };
        let (id, _) = self.state.index.dirs().find(is_own)?;
        let place = self.paths.place(id, Vec::new());
        let root = self.paths.roots.get(place.root);
        Some(root.map_or(Vec::new(), |root| prefix_below(&root.as_given, &place.path)))
    }
}
