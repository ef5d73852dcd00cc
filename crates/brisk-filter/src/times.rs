//! `--changed-within` and the related options: limits on a file's times.

use std::cmp::Ordering::{self, Greater, Less};

use brisk::filter::{Expr, Test, Types};
use brisk::{FileType, Timestamp};
use jiff::{Span, Zoned};

use crate::dates::{NotTime, has_bare_m, parse_day_or_time, parse_time};
use crate::{Dialect, Stamp, zone};

/// The limits on times as the user wrote them, relative to the start of the search. A file's time
/// must lie strictly after, or strictly before, the moment that a limit names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// The start of the search, unless it is now.
    pub now: Option<Zoned>,
    /// `--changed-within`: a limit on the time of modification, as are the next two.
    pub modified_after: Option<String>,
    /// `--changed-before`.
    pub modified_before: Option<String>,
    /// `--older-than`, for files only. Whether a directory is old depends on everything below it,
    /// which a filter has not seen.
    pub older_than: Option<String>,
    /// `--ctime-within`.
    pub changed_after: Option<String>,
    /// `--ctime-before`.
    pub changed_before: Option<String>,
    /// `--created-within`.
    pub created_after: Option<String>,
    /// `--created-before`.
    pub created_before: Option<String>,
}

impl Times {
    /// The tests that the limits mean, with ages counted back from `now`. fd accepts ages that lead
    /// into the future; brisk refuses them. A time that the file system does not keep fails every
    /// limit.
    ///
    /// # Errors
    /// A text that is not a time, and why.
    pub fn expr(&self, dialect: Dialect) -> Result<Vec<Expr>, (String, NotTime)> {
        let now = || self.now.clone().unwrap_or_else(zone::now);
        let mut all = Vec::new();
        for (option, stamp, side, text) in self.named() {
            if let Some(text) = text {
                let limit = limit(text, dialect, now).map_err(|why| (text.clone(), why))?;
                all.push(obeys(format!("--{option}={text}"), stamp, side, limit).into());
            }
        }
        if self.older_than.is_some() && dialect != Dialect::Fd {
            all.push(!Expr::from(Test::types("-type d", Types::of([FileType::Directory]))));
        }
        Ok(all)
    }

    fn named(&self) -> [(&str, Stamp, Ordering, &Option<String>); 7] {
        [
            ("changed-within", Stamp::Modified, Greater, &self.modified_after),
            ("changed-before", Stamp::Modified, Less, &self.modified_before),
            ("older-than", Stamp::Modified, Less, &self.older_than),
            ("ctime-within", Stamp::Changed, Greater, &self.changed_after),
            ("ctime-before", Stamp::Changed, Less, &self.changed_before),
            ("created-within", Stamp::Born, Greater, &self.created_after),
            ("created-before", Stamp::Born, Less, &self.created_before),
        ]
    }
}

fn limit(text: &str, dialect: Dialect, now: impl Fn() -> Zoned) -> Result<Timestamp, NotTime> {
    let found = match dialect {
        Dialect::Fd => parse_time(text, now),
        // An age that leads into the future: `-30d`, `30d ago`.
        Dialect::Brisk if text.parse().is_ok_and(Span::is_negative) => return Err(NotTime::Future),
        Dialect::Brisk if has_bare_m(text) => return Err(NotTime::MinutesOrMonths),
        Dialect::Brisk => parse_day_or_time(text, now),
    };
    found.ok_or(NotTime::Unreadable)
}

/// The test that a file's time compares in this way with the limit.
fn obeys(key: String, stamp: Stamp, side: Ordering, limit: Timestamp) -> Test {
    stamp.test(key, move |time| time.cmp(&limit) == side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brisk::Fields;
    use brisk::filter::Filter;
    use jiff::tz::TimeZone;

    /// 2010-10-10 10:10:10.5 UTC.
    fn now() -> Zoned {
        "2010-10-10T10:10:10.5Z".parse::<jiff::Timestamp>().unwrap().to_zoned(TimeZone::UTC)
    }

    #[test]
    fn fields_are_those_of_the_limits() {
        let mut times = Times { now: Some(now()), ..Times::default() };
        assert!(times.expr(Dialect::Brisk).unwrap().is_empty());
        times.modified_after = Some("1d".into());
        times.created_before = Some("1h".into());
        let filter = Filter::new(Expr::All(times.expr(Dialect::Brisk).unwrap()));
        assert_eq!(filter.key(), "--changed-within=1d --created-before=1h");
        assert_eq!(filter.fields(FileType::File), Fields::MTIME | Fields::BTIME);
        assert!(!filter.is_steady());
        for (text, why, is_fds) in [
            ("tomorrow", NotTime::Unreadable, false),
            ("-1d", NotTime::Future, true),
            ("1d ago", NotTime::Future, true),
            ("1m", NotTime::MinutesOrMonths, true),
        ] {
            times.changed_after = Some(text.into());
            let refused = times.expr(Dialect::Brisk).err().unwrap();
            assert_eq!(refused, (text.to_owned(), why));
            assert_eq!(times.expr(Dialect::Fd).is_ok(), is_fds, "{text}");
        }
    }
}
