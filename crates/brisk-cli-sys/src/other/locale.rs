//! Other systems: names are UTF-8, ordered by their bytes, and the calendar is in English.

use std::cmp::Ordering;
use std::ffi::CStr;

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

/// A word of the calendar, in English.
#[must_use]
pub fn text(text: Text) -> Vec<u8> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    const DAYS: [&str; 7] =
        ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    let word = match text {
        Text::Month(index) => MONTHS[usize::from(index) % 12],
        Text::ShortMonth(index) => &MONTHS[usize::from(index) % 12][..3],
        Text::Day(index) => DAYS[usize::from(index) % 7],
        Text::ShortDay(index) => &DAYS[usize::from(index) % 7][..3],
        Text::Am => "AM",
        Text::Pm => "PM",
        Text::DateTime => "%a %b %e %H:%M:%S %Y",
        Text::Date => "%m/%d/%y",
        Text::Time => "%H:%M:%S",
        Text::Time12 => "%I:%M:%S %p",
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

/// The first character of `bytes`. Wide characters and combining ones are known by their blocks.
#[must_use]
pub fn first_glyph(bytes: &[u8]) -> Glyph {
    let chunk = bytes.utf8_chunks().next();
    let Some(character) = chunk.and_then(|chunk| chunk.valid().chars().next()) else {
        return Glyph::Invalid;
    };
    let control = character.is_control();
    let width = match character {
        _ if control => None,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => Some(0),
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{20000}'..='\u{3fffd}' => Some(2),
        _ => Some(1),
    };
    Glyph::Character { length: character.len_utf8(), width, printable: !control, control }
}
