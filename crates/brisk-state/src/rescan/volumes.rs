//! [`Volumes`]: the file systems of a state, and those that the walk enters. [`BeforeWalk`]: what
//! the system says about those of the roots before anything is read: where the next search for
//! their changes has to begin, and which mounts are below the roots.

use std::io;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use brisk::unstable::handle;
use brisk::{Directory, Fields};
use brisk_sys::btrfs::Subvolume;
use brisk_sys::nt::usn::Position;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::slashed::below;
use brisk_sys::threads::lock;
use brisk_sys::volume::{Volume, VolumeKind, mounts_below};
use brisk_sys::{BorrowedHandle, usn, xfs};
use xxhash_rust::xxh3::xxh3_64;

use crate::change::RootedPath;
use crate::format::index::{ChangePosition, Checkpoint, IndexedVolume, NO_VOLUME};
use crate::format::state::State;

/// The file systems of the state, followed by those that only the walk has entered.
pub(crate) struct Volumes {
    all: Mutex<Vec<RescannedVolume>>,
    /// How many of them the state has.
    known: usize,
    pub before_walk: BeforeWalk,
}

/// A file system, and what the rescan learns about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RescannedVolume {
    pub volume: Volume,
    /// The current device number, if the walk has entered the file system.
    dev: Option<u64>,
    /// Whether the file system has reported its changes since the state was made.
    pub was_asked: bool,
    /// Where the next search has to begin.
    pub checkpoint: Option<Checkpoint>,
    /// Whether so much was written since the old checkpoint that the new one is worth saving.
    pub is_worth_saving: bool,
}

/// The file system of a directory, as workers carry it down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirVolume {
    pub dev: u64,
    /// The position in [`Volumes`]: for a file system of the old state, its number there.
    /// [`NO_VOLUME`] if the state has no room for one more.
    pub volume_number: u16,
    pub volume: Volume,
}

impl Volumes {
    pub fn new(state: Option<&State>, before_walk: BeforeWalk) -> Volumes {
        let all = state.map_or(&[][..], |state| &state.index.volumes).iter();
        let all: Vec<_> = all.map(|known| RescannedVolume::new(known.volume)).collect();
        Volumes { known: all.len(), all: Mutex::new(all), before_walk }
    }

    pub fn lock(&self) -> MutexGuard<'_, Vec<RescannedVolume>> {
        lock(&self.all)
    }

    /// The file systems in the index of the next state. They get checkpoints only if all entries
    /// could be read (`is_complete`).
    pub fn indexed(&self, is_complete: bool) -> Vec<IndexedVolume> {
        let indexed = |known: &RescannedVolume| IndexedVolume {
            volume: known.volume,
            checkpoint: known.checkpoint.filter(|_| is_complete),
        };
        self.lock().iter().take(NO_VOLUME.into()).map(indexed).collect()
    }

    /// The file system of an open directory.
    pub fn of(&self, dir: &Directory<'_>) -> DirVolume {
        let dev = dir.stat(Fields::DEV).ok().and_then(|meta| meta.dev()).unwrap_or(0);
        let mut all = self.lock();
        let entered = all.iter().position(|known| known.dev == Some(dev));
        let position = entered.unwrap_or_else(|| {
            let (volume, checkpoint) = self.examine(dir, dev);
            let same = |known: &RescannedVolume| known.dev.is_none() && known.volume == volume;
            let position = all.iter().position(same).unwrap_or_else(|| {
                all.push(RescannedVolume::new(volume));
                all.len() - 1
            });
            all[position].dev = Some(dev);
            // The checkpoint of a search is more recent.
            all[position].checkpoint = all[position].checkpoint.or(checkpoint);
            position
        });
        let volume_number = u16::try_from(position).unwrap_or(NO_VOLUME);
        DirVolume { dev, volume_number, volume: all[position].volume }
    }

    fn examine(&self, dir: &Directory<'_>, dev: u64) -> (Volume, Option<Checkpoint>) {
        let unknown = Volume { kind: VolumeKind::Other(0), fsid: 0, has_nanoseconds: false };
        let handle = handle(dir);
        let ask = || Volume::of(handle?).ok();
        let volume = self.before_walk.volume_on(dev).or_else(ask).unwrap_or(unknown);
        (volume, handle.and_then(|handle| self.before_walk.checkpoint_of(handle, &volume)))
    }

    /// For each file system that the walk has entered, a line that says how it was rescanned.
    pub fn explain(&self, shortcuts: bool, without_state: bool) -> Vec<String> {
        let line = |known: &RescannedVolume| {
            let coarse = match known.volume.granularity() {
                Some(unit) if unit < Duration::from_secs(1) => "",
                _ => "; its times are coarse: contents of files that changed lately are compared",
            };
            let moving = match known.volume.trusts_inodes() {
                true => "",
                false => "; its inode numbers are not stable: renamed files are deleted and added",
            };
            let way = known.way(shortcuts, without_state);
            format!("{}: {way}{coarse}{moving}", known.volume.kind)
        };
        self.lock().iter().filter(|known| known.dev.is_some()).map(line).collect()
    }

    /// What the user should know once about each type of file system that the state does not have
    /// yet: what cannot be told as well there as elsewhere.
    pub fn caveats(&self) -> Vec<String> {
        let all = self.lock();
        let (old, new) = all.split_at(self.known);
        let is_old = |kind| old.iter().any(|other| other.volume.kind == kind);
        let entered = new.iter().filter(|new| new.dev.is_some() && !is_old(new.volume.kind));
        let mut caveats: Vec<_> = entered.filter_map(|new| caveats_of(&new.volume)).collect();
        caveats.dedup();
        caveats
    }
}

