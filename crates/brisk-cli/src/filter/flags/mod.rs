//! The flags of filters, for every command that has filters: [`Flags`] is their table for a command
//! whose options [`Selects`] names.

mod depths;
mod filtering;
mod ignoring;
mod matching;

use std::marker::PhantomData;

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

/// The flags that set filters in `O`.
pub(crate) struct Flags<O>(PhantomData<O>);

impl<O: Selects> Flags<O> {
    /// The filters of commands that search whole trees.
    pub(crate) fn filters() -> [Vec<Flag<O>>; 6] {
        [
            Flags::matching(),
            Flags::hiding(),
            Flags::ignoring(),
            Flags::excluding(),
            Flags::types(),
            Flags::limits(),
        ]
    }

    /// A filter's letter, if the command has it.
    fn letter(letter: &'static str) -> &'static str {
        if O::WITHOUT.contains(letter) { "" } else { letter }
    }
}
