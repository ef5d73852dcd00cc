//! The flags that commands share: how a run reports, how many workers it has, help and version. Each
//! is a constant of [`Shared`] for the options of a command, which [`Runs`] names.

use std::marker::PhantomData;
use std::num::NonZeroUsize;

use super::flag::{Flag, Takes};
use super::texts;
use super::values::{Answer, StatsForm, When};

/// What the shared flags set.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub threads: Option<NonZeroUsize>,
    pub stats: Option<StatsForm>,
    pub progress: When,
    /// Whether metadata may come from a network file system's cache.
    pub cached: bool,
    pub explain: bool,
    /// What is printed instead of doing the work.
    pub answer: Option<Answer>,
}

/// The options of a command with such flags.
pub(crate) trait Runs: 'static {
    fn run(&mut self) -> &mut Run;
}

/// The flags that set them in `O`.
pub(crate) struct Shared<O>(PhantomData<O>);

impl<O: Runs> Shared<O> {
    pub(crate) const THREADS: Flag<O> = Flag::new(
        "threads",
        Takes::Workers("N", |options: &mut O, number| options.run().threads = Some(number)),
        texts::THREADS,
    )
    .short("j");

    pub(crate) const STATS: Flag<O> = Flag::new(
        "stats",
        Takes::Word("FORM", &StatsForm::WORDS, |options: &mut O, word| {
            options.run().stats = Some(StatsForm::from_word(word));
        }),
        texts::STATS,
    )
    .bare("text");

    pub(crate) const PROGRESS: Flag<O> = Flag::new(
        "progress",
        Takes::Word("WHEN", &When::WORDS, |options: &mut O, word| {
            options.run().progress = When::from_word(word);
        }),
        texts::PROGRESS,
    )
    .bare("always");

    pub(crate) const CACHED: Flag<O> = Flag::new(
        "cached",
        Takes::Nothing(|options: &mut O| options.run().cached = true),
        texts::CACHED,
    );

    pub(crate) const EXPLAIN: Flag<O> = Flag::new(
        "explain",
        Takes::Nothing(|options: &mut O| options.run().explain = true),
        texts::EXPLAIN,
    );

    /// One help. As in GNU's programs, no letter asks for it.
    pub(crate) const HELP: Flag<O> = Flag::new(
        "help",
        Takes::Answer(|options: &mut O, _| options.run().answer = Some(Answer::Help)),
        texts::HELP,
    );

    /// A summary for `-h`, and the full help.
    pub(crate) const HELP_IN_TWO_LENGTHS: Flag<O> = Flag::new(
        "help",
        Takes::Answer(|options: &mut O, by_letter| {
            let answer = if by_letter { Answer::ShortHelp } else { Answer::Help };
            options.run().answer = Some(answer);
        }),
        texts::HELP_IN_TWO_LENGTHS,
    )
    .short("h");

    pub(crate) const VERSION: Flag<O> = Flag::new(
        "version",
        Takes::Answer(|options: &mut O, _| options.run().answer = Some(Answer::Version)),
        texts::VERSION,
    );
}
