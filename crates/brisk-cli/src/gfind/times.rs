//! [`TimeFormat`]: times as -printf prints them, with ten digits of the second's fraction, the last
//! of them 0, where seconds are printed.
//!
//! Years are the C library's, which pads none. A time whose year the C library cannot hold is
//! printed as seconds since the epoch.

use std::io::Write;

use brisk::Timestamp;
use brisk_cli_sys::{Category, Text, locale};
use brisk_filter::zone;
use jiff::tz::TimeZone;

use crate::show::time::format::{Format, Moment};

/// How a directive prints a time, in the user's time zone.
#[derive(Debug)]
pub(super) struct TimeFormat {
    zone: TimeZone,
    format: TimeForm,
    /// Whether seconds since the epoch have a fraction.
    has_fraction: bool,
}

#[derive(Debug)]
enum TimeForm {
    /// Seconds since the epoch.
    Epoch,
    /// As ctime(3), in English in every locale: the part behind the month's name.
    Ctime(Format),
    Date(Format),
}

impl TimeFormat {
    /// `%a`, `%c`, `%t`.
    pub(super) fn ctime() -> TimeFormat {
        let rest = Format::new(b"%e %H:%M:%S.%N0 %Y");
        TimeFormat { zone: zone::local(), format: TimeForm::Ctime(rest), has_fraction: true }
    }

    /// `%AK`, `%BK`, `%CK`, `%TK` with this K: a conversion of strftime(3), `@` or `+`.
    pub(super) fn of(kind: u8) -> TimeFormat {
        let format = match kind {
            b'@' => TimeForm::Epoch,
            _ => {
                locale::adopt(Category::Time);
                TimeForm::Date(Format::new(&conversion(kind)))
            }
        };
        TimeFormat { zone: zone::local(), format, has_fraction: b"@+STX".contains(&kind) }
    }

    /// Appends the time.
    pub(super) fn append(&self, time: Timestamp, out: &mut Vec<u8>) {
        let written = match &self.format {
            TimeForm::Epoch => None,
            TimeForm::Date(format) => format.write_time(time, &self.zone, out),
            TimeForm::Ctime(rest) => self.ctime_of(time, rest, out),
        };
        if written.is_some() {
            return;
        }
        out.extend_from_slice(itoa::Buffer::new().format(time.secs).as_bytes());
        if self.has_fraction {
            // Writing to a Vec cannot fail.
            let _ = write!(out, ".{:09}0", time.nanos);
        }
    }

    fn ctime_of(&self, time: Timestamp, rest: &Format, out: &mut Vec<u8>) -> Option<()> {
        let at = Moment::new(time, &self.zone)?;
        i32::try_from(at.year() - 1900).ok()?;
        let _ = write!(out, "{}", at.civil().strftime("%a %b "));
        rest.write(&at, out);
        Some(())
    }
}

/// The format of one conversion.
fn conversion(kind: u8) -> Vec<u8> {
    match kind {
        b'+' => b"%1Y-%m-%d+%H:%M:%S.%N0".to_vec(),
        b'T' => b"%H:%M:%S.%N0".to_vec(),
        b'S' => b"%S.%N0".to_vec(),
        b'X' => with_fraction(locale::text(Text::Time)),
        b'F' => b"%1Y-%m-%d".to_vec(),
        b'C' | b'G' | b'Y' => vec![b'%', b'1', kind],
        // Letters that only GNU date knows.
        b'N' | b'q' => vec![b'%', b'%', kind],
        // A width without a letter: the C library prints that text, in this width.
        b'3'..=b'9' => {
            let blanks = usize::from(kind - b'0') - 2;
            [vec![b' '; blanks], vec![b'%', b'%', kind]].concat()
        }
        _ => vec![b'%', kind],
    }
}

/// A locale's format with the fraction behind the seconds.
fn with_fraction(format: Vec<u8>) -> Vec<u8> {
    let Ok(text) = String::from_utf8(format) else { return b"%H:%M:%S.%N0".to_vec() };
    let whole = text.replace("%T", "%H:%M:%S").replace("%r", "%I:%M:%S %p");
    whole.replace("%S", "%S.%N0").into_bytes()
}
