//! Times as users write them: ages (`2 weeks`), dates and times.

use brisk::Timestamp;
use jiff::civil::DateTime;
use jiff::{Span, Zoned};

use crate::zone;

/// Why a text is neither an age nor a date in the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTime {
    /// The text is not a time.
    Unreadable,
    /// The time lies in the future: every file is older.
    Future,
    /// The text has the unit `m`, which is minutes to some and months to others.
    MinutesOrMonths,
}

/// As `parse_day_or_time`, for a time that must lie in the past and cannot be misread.
///
/// # Errors
/// Why the text is not such a time.
pub fn parse_past(text: &str, now: impl Fn() -> Zoned) -> Result<Timestamp, NotTime> {
    let now = now();
    let limit = parse_day_or_time(text, || now.clone()).ok_or(NotTime::Unreadable)?;
    match limit > timestamp(now.timestamp()) {
        true => Err(NotTime::Future),
        false if has_bare_m(text) => Err(NotTime::MinutesOrMonths),
        false => Ok(limit),
    }
}

/// Whether a text has the unit `m`. jiff reads it as minutes: if a user means months, a command
/// that removes would remove the wrong files.
pub fn has_bare_m(text: &str) -> bool {
    text.split(|part: char| !part.is_alphabetic()).any(|unit| unit == "m")
}

/// As `parse_time`; also the beginning of `today` or `yesterday`.
pub fn parse_day_or_time(text: &str, now: impl Fn() -> Zoned) -> Option<Timestamp> {
    let day = match text {
        "today" => now(),
        "yesterday" => now().yesterday().ok()?,
        _ => return parse_time(text, now),
    };
    Some(timestamp(day.start_of_day().ok()?.timestamp()))
}

/// An age, a time in RFC 3339, a local date or date and time, or `@` and seconds.
pub fn parse_time(text: &str, now: impl Fn() -> Zoned) -> Option<Timestamp> {
    if let Ok(span) = text.parse::<Span>() {
        return Some(timestamp(now().checked_sub(span).ok()?.timestamp()));
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(timestamp(time));
    }
    if let Ok(local) = text.parse::<DateTime>() {
        // When clocks are set back, an hour happens twice: the later one is meant.
        let zoned = zone::local().to_ambiguous_zoned(local).later().ok()?;
        return Some(timestamp(zoned.timestamp()));
    }
    let secs: u64 = text.strip_prefix('@')?.parse().ok()?;
    Some(Timestamp { secs: i64::try_from(secs).ok()?, nanos: 0 })
}

/// jiff's nanoseconds count towards zero; brisk's, like statx's, count upwards.
pub(crate) fn timestamp(time: jiff::Timestamp) -> Timestamp {
    let nanos = time.as_nanosecond();
    let secs = nanos.div_euclid(1_000_000_000) as i64;
    Timestamp { secs, nanos: nanos.rem_euclid(1_000_000_000) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2010-10-10 10:10:10.5 UTC.
    fn now() -> Zoned {
        "2010-10-10T10:10:10.5Z"
            .parse::<jiff::Timestamp>()
            .unwrap()
            .to_zoned(jiff::tz::TimeZone::UTC)
    }

    const NOW: i64 = 1_286_705_410;

    #[test]
    fn times_parse() {
        for (text, secs) in [
            ("10s", NOW - 10),
            ("1min", NOW - 60),
            ("35min", NOW - 35 * 60),
            ("10h", NOW - 36_000),
            ("1d", NOW - 86_400),
            ("1day", NOW - 86_400),
            ("2weeks", NOW - 14 * 86_400),
            ("2010-10-10T10:10:10Z", NOW),
            ("2010-10-10T12:10:10+02:00", NOW),
            ("@1707723412", 1_707_723_412),
        ] {
            let time = parse_time(text, now).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(time.secs, secs, "{text}");
        }
        let local = zone::local()
            .to_zoned(DateTime::constant(2018, 10, 27, 0, 0, 0, 0))
            .unwrap()
            .timestamp();
        assert_eq!(parse_time("2018-10-27", now), Some(timestamp(local)));
        assert_eq!(parse_time("2018-10-27 00:00:00", now), Some(timestamp(local)));
        for text in ["", "yesterday", "1707723412", "@", "@-5", "10 parsecs"] {
            assert_eq!(parse_time(text, now), None, "{text}");
        }
    }

    #[test]
    fn what_has_passed_is_no_time_to_come() {
        for text in ["10s", "0s", "1mo", "2010-10-09", "@0", "P30D"] {
            assert!(parse_past(text, now).is_ok(), "{text}");
        }
        for text in
            ["30d ago", "-30d", "-1d", "-P1D", "2010-10-12", "2010-10-10T10:10:11Z", "@1707723412"]
        {
            assert_eq!(parse_past(text, now), Err(NotTime::Future), "{text}");
        }
        assert_eq!(parse_past("yesterday", now).map(|time| time.secs), Ok(1_286_582_400));
        assert_eq!(parse_past("today", now).map(|time| time.secs), Ok(1_286_668_800));
        for text in ["", "tomorrow", "30", "30 d 2010", "--1d"] {
            assert_eq!(parse_past(text, now), Err(NotTime::Unreadable), "{text}");
        }
    }

    #[test]
    fn times_before_the_epoch_count_upwards() {
        let time = "1969-12-31T23:59:58.25Z".parse().unwrap();
        assert_eq!(timestamp(time), Timestamp { secs: -2, nanos: 250_000_000 });
    }
}
