//! The flags of filters, for every command that has filters: each [`Flag`] sets what [`Selects`] names
//! in the command's options.

mod depths;
pub(crate) mod filtering;
mod ignoring;
mod matching;

use std::ffi::OsString;
use std::ops::RangeInclusive;

use brisk_filter::pattern::Matching;
use brisk_filter::{Times, size};

use super::{Filtering, Ignoring, Selecting};
use crate::front::{Flag, Parsed, texts};

/// How a command reads the value of `--size`, and what its help says of units.
pub(crate) struct Size {
    pub(crate) read: fn(&str) -> Option<RangeInclusive<u64>>,
    /// What a valid value looks like; shown when a value is refused.
    pub(crate) needs: &'static str,
    pub(crate) brief: &'static str,
    pub(crate) doc: &'static str,
}

/// The options of a command that has filters.
pub(crate) trait Selects: 'static {
    /// Letters that are not those of filters here: they have another meaning in the command.
    const WITHOUT: &'static str = "";

    /// Other names of `--changed-within`.
    const NEWER: &'static str = "change-newer-than newer changed-after";

    /// The value of `--size`.
    const SIZE: Size = Size {
        read: size::range,
        needs: texts::SIZE,
        brief: "Only this size: +10M at least, -4k at most (k 1000, ki 1024)",
        doc: "Only regular files of this size: [+-]<NUM><UNIT>.\n  +  at least this size\n  -  at \
              most this size\n     (without a sign: exactly this size)\nUnits, in either case:\n  \
              b            bytes\n  k m g t      thousands, millions, … of bytes\n  ki mi gi ti  \
              powers of 1024\nIn --where and in brisk du, k and K are 1024 bytes.\n\nMay be given several times: all of them must hold. Costs one statx \
              per file.",
    };

    fn selecting(&mut self) -> &mut Selecting;

    fn ignoring(&mut self) -> &mut Ignoring {
        &mut self.selecting().ignoring
    }

    fn matching(&mut self) -> &mut Matching {
        &mut self.selecting().matching
    }

    fn filtering(&mut self) -> &mut Filtering {
        &mut self.selecting().filtering
    }

    fn times(&mut self) -> &mut Times {
        &mut self.filtering().times
    }
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
            Self::attributes(),
        ]
    }

    /// The filters of a line, as words in the order of the table, with the flag `also`.
    pub(crate) fn filter_words(line: &Parsed<'_>, also: &str) -> Vec<OsString> {
        let filters = Self::filters();
        let is_filter =
            |name: &str| filters.iter().flatten().any(|filter| filter.spec.name == name);
        line.words(|flag| is_filter(flag.name) || flag.name == also)
    }

    /// A filter's letter, if the command has it.
    fn letter(letter: &'static str) -> &'static str {
        if O::WITHOUT.contains(letter) { "" } else { letter }
    }
}
