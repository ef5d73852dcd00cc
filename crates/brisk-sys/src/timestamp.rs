//! Points in time, before the epoch and after it.

use std::time::{Duration, SystemTime};

/// A point in time: whole seconds since the epoch, negative before the epoch, and nanoseconds after
/// that second. Conversions make no system call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    /// Whole seconds since 1970-01-01 00:00 UTC.
    pub secs: i64,
    /// Nanoseconds, below 1,000,000,000.
    pub nanos: u32,
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Timestamp {
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => Timestamp { secs: after.as_secs() as i64, nanos: after.subsec_nanos() },
            Err(before) => {
                let before = before.duration();
                let nanos = (1_000_000_000 - before.subsec_nanos()) % 1_000_000_000;
                // The earliest second has no positive counterpart.
                let secs = 0_i64.saturating_sub_unsigned(before.as_secs());
                Timestamp { secs: secs.saturating_sub((nanos > 0).into()), nanos }
            }
        }
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> SystemTime {
        let nanos = Duration::from_nanos(u64::from(time.nanos));
        match u64::try_from(time.secs) {
            Ok(secs) => SystemTime::UNIX_EPOCH + Duration::from_secs(secs) + nanos,
            Err(_) => {
                SystemTime::UNIX_EPOCH - Duration::from_secs(time.secs.unsigned_abs()) + nanos
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_the_epoch_survive_both_ways() {
        for (secs, nanos) in [(-1, 500_000_000), (-5, 0), (0, 100), (12, 999_999_900)] {
            let time = Timestamp { secs, nanos };
            assert_eq!(Timestamp::from(SystemTime::from(time)), time);
        }
    }
}
