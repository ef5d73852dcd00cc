//! [`TimeFormat`]: times as -printf prints them, with ten digits of the second's fraction, the last
//! of them 0, where seconds are printed. Names are those of the C locale.

use std::io::Write;

use brisk::{Meta, Timestamp};
use brisk_filter::{Stamp, zone};
use jiff::tz::TimeZone;

use crate::show::time::format::Format;

/// How a directive prints one of an entry's times, in the user's time zone.
#[derive(Debug)]
pub(super) struct TimeFormat {
    pub(super) stamp: Stamp,
    zone: TimeZone,
    /// None for seconds since the epoch, which are also printed where the C library cannot hold the
    /// year.
    format: Option<Format>,
    /// Whether seconds since the epoch have a fraction.
    has_fraction: bool,
}

impl TimeFormat {
    /// The format of `%a`, `%c` and `%t`, or with a kind that of `%AK`, `%BK`, `%CK`, `%TK`: a
    /// conversion of strftime(3), `@` or `+`.
    pub(super) fn new(letter: u8, kind: Option<u8>) -> TimeFormat {
        TimeFormat {
            stamp: match letter {
                b'a' | b'A' => Stamp::Accessed,
                b'B' => Stamp::Born,
                b'c' | b'C' => Stamp::Changed,
                _ => Stamp::Modified,
            },
            zone: zone::local(),
            format: match kind {
                Some(b'@') => None,
                None => Some(Format::new(b"%a %b %e %H:%M:%S.%N0 %Y")),
                Some(kind) => Some(Format::new(&conversion(kind))),
            },
            has_fraction: kind.is_none_or(|kind| b"@+STX".contains(&kind)),
        }
    }

    /// Appends the time: nothing where the file system keeps no time of birth. `None` if it is
    /// missing.
    pub(super) fn append(&self, meta: &Meta, out: &mut Vec<u8>) -> Option<()> {
        let Some(time) = self.stamp.of(meta) else {
            return (self.stamp == Stamp::Born).then_some(());
        };
        let format = self.format.as_ref();
        let written = format.and_then(|format| format.write_time(time, &self.zone, out));
        if written.is_none() {
            append_seconds(time, out);
            if self.has_fraction {
                // Writing to a Vec cannot fail.
                let _ = write!(out, ".{:09}0", time.nanos);
            }
        }
        Some(())
    }
}

/// Appends whole seconds since the epoch.
pub(super) fn append_seconds(time: Timestamp, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(time.secs).as_bytes());
}

/// The format of one conversion. Years are not padded, as in the C library.
fn conversion(kind: u8) -> Vec<u8> {
    match kind {
        b'+' => b"%1Y-%m-%d+%H:%M:%S.%N0".to_vec(),
        b'T' | b'X' => b"%H:%M:%S.%N0".to_vec(),
        b'S' => b"%S.%N0".to_vec(),
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