/// What cannot be told as well on this file system as elsewhere, if anything.
fn caveats_of(volume: &Volume) -> Option<String> {
    use VolumeKind::{ExFat, Fat, Fuse, Nfs, NineP, Smb};
    let is_cached = matches!(volume.kind, Fuse | Nfs | NineP | Smb);
    let has_no_ctime = matches!(volume.kind, ExFat | Fat);
    let caveats = [
        (is_cached, "edits by other machines may be reported only by a later run"),
        (has_no_ctime, "an edit that keeps the size and sets the time back is not seen"),
        (!volume.trusts_inodes(), "renamed files are reported as deleted and added"),
    ];
    let there: Vec<_> = caveats.iter().filter(|(is_so, _)| *is_so).map(|(_, text)| *text).collect();
    (!there.is_empty()).then(|| format!("{}: {}", volume.kind, there.join("; ")))
}

impl RescannedVolume {
    /// How its directories are rescanned.
    fn way(&self, shortcuts: bool, without_state: bool) -> &'static str {
        match () {
            () if without_state => "each directory is read, because there is no state",
            () if !shortcuts => "each directory is read, as --no-shortcuts says",
            () if self.volume.trusts_directory_times() => {
                "directories with unchanged times are not read"
            }
            () if self.was_asked => "directories with the same names are not read",
            () => "each directory is read, because times of directories are not trusted there",
        }
    }

    fn new(volume: Volume) -> RescannedVolume {
        RescannedVolume {
            volume,
            dev: None,
            was_asked: false,
            checkpoint: None,
            is_worth_saving: false,
        }
    }
}

/// What the system says about the file systems of the roots when a rescan begins.
#[derive(Debug, Default)]
pub(crate) struct BeforeWalk {
    /// The roots' devices and file systems.
    volumes: Vec<(u64, Volume)>,
    subvolumes: Vec<Subvolume>,
    journals: Vec<(Volume, Position)>,
    has_xfs: bool,
    /// The mounts below the roots, if one of these file systems can be searched.
    pub mounts: Option<MountList>,
}

/// The mounts below the roots.
#[derive(Debug)]
pub(crate) struct MountList {
    pub places: Vec<RootedPath>,
    /// A hash of all that the system says about them.
    pub hash: u64,
}

impl BeforeWalk {
    /// Asks the file system of a root. On btrfs: an open, two ioctls, statx, a close and a file of
    /// `/proc`; on XFS: an open, an ioctl and a close. On Windows's NTFS: GetFinalPathNameByHandle,
    /// CreateFile, NtFsControlFile and NtClose.
    pub fn add(&mut self, root: BorrowedHandle<'_>, dev: u64, volume: &Volume) {
        self.volumes.push((dev, *volume));
        match volume.kind {
            VolumeKind::Btrfs => self.subvolumes.extend(Subvolume::of(root)),
            VolumeKind::Xfs => self.has_xfs |= xfs::check(root).is_ok(),
            VolumeKind::Ntfs => {
                self.journals.extend(position_in_journal(root).map(|at| (*volume, at)));
            }
            _ => {}
        }
    }

    /// Finds the mounts below the roots, given by absolute paths, if a file system can be searched.
    /// Reads a file of `/proc`.
    pub fn find_mounts<'a>(&mut self, roots: impl Iterator<Item = &'a [u8]>) {
        if self.has_xfs || !self.subvolumes.is_empty() || !self.journals.is_empty() {
            self.mounts = MountList::below(roots).ok();
        }
    }

    /// The file system on a device, if a root is on it. Saves a statfs, for which NFS asks its
    /// server.
    fn volume_on(&self, dev: u64) -> Option<Volume> {
        self.volumes.iter().find(|(known, _)| *known == dev).map(|(_, volume)| *volume)
    }

    /// The checkpoint of a directory's file system.
    pub fn checkpoint_of(&self, dir: BorrowedHandle<'_>, volume: &Volume) -> Option<Checkpoint> {
        let mounts_hash = self.mounts.as_ref()?.hash;
        let position = match volume.kind {
            VolumeKind::Xfs => ChangePosition::Uncounted,
            VolumeKind::Btrfs => ChangePosition::Generation(self.subvolume_of(dir)?),
            VolumeKind::Ntfs => ChangePosition::Journal(self.journal_of(volume)?),
            _ => return None,
        };
        Some(Checkpoint { mounts_hash, position })
    }

    /// The position in a volume's journal. If roots with the same serial number have different
    /// journals, one volume is a copy of the other, and there is no certain position.
    fn journal_of(&self, volume: &Volume) -> Option<Position> {
        let mut own = self.journals.iter().filter(|(known, _)| known == volume);
        let (_, first) = own.next()?;
        own.all(|(_, other)| other.id == first.id).then_some(*first)
    }

    /// The subvolume of a directory, with the generation of the root's subvolume, because all
    /// subvolumes of a file system share one count of generations.
    fn subvolume_of(&self, dir: BorrowedHandle<'_>) -> Option<Subvolume> {
        let own = Subvolume::of(dir).ok()?;
        let mut all = self.subvolumes.iter();
        let next = all.find(|other| other.filesystem == own.filesystem)?.next;
        Some(Subvolume { next, ..own })
    }
}

