//! [`Racy`]: entries that may change without a trace in their times.
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
//!        │               │ written       │       a write from here on has another time
//! ```
//!
//! The record of a racy entry gets the flag `RECHECK`: the next rescan lists such a directory, and
//! compares the contents of such a file with the digest in the state. Without a digest the rescan
//! ends a tick later instead. The report has the file in any case, so a caller that reads the file
//! afterwards sees every write of that tick.
//!
//! | a racy file | contents decide | `RECHECK` | the rescan ends a tick later |
//! |---|---|---|---|
//! | was hashed | yes or no | yes | no |
//! | cannot be read | yes | yes, and the failure is an error | no |
//! | cannot be read, or takes longer than a tick to hash | no | no | yes |
//! | in a rescan without a state, where ticks are short | no | no | yes |
//!
//! The last row is for [`Diff`](crate::Diff), which compares states without digests.
//! (`tests/racy.rs`)

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use brisk::Timestamp;
use brisk_sys::clock::coarse_resolution;

use super::volumes::DirVolume;
use crate::format::record::Attrs;

/// The tick of a file system with times in whole seconds, or with times from another machine's
/// clock: two seconds, as on FAT.
const WHOLE_SECONDS: Duration = Duration::from_secs(2);
/// The longest tick that a rescan without a state waits for, instead of hashing.
const SHORT: Duration = Duration::from_millis(50);
/// How many bytes are hashed in a millisecond. One core of a server of 2023 takes 0.32 ms for a
/// mebibyte of the page cache; others may take three times as long.
const BYTES_A_MILLISECOND: u64 = 1 << 20;
/// What opening a file costs, in bytes of hashing: the same core takes 8 µs for a file of 2 kB.
const OPENING: u64 = 1 << 14;

/// Tells which entries are racy, and limits how much of them is hashed.
pub(crate) struct Racy {
    /// A time before any entry was statted.
    began: Timestamp,
    /// How far the clock of local file systems advances per tick.
    resolution: Duration,
    /// Whether ctime counts.
    ctime: bool,
    /// Whether there is no state to compare with.
    without_state: bool,
    /// What hashing has cost so far, in bytes, with [`OPENING`] for each file.
    spent: AtomicU64,
    /// The longest tick, in nanoseconds, that the rescan waits for.
    wait: AtomicU64,
}

impl Racy {
    pub fn new(began: Timestamp, ctime: bool, without_state: bool) -> Racy {
        Racy {
            began,
            resolution: coarse_resolution(),
            ctime,
            without_state,
            spent: AtomicU64::new(0),
            wait: AtomicU64::new(0),
        }
    }

    /// The tick in which the entry may change without a trace, if it is racy. `volume` is the file
    /// system of the entry, if it is known.
    #[inline]
    pub fn racy_tick(&self, attrs: &Attrs, volume: Option<DirVolume>) -> Option<Duration> {
        let granularity = match volume {
            Some(DirVolume { volume, .. }) => volume.granularity(),
            // Mount points, and the roots of the rescan. Where ticks are long, directory times are
            // not trusted, and each directory is listed in any case: a short tick does no harm.
            None => attrs.file_type().is_dir().then_some(Duration::ZERO),
        };
        let tick = match granularity {
            Some(granularity) if attrs.ctime.nanos > 0 => granularity.max(self.resolution),
            _ => WHOLE_SECONDS,
        };
        let edge = minus(self.began, tick);
        let is_ctime_racy = self.ctime && attrs.ctime >= edge;
        // Users may set an mtime in the future. An edit sets it back to now.
        let is_mtime_racy = attrs.mtime >= edge && minus(attrs.mtime, tick) <= self.began;
        (is_ctime_racy || is_mtime_racy).then_some(tick)
    }

    /// Whether this file can still be hashed within the tick, beside all racy files before.
    pub fn affords(&self, size: u64, tick: Duration) -> bool {
        if self.without_state && tick <= SHORT {
            return false;
        }
        let most = BYTES_A_MILLISECOND * tick.as_millis() as u64;
        // The limit keeps the sum of many files from wrapping.
        let cost = (size.saturating_add(OPENING)).min(most + 1);
        self.spent.fetch_add(cost, Relaxed) + cost <= most
    }

    /// Makes the rescan end after this tick.
    pub fn wait_for(&self, tick: Duration) {
        self.wait.fetch_max(tick.as_nanos() as u64, Relaxed);
    }

    /// Waits until the longest of these ticks has passed. `walked` is a time after the last stat.
    #[expect(clippy::disallowed_methods, reason = "only time ends a tick")]
    pub fn wait(&self, walked: Instant) {
        let tick = Duration::from_nanos(self.wait.load(Relaxed));
        if !tick.is_zero() {
            // The clock may be late by its resolution.
            std::thread::sleep((tick + self.resolution).saturating_sub(walked.elapsed()));
        }
    }
}

