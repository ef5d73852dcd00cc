//! Texts that several commands share: an option of the same name has the same help everywhere, and
//! a value that is refused the same answer.

/// What the words of `--color` mean where LS_COLORS is not about it.
pub(crate) const COLOR_WHEN: &str = "on a terminal, unless NO_COLOR is set | always | never";
pub(crate) const JSON: &str = "Print one JSON object per line";

pub(crate) const NO_CONFIG: &str = "Read no configuration";

/// What a valid value looks like, for refusals.
pub(crate) const NUMBER: &str = "a whole number is needed, such as 3";
pub(crate) const POSITIVE: &str = "a whole number of 1 or more is needed";
pub(crate) const SIZE: &str = "a size needs a unit: +10M (at least), -4k (at most), 512b (exactly); \
    k, M, G and T are powers of 1000, ki, Mi, Gi and Ti of 1024";
/// Why there is no such option.
pub(crate) const CSV: &str = "brisk scan -o - --as csv prints entries as CSV";

pub(crate) const ATIME: &str = "brisk find --where '-atime +30' compares access times";
pub(crate) const OR: &str = "brisk find --where 'A -o ! B' takes tests of find(1)";

/// Why `1m` is no age.
pub(crate) const MINUTES_OR_MONTHS: &str = " may be minutes or months: write min or mo";
pub(crate) const TIME: &str = "write an age as 30d, a date as 2026-01-31, or yesterday";
