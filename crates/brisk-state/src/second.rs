//! The second look: entries that may have changed without a trace are statted again.
//!
//! A file system stamps changes with a clock that advances in ticks. If an entry is written and
//! statted in one tick, a second write in this tick leaves the entry's times as they are. Such an
//! entry is *racy*:
//!
//! ```text
//!   ─────┬───────────────┬───────────────┬─────► the file system's clock
//!        │   written     │               │
//!        │   statted     │               │       the entry has the time of this tick …
//!        │   written     │               │       … and still has it: the entry is racy
//!        │               │ statted again │       a write from here on has another time
//! ```
//!
//! Where ticks are short, the directories that hold racy entries are read again one tick later.
//! Where ticks are long, the state marks the entry, and keeps the digest of a file's contents.
//!
//! A directory that the second look meets, and that is not racy, is not read again. If it has changed
//! since it was read, the next look reads it; after the last look, the state marks it.
//! (`tests/racy.rs` tests the guarantees.)

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use brisk::Timestamp;
use brisk_sys::clock::{coarse_now, coarse_resolution};

use crate::bits::Bits;
use crate::found::{Fresh, Key, NEVER, Start};
use crate::gathered::{Gathered, Paths};
use crate::met::{Known, Volumes};
use crate::record::{NO_BLOCK, Stamp};
use crate::shared::There;
use crate::state::{State, TOP};

/// The longest tick for which the rescan waits. For a longer one contents are compared.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// The tick of a file system whose stamps all are whole seconds: two, as on FAT.
const WHOLE_SECONDS: Duration = Duration::from_secs(2);

/// How long a tick of each file system is.
pub(crate) struct Ticks {
    by_volume: Vec<Duration>,
    ctime: bool,
}

impl Ticks {
    pub fn new(volumes: &Volumes, ctime: bool) -> Ticks {
        let resolution = coarse_resolution();
        let tick = |known: &Known| match known.volume.granularity() {
            Some(granularity) if known.has_fractions => granularity.max(resolution),
            _ => WHOLE_SECONDS,
        };
        Ticks { by_volume: volumes.get().iter().map(tick).collect(), ctime }
    }

    fn of(&self, fresh: &Fresh) -> Duration {
        // A root's own file system is met only after the root was asked about.
        let by_number = self.by_volume.get(usize::from(fresh.volume));
        by_number.or(self.by_volume.iter().max()).copied().unwrap_or(WHOLE_SECONDS)
    }

    /// Whether the entry may have changed without a trace since it was asked about.
    pub fn is_racy(&self, fresh: &Fresh) -> bool {
        if fresh.asked == NEVER {
            return true;
        }
        let tick = self.of(fresh);
        let Stamp { mtime, ctime, .. } = fresh.stamp;
        let edge = minus(fresh.asked, tick);
        // Users set mtime into the future, and an edit sets it back.
        (self.ctime && ctime >= edge) || (mtime >= edge && minus(mtime, tick) <= fresh.asked)
    }

    /// Whether a tick is so long that contents are compared.
    pub fn is_long(&self, fresh: &Fresh) -> bool {
        self.of(fresh) > LONGEST_WAIT
    }

    /// Whether a tick of the file system with this number is as long.
    pub fn are_long(&self, number: usize) -> bool {
        self.by_volume.get(number).is_some_and(|tick| *tick > LONGEST_WAIT)
    }

    /// The longest of the ticks for which the rescan waits.
    fn wait(&self) -> Duration {
        let short = self.by_volume.iter().filter(|tick| **tick <= LONGEST_WAIT);
        short.max().copied().unwrap_or_default()
    }
}

fn minus(time: Timestamp, tick: Duration) -> Timestamp {
    let nanos = i128::from(time.secs) * 1_000_000_000 + i128::from(time.nanos);
    let nanos = nanos - tick.as_nanos() as i128;
    let secs = i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i64::MIN);
    Timestamp { secs, nanos: nanos.rem_euclid(1_000_000_000) as u32 }
}

/// The directories to be looked at once more: those that are racy, and those that hold racy files.
pub(crate) fn directories(gathered: &Gathered, paths: &Paths<'_>, ticks: &Ticks) -> BTreeSet<Key> {
    let racy = gathered.fresh.iter().filter(|fresh| ticks.is_racy(fresh) && !ticks.is_long(fresh));
    let directory = |fresh: &Fresh| {
        let is_dir = fresh.stamp.file_type().is_dir();
        let own = is_dir.then(|| gathered.key(paths.state, fresh.parent, &fresh.name));
        own.flatten().unwrap_or(fresh.parent)
    };
    racy.map(directory).filter(|&key| key != TOP).collect()
}

