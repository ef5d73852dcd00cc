//! Times as templates and JSON print them.
//!
//! Two forms, which are printed by the million, are written by code of their own: seconds since the
//! epoch, and RFC 3339 with nanoseconds. Every other form is jiff's strftime, which is checked when
//! the template is parsed. Times in years that jiff does not know are written by the strftime of
//! `brisk ls`.

use brisk::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::{Offset, TimeZone};

use crate::common::calendar;
use crate::ls::strftime::{Format, Moment};

/// How a time is printed.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeFormat {
    /// No suffix: RFC 3339 with nanoseconds, in this time zone:
    /// `2026-11-20T15:04:05.123456789+01:00`.
    Rfc3339(TimeZone),
    /// `%s`: whole seconds since the epoch.
    Epoch,
    /// Any other strftime format, in this time zone.
    Strftime(String, TimeZone),
}

impl TimeFormat {
    /// The form that the text after the colon of `{mtime:…}` means.
    ///
    /// # Errors
    /// jiff's message about a format that it does not know.
    pub fn parse(suffix: Option<&str>) -> Result<TimeFormat, String> {
        let format = match suffix {
            None => return Ok(TimeFormat::Rfc3339(TimeZone::system())),
            Some("%s") => return Ok(TimeFormat::Epoch),
            Some(format) => format,
        };
        let zone = TimeZone::system();
        let sample = BrokenDownTime::from(&jiff::Timestamp::UNIX_EPOCH.to_zoned(zone.clone()));
        match sample.to_string(format) {
            Ok(_) => Ok(TimeFormat::Strftime(format.to_owned(), zone)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Appends the time.
    pub fn write(&self, time: Timestamp, out: &mut Vec<u8>) {
        let written = match self {
            TimeFormat::Epoch => {
                out.extend_from_slice(itoa::Buffer::new().format(time.secs).as_bytes());
                Some(())
            }
            TimeFormat::Rfc3339(zone) => write_local(time, zone, out),
            TimeFormat::Strftime(format, zone) => match calendar::instant(time) {
                Some((instant, 0)) => {
                    let zoned = instant.to_zoned(zone.clone());
                    let before = out.len();
                    let written = BrokenDownTime::from(&zoned).format(format, &mut *out);
                    written.inspect_err(|_| out.truncate(before)).ok()
                }
                far => far.map(|(instant, years)| {
                    let info = zone.to_offset_info(instant);
                    let moment = Moment {
                        civil: info.offset().to_datetime(instant),
                        years,
                        seconds: time.secs,
                        nanos: time.nanos,
                        offset: info.offset().seconds(),
                        zone: info.abbreviation(),
                    };
                    Format::new(format.as_bytes()).write(&moment, out);
                }),
            },
        };
        if written.is_none() {
            out.push(b'-');
        }
    }
}

/// Appends a time in UTC: `2026-11-20T14:04:05.123456789Z`. Appends nothing and returns `None` if
/// the nanoseconds are out of range.
pub fn write_utc(time: Timestamp, out: &mut Vec<u8>) -> Option<()> {
    let (instant, years) = calendar::instant(time)?;
    write_civil(Offset::UTC.to_datetime(instant), years, out);
    out.push(b'Z');
    Some(())
}

fn write_local(time: Timestamp, zone: &TimeZone, out: &mut Vec<u8>) -> Option<()> {
    let (instant, years) = calendar::instant(time)?;
    // RFC 3339 has offsets of whole minutes, and offsets of long ago had seconds. The clock follows
    // the printed offset, so that the instant stays exact.
    let seconds = zone.to_offset(instant).seconds() / 60 * 60;
    let offset = Offset::from_seconds(seconds).ok()?;
    write_civil(offset.to_datetime(instant), years, out);
    let minutes = seconds.unsigned_abs() / 60;
    out.push(if seconds < 0 { b'-' } else { b'+' });
    write_digits(minutes / 60, 2, out);
    out.push(b':');
    write_digits(minutes % 60, 2, out);
    Some(())
}

/// Date and time of day down to nanoseconds, with `years` added to the year. Years that four digits
/// do not hold have a sign and six digits or more, as in ISO 8601.
fn write_civil(at: DateTime, years: i64, out: &mut Vec<u8>) {
    let year = i64::from(at.year()) + years;
    match year {
        0..=9999 => write_digits(year as u32, 4, out),
        _ => {
            out.push(if year < 0 { b'-' } else { b'+' });
            let mut buffer = itoa::Buffer::new();
            let digits = buffer.format(year.unsigned_abs());
            out.extend(std::iter::repeat_n(b'0', 6usize.saturating_sub(digits.len())));
            out.extend_from_slice(digits.as_bytes());
        }
    }
    let fields = [
        (b'-', at.month()),
        (b'-', at.day()),
        (b'T', at.hour()),
        (b':', at.minute()),
        (b':', at.second()),
    ];
    for (before, field) in fields {
        out.push(before);
        write_digits(field.unsigned_abs().into(), 2, out);
    }
    out.push(b'.');
    write_digits(at.subsec_nanosecond().unsigned_abs(), 9, out);
}

/// Appends a number in exactly `width` digits.
fn write_digits(mut number: u32, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + width, b'0');
    for digit in out[start..].iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn utc(secs: i64, nanos: u32) -> Option<String> {
        let mut out = Vec::new();
        write_utc(Timestamp { secs, nanos }, &mut out)?;
        Some(String::from_utf8_lossy(&out).into_owned())
    }

    fn printed(format: &TimeFormat, secs: i64, nanos: u32) -> String {
        let mut out = Vec::new();
        format.write(Timestamp { secs, nanos }, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn utc_has_nanoseconds_always() {
        assert_eq!(utc(0, 0).as_deref(), Some("1970-01-01T00:00:00.000000000Z"));
        assert_eq!(utc(-1, 500_000_000).as_deref(), Some("1969-12-31T23:59:59.500000000Z"));
        assert_eq!(utc(1_763_650_245, 7).as_deref(), Some("2025-11-20T14:50:45.000000007Z"));
        assert_eq!(utc(0, 1_000_000_000), None);
    }

    #[test]
    fn years_beyond_four_digits_have_a_sign() {
        for (secs, expected) in [
            (253_402_300_799, "9999-12-31T23:59:59.000000000Z"),
            (253_402_300_800, "+010000-01-01T00:00:00.000000000Z"),
            (-62_198_755_200, "-000001-01-01T00:00:00.000000000Z"),
            (-400_000_000_000, "-010706-07-03T08:53:20.000000000Z"),
            (i64::MAX, "+292277026596-12-04T15:30:07.000000000Z"),
        ] {
            assert_eq!(utc(secs, 0).as_deref(), Some(expected));
        }
        let zone = TimeZone::get("Europe/Berlin").expect("a zone");
        let date = TimeFormat::Strftime("%Y-%m-%d %H:%M %a".to_owned(), zone.clone());
        assert_eq!(printed(&date, 316_516_345_200, 0), "12000-01-02 16:00 Sun");
        let whole = printed(&TimeFormat::Rfc3339(zone), 316_516_345_200, 0);
        assert_eq!(whole, "+012000-01-02T16:00:00.000000000+01:00");
    }

    #[test]
    fn local_time_carries_its_offset() {
        let zone = |name: &str| TimeFormat::Rfc3339(TimeZone::get(name).expect("a zone"));
        assert_eq!(printed(&zone("Asia/Kolkata"), 0, 1), "1970-01-01T05:30:00.000000001+05:30");
        assert_eq!(printed(&zone("America/New_York"), 0, 0), "1969-12-31T19:00:00.000000000-05:00");
        // Local mean time is 53 minutes and 28 seconds ahead: both parts leave the seconds out.
        let mean = printed(&zone("Europe/Berlin"), -3_000_000_000, 0);
        assert_eq!(mean, "1874-12-07T19:33:00.000000000+00:53");
    }

    #[test]
    fn strftime_is_checked_when_parsed() {
        assert_eq!(TimeFormat::parse(Some("%s")), Ok(TimeFormat::Epoch));
        assert!(TimeFormat::parse(Some("%Y-%m-%d %H:%M")).is_ok());
        assert!(TimeFormat::parse(Some("%!")).is_err());
        let date = TimeFormat::Strftime("%Y-%m-%d".to_owned(), TimeZone::UTC);
        assert_eq!(printed(&date, 86_400, 0), "1970-01-02");
        assert_eq!(printed(&TimeFormat::Epoch, -5, 1), "-5");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(secs in -300_000_000_000i64..250_000_000_000, nanos in 0u32..1_000_000_000) {
            let text = utc(secs, nanos).expect("within the calendar");
            let read: jiff::Timestamp = text.parse().expect("RFC 3339");
            prop_assert_eq!(read.as_nanosecond(), i128::from(secs) * 1_000_000_000 + i128::from(nanos));
        }
    }
}
