//! Times by a format, as GNU date prints them: flags `_ - 0 + ^ #`, widths, `%N`, `%:z`. Names of
//! months and days are those of the locale in use.
//!
//! A format is compiled once. Text that is no conversion is printed as it stands.

use brisk::Timestamp;
use brisk_cli_sys::{Text, locale};
use jiff::civil::DateTime;
use jiff::tz::{TimeZone, TimeZoneOffsetInfo};

use super::calendar;

/// A moment in a time zone, in its parts.
pub(crate) struct Moment<'z> {
    civil: DateTime,
    /// How many years later than `civil` the time is: a multiple of 400.
    years: i64,
    time: Timestamp,
    zone: TimeZoneOffsetInfo<'z>,
}

impl<'z> Moment<'z> {
    /// The time in this zone; `None` if the nanoseconds are out of range.
    pub(crate) fn new(time: Timestamp, zone: &'z TimeZone) -> Option<Moment<'z>> {
        let (instant, years) = calendar::instant(time)?;
        let zone = zone.to_offset_info(instant);
        Some(Moment { civil: zone.offset().to_datetime(instant), years, time, zone })
    }

    pub(crate) fn year(&self) -> i64 {
        i64::from(self.civil.year()) + self.years
    }
}

/// A format, compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format(Vec<TimePart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum TimePart {
    Literal(Vec<u8>),
    Field(Field),
    /// Names of months, all padded to the width of the widest.
    PaddedMonth(Vec<Vec<u8>>),
}

/// One conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Field {
    letter: u8,
    /// `_`, `-`, `0` or `+`, if one was given.
    pad: Option<u8>,
    upper: bool,
    swap: bool,
    width: Option<usize>,
    colons: usize,
}

impl Format {
    /// Appends the time in this zone, unless the C library cannot hold its year.
    pub fn write_time(&self, time: Timestamp, zone: &TimeZone, out: &mut Vec<u8>) -> Option<()> {
        let moment = Moment::new(time, zone)?;
        // `struct tm` counts years from 1900, in 32 bits.
        i32::try_from(moment.year() - 1900).ok()?;
        self.write(&moment, out);
        Some(())
    }

    /// Compiles a format.
    pub(crate) fn new(format: &[u8]) -> Format {
        let mut parts = Vec::new();
        for (whole, field) in pieces(format) {
            match field {
                Some(field) => expand(field, &mut parts),
                None => push_literal(whole, &mut parts),
            }
        }
        Format(parts)
    }

    /// The first conversion of a format that [`new`](Format::new) takes for text.
    pub(crate) fn unknown(format: &[u8]) -> Option<&[u8]> {
        let mut texts = pieces(format).filter(|(_, field)| field.is_none()).map(|(whole, _)| whole);
        texts.find(|text| text.starts_with(b"%"))
    }

    /// Pads the first short name of a month to the width of the widest. `names`: January first.
    pub(crate) fn with_padded_months(mut self, names: &[Vec<u8>]) -> Format {
        let plain = Field { letter: b'b', ..Field::default() };
        let is_month =
            |part: &&mut TimePart| matches!(part, TimePart::Field(field) if *field == plain);
        if let Some(part) = self.0.iter_mut().find(is_month) {
            *part = TimePart::PaddedMonth(names.to_vec());
        }
        self
    }

    /// Appends the time.
    pub(crate) fn write(&self, at: &Moment<'_>, out: &mut Vec<u8>) {
        for part in &self.0 {
            match part {
                TimePart::Literal(text) => out.extend_from_slice(text),
                TimePart::Field(field) => field.write(at, out),
                TimePart::PaddedMonth(names) => {
                    let month = usize::from(at.civil.month().unsigned_abs()).clamp(1, 12);
                    out.extend_from_slice(names.get(month - 1).map_or(&[][..], Vec::as_slice));
                }
            }
        }
    }
}

/// The pieces of a format: conversions, and text between them.
fn pieces(format: &[u8]) -> impl Iterator<Item = (&[u8], Option<Field>)> {
    let mut rest = format;
    std::iter::from_fn(move || {
        let (field, length) = match rest {
            [] => return None,
            [b'%', ..] => Field::read(rest),
            text => (None, text.iter().position(|byte| *byte == b'%').unwrap_or(text.len())),
        };
        let whole;
        (whole, rest) = rest.split_at(length);
        Some((whole, field))
    })
}