fn minus(time: Timestamp, span: Duration) -> Timestamp {
    let borrows = time.nanos < span.subsec_nanos();
    let secs = time.secs.saturating_sub(span.as_secs() as i64 + i64::from(borrows));
    let nanos = time.nanos + u32::from(borrows) * 1_000_000_000 - span.subsec_nanos();
    Timestamp { secs, nanos }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brisk::FileType;
    use brisk_sys::volume::{Volume, VolumeKind};

    const BEGAN: Timestamp = Timestamp { secs: 100, nanos: 5 };

    fn at(secs: i64, nanos: u32) -> Timestamp {
        Timestamp { secs, nanos }
    }

    fn file(mtime: Timestamp, ctime: Timestamp) -> Attrs {
        let mode = FileType::File.mode_bits();
        Attrs { mtime, ctime, mode, ..Attrs::default() }
    }

    #[test]
    fn an_edit_in_the_tick_is_racy_and_so_is_one_before_the_clock_was_set_back() {
        let is_racy =
            |ctime, attrs| Racy::new(BEGAN, ctime, false).racy_tick(&attrs, None).is_some();
        let long_ago = at(1, 0);
        for time in [at(98, 5), at(99, 0), BEGAN, at(101, 0), at(102, 5)] {
            assert!(is_racy(true, file(long_ago, time)), "{time:?}");
            for counts in [true, false] {
                assert!(is_racy(counts, file(time, long_ago)), "{time:?}");
            }
        }
        assert!(!is_racy(true, file(at(98, 4), at(98, 4))));
        assert!(!is_racy(false, file(long_ago, BEGAN)), "ctime does not count");
        // The clock was set back by an hour: it will come to this time again. A user who set mtime
        // so far ahead has not: an edit sets mtime back.
        let hour = at(3700, 0);
        assert!(is_racy(true, file(long_ago, hour)));
        assert!(!is_racy(true, file(hour, long_ago)));
    }

    #[test]
    fn a_tick_is_as_long_as_the_file_system_and_the_times_say() {
        let racy = Racy { resolution: Duration::from_millis(4), ..Racy::new(BEGAN, true, false) };
        let dir_volume = |kind, has_nanoseconds| {
            let volume = Volume { kind, fsid: 1, has_nanoseconds };
            Some(DirVolume { dev: 1, volume_number: 0, volume })
        };
        let fine = dir_volume(VolumeKind::Ext, true);
        let now = file(BEGAN, BEGAN);
        assert_eq!(racy.racy_tick(&now, fine), Some(racy.resolution));
        assert_eq!(
            racy.racy_tick(&now, dir_volume(VolumeKind::Ext, false)),
            Some(Duration::from_secs(1))
        );
        assert_eq!(racy.racy_tick(&now, dir_volume(VolumeKind::Nfs, true)), Some(WHOLE_SECONDS));
        assert_eq!(racy.racy_tick(&now, None), Some(WHOLE_SECONDS));
        let dir = Attrs { mode: FileType::Directory.mode_bits(), ..now };
        assert_eq!(racy.racy_tick(&dir, None), Some(racy.resolution));
        // A file system that could keep fractions, and does not, as ext4 with old inodes.
        assert_eq!(racy.racy_tick(&file(BEGAN, at(100, 0)), fine), Some(WHOLE_SECONDS));
    }

    #[test]
    fn a_rescan_hashes_for_a_tick_and_waits_for_the_rest() {
        let racy = Racy::new(BEGAN, true, false);
        let tick = Duration::from_millis(4);
        assert!(racy.affords(1 << 20, tick) && racy.affords(2 << 20, tick));
        assert!(!racy.affords(1 << 20, tick), "the fourth mebibyte has no room for three openings");
        assert!(
            !racy.affords(0, tick),
            "with one that has to be waited for, all others are as well"
        );
        assert!((0..100).all(|_| !racy.affords(u64::MAX, tick)), "the sum does not wrap");
        let full = Racy::new(BEGAN, true, true);
        assert!(!full.affords(0, tick) && full.affords(0, WHOLE_SECONDS));
    }

    #[test]
    fn a_tick_before() {
        let tick = Duration::from_nanos;
        assert_eq!(minus(at(0, 1), tick(2)), at(-1, 999_999_999));
        assert_eq!(minus(at(9, 2), tick(1_000_000_002)), at(8, 0));
        assert_eq!(minus(at(i64::MIN, 0), tick(1)), at(i64::MIN, 999_999_999));
    }
}
