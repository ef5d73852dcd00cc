//! Tests of times: ages in days or minutes, and comparisons with a file's time or a date.

use brisk::filter::{Expr, Test};
use brisk::{Fields, Meta, Timestamp};
use jiff::Zoned;
use parse_datetime::parse_datetime_at_date;

use super::fault::{Fault, Why};
use super::numbers::{Compare, compare, real};
use super::parser::Parser;
use crate::Stamp;
use crate::dates::timestamp;

/// Nanoseconds. A time counts from the epoch.
type Nanos = i128;

const SECOND: Nanos = 1_000_000_000;
const MINUTE: Nanos = 60 * SECOND;
const DAY: Nanos = 86_400 * SECOND;

/// The times that an age means, as find(1) computes them. Of a window of one unit, the last moment
/// belongs to it and the first does not.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Window {
    After(Nanos),
    Before(Nanos),
    Until(Nanos, Nanos),
}

impl Window {
    /// `N` units before `origin`, where the window that `0` means begins.
    fn new(age: Compare<f64>, origin: Nanos, unit: Nanos) -> Option<Window> {
        let moment = |units: f64| {
            let seconds = units * (unit / SECOND) as f64;
            let ago =
                Nanos::from(seconds as i64) * SECOND + (seconds.fract() * SECOND as f64) as Nanos;
            // A number too large for C's conversion is refused only if it leads into the future.
            (seconds > -9e18).then_some(origin - ago)
        };
        Some(match age {
            Compare::Exactly(units) => {
                let begin = moment(units)?;
                Window::Until(begin, begin + unit)
            }
            Compare::More(units) => Window::Before(moment(units)?),
            Compare::Less(units) => Window::After(moment(units)?),
        })
    }

    #[inline]
    fn holds(self, time: Nanos) -> bool {
        match self {
            Window::After(begin) => time > begin,
            Window::Before(end) => time < end,
            Window::Until(begin, end) => time > begin && time <= end,
        }
    }
}

fn nanos(time: Timestamp) -> Nanos {
    Nanos::from(time.secs) * SECOND + Nanos::from(time.nanos)
}

impl Parser<'_, '_> {
    /// `-mtime`, `-mmin`, and the same tests of the other times.
    pub(super) fn age(&mut self, name: &str) -> Result<Expr, Fault> {
        let stamp = stamp_of(name.as_bytes()[0]).unwrap_or_default();
        let age = self.words.read(|text| compare(text, real), Why::NUMBER)?;
        let is_days = name.ends_with("time");
        let (unit, units) = if is_days { (DAY, "days") } else { (MINUTE, "minutes") };
        let window = Window::new(age, self.origin(is_days, age), unit);
        let window = window.ok_or_else(|| self.too_far(units))?;
        let start = if self.from_midnight { "-daystart " } else { "" };
        let fits = move |time| window.holds(nanos(time));
        Ok(stamp.test(format!("{start}-{name} {age}"), fits).into())
    }

    /// `-used`: how long after the last change an entry was last read.
    pub(super) fn used(&mut self) -> Result<Expr, Fault> {
        let age = self.words.read(|text| compare(text, real), Why::USED)?;
        let window = Window::new(age, 0, DAY).ok_or_else(|| self.too_far("days"))?;
        let fits = move |_, meta: &Meta| {
            let times = meta.ctime().zip(meta.atime());
            times.is_some_and(|(ctime, atime)| {
                ctime <= atime && window.holds(nanos(ctime) - nanos(atime))
            })
        };
        let fields = Fields::ATIME | Fields::CTIME;
        Ok(Test::meta(format!("-used {age}"), move |_| fields, fits).into())
    }

    /// The moment from which an age counts back.
    fn origin(&self, is_days: bool, age: Compare<f64>) -> Nanos {
        let now = self.now();
        let midnight = now.start_of_day().unwrap_or_else(|_| now.clone());
        let begin = if self.from_midnight { &midnight } else { now };
        let origin = begin.timestamp().as_nanosecond();
        match (is_days, age) {
            // One second less than the day, because find(1) leaves out what is exactly as old.
            (true, Compare::Less(_)) if self.from_midnight => origin + DAY - SECOND,
            (true, Compare::Less(_)) => origin - SECOND,
            (true, _) if !self.from_midnight => origin - DAY,
            (false, _) if self.from_midnight => origin + DAY,
            _ => origin,
        }
    }

    /// Why an age is refused.
    fn too_far(&self, units: &str) -> Fault {
        let text = self.words.last();
        let number = text.strip_prefix(['+', '-']).unwrap_or(&text);
        self.words.refused(Why::TOO_LONG_AGO).because(format_args!("{number} {units}"))
    }

    /// `-newerXY` and its short forms, and bfs's `-since`; `None` for any other name.
    pub(super) fn newer(&mut self, name: &str) -> Result<Option<Expr>, Fault> {
        let (x, y) = match name.as_bytes() {
            b"newer" => (b'm', b'm'),
            b"anewer" => (b'a', b'm'),
            b"cnewer" => (b'c', b'm'),
            b"since" => (b'm', b't'),
            &[x @ (b'a' | b'B' | b'c' | b'm'), b's', b'i', b'n', b'c', b'e'] => (x, b't'),
            &[b'n', b'e', b'w', b'e', b'r', x, y] => (x, y),
            _ => return Ok(None),
        };
        let of = stamp_of(y);
        let Some(stamp) = stamp_of(x).filter(|_| of.is_some() || y == b't') else {
            return Err(Fault::new(Why::NEWER_UNKNOWN, self.words.of));
        };
        let key = format!("-newer{}{}", char::from(x), char::from(y));
        self.newer_than(key, stamp, of, name.len() == 7).map(Some)
    }

