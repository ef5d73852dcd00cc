//! Numbers as find(1)'s tests take them: `N`, `+N` or `-N`.

use std::fmt;

/// A number to compare with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Compare<N> {
    /// `N`
    Exactly(N),
    /// `+N`
    More(N),
    /// `-N`
    Less(N),
}

impl<N: PartialOrd> Compare<N> {
    /// Whether a number compares so.
    #[inline]
    pub fn holds(&self, number: &N) -> bool {
        match self {
            Compare::Exactly(wanted) => number == wanted,
            Compare::More(least) => number > least,
            Compare::Less(most) => number < most,
        }
    }
}

impl<N: fmt::Display> fmt::Display for Compare<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compare::Exactly(number) => number.fmt(f),
            Compare::More(number) => write!(f, "+{number}"),
            Compare::Less(number) => write!(f, "-{number}"),
        }
    }
}

/// A number with the sign that says how it is compared. A second plus belongs to the number.
pub(super) fn compare<N>(text: &str, number: fn(&str) -> Option<N>) -> Option<Compare<N>> {
    match text.as_bytes().first()? {
        b'+' => number(&text[1..]).map(Compare::More),
        b'-' => number(&text[1..]).map(Compare::Less),
        _ => number(text).map(Compare::Exactly),
    }
}

/// A whole number of decimal digits, which blanks and a plus may precede.
pub(super) fn whole(text: &str) -> Option<u64> {
    text.trim_start_matches(BLANKS).parse().ok()
}

/// A number as strtod reads it: decimal or hexadecimal, below zero, infinite.
pub(super) fn real(text: &str) -> Option<f64> {
    let text = text.trim_start_matches(BLANKS);
    let number = hexadecimal(text).or_else(|| text.parse().ok())?;
    // What is too large is infinite without the word.
    let is_typed = number.is_finite() || text.contains(['n', 'N']);
    (is_typed && !number.is_nan()).then_some(number)
}

/// `0x1.8p3`: hexadecimal digits, times a power of two.
fn hexadecimal(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text).to_ascii_lowercase();
    let digits = digits.strip_prefix("0x")?;
    let (digits, power) = digits.split_once('p').unwrap_or((digits, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let number = u64::from_str_radix(&[whole, part].concat(), 16).ok()? as f64;
    let power = power.parse::<i32>().ok()?.saturating_sub(4 * part.len() as i32);
    Some(number * 2f64.powi(power) * if text.starts_with('-') { -1.0 } else { 1.0 })
}

/// What C skips before a number.
const BLANKS: [char; 6] = [' ', '\t', '\n', '\x0b', '\x0c', '\r'];

/// The units of `-size`, and their bytes.
const UNITS: [(char, u64); 6] =
    [('b', 512), ('c', 1), ('w', 2), ('k', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];

/// How many units of how many bytes; without a letter, blocks.
pub(super) fn size(text: &str) -> Option<(Compare<u64>, u64)> {
    let number = text.strip_suffix(|last: char| !last.is_ascii_digit()).unwrap_or(text);
    let unit = text[number.len()..].chars().next().unwrap_or('b');
    let (_, unit) = UNITS.iter().find(|(letter, _)| *letter == unit)?;
    Some((compare(number, whole)?, *unit))
}

/// The letter of a unit.
pub(super) fn unit_letter(unit: u64) -> char {
    UNITS.iter().find(|(_, bytes)| *bytes == unit).map_or('b', |(letter, _)| *letter)
}
