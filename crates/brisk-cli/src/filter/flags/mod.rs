//! The flags of filters, for every command that has filters: each [`Flag`] sets what [`Selects`] names
//! in the command's options.

mod depths;
mod filtering;
mod ignoring;
mod matching;

use super::Selecting;
use crate::front::Flag;

/// The options of a command that has filters.
pub(crate) trait Selects: 'static {
    /// Letters that are not those of filters here: they have another meaning in the command.
    const WITHOUT: &'static str = "";

    /// Other names of `--changed-within` and `--changed-before`.
    const NEWER: &'static [&'static str] = &["change-newer-than", "newer", "changed-after"];
    const OLDER: &'static [&'static str] = &["older-than", "change-older-than", "older"];

    fn selecting(&mut self) -> &mut Selecting;
}

impl<O: Selects> Flag<O> {
    /// The filters of commands that search whole trees.
    pub(crate) fn filters() -> [Vec<Self>; 6] {
        [
            Self::matching(),
            Self::hiding(),
            Self::ignoring(),
            Self::excluding(),
            Self::types(),
            Self::limits(),
        ]
    }

    /// A filter's letter, if the command has it.
    fn letter(letter: &'static str) -> &'static str {
        if O::WITHOUT.contains(letter) { "" } else { letter }
    }
}
