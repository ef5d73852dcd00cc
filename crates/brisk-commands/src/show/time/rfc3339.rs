//! RFC 3339 with nanoseconds: `2026-11-20T15:04:05.123456789+01:00`. Such times are printed by the
//! million, so they have their own, faster code.

use brisk::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use super::calendar;

/// Appends a time in UTC: `2026-11-20T14:04:05.123456789Z`. Appends nothing and returns `None` if
/// the nanoseconds are out of range.
pub fn write_utc(time: Timestamp, out: &mut Vec<u8>) -> Option<()> {
    let (instant, years) = calendar::instant(time)?;
    write_civil(Offset::UTC.to_datetime(instant), years, out);
    out.push(b'Z');
    Some(())
}

/// Appends a time in a time zone. Appends nothing and returns `None` if the nanoseconds are out of
/// range.
pub(crate) fn write_local(time: Timestamp, zone: &TimeZone, out: &mut Vec<u8>) -> Option<()> {
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

    fn local(zone: &str, secs: i64, nanos: u32) -> String {
        let mut out = Vec::new();
        let zone = TimeZone::get(zone).expect("a zone");
        write_local(Timestamp { secs, nanos }, &zone, &mut out).expect("a time");
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
        let whole = local("Europe/Berlin", 316_516_345_200, 0);
        assert_eq!(whole, "+012000-01-02T16:00:00.000000000+01:00");
    }

    #[test]
    fn local_time_carries_its_offset() {
        assert_eq!(local("Asia/Kolkata", 0, 1), "1970-01-01T05:30:00.000000001+05:30");
        assert_eq!(local("America/New_York", 0, 0), "1969-12-31T19:00:00.000000000-05:00");
        // Local mean time is 53 minutes and 28 seconds ahead: both parts leave the seconds out.
        let mean = local("Europe/Berlin", -3_000_000_000, 0);
        assert_eq!(mean, "1874-12-07T19:33:00.000000000+00:53");
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