fn push_literal(text: &[u8], parts: &mut Vec<TimePart>) {
    match parts.last_mut() {
        Some(TimePart::Literal(before)) => before.extend_from_slice(text),
        _ => parts.push(TimePart::Literal(text.to_vec())),
    }
}

/// Appends the parts of a conversion that stands for others.
fn expand(field: Field, parts: &mut Vec<TimePart>) {
    let format = match field.letter {
        b'D' => b"%m/%d/%y".to_vec(),
        b'F' => {
            let (pad, width) = match (field.pad, field.width) {
                // A year of five digits has a sign.
                (None, None) => (Some(b'+'), 4),
                (pad, width) => (pad, width.unwrap_or(0).saturating_sub(b"-mm-dd".len())),
            };
            parts.push(TimePart::Field(Field { letter: b'Y', pad, width: Some(width), ..field }));
            b"-%m-%d".to_vec()
        }
        b'R' => b"%H:%M".to_vec(),
        b'T' => b"%H:%M:%S".to_vec(),
        b'c' => locale::text(Text::DateTime),
        b'x' => locale::text(Text::Date),
        b'X' => locale::text(Text::Time),
        b'r' => match locale::text(Text::Time12) {
            empty if empty.is_empty() => b"%I:%M:%S %p".to_vec(),
            format => format,
        },
        b'n' => b"\n".to_vec(),
        b't' => b"\t".to_vec(),
        b'%' => return push_literal(b"%", parts),
        _ => return parts.push(TimePart::Field(field)),
    };
    for part in Format::new(&format).0 {
        match part {
            TimePart::Literal(text) => push_literal(&text, parts),
            // The formats of a locale are left to the C library, which pads no year.
            TimePart::Field(year) if year.letter == b'Y' => {
                parts.push(TimePart::Field(Field { pad: None, width: Some(1), ..year }));
            }
            other => parts.push(other),
        }
    }
}

