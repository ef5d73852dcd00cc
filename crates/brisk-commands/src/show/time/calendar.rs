//! Dates of every time that a file may have: jiff's calendar covers the years -9999 to 9999, but a
//! file's time is a number of seconds in 64 bits.

use brisk::Timestamp;

/// Years after which the Gregorian calendar repeats itself, weekdays and the rules of time zones
/// included.
const YEARS: i64 = 400;
const SECONDS: i64 = 146_097 * 86_400;

/// 2400-01-01 in seconds since the epoch: after every change of a time zone that is known by its
/// date.
const FAR_FUTURE: i64 = 13_569_465_600;
/// -8000-01-01 in seconds since the epoch: before every change of a time zone.
const FAR_PAST: i64 = -314_625_427_200;

/// An instant that jiff knows, and how many years later the time is: a multiple of 400, and 0 for
/// every time that jiff knows itself. `None` if the nanoseconds are out of range.
pub(crate) fn instant(time: Timestamp) -> Option<(jiff::Timestamp, i64)> {
    let nanos = i32::try_from(time.nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    if let Ok(known) = jiff::Timestamp::new(time.secs, nanos) {
        return Some((known, 0));
    }
    let from = if time.secs < 0 { FAR_PAST } else { FAR_FUTURE };
    let cycles = (i128::from(time.secs) - i128::from(from)).div_euclid(i128::from(SECONDS)) as i64;
    let known = jiff::Timestamp::new(time.secs - cycles * SECONDS, nanos).ok()?;
    Some((known, cycles * YEARS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn year_and_day(secs: i64) -> (i64, String) {
        let (known, years) = instant(Timestamp { secs, nanos: 0 }).unwrap();
        let civil = jiff::tz::Offset::UTC.to_datetime(known);
        (i64::from(civil.year()) + years, civil.strftime("%m-%d %H:%M:%S %a").to_string())
    }

    /// As GNU find and date print such years.
    #[test]
    fn years_have_as_many_digits_as_they_need() {
        for (secs, year, day) in [
            (0, 1970, "01-01 00:00:00 Thu"),
            (253_402_300_800, 10_000, "01-01 00:00:00 Sat"),
            (316_516_345_200, 12_000, "01-02 15:00:00 Sun"),
            (-377_705_116_800, -9_999, "01-01 00:00:00 Mon"),
            (-400_000_000_000, -10_706, "07-03 08:53:20 Sat"),
            (67_767_976_233_532_799, 2_147_483_647, "12-31 23:59:59 Tue"),
            (i64::MAX, 292_277_026_596, "12-04 15:30:07 Sun"),
            (i64::MIN, -292_277_022_657, "01-27 08:29:52 Sun"),
        ] {
            assert_eq!(year_and_day(secs), (year, day.to_owned()), "{secs}");
        }
    }

    proptest! {
        #[test]
        fn every_second_has_its_instant(secs in any::<i64>()) {
            let (known, years) = instant(Timestamp { secs, nanos: 7 }).unwrap();
            let second = known.as_nanosecond().div_euclid(1_000_000_000) as i64;
            prop_assert_eq!(second + years / YEARS * SECONDS, secs);
        }
    }
}
