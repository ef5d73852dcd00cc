//! [`Volumes`]: the file systems of a state, and those that the walk comes to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use brisk::{Directory, Fields};
use brisk_sys::volume::{Volume, VolumeKind};

use crate::began::Began;
use crate::state::State;
use crate::volumes::{Basis, Remembered};

/// The file systems of the state, and those that the walk has met.
pub(crate) struct Volumes {
    all: Mutex<Vec<Known>>,
    pub began: Began,
}

/// A file system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub volume: Volume,
    /// Its device number now, if the walk has met it.
    pub dev: Option<u64>,
    /// It said itself what has changed since the state was made.
    pub is_told: bool,
    /// How far its changes had come when the rescan began.
    pub basis: Option<Basis>,
    /// So much was written since the state's generation that a state with a later one is worth
    /// writing.
    pub is_stale: bool,
}

impl Volumes {
    pub fn new(state: Option<&State>, began: Began) -> Volumes {
        let all = state.map_or(&[][..], State::volumes).iter();
        let all = all.map(|known| Known::new(known.volume)).collect();
        Volumes { all: Mutex::new(all), began }
    }

    /// What the next state holds of them. A basis only if everything could be looked at.
    pub fn remembered(&self, is_sure: bool) -> Vec<Remembered> {
        let remembered = |known: &Known| Remembered {
            volume: known.volume,
            basis: known.basis.filter(|_| is_sure),
        };
        self.get().iter().map(remembered).collect()
    }

    pub fn get(&self) -> MutexGuard<'_, Vec<Known>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file system of an open directory.
    pub fn of(&self, dir: &Directory<'_>) -> Live {
        let dev = dir.stat(Fields::DEV).ok().and_then(|meta| meta.dev()).unwrap_or(0);
        let mut all = self.get();
        let met = all.iter().position(|known| known.dev == Some(dev));
        let at = met.unwrap_or_else(|| {
            let (volume, basis) = self.volume_of(dir);
            let same = |known: &Known| known.dev.is_none() && known.volume == volume;
            let at = all.iter().position(same).unwrap_or_else(|| {
                all.push(Known::new(volume));
                all.len() - 1
            });
            all[at].dev = Some(dev);
            // A search has a later one.
            all[at].basis = all[at].basis.or(basis);
            at
        });
        Live { dev, number: at as u16, volume: all[at].volume }
    }

    fn volume_of(&self, dir: &Directory<'_>) -> (Volume, Option<Basis>) {
        let unknown = Volume { kind: VolumeKind::Other(0), fsid: 0, is_fine: false };
        #[cfg(unix)]
        let handle = dir.as_fd();
        #[cfg(windows)]
        let handle = dir.as_handle();
        let volume = handle.and_then(|handle| Volume::of(handle).ok()).unwrap_or(unknown);
        (volume, handle.and_then(|handle| self.began.basis_of(handle, &volume)))
    }
}

impl Known {
    fn new(volume: Volume) -> Known {
        Known { volume, dev: None, is_told: false, basis: None, is_stale: false }
    }
}

/// The file system of a directory, as workers carry it down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    pub dev: u64,
    pub number: u16,
    pub volume: Volume,
}
