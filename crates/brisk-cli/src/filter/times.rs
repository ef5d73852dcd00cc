//! `--changed-within` and the related options: rules on a file's times.

use brisk::{Fields, Meta, Timestamp};
use jiff::Zoned;

use crate::front::messages::Caller;
use crate::front::texts;
use crate::show::quoting::quoted;
use crate::show::time::Stamp;
use crate::show::time::read::{counts_forward, has_bare_m, parse_day_or_time, parse_time};

/// The limits on times as the user wrote them: they are relative to the start of the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Times {
    /// The start of the search, unless it is now.
    pub(crate) now: Option<Zoned>,
    pub(crate) modified_after: Option<String>,
    pub(crate) modified_before: Option<String>,
    /// Of files alone. Whether a directory is old depends on everything below it, which a filter
    /// has not seen.
    pub(crate) older_than: Option<String>,
    pub(crate) changed_after: Option<String>,
    pub(crate) changed_before: Option<String>,
    pub(crate) created_after: Option<String>,
    pub(crate) created_before: Option<String>,
}

/// The rules on times: each time of a file must lie strictly after, or strictly before, a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeRules(Vec<TimeRule>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimeRule {
    stamp: Stamp,
    side: Side,
    limit: Timestamp,
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
            (Stamp::Modified, Side::After, &times.modified_after),
            (Stamp::Modified, Side::Before, &times.modified_before),
            (Stamp::Modified, Side::Before, &times.older_than),
            (Stamp::Changed, Side::After, &times.changed_after),
            (Stamp::Changed, Side::Before, &times.changed_before),
            (Stamp::Born, Side::After, &times.created_after),
            (Stamp::Born, Side::Before, &times.created_before),
        ];
        let mut rules = Vec::new();
        for (stamp, side, text) in named {
            if let Some(text) = text {
                let shown = || quoted(text);
                if caller != Caller::Fd && counts_forward(text) {
                    return Err(format!("{} lies in the future: {}", shown(), texts::TIME));
                }
                if caller != Caller::Fd && has_bare_m(text) {
                    return Err(shown().to_string() + texts::MINUTES_OR_MONTHS);
                }
                let parse = if caller == Caller::Fd { parse_time } else { parse_day_or_time };
                let limit = parse(text, &now).ok_or_else(|| {
                    if caller == Caller::Fd {
                        format!("{} is not a valid date or duration. See 'fd --help'.", shown())
                    } else {
                        format!("{} is neither a date nor an age: {}", shown(), texts::TIME)
                    }
                })?;
                rules.push(TimeRule { stamp, side, limit });
            }
        }
        Ok(TimeRules(rules))
    }

    /// The fields that the rules need of each file.
    pub(crate) fn fields(&self) -> Fields {
        self.0.iter().fold(Fields::empty(), |fields, rule| fields | rule.stamp.field())
    }

    /// Whether a file with this metadata obeys all rules. A time that the file system does not keep
    /// obeys no rule.
    pub(crate) fn allow(&self, meta: &Meta) -> bool {
        self.0.iter().all(|rule| {
            rule.stamp.of(meta).is_some_and(|time| match rule.side {
                Side::After => time > rule.limit,
                Side::Before => time < rule.limit,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    /// 2010-10-10 10:10:10.5 UTC.
    fn now() -> Zoned {
        "2010-10-10T10:10:10.5Z".parse::<jiff::Timestamp>().unwrap().to_zoned(TimeZone::UTC)
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
