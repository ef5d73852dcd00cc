//! [`Batches`]: a watcher for the iterators of the bindings.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{ChangeBatch, Waker, Watcher};
use crate::rescan::{Rescan, RescanError};

/// The batches of a [`Watcher`]. Each is accepted when the caller requests the next one, and so is
/// done with it.
pub struct Batches {
    watcher: Watcher,
    settle: Duration,
    /// The batch that was returned last.
    pending: Option<ChangeBatch>,
}

impl Batches {
    /// Batches of what has changed since the state in a file, if one is named. Accepted states are
    /// saved in that file. [`Rescan::cancel`](field@Rescan::cancel), and then the
    /// [waker](Batches::waker), end them. `settle` is as in [`Watcher::next`].
    ///
    /// # Errors
    /// As [`Rescan::run_since`] and [`Watcher::new`].
    pub fn new(
        rescan: Rescan,
        file: Option<&Path>,
        settle: Duration,
    ) -> Result<Batches, RescanError> {
        let rescan = match file {
            Some(file) => rescan.since(file)?,
            None => rescan,
        };
        let watcher = Watcher::new(rescan, file.map(Path::to_owned))?;
        Ok(Batches { watcher, settle, pending: None })
    }

    /// Accepts the last batch, and waits for the next one, at most until a given time. The first
    /// batch comes at once, even without changes. `None`: the time has come, or the rescan was
    /// cancelled. After the first batch, this waits for a root that is gone.
    ///
    /// # Errors
    /// As [`Watcher::next`] and [`Watcher::accept`].
    pub fn next(&mut self, until: Option<Instant>) -> Result<Option<&ChangeBatch>, RescanError> {
        self.accept()?;
        while !self.watcher.rescan.cancel.is_cancelled() {
            match self.watcher.next(self.settle, until) {
                Ok(None) if until.is_none_or(|until| Instant::now() < until) => {}
                Err(RescanError::Root(..)) if self.watcher.serial > 0 => {}
                Err(RescanError::Cancelled) => break,
                found => {
                    self.pending = found?;
                    return Ok(self.pending.as_ref());
                }
            }
        }
        Ok(None)
    }

    /// Accepts the last batch now.
    ///
    /// # Errors
    /// As [`Watcher::accept`].
    pub fn accept(&mut self) -> Result<(), RescanError> {
        self.pending.take().map_or(Ok(()), |batch| self.watcher.accept(batch))
    }

    /// Saves what was accepted, unless it is saved already. To be called at the end.
    ///
    /// # Errors
    /// As [`Watcher::save`].
    pub fn save(&mut self) -> Result<(), RescanError> {
        self.watcher.save()
    }

    /// As [`Watcher::waker`].
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.watcher.waker()
    }
}
