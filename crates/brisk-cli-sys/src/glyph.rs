//! What the C library says about text, on every system: the words of [`locale`](crate::locale).

/// A part of the locale that is adopted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Which bytes make a character, and whether it can be shown.
    Characters,
    /// How names are ordered.
    Collation,
    /// The words of the calendar.
    Time,
}

/// A word or a format of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// A month's name; January is 0.
    Month(u8),
    /// A month's short name.
    ShortMonth(u8),
    /// A day's name; Sunday is 0.
    Day(u8),
    /// A day's short name.
    ShortDay(u8),
    /// The forenoon.
    Am,
    /// The afternoon.
    Pm,
    /// The format behind strftime's `%c`.
    DateTime,
    /// The format behind `%x`.
    Date,
    /// The format behind `%X`.
    Time,
    /// The format behind `%r`.
    Time12,
}

/// The first character of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// A character.
    Character {
        /// Of how many bytes.
        length: usize,
        /// How many columns it takes; `None` if it cannot be shown.
        width: Option<usize>,
        /// Whether it can be printed.
        printable: bool,
        /// Whether it is a control character.
        control: bool,
    },
    /// The first byte begins no character.
    Invalid,
    /// All bytes together begin a character that does not end in them.
    Incomplete,
}
