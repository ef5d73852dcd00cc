//! The time column: one format for recent times, and one for older ones.

use std::time::SystemTime;

use brisk::Timestamp;
use brisk_cli_sys::{Text, locale};
use jiff::tz::TimeZone;

use crate::show::text::{self, Charset};
use crate::show::time::format::Format;
use brisk_filter::zone;

/// Half of the average year, in seconds: times that are older, or in the future, are shown with
/// their year.
const HALF_A_YEAR: i64 = 31_556_952 / 2;

/// A style: its two formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimeStyle {
    pub(crate) old: Vec<u8>,
    pub(crate) recent: Vec<u8>,
}

impl Default for TimeStyle {
    fn default() -> TimeStyle {
        TimeStyle { old: b"%b %e  %Y".to_vec(), recent: b"%b %e %H:%M".to_vec() }
    }
}

/// Writes times in a style. Reads the time zone when the first one is written.
#[derive(Clone)]
pub(crate) struct Clock {
    old: Format,
    recent: Format,
    zone: TimeZone,
    /// A moment that has passed; the clock is read again when a time is later than this.
    now: Timestamp,
    /// The width of a time that is not known.
    width: usize,
}

impl Clock {
    pub(crate) fn new(style: &TimeStyle, charset: Charset) -> Clock {
        let names = padded_months(charset);
        let compile = |format: &[u8]| Format::new(format).with_padded_months(&names);
        let mut clock = Clock {
            old: compile(&style.old),
            recent: compile(&style.recent),
            zone: zone::local(),
            now: Timestamp { secs: i64::MIN, nanos: 0 },
            width: 0,
        };
        let mut epoch = Vec::new();
        let _ = clock.old.write_time(Timestamp::default(), &clock.zone, &mut epoch);
        clock.width = text::width(&epoch, charset);
        clock
    }

    /// Appends the time: as seconds if the C library cannot hold its year, as `?` if there is no
    /// time.
    pub(crate) fn write(&mut self, time: Option<Timestamp>, out: &mut Vec<u8>) {
        let Some(time) = time else {
            return self.write_aligned(b"?", out);
        };
        if time > self.now {
            self.now = SystemTime::now().into();
        }
        let limit = Timestamp { secs: self.now.secs.saturating_sub(HALF_A_YEAR), ..self.now };
        let is_recent = limit < time && time < self.now;
        let format = if is_recent { &self.recent } else { &self.old };
        if format.write_time(time, &self.zone, out).is_none() {
            let mut buffer = itoa::Buffer::new();
            self.write_aligned(buffer.format(time.secs).as_bytes(), out);
        }
    }

    fn write_aligned(&self, text: &[u8], out: &mut Vec<u8>) {
        out.extend(std::iter::repeat_n(b' ', self.width.saturating_sub(text.len())));
        out.extend_from_slice(text);
    }
}

/// The locale's short names of months, as wide as the widest.
fn padded_months(charset: Charset) -> Vec<Vec<u8>> {
    let names: Vec<Vec<u8>> = (0..12).map(|month| locale::text(Text::ShortMonth(month))).collect();
    let widest = names.iter().map(|name| text::width(name, charset)).max().unwrap_or(0);
    let pad = |mut name: Vec<u8>| {
        let missing = widest - text::width(&name, charset);
        name.extend(std::iter::repeat_n(b' ', missing));
        name
    };
    names.into_iter().map(pad).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_year_divides_old_from_recent() {
        let style = TimeStyle { old: b"old".to_vec(), recent: b"recent".to_vec() };
        let mut clock = Clock::new(&style, Charset::Ascii);
        let now = Timestamp::from(SystemTime::now());
        let ago = |seconds: i64| Some(Timestamp { secs: now.secs - seconds, ..now });
        let table = [
            (ago(60), "recent"),
            (ago(HALF_A_YEAR + 60), "old"),
            (ago(-60), "old"),
            (None, "  ?"),
            (Some(Timestamp { secs: i64::MAX, nanos: 0 }), "9223372036854775807"),
        ];
        for (time, expected) in table {
            let mut out = Vec::new();
            clock.write(time, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