impl Field {
    /// The conversion at the beginning of `text`, or none if it is unknown, and its length.
    fn read(text: &[u8]) -> (Option<Field>, usize) {
        let mut field = Field::default();
        let mut at = 1;
        while let Some(flag) = text.get(at) {
            match flag {
                b'_' | b'-' | b'0' | b'+' => field.pad = Some(*flag),
                b'^' => field.upper = true,
                b'#' => field.swap = true,
                _ => break,
            }
            at += 1;
        }
        while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
            let width = field.width.unwrap_or(0).saturating_mul(10);
            field.width = Some((width + usize::from(digit - b'0')).min(4_096));
            at += 1;
        }
        if matches!(text.get(at), Some(b'E' | b'O')) {
            at += 1;
        }
        while text.get(at) == Some(&b':') {
            field.colons += 1;
            at += 1;
        }
        let Some(letter) = text.get(at) else { return (None, text.len()) };
        field.letter = *letter;
        let known = b"aAbBcCdDeFgGhHIjklmMnNpPqrRsStTuUVwWxXyYzZ%".contains(letter);
        let fits = known && (field.colons == 0 || *letter == b'z');
        (fits.then_some(field), at + 1)
    }

    // long: an arm for each letter
    fn write(&self, at: &Moment<'_>, out: &mut Vec<u8>) {
        let time = at.civil.time();
        let date = at.civil.date();
        let year = at.year();
        let hour = i64::from(time.hour());
        let hour12 = (hour + 11) % 12 + 1;
        let weekday = i64::from(date.weekday().to_sunday_zero_offset());
        let day_of_year = i64::from(date.day_of_year());
        let iso = || date.iso_week_date();
        let iso_year = || i64::from(iso().year()) + at.years;
        match self.letter {
            b'a' => self.text(&locale::text(Text::ShortDay(weekday as u8)), out),
            b'A' => self.text(&locale::text(Text::Day(weekday as u8)), out),
            b'b' | b'h' => {
                self.text(&locale::text(Text::ShortMonth((date.month() - 1) as u8)), out)
            }
            b'B' => self.text(&locale::text(Text::Month((date.month() - 1) as u8)), out),
            // Before the year 0 too, centuries and years in them count as GNU counts them.
            b'C' => self.year(year / 100, year < 0, 2, out),
            b'd' => self.number(date.day().into(), 2, b'0', out),
            b'e' => self.number(date.day().into(), 2, b'_', out),
            b'g' => self.number((iso_year() % 100).abs(), 2, b'0', out),
            b'G' => self.year(iso_year(), iso_year() < 0, 4, out),
            b'H' => self.number(hour, 2, b'0', out),
            b'I' => self.number(hour12, 2, b'0', out),
            b'j' => self.number(day_of_year, 3, b'0', out),
            b'k' => self.number(hour, 2, b'_', out),
            b'l' => self.number(hour12, 2, b'_', out),
            b'm' => self.number(date.month().into(), 2, b'0', out),
            b'M' => self.number(time.minute().into(), 2, b'0', out),
            b'N' => self.nanos(at.time.nanos, out),
            b'p' | b'P' => {
                let half = locale::text(if hour < 12 { Text::Am } else { Text::Pm });
                self.lowered(half, self.swap || self.letter == b'P', out);
            }
            b'q' => self.number((i64::from(date.month()) - 1) / 3 + 1, 1, b'0', out),
            b's' => self.number(at.time.secs, 1, b'0', out),
            b'S' => self.number(time.second().into(), 2, b'0', out),
            b'u' => self.number((weekday + 6) % 7 + 1, 1, b'0', out),
            b'U' => self.number((day_of_year + 6 - weekday) / 7, 2, b'0', out),
            b'V' => self.number(iso().week().into(), 2, b'0', out),
            b'w' => self.number(weekday, 1, b'0', out),
            b'W' => self.number((day_of_year + 6 - (weekday + 6) % 7) / 7, 2, b'0', out),
            b'y' => self.number((year % 100).abs(), 2, b'0', out),
            b'Y' => self.year(year, year < 0, 4, out),
            b'z' => self.offset(at.zone.offset().seconds(), out),
            _ => self.lowered(at.zone.abbreviation().into(), self.swap, out),
        }
    }

    fn number(&self, number: i64, digits: usize, usual: u8, out: &mut Vec<u8>) {
        let sign: &[u8] = if number < 0 { b"-" } else { b"" };
        self.signed(sign, number.unsigned_abs(), digits, usual, out);
    }

    /// Appends a year or a century. Of a time before the year 0, the century 0 has a sign. With the
    /// flag `+`, a number has one that is longer than usual.
    fn year(&self, number: i64, is_before_0: bool, digits: usize, out: &mut Vec<u8>) {
        let number = number.unsigned_abs();
        let needed = number.checked_ilog10().map_or(1, |log| log as usize + 1);
        let sign: &[u8] = match self.pad {
            _ if is_before_0 => b"-",
            Some(b'+') if self.width.unwrap_or(0).max(needed) > digits => b"+",
            _ => b"",
        };
        self.signed(sign, number, digits, b'0', out);
    }

    fn signed(&self, sign: &[u8], number: u64, digits: usize, usual: u8, out: &mut Vec<u8>) {
        let pad = self.pad.unwrap_or(usual);
        let width = if pad == b'-' { 1 } else { self.width.unwrap_or(digits) };
        let mut buffer = itoa::Buffer::new();
        let shown = buffer.format(number);
        let missing = width.saturating_sub(shown.len() + sign.len());
        if pad == b'_' {
            out.extend(std::iter::repeat_n(b' ', missing));
        }
        out.extend_from_slice(sign);
        if pad != b'_' {
            out.extend(std::iter::repeat_n(b'0', missing));
        }
        out.extend_from_slice(shown.as_bytes());
    }

    fn text(&self, text: &[u8], out: &mut Vec<u8>) {
        let missing = self.width.unwrap_or(0).saturating_sub(text.len());
        let fill = if self.pad == Some(b'0') { b'0' } else { b' ' };
        if self.pad != Some(b'-') {
            out.extend(std::iter::repeat_n(fill, missing));
        }
        let at = out.len();
        out.extend_from_slice(text);
        if self.upper || self.swap {
            out[at..].make_ascii_uppercase();
        }
    }

    /// Appends a word that `lower` turns into small letters.
    fn lowered(&self, mut word: Vec<u8>, lower: bool, out: &mut Vec<u8>) {
        if lower {
            word.make_ascii_lowercase();
        }
        Field { swap: false, ..*self }.text(&word, out);
    }

    /// Appends the first digits of the fraction.
    fn nanos(&self, nanos: u32, out: &mut Vec<u8>) {
        let digits = format!("{nanos:09}");
        let width = self.width.unwrap_or(9);
        let digits = &digits[..width.min(9)];
        let significant = match digits.trim_end_matches('0') {
            "" => &digits[..1],
            some => some,
        };
        let shown = match self.pad {
            Some(b'-') => significant.to_owned(),
            Some(b'_') => format!("{significant:<width$}"),
            _ => format!("{digits:0<width$}"),
        };
        out.extend_from_slice(shown.as_bytes());
    }

    /// Appends `+hhmm`, with as many colons as the format asks for.
    fn offset(&self, offset: i32, out: &mut Vec<u8>) {
        let hours = offset.unsigned_abs() / 3600;
        let minutes = offset.unsigned_abs() / 60 % 60;
        let seconds = offset.unsigned_abs() % 60;
        let sign = if offset < 0 { '-' } else { '+' };
        let rest = match self.colons {
            0 => format!("{minutes:02}"),
            1 => format!(":{minutes:02}"),
            2 => format!(":{minutes:02}:{seconds:02}"),
            _ if seconds > 0 => format!(":{minutes:02}:{seconds:02}"),
            _ if minutes > 0 => format!(":{minutes:02}"),
            _ => String::new(),
        };
        let width = self.width.unwrap_or(0).saturating_sub(rest.len() + 1).max(2);
        let shown = match self.pad {
            Some(b'_') => format!("{:>1$}{rest}", format!("{sign}{hours}"), width + 1),
            Some(b'-') => format!("{sign}{hours}{rest}"),
            _ => format!("{sign}{hours:0width$}{rest}"),
        };
        out.extend_from_slice(shown.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: &str) -> String {
        let zone = TimeZone::posix("NST3:30").expect("a zone");
        let time = Timestamp { secs: 1_772_908_445, nanos: 120_000_000 };
        let at = Moment::new(time, &zone).expect("a time");
        let mut out = Vec::new();
        Format::new(format.as_bytes()).write(&at, &mut out);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn conversions_flags_and_widths() {
        let table = [
            ("%Y-%m-%d %H:%M", "2026-03-07 15:04"),
            ("%b %e %I%p", "Mar  7 03PM"),
            ("%F %T.%3N", "2026-03-07 15:04:05.120"),
            ("%N", "120000000"),
            ("%-d|%_d|%5d|%-m", "7| 7|00007|3"),
            ("%^b %#b %5b", "MAR MAR   Mar"),
            ("%z %:z %Z %s", "-0330 -03:30 NST 1772908445"),
            ("%a %A %j %U %W %V %G %u %w", "Sat Saturday 066 09 09 10 2026 6 6"),
            ("%y %C %k %l %P", "26 20 15  3 pm"),
            ("100%% %Q %", "100% %Q %"),
        ];
        for (format, expected) in table {
            assert_eq!(written(format), expected, "{format}");
        }
    }

    /// As GNU date prints them.
    #[test]
    fn years_of_other_lengths_than_four() {
        let format = Format::new(b"%F|%Y|%C|%c|%+Y|%+6Y|%+5C|%12F|%_F|%+13F|%-Y");
        for (secs, expected) in [
            (
                253_402_300_800,
                "+10000-01-01|10000|100|Sat Jan  1 00:00:00 10000|+10000|+10000|+0100|\
                 010000-01-01|10000-01-01|+010000-01-01|10000",
            ),
            (
                -62_135_596_801,
                "0000-12-31|0000|00|Sun Dec 31 23:59:59 0|0000|+00000|+0000|000000-12-31|0-12-31|\
                 +000000-12-31|0",
            ),
            (
                -62_167_219_201,
                "-001-12-31|-001|-0|Fri Dec 31 23:59:59 -1|-001|-00001|-0000|-00001-12-31|-1-12-31|\
                 -000001-12-31|-1",
            ),
        ] {
            let mut out = Vec::new();
            format.write_time(Timestamp { secs, nanos: 0 }, &TimeZone::UTC, &mut out).unwrap();
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }

    #[test]
    fn unknown_conversions_are_found() {
        for (format, found) in [("%Y %d%%", None), ("a%!b", Some("%!")), ("%Y%", Some("%"))] {
            assert_eq!(Format::unknown(format.as_bytes()), found.map(str::as_bytes), "{format}");
        }
    }
}
