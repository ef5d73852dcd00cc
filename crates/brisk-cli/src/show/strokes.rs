//! [`Strokes`]: the lines of a tree.

use super::text::Charset;

/// What the lines of a tree are drawn with, four columns each.
#[derive(Clone, Copy)]
pub(crate) struct Strokes {
    /// To an entry that a sibling follows.
    pub(crate) branch: &'static str,
    /// To the last entry of a directory.
    pub(crate) last: &'static str,
    /// Past entries of deeper levels, to the next sibling.
    pub(crate) past: &'static str,
}

impl Strokes {
    pub(crate) fn new(charset: Charset) -> Strokes {
        match charset {
            Charset::Utf8 => Strokes { branch: "├── ", last: "└── ", past: "│   " },
            Charset::Ascii | Charset::Other => {
                Strokes { branch: "|-- ", last: "`-- ", past: "|   " }
            }
        }
    }
}
