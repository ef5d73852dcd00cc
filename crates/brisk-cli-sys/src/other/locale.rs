//! Other systems: names are UTF-8, ordered by their bytes, and the calendar is in English.

use std::cmp::Ordering;
use std::ffi::CStr;

use unicode_width::UnicodeWidthChar as _;

use crate::{Category, Glyph, Text};

/// Adopts nothing on this system.
pub fn adopt(_category: Category) -> bool {
    false
}

/// Names are taken for UTF-8 on this system.
#[must_use]
pub fn is_utf8() -> bool {
    true
}

/// A word or a format, in English.
#[must_use]
pub fn text(text: Text) -> Vec<u8> {
    const MONTHS: &str = "January February March April May June July August September October \
                          November December";
    const DAYS: &str = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday";
    let name = |all: &'static str, index: u8| all.split(' ').nth(index.into()).unwrap_or_default();
    let word = match text {
        Text::Month(index) => name(MONTHS, index),
        Text::ShortMonth(index) => &name(MONTHS, index)[..3],
        Text::Day(index) => name(DAYS, index),
        Text::ShortDay(index) => &name(DAYS, index)[..3],
        Text::Am => "AM",
        Text::Pm => "PM",
        Text::DateTime => "%a %b %e %H:%M:%S %Y",
        Text::Date => "%m/%d/%y",
        Text::Time => "%H:%M:%S",
        Text::Time12 => "%I:%M:%S %p",
        Text::Yes => "^[yY]",
    };
    word.as_bytes().to_vec()
}

/// Compares two names by their bytes.
#[must_use]
pub fn compare(a: &CStr, b: &CStr) -> Ordering {
    a.cmp(b)
}

/// The first eight bytes of a name, as a number.
#[must_use]
pub fn rank(name: &CStr) -> u64 {
    let mut key = [0; 8];
    let length = name.count_bytes().min(8);
    key[..length].copy_from_slice(&name.to_bytes()[..length]);
    u64::from_be_bytes(key)
}

/// The first character of `bytes`.
#[must_use]
pub fn first_glyph(bytes: &[u8]) -> Glyph {
    let chunk = bytes.utf8_chunks().next();
    let Some(character) = chunk.and_then(|chunk| chunk.valid().chars().next()) else {
        return Glyph::NONE;
    };
    let control = character.is_control();
    let length = character.len_utf8();
    Glyph { length, width: character.width(), printable: !control, control }
}
