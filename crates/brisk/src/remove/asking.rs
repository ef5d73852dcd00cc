//! What a [`Remover`] does before it removes with questions: it looks at the entry whose turn has
//! come, and asks the observer.

use std::io;
use std::sync::atomic::Ordering;

use super::emptied::Emptied;
use super::observer::{Question, Subject};
use super::remover::Remover;
use super::report::Why;
use crate::{Entry, Error, Meta, Operation, Visitor};

impl Remover<'_> {
    /// The metadata of an entry whose turn has come. One that has vanished below the roots counts as
    /// gone, another failure is reported.
    pub fn look(&mut self, entry: &Entry<'_>) -> Option<Meta> {
        self.requests += 1;
        let error = match entry.stat(self.tally.fields) {
            Ok(meta) => return Some(meta),
            Err(error) => error,
        };
        if error.kind() == io::ErrorKind::NotFound && entry.depth() > 0 {
            entry.gone.set(true);
        } else {
            let _ = self.error(Error::new(Operation::Stat, entry.path(), entry.depth(), error));
        }
        None
    }

    /// Whether the observer lets the entry be removed or entered.
    pub fn allowed(
        &mut self,
        state: &Emptied,
        entry: &Entry<'_>,
        meta: Option<&Meta>,
        is_empty: bool,
    ) -> bool {
        self.set_path(entry);
        let path = self.spelled(entry.depth());
        let subject = Subject::Entry(entry, meta);
        let answer = self.tally.observer.ask(&Question { path: &path, subject, is_empty });
        let goes = self.answered(entry.depth(), answer);
        if !goes && entry.file_type().is_dir() {
            state.keep();
        } else if !goes {
            state.decline();
        }
        goes
    }

    /// Whether the answer is yes. Otherwise the entry counts as spared or, without an answer, as
    /// failed.
    pub fn answered(&self, depth: usize, answer: io::Result<bool>) -> bool {
        match answer {
            Ok(true) => return true,
            // After the removal was stopped, a no is not an answer of the user.
            Ok(false) if self.tally.is_stopped() => {}
            Ok(false) => {
                self.tally.spared.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => self.not_removed(depth, Why::System(error)),
        }
        false
    }
}
