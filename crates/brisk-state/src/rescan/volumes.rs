//! [`Volumes`]: the file systems of a state, and those that the walk enters.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use brisk::{Directory, Fields};
use brisk_sys::volume::{Volume, VolumeKind};

use super::checkpoints::Checkpoints;
use super::settings::Settings;
use crate::format::index::{Checkpoint, VolumeRecord};
use crate::format::state::State;

/// The file systems of the state, and then those that only the walk has entered.
pub(crate) struct Volumes {
    all: Mutex<Vec<KnownVolume>>,
    pub checkpoints: Checkpoints,
}

/// A file system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownVolume {
    volume: Volume,
    /// The device number now, if the walk has entered the file system.
    dev: Option<u64>,
    /// Whether the file system itself reported its changes since the state.
    pub is_searched: bool,
    /// Where the next search begins.
    pub checkpoint: Option<Checkpoint>,
    /// So much was written since the state's checkpoint that a state with the new one is worth
    /// writing.
    pub is_stale: bool,
}

/// The file system of a directory, as workers carry it down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MountedVolume {
    pub dev: u64,
    /// The number in the next state.
    pub number: u16,
    pub volume: Volume,
}

impl Volumes {
    pub fn new(state: Option<&State>, checkpoints: Checkpoints) -> Volumes {
        let all = state.map_or(&[][..], State::volumes).iter();
        let all = all.map(|known| KnownVolume::new(known.volume)).collect();
        Volumes { all: Mutex::new(all), checkpoints }
    }

    pub fn get(&self) -> MutexGuard<'_, Vec<KnownVolume>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the next state holds of them. Only a state that holds every entry gets checkpoints.
    pub fn records(&self, is_complete: bool) -> Vec<VolumeRecord> {
        let record = |known: &KnownVolume| VolumeRecord {
            volume: known.volume,
            checkpoint: known.checkpoint.filter(|_| is_complete),
        };
        self.get().iter().map(record).collect()
    }

    /// The file systems on which inode numbers tell files apart, by their numbers.
    pub fn trusted(&self) -> Vec<bool> {
        self.get().iter().map(|known| known.volume.trusts_inodes()).collect()
    }

    /// The file system of an open directory.
    pub fn of(&self, dir: &Directory<'_>) -> MountedVolume {
        let dev = dir.stat(Fields::DEV).ok().and_then(|meta| meta.dev()).unwrap_or(0);
        let mut all = self.get();
        let entered = all.iter().position(|known| known.dev == Some(dev));
        let at = entered.unwrap_or_else(|| {
            let (volume, checkpoint) = self.examine(dir);
            let same = |known: &KnownVolume| known.dev.is_none() && known.volume == volume;
            let at = all.iter().position(same).unwrap_or_else(|| {
                all.push(KnownVolume::new(volume));
                all.len() - 1
            });
            all[at].dev = Some(dev);
            // That of a search is later.
            all[at].checkpoint = all[at].checkpoint.or(checkpoint);
            at
        });
        MountedVolume { dev, number: at as u16, volume: all[at].volume }
    }

    fn examine(&self, dir: &Directory<'_>) -> (Volume, Option<Checkpoint>) {
        let unknown = Volume { kind: VolumeKind::Other(0), fsid: 0, is_fine: false };
        #[cfg(unix)]
        let handle = dir.as_fd();
        #[cfg(windows)]
        let handle = dir.as_handle();
        let volume = handle.and_then(|handle| Volume::of(handle).ok()).unwrap_or(unknown);
        (volume, handle.and_then(|handle| self.checkpoints.of(handle, &volume)))
    }

    /// For each file system that the walk has entered, a line that says how it was rescanned.
    pub fn explain(&self, settings: &Settings, is_full: bool) -> Vec<String> {
        let line = |known: &KnownVolume| {
            let way = match () {
                () if is_full => "each directory is read, because there is no state",
                () if !settings.shortcuts => "each directory is read, as --no-shortcuts says",
                () if known.volume.trusts_directory_times() => {
                    "directories with unchanged times are not read"
                }
                () if known.is_searched => "directories with the same names are not read",
                () => "each directory is read, because times of directories are not trusted there",
            };
            let coarse = match known.volume.granularity() {
                Some(unit) if unit < Duration::from_secs(1) => "",
                _ => "; its times are coarse: contents of files that changed lately are compared",
            };
            format!("{}: {way}{coarse}", known.volume.kind)
        };
        self.get().iter().filter(|known| known.dev.is_some()).map(line).collect()
    }
}

impl KnownVolume {
    fn new(volume: Volume) -> KnownVolume {
        KnownVolume { volume, dev: None, is_searched: false, checkpoint: None, is_stale: false }
    }
}
