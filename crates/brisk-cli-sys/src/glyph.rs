//! The C library's answers about text, on every system: the types of [`locale`](crate::locale).

/// A part of the locale that is adopted on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Which bytes make a character, and whether it can be shown.
    Characters,
    /// How names are ordered.
    Collation,
    /// Answers to questions.
    Messages,
    /// The words of the calendar.
    Time,
}

/// A word or a format of the locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// The name of a month; January is 0.
    Month(u8),
    /// The short name of a month.
    ShortMonth(u8),
    /// The name of a day; Sunday is 0.
    Day(u8),
    /// The short name of a day.
    ShortDay(u8),
    /// The mark of the hours before noon.
    Am,
    /// The mark of the hours after noon.
    Pm,
    /// The format of strftime's `%c`.
    DateTime,
    /// The format of `%x`.
    Date,
    /// The format of `%X`.
    Time,
    /// The format of `%r`.
    Time12,
    /// What an answer that means yes matches: an extended regular expression.
    Yes,
}

/// The first character of some bytes, or a byte that begins none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// Its length in bytes.
    pub length: usize,
    /// The number of columns that it takes; `None` if it cannot be shown.
    pub width: Option<usize>,
    /// Whether it can be printed.
    pub printable: bool,
    /// Whether it is a control character.
    pub control: bool,
}

impl Glyph {
    /// A byte that is no character.
    pub const NONE: Glyph = Glyph { length: 1, width: None, printable: false, control: false };
}
