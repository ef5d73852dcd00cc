//! Help and the version, which every command prints instead of doing its work.

use std::marker::PhantomData;

use super::flag::{Flag, Takes};
use super::texts;

/// What a command prints instead of doing its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Help,
    /// The help in short: `-h` of commands that have this letter.
    Summary,
    Version,
}

/// The options of a command with `-h`, `--help`, `-V` and `--version`.
pub(crate) trait Answers: 'static {
    fn answer(&mut self) -> &mut Option<Answer>;
}

/// The flags that set the answer in `O`.
pub(crate) struct Help<O>(PhantomData<O>);

impl<O: Answers> Help<O> {
    pub(crate) const FLAGS: &'static [Flag<O>] = &[
        Flag::new(
            "help",
            Takes::Answer(|options: &mut O, by_letter| {
                let answer = if by_letter { Answer::Summary } else { Answer::Help };
                *options.answer() = Some(answer);
            }),
            texts::HELP_IN_TWO_LENGTHS,
        )
        .short("h")
        .on_the_command_line_alone(),
        Flag::new(
            "version",
            Takes::Answer(|options: &mut O, _| *options.answer() = Some(Answer::Version)),
            texts::VERSION,
        )
        .short("V")
        .on_the_command_line_alone(),
    ];
}