fn position_in_journal(dir: BorrowedHandle<'_>) -> io::Result<Position> {
    Ok(usn::journal_of(&usn::open_volume(dir)?)?.position())
}

impl MountList {
    fn below<'a>(roots: impl Iterator<Item = &'a [u8]>) -> io::Result<MountList> {
        let mut places = Vec::new();
        let mut told = Vec::new();
        for (root, absolute) in roots.enumerate() {
            for mount in mounts_below(bytes_to_path(absolute))? {
                let path = below(&mount.place, absolute).unwrap_or_default().to_vec();
                places.push(RootedPath { root, path });
                told.extend([&mount.told[..], b"\n"].concat());
            }
        }
        Ok(MountList { places, hash: xxh3_64(&told) })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use brisk::FileType;

    use super::*;
    use crate::Rescan;
    use crate::format::index::IndexedDir;
    use crate::format::record::{DirId, TOP};
    use crate::format::tree::Tree;

    /// A state of an empty directory, which has this many file systems. The directory is on the
    /// last one.
    fn state(dir: &Path, volumes: u64) -> State {
        let path = dir.canonicalize().expect("a path").into_os_string().into_encoded_bytes();
        let mut tree = Tree::new(dir.parent().expect("a parent"), vec![path]).expect("a state");
        let volume = |fsid| Volume { kind: VolumeKind::Other(7), fsid, has_nanoseconds: true };
        let last = (1..=volumes).map(|fsid| tree.add_volume(volume(fsid))).last();
        let mode = (Fields::TYPE, FileType::Directory.mode_bits().into());
        tree.push(0, b"", &[mode].into_iter().collect(), None, last).expect("an entry");
        crate::format::state::tests::loaded(tree)
    }

    fn dirs(state: &State) -> Vec<(DirId, IndexedDir)> {
        state.index.dirs().filter(|(id, _)| *id != TOP).collect()
    }

    /// Rescans the directory, and returns the next state.
    fn next(dir: &Path, old: State) -> State {
        let file = dir.with_extension("state");
        let rescan = Rescan { accepts_other_volumes: true, old: Ok(old), ..Rescan::over([dir]) };
        rescan.run().expect("a report").write(&file).expect("a state");
        State::load(&file).expect("the state")
    }

    #[test]
    fn the_limits_of_a_file_system_are_told_once() {
        use VolumeKind::{Btrfs, ExFat, Ext, Fat, Nfs, Smb};
        let entered = |kind| RescannedVolume {
            dev: Some(1),
            ..RescannedVolume::new(Volume { kind, fsid: 1, has_nanoseconds: true })
        };
        // The state's file systems come first.
        let told = |known, all: &[VolumeKind]| {
            let all = all.iter().copied().map(entered).collect();
            Volumes { known, all: Mutex::new(all), before_walk: BeforeWalk::default() }.caveats()
        };
        let late = "edits by other machines may be reported only by a later run";
        let moved = "renamed files are reported as deleted and added";
        let unseen = "an edit that keeps the size and sets the time back is not seen";
        assert_eq!(told(0, &[Ext, Btrfs]), [""; 0]);
        assert_eq!(told(0, &[Ext, Nfs, Nfs]), [format!("NFS: {late}")]);
        assert_eq!(told(0, &[Smb]), [format!("SMB: {late}; {moved}")]);
        assert_eq!(told(1, &[Nfs, Nfs, Ext, Fat]), [format!("FAT: {unseen}; {moved}")]);
        assert_eq!(told(2, &[Nfs, ExFat, ExFat]), [""; 0]);
    }

    #[test]
    fn a_state_keeps_only_file_systems_that_a_directory_is_on() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let dir = scratch.path().join("dir");
        std::fs::create_dir(&dir).expect("a directory");
        let own = |state: &State| state.index.volume(dirs(state)[0].0).copied();
        let real = own(&next(&dir, state(&dir, 0))).expect("a file system");
        for known in [0, 1, 3, 65_534, 65_535] {
            let written = next(&dir, state(&dir, known));
            let one = usize::from(known < 65_535);
            assert_eq!(written.index.volumes.len(), one, "{known}");
            // There is no number for one more: the directory's file system is unknown.
            assert_eq!(own(&written), (one == 1).then_some(real), "{known}");
            let again = next(&dir, written);
            assert_eq!((again.index.volumes.len(), own(&again)), (1, Some(real)), "{known}");
        }
    }
}