/// Waits until the clock has left the tick.
pub(crate) fn wait(ticks: &Ticks) {
    let wait = ticks.wait();
    let begun = coarse_now();
    while minus(coarse_now(), wait) <= begun {
        pause(wait);
    }
}

/// Lets this time pass, or a part of it.
#[expect(clippy::disallowed_methods, reason = "nothing but the clock ends the wait")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// The directories in these directories, as they were found. One that was as its record says gets
/// the time `now`, which holds only if the next look finds the same stamp (see
/// [`read_at`](crate::shared::Before::read_at)).
pub(crate) fn there(
    gathered: &Gathered,
    keys: &BTreeSet<Key>,
    (state, seen): (Option<&State>, &Bits),
    now: Timestamp,
) -> There {
    let mut there = There::new();
    if let Some(state) = state {
        for &key in keys {
            for (record, at) in state.block(key).iter().zip(state.first(key)..) {
                if record.block != NO_BLOCK && seen.get(at) {
                    there.insert((key, record.name.into()), (record.stamp, now));
                }
            }
        }
    }
    let fresh = gathered.fresh.iter().filter(|fresh| keys.contains(&fresh.parent));
    for fresh in fresh.filter(|fresh| fresh.stamp.file_type().is_dir()) {
        there.insert((fresh.parent, fresh.name.clone()), (fresh.stamp, fresh.asked));
    }
    there
}

/// Forgets what was found of these directories and of their entries, so that they can be looked at
/// again; returns where that walk begins.
pub(crate) fn forget(
    gathered: &mut Gathered,
    keys: &BTreeSet<Key>,
    paths: &Paths<'_>,
    seen: &Bits,
) -> HashMap<Vec<u8>, Start> {
    let mut starts = HashMap::new();
    for &key in keys {
        let Some((parent, name)) = gathered.above(paths.state, key) else { continue };
        let name: Box<[u8]> = name.into();
        let place = gathered.place(paths, parent, &name);
        starts.insert(paths.spelled(&place), Start { parent, name: name.clone(), key: Some(key) });
        if let Some(state) = paths.state {
            let first = state.first(key);
            (first..first + state.block(key).len()).for_each(|at| seen.clear(at));
            if let Some(at) = state.block(parent).find(&name, 0) {
                seen.clear(state.first(parent) + at);
            }
        }
    }
    let own: std::collections::HashSet<_> =
        starts.values().map(|start| (start.parent, &*start.name)).collect();
    gathered.fresh.retain(|fresh| {
        !keys.contains(&fresh.parent) && !own.contains(&(fresh.parent, &*fresh.name))
    });
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Flags;

    const ASKED: Timestamp = Timestamp { secs: 100, nanos: 5 };

    fn fresh(mtime: Timestamp, ctime: Timestamp) -> Fresh {
        let stamp = Stamp { mtime, ctime, ..Stamp::default() };
        let (asked, flags, more, name) = (ASKED, Flags::default(), Box::default(), Box::default());
        Fresh { parent: TOP, name, stamp, asked, flags, more, old: None, volume: 0 }
    }

    #[test]
    fn an_edit_in_the_tick_is_racy_and_so_is_one_before_the_clock_was_set_back() {
        let at = |secs, nanos| Timestamp { secs, nanos };
        let ticks = |ctime| Ticks { by_volume: vec![WHOLE_SECONDS], ctime };
        let long_ago = at(1, 0);
        let racy = [at(98, 5), at(99, 0), ASKED, at(101, 0), at(102, 5)];
        for time in racy {
            assert!(ticks(true).is_racy(&fresh(long_ago, time)), "{time:?}");
            for counts in [true, false] {
                assert!(ticks(counts).is_racy(&fresh(time, long_ago)), "{time:?}");
            }
        }
        assert!(!ticks(true).is_racy(&fresh(at(98, 4), at(98, 4))));
        assert!(!ticks(false).is_racy(&fresh(long_ago, ASKED)), "ctime does not count");
        // The clock was set back by an hour: it will come to this time again. A user who set mtime
        // so far ahead has not: an edit sets mtime back.
        let hour = at(3700, 0);
        assert!(ticks(true).is_racy(&fresh(long_ago, hour)));
        assert!(!ticks(true).is_racy(&fresh(hour, long_ago)));
    }

    #[test]
    fn a_tick_before() {
        let time = Timestamp { secs: 0, nanos: 1 };
        let before = minus(time, Duration::from_nanos(2));
        assert_eq!(before, Timestamp { secs: -1, nanos: 999_999_999 });
    }
}
