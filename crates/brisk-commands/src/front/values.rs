//! Values that flags of several commands take.

use std::ffi::OsStr;
use std::time::Duration;

use brisk::Timestamp;
use jiff::SignedDuration;

use super::refusal::Refusal;
use super::texts;
use super::words::Words;
use crate::show::quoting::quoted;
use crate::write::out::output_is_terminal;
use brisk_filter::dates::parse_past;
use brisk_filter::{NotTime, zone};

/// When to do something that depends on the terminal or on other options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl When {
    pub(crate) const WORDS: Words = Words::new("auto | always | never");

    pub(crate) fn from_word(word: &str) -> When {
        match word {
            "always" => When::Always,
            "never" => When::Never,
            _ => When::Auto,
        }
    }

    /// Whether this means yes. `auto` decides where the terminal or other options do.
    pub(crate) fn is_on(self, auto: impl FnOnce() -> bool) -> bool {
        match self {
            When::Always => true,
            When::Never => false,
            When::Auto => auto(),
        }
    }
}

/// Whether `--color` paints what LS_COLORS says nothing about. 'auto' does so on a terminal, unless
/// NO_COLOR is set or the terminal is dumb.
pub(crate) fn paints(when: When) -> bool {
    paints_on(when, output_is_terminal)
}

/// As [`paints`], of an output of which `is_terminal` says whether it is a terminal.
pub(crate) fn paints_on(when: When, is_terminal: impl FnOnce() -> bool) -> bool {
    let var = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let can = || var("NO_COLOR").is_none() && var("TERM").is_none_or(|term| term != "dumb");
    when.is_on(|| is_terminal() && can())
}

/// How `--stats` is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatsForm {
    Text,
    Json,
}

impl StatsForm {
    pub(crate) const WORDS: Words = Words::new("text | json").docs("for people | for programs");

    pub(crate) fn from_word(word: &str) -> StatsForm {
        if word == "json" { StatsForm::Json } else { StatsForm::Text }
    }
}

/// A span of time: `500ms`, `2s`, `1min`.
pub(crate) fn duration(value: &OsStr) -> Option<Duration> {
    let time: SignedDuration = value.to_str()?.parse().ok()?;
    Duration::try_from(time).ok()
}

/// The time that the value of `--older-than` means: an age or a date.
///
/// # Errors
/// The value is neither, has the unit `m`, or lies in the future.
pub(crate) fn older_than(value: &OsStr) -> Result<Timestamp, Refusal> {
    let text = value.to_string_lossy();
    let refusal = |what: &str, why: &str| {
        Refusal::hinted(format!("{what}{} for '--older-than'{why}", quoted(value)))
    };
    parse_past(&text, zone::now).map_err(|why| match why {
        NotTime::Unreadable => refusal("invalid argument ", &format!(": {}", texts::TIME)),
        NotTime::Future => refusal("", &format!(" lies in the future: {}", texts::TIME)),
        NotTime::MinutesOrMonths => refusal("", texts::MINUTES_OR_MONTHS),
    })
}
