//! The flags that all commands share: how a command runs, what it reports of that, and help and the
//! version, which it prints instead of doing its work.

use std::num::NonZeroUsize;

use brisk::unstable::most_requests;

use super::flag::Flag;
use super::values::{StatsForm, When};

/// What a command prints instead of doing its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Help,
    /// The help in short: `-h` of commands that have this letter.
    Summary,
    Version,
}

/// How a command runs, and what it reports of that.
#[derive(Clone, Debug, Default)]
pub struct CommonOptions {
    pub(crate) answer: Option<Answer>,
    pub threads: Option<NonZeroUsize>,
    /// Whether metadata that a network client has cached are accepted.
    pub cached: bool,
    pub progress: When,
    pub(crate) explain: bool,
    pub stats: Option<StatsForm>,
}

impl CommonOptions {
    /// How many workers there are, for `--explain`.
    pub(crate) fn workers(&self) -> String {
        match self.threads.map(|count| count.get().min(most_requests())) {
            Some(1) => "exactly 1 worker".to_owned(),
            Some(count) => format!("exactly {count} workers"),
            None => "as many workers as pay off".to_owned(),
        }
    }
}

/// The options of a command that has flags of [`CommonOptions`].
pub(crate) trait HasCommon: 'static {
    /// The exit code if the help cannot be printed.
    const HELP_NOT_PRINTED: u8 = 1;
    /// Whether the configuration's limit is read before the work.
    const IS_LIMITED: bool = true;

    fn common(&mut self) -> &mut CommonOptions;
}

/// The flags that set [`CommonOptions`].
impl<O: HasCommon> Flag<O> {
    /// `value`: the name of the value in the help.
    pub(crate) fn threads(value: &'static str) -> Self {
        Self::positive("j, threads", value, |options, number| {
            options.common().threads = Some(number)
        })
        .brief("Use exactly this many workers (default: as many as pay off)")
    }

    pub(crate) fn cached() -> Self {
        Self::on("cached", |options| options.common().cached = true)
            .brief("Accept metadata that a network file system has cached")
            .doc(
                "Accept metadata that the client of a network file system has cached, instead of \
                 asking the server. That is faster, but sizes and times may be out of date.",
            )
    }

    pub(crate) fn progress() -> Self {
        Self::word("progress", "WHEN", When::WORDS, |options, word| {
            options.common().progress = When::from_word(word);
        })
        .brief("Show the progress: auto, always or never")
        .bare("always")
        .doc(
            "Show on standard error how much is done, and how much per second: auto (the default: \
             on a terminal, after half a second), always (where there is no terminal, one line per \
             second), never.",
        )
    }

    pub(crate) fn explain() -> Self {
        Self::on("explain", |options| options.common().explain = true)
            .brief("Say what is requested from the file system, and why")
    }

    /// `value`: the name of the value in the help.
    pub(crate) fn stats(value: &'static str) -> Self {
        Self::word("stats", value, StatsForm::WORDS, |options, word| {
            options.common().stats = Some(StatsForm::from_word(word));
        })
        .brief("Print to standard error what the run did")
        .bare("text")
        .doc(
            "At the end, print to standard error what the run did: entries, directories, errors, \
             system calls by kind, workers, and the share of time that they waited.",
        )
    }

    /// `brief`: what the help says of it.
    fn helping(brief: &'static str) -> Self {
        Self::answer("help", |options, by_letter| {
            let answer = if by_letter { Answer::Summary } else { Answer::Help };
            options.common().answer = Some(answer);
        })
        .brief(brief)
        .on_the_command_line_alone()
    }

    /// For commands in which `-h` means something else.
    pub(crate) fn help() -> Self {
        Self::helping("Show this and exit")
    }

    pub(crate) fn version() -> Self {
        Self::answer("version", |options, _| options.common().answer = Some(Answer::Version))
            .brief("Show the version")
            .on_the_command_line_alone()
    }

    /// `-h`, `--help`, `-V` and `--version`.
    pub(crate) fn answers() -> Vec<Self> {
        vec![
            Self::helping("Show a summary (-h) or the full help (--help)").short("h"),
            Self::version().short("V"),
        ]
    }
}