    /// `of`: which time of a file to compare with; `None` for a date. `is_long`: `-newerXY` was
    /// typed.
    fn newer_than(
        &mut self,
        key: String,
        stamp: Stamp,
        of: Option<Stamp>,
        is_long: bool,
    ) -> Result<Expr, Fault> {
        let text = self.words.argument().map_err(|missing| match is_long {
            true => Fault::new(Why::DATE_MISSING, self.words.of),
            false => missing,
        })?;
        let limit = match of {
            Some(of) => of.of(&self.file(text, of.field())?).ok_or(Why::BORN),
            None => text.to_str().and_then(|it| date(it, self.now())).ok_or(Why::DATE),
        };
        let limit = limit.map_err(|why| self.words.refused(why))?;
        Ok(stamp.test(format!("{key} {text:?}"), move |time| time > limit).into())
    }
}

const LETTERS: [(u8, Stamp); 4] =
    [(b'a', Stamp::Accessed), (b'B', Stamp::Born), (b'c', Stamp::Changed), (b'm', Stamp::Modified)];

fn stamp_of(letter: u8) -> Option<Stamp> {
    LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, stamp)| *stamp)
}

/// A date as GNU's programs read it. Comments are in parentheses, and the last closing one may be
/// missing; `J` is not a time zone.
fn date(text: &str, now: &Zoned) -> Option<Timestamp> {
    let mut open = 0;
    let outside = |c| match c {
        '(' => {
            open += 1;
            Some(' ')
        }
        ')' if open > 0 => {
            open -= 1;
            None
        }
        _ => (open == 0).then_some(c),
    };
    let text: String = text.chars().filter_map(outside).collect();
    // A sign without a number means nothing.
    if text.trim_matches([' ', '\t', '\n', '+', '-']).is_empty() {
        return Some(timestamp(now.start_of_day().ok()?.timestamp()));
    }
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic() && c != '.');
    if words.any(|word| word.eq_ignore_ascii_case("j")) {
        return None;
    }
    let date = parse_datetime_at_date(now.clone(), &text).ok()?;
    Some(Timestamp { secs: date.unix_epoch_second(), nanos: date.subsec_nanosecond() as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    #[test]
    fn ages_mean_windows() {
        let [hour, second] = [3600 * SECOND, SECOND];
        for (age, unit, begins, ends) in [
            (Compare::Exactly(0.0), DAY, Some(0), Some(DAY)),
            (Compare::Exactly(1.0), DAY, Some(-DAY), Some(0)),
            (Compare::More(1.0), DAY, None, Some(-DAY)),
            (Compare::Less(0.5), DAY, Some(-12 * hour), None),
            (Compare::Exactly(0.001), MINUTE, Some(-second * 6 / 100), Some(second * 5994 / 100)),
        ] {
            let expected = match (begins, ends) {
                (Some(begins), Some(ends)) => Window::Until(begins, ends),
                (Some(begins), None) => Window::After(begins),
                (_, ends) => Window::Before(ends.unwrap()),
            };
            assert_eq!(Window::new(age, 0, unit), Some(expected), "{age}");
        }
        assert_eq!(Window::new(Compare::More(-1e300), 0, DAY), None);
        assert!(matches!(Window::new(Compare::Less(1e300), 0, DAY), Some(Window::After(_))));
        let window = Window::Until(1, 3);
        assert_eq!([1, 2, 3, 4].map(|time| window.holds(time)), [false, true, true, false]);
    }

    #[test]
    fn dates_are_gnu_s() {
        // 2010-10-10 10:10:10 UTC.
        let now = jiff::Timestamp::from_second(1_286_705_410).unwrap().to_zoned(TimeZone::UTC);
        for (text, seconds) in [
            ("now", 0),
            ("today", 0),
            ("", 10 * 3600 + 610),
            ("()", 10 * 3600 + 610),
            ("- +", 10 * 3600 + 610),
            ("(x", 10 * 3600 + 610),
            ("2 days (of (two)) ago (now", 2 * 86_400),
            ("yesterday", 86_400),
            ("2 days ago", 2 * 86_400),
            ("1 month ago", 30 * 86_400),
            ("12:00 last monday", 6 * 86_400 - 6590),
            ("2010-10-10T10:10:00Z", 10),
            ("10 Oct 2010 10:10 -0100", -3590),
            ("@1286705400", 10),
        ] {
            let found = date(text, &now).map(|time| 1_286_705_410 - time.secs);
            assert_eq!(found, Some(seconds), "{text}");
        }
        for text in ["P1D", "noon", "x y z q", "2010-02-30", "25:00", ")", "J", "10:00 j"] {
            assert_eq!(date(text, &now), None, "{text}");
        }
    }
}
