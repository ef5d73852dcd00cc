//! The flags of filters, for every command that has filters: [`Flags`] is their table for a command
//! whose options [`Selects`] names.

mod depths;
mod filtering;
mod ignoring;
mod matching;

use std::marker::PhantomData;

use super::Selecting;

/// The options of a command that has filters.
pub(crate) trait Selects: 'static {
    /// The letters of `--extension`, `--size`, `--owner` and `--one-file-system`. One that has
    /// another meaning in the command is empty.
    const LETTERS: [&'static str; 4] = ["e", "S", "o", ""];

    /// Other names of `--changed-within` and `--changed-before`.
    const NEWER: &'static [&'static str] = &["change-newer-than", "newer", "changed-after"];
    const OLDER: &'static [&'static str] = &["older-than", "change-older-than", "older"];

    fn selecting(&mut self) -> &mut Selecting;
}

/// The flags that set filters in `O`.
pub(crate) struct Flags<O>(PhantomData<O>);
