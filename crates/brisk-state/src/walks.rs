//! [`Walks`]: the walk of a rescan, and the second looks after it.

use std::io;
use std::num::NonZeroUsize;

use brisk::{Cancel, Error, Operation, Stats, Timestamp, Walk};
use brisk_sys::clock::coarse_now;
use brisk_sys::paths::{bytes_to_path, with_slashes};

use crate::assemble::Assembly;
use crate::bits::Bits;
use crate::found::{Found, Keys, Start};
use crate::gathered::{Gathered, Paths};
use crate::look::Look;
use crate::met::Volumes;
use crate::refused::Refused;
use crate::roots::Root;
use crate::second::{self, Ticks};
use crate::settings::Settings;
use crate::shared::{Before, Shared};
use crate::state::TOP;
use crate::written::Written;

/// How often racy entries are asked about again, before the state marks them: more than once only
/// where another process writes meanwhile.
const MOST_LOOKS: usize = 4;

/// What the walks of a rescan have in common.
pub(crate) struct Walks<'a> {
    pub paths: &'a Paths<'a>,
    pub settings: &'a Settings,
    pub common: (&'a Bits, &'a Keys, &'a Volumes),
    /// How many workers look, and what ends the walks.
    pub pace: (Option<NonZeroUsize>, &'a Cancel),
    pub gathered: Gathered,
    pub stats: Stats,
}

impl<'a> Walks<'a> {
    /// Looks at everything, or at what was `written`.
    pub fn first(&mut self, began: Timestamp, written: Option<&Written>) -> Result<(), Refused> {
        let mut shared = self.shared(began);
        shared.starts = self.paths.roots.iter().map(start).collect();
        shared.written = written;
        let mut found = self.walk(&shared)?;
        if let Some(error) = take_missing(&mut found).into_iter().next() {
            return Err(Refused::Root(error.path().to_owned(), error.into_io()));
        }
        self.gathered.add(found);
        Ok(())
    }

    /// Looks again at what is racy, until nothing is; returns how long ticks are.
    pub fn again(&mut self) -> Result<Ticks, Refused> {
        let (seen, _, volumes) = self.common;
        for _ in 0..MOST_LOOKS {
            let ticks = Ticks::new(volumes, self.settings.ctime);
            let racy = second::directories(&self.gathered, self.paths, &ticks);
            if racy.is_empty() {
                break;
            }
            second::wait(&ticks);
            let mut shared = self.shared(coarse_now());
            let mut gathered = std::mem::take(&mut self.gathered);
            let there = second::there(&gathered, &racy, (self.paths.state, seen), shared.began);
            shared.starts = second::forget(&mut gathered, &racy, self.paths, seen);
            shared.before = Some(Before::new(&gathered.dirs, &shared.starts, there));
            let mut found = self.walk(&shared)?;
            // What is gone meanwhile was not seen, and that says it.
            take_missing(&mut found);
            gathered.add(found);
            self.gathered = gathered;
        }
        Ok(Ticks::new(volumes, self.settings.ctime))
    }

    /// What makes changes and blocks of all that was found.
    pub fn assembly(&self, ticks: &'a Ticks, renames: bool) -> Assembly<'a> {
        let (seen, _, volumes) = self.common;
        let trusted = volumes.get().iter().map(|known| known.volume.trusts_inodes()).collect();
        let (paths, settings) = (self.paths, self.settings);
        Assembly { paths, settings, seen, ticks, trusted, renames }
    }

    fn shared<'s>(&self, began: Timestamp) -> Shared<'s>
    where
        'a: 's,
    {
        Shared::new(self.paths.state, self.settings, began, self.common)
    }

    fn walk(&mut self, shared: &Shared<'_>) -> Result<Found, Refused> {
        let (threads, cancel) = self.pace;
        let roots = shared.starts.keys().map(|path| bytes_to_path(path));
        let walk = Walk::over(roots).threads(threads).cancelled_by(cancel);
        let (look, walked) = walk.visit_parallel(Look::new(shared));
        self.stats.add_later(&walked);
        if cancel.is_cancelled() { Err(Refused::Cancelled) } else { Ok(look.found) }
    }
}

/// Takes the errors of places where the walk was to begin, and there is nothing.
fn take_missing(found: &mut Found) -> Vec<Error> {
    let is_missing = |error: &mut Error| {
        error.depth() == 0
            && error.operation() == Operation::Stat
            && error.io().kind() == io::ErrorKind::NotFound
    };
    found.errors.extract_if(.., is_missing).collect()
}

fn start(root: &Root) -> (Vec<u8>, Start) {
    (with_slashes(&root.path), Start { parent: TOP, name: root.name.clone(), key: None })
}
