//! `--changed-within` and its kin: rules on a file's times.

use brisk::{Fields, Meta, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Zoned};

use super::flags::Times;
use crate::common::messages::Caller;

/// The rules on times: each time of a file must lie strictly after, or strictly before, a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeRules(Vec<TimeRule>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimeRule {
    which: Which,
    side: Side,
    limit: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Modified,
    Changed,
    Created,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    After,
    Before,
}

impl TimeRules {
    /// The rules that the flags name, with spans counted back from `now`. fd accepts spans that
    /// lead into the future; brisk refuses them.
    ///
    /// # Errors
    /// The message for the user: a text is neither a date nor a span.
    pub(crate) fn new(
        times: &Times,
        caller: Caller,
        now: impl Fn() -> Zoned,
    ) -> Result<TimeRules, String> {
        let named = [
            (Which::Modified, Side::After, &times.modified_after),
            (Which::Modified, Side::Before, &times.modified_before),
            (Which::Changed, Side::After, &times.changed_after),
            (Which::Changed, Side::Before, &times.changed_before),
            (Which::Created, Side::After, &times.created_after),
            (Which::Created, Side::Before, &times.created_before),
        ];
        let mut rules = Vec::new();
        for (which, side, text) in named {
            if let Some(text) = text {
                if caller != Caller::Fd && counts_forward(text) {
                    return Err(format!(
                        "'{text}' lies in the future: write an age as 30d, a date as 2026-01-31"
                    ));
                }
                let limit = parse_time(text, &now).ok_or_else(|| {
                    format!("'{text}' is not a valid date or duration. See --help.")
                })?;
                rules.push(TimeRule { which, side, limit });
            }
        }
        Ok(TimeRules(rules))
    }

    /// The fields that the rules need of each file.
    pub(crate) fn fields(&self) -> Fields {
        self.0.iter().fold(Fields::empty(), |fields, rule| {
            fields
                | match rule.which {
                    Which::Modified => Fields::MTIME,
                    Which::Changed => Fields::CTIME,
                    Which::Created => Fields::BTIME,
                }
        })
    }

    /// Whether a file with this metadata obeys all rules. A time that the file system does not keep
    /// obeys no rule.
    pub(crate) fn allow(&self, meta: &Meta) -> bool {
        self.0.iter().all(|rule| {
            let time = match rule.which {
                Which::Modified => meta.mtime(),
                Which::Changed => meta.ctime(),
                Which::Created => meta.btime(),
            };
            time.is_some_and(|time| match rule.side {
                Side::After => time > rule.limit,
                Side::Before => time < rule.limit,
            })
        })
    }
}

/// Why a text does not tell which files are old.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotPast {
    /// The text is not a time.
    Unreadable,
    /// The time lies in the future: every file is older.
    Future,
}

/// The same as `parse_time`, for a time that must lie in the past.
///
/// # Errors
/// Why the text is no time in the past.
pub(crate) fn parse_past(text: &str, now: impl Fn() -> Zoned) -> Result<Timestamp, NotPast> {
    let now = now();
    let limit = parse_time(text, || now.clone()).ok_or(NotPast::Unreadable)?;
    if limit > timestamp(now.timestamp()) { Err(NotPast::Future) } else { Ok(limit) }
}

/// Whether a span leads from now into the future: `-30d`, `30d ago`.
fn counts_forward(text: &str) -> bool {
    text.parse::<Span>().is_ok_and(Span::is_negative)
}

/// A span back from now, an RFC 3339 time, a local date or date-time, or `@` and seconds.
pub(crate) fn parse_time(text: &str, now: impl Fn() -> Zoned) -> Option<Timestamp> {
    if let Ok(span) = text.parse::<Span>() {
        return Some(timestamp(now().checked_sub(span).ok()?.timestamp()));
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(timestamp(time));
    }
    if let Ok(local) = text.parse::<DateTime>() {
        // Where clocks were set back, an hour happened twice: the later one is meant.
        let zoned = TimeZone::system().to_ambiguous_zoned(local).later().ok()?;
        return Some(timestamp(zoned.timestamp()));
    }
    let secs: u64 = text.strip_prefix('@')?.parse().ok()?;
    Some(Timestamp { secs: i64::try_from(secs).ok()?, nanos: 0 })
}

/// jiff's nanoseconds count towards zero; brisk's, like statx's, count upwards.
fn timestamp(time: jiff::Timestamp) -> Timestamp {
    let nanos = time.as_nanosecond();
    let secs = nanos.div_euclid(1_000_000_000) as i64;
    Timestamp { secs, nanos: nanos.rem_euclid(1_000_000_000) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2010-10-10 10:10:10.5 UTC.
    fn now() -> Zoned {
        "2010-10-10T10:10:10.5Z".parse::<jiff::Timestamp>().unwrap().to_zoned(TimeZone::UTC)
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
        let local = TimeZone::system()
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
            assert_eq!(parse_past(text, now), Err(NotPast::Future), "{text}");
        }
        for text in ["", "yesterday", "30", "30 d 2010", "--1d"] {
            assert_eq!(parse_past(text, now), Err(NotPast::Unreadable), "{text}");
        }
    }

    #[test]
    fn times_before_the_epoch_count_upwards() {
        let time = "1969-12-31T23:59:58.25Z".parse().unwrap();
        assert_eq!(timestamp(time), Timestamp { secs: -2, nanos: 250_000_000 });
    }

    #[test]
    fn fields_are_those_of_the_rules() {
        let mut times = Times::default();
        assert_eq!(TimeRules::new(&times, Caller::Brisk, now).unwrap().fields(), Fields::empty());
        times.modified_after = Some("1d".into());
        times.created_before = Some("1h".into());
        let rules = TimeRules::new(&times, Caller::Brisk, now).unwrap();
        assert_eq!(rules.fields(), Fields::MTIME | Fields::BTIME);
        assert!(!rules.allow(&Meta::default()), "an unknown time obeys no rule");
        for text in ["tomorrow", "-1d", "1d ago"] {
            times.changed_after = Some(text.into());
            assert!(TimeRules::new(&times, Caller::Brisk, now).is_err(), "{text}");
            assert_eq!(
                TimeRules::new(&times, Caller::Fd, now).is_ok(),
                text != "tomorrow",
                "{text}"
            );
        }
    }
}
