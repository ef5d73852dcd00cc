//! [`Base`]: the state that was accepted last, in memory and in its file.
//!
//! In memory, the state is a mapped file without a name, and the records that were added since; it
//! is rewritten once these records have grown. A save replaces the caller's file. A state may have
//! to wait for its save, so that saving takes at most a tenth of the time.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use brisk_sys::memory;
use brisk_sys::output::Output;
use brisk_sys::whole::create_unnamed;

use crate::format::index::Unusable;
use crate::format::record::DirId;
use crate::format::state::State;
use crate::format::writer::NextState;
use crate::rescan::{Report, RescanError};

/// How many times as long as a save the time between two saves is.
const SAVES_ONE_IN: u32 = 10;
/// The time that a failed save counts as having taken.
const FAILED: Duration = Duration::from_millis(100);

/// The state that was accepted last.
pub(super) struct Base {
    pub state: Option<Arc<State>>,
    /// Why there was no state at first; taken by the first rescan.
    no_state: Option<Unusable>,
    /// Where states are saved.
    saves: Option<PathBuf>,
    is_unsaved: bool,
    /// When the state may be saved next.
    may_save: Option<Instant>,
}

impl Base {
    pub fn new(old: Result<State, Unusable>, saves: Option<PathBuf>) -> Base {
        let (state, no_state) = match old {
            Ok(state) => (Some(Arc::new(state)), None),
            Err(why) => (None, Some(why)),
        };
        Base { state, no_state, saves, is_unsaved: false, may_save: None }
    }

    /// What a rescan compares with.
    pub fn old(&mut self) -> Result<Arc<State>, Unusable> {
        self.state.clone().ok_or_else(|| self.no_state.take().unwrap_or(Unusable::Missing))
    }

    /// Makes the next state of a report the base. Returns the ids of the directories that are gone.
    ///
    /// # Errors
    /// The state cannot be written. The base stays as it is.
    pub fn take_over(&mut self, report: Report) -> Result<Vec<DirId>, RescanError> {
        self.is_unsaved |= report.is_worth_saving();
        let mut next = report.next;
        drop(report.changes);
        if let Some(state) = &mut self.state
            && next.old.as_ref().is_some_and(|old| Arc::ptr_eq(old, state))
        {
            next.old = None;
            // What was not scanned may have changed since the last checkpoint.
            let old = state.index.volumes.iter().map(|volume| volume.checkpoint);
            let old = old.chain(std::iter::repeat(None));
            next.volumes.iter_mut().zip(old).for_each(|(volume, old)| volume.checkpoint = old);
            if let Some(state) = Arc::get_mut(state) {
                return Ok(state.update(&next.dirs, next.volumes));
            }
            // The caller has another batch.
            next.old = Some(Arc::clone(state));
        }
        self.state = Some(Arc::new(self.written(&next)?));
        Ok(Vec::new())
    }

    /// Rewrites the state in memory if it has grown.
    pub fn shrink(&mut self) -> Result<(), RescanError> {
        let grown = self.state.as_ref().is_some_and(|state| state.has_grown());
        if let Some(next) = grown.then(|| self.next()).flatten() {
            self.state = Some(Arc::new(self.written(&next)?));
        }
        Ok(())
    }

    /// Gives back the memory that a scan of everything needs, and batches do not.
    pub fn give_back(&self) {
        self.state.iter().for_each(|state| state.give_back());
        memory::give_back();
    }

    /// A state as a file without a name, loaded.
    fn written(&self, next: &NextState) -> Result<State, RescanError> {
        let beside = self.saves.as_deref().and_then(Path::parent);
        let beside = beside.filter(|dir| !dir.as_os_str().is_empty());
        let place = beside.map_or_else(std::env::temp_dir, Path::to_owned);
        let write = || {
            let file: File = create_unnamed(&place)?;
            next.write_into(&file)?;
            State::of_unnamed(&file).map_err(io::Error::other)
        };
        // The whole file was read for its checksums; batches read little of it.
        write().inspect(State::give_back).map_err(|error| RescanError::File(place.clone(), error))
    }

    /// The base, to be written.
    fn next(&self) -> Option<NextState> {
        let old = self.state.clone()?;
        let volumes = old.index.volumes.clone();
        let made_with = old.made_with().to_vec();
        let names_only = old.names_only();
        Some(NextState { old: Some(old), dirs: Default::default(), volumes, made_with, names_only })
    }

    /// Saves the base if it is unsaved and its time has come.
    pub fn save_if_due(&mut self, now: Instant) -> Result<(), RescanError> {
        if self.may_save.is_none_or(|may_save| may_save <= now) { self.save() } else { Ok(()) }
    }

    /// When the base will be saved, if it is unsaved.
    pub fn save_due(&self) -> Option<Instant> {
        self.may_save.filter(|_| self.is_unsaved && self.saves.is_some())
    }

    /// Saves the base if it is unsaved.
    pub fn save(&mut self) -> Result<(), RescanError> {
        let Some(file) = self.saves.as_deref().filter(|_| self.is_unsaved) else { return Ok(()) };
        let Some(next) = self.next() else { return Ok(()) };
        let began = Instant::now();
        let write = || {
            let output = Output::private(file)?;
            next.write_into(output.file())?;
            output.commit()
        };
        let written = write();
        next.old.iter().for_each(|state| state.give_back());
        let took = if written.is_ok() { began.elapsed() } else { FAILED };
        self.may_save = Some(Instant::now() + took * SAVES_ONE_IN);
        written.map_err(|error| RescanError::File(file.to_owned(), error))?;
        self.is_unsaved = false;
        Ok(())
    }
}
