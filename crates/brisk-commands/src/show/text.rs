//! Text in the locale's encoding: which bytes make a character, whether the character can be shown,
//! and how many columns it takes. ASCII is decided here; the C library decides everything else.
//! [`Strokes`] are the lines of a tree.

use std::sync::OnceLock;

use brisk_cli_sys::{Category, Glyph, locale};

/// What bytes outside of ASCII mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    /// Bytes that cannot be shown: the C locale.
    Ascii,
    Utf8,
    /// Characters of another encoding, which the C library decodes.
    Other,
}

static CURRENT: OnceLock<Charset> = OnceLock::new();

impl Charset {
    /// The character set that [`set`](Charset::set) named; else the locale's, which the first call
    /// adopts: the locale's files are opened only for names that need them.
    pub(crate) fn current() -> Charset {
        *CURRENT.get_or_init(|| {
            adopt();
            if locale::is_utf8() { Charset::Utf8 } else { Charset::Ascii }
        })
    }

    /// Sets what [`current`](Charset::current) returns. Only the first call has an effect.
    pub(crate) fn set(self) {
        let _ = CURRENT.set(self);
    }
}

/// Adopts the locale's characters, unless that was done. Returns whether the locale exists.
pub(crate) fn adopt() -> bool {
    static ADOPTED: OnceLock<bool> = OnceLock::new();
    *ADOPTED.get_or_init(|| locale::adopt(Category::Characters))
}

/// The first character of `bytes`, which must not be empty.
fn first_glyph(bytes: &[u8], charset: Charset) -> Glyph {
    let byte = bytes[0];
    if byte < 0x80 {
        let printable = matches!(byte, b' '..=b'~');
        let width = printable.then_some(1);
        return Glyph { length: 1, width, printable, control: !printable };
    }
    if charset == Charset::Ascii {
        return Glyph::NONE;
    }
    adopt();
    locale::first_glyph(bytes)
}

/// The length of the first character of `bytes` in the current character set.
pub(crate) fn first_length(bytes: &[u8]) -> usize {
    first_glyph(bytes, Charset::current()).length
}

/// The characters of `bytes`, with the bytes of each.
pub fn pieces(bytes: &[u8], charset: Charset) -> impl Iterator<Item = (&[u8], Glyph)> + Clone {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let glyph = (!rest.is_empty()).then(|| first_glyph(rest, charset))?;
        let whole;
        (whole, rest) = rest.split_at(glyph.length);
        Some((whole, glyph))
    })
}

/// Appends `bytes` with a `?` for each character that cannot be shown.
pub(crate) fn with_question_marks(bytes: &[u8], charset: Charset, out: &mut Vec<u8>) {
    for (whole, glyph) in pieces(bytes, charset) {
        out.extend_from_slice(if glyph.width.is_some() { whole } else { b"?" });
    }
}

/// The number of columns that `bytes` take. A character that cannot be shown takes none in the C
/// locale; elsewhere it takes one, and a control character none.
pub(crate) fn width(bytes: &[u8], charset: Charset) -> usize {
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return bytes.len();
    }
    let unknown = |glyph: &Glyph| usize::from(charset != Charset::Ascii && !glyph.control);
    pieces(bytes, charset).map(|(_, glyph)| glyph.width.unwrap_or(unknown(&glyph))).sum()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_locale_shows_ascii_alone() {
        assert_eq!(width(b"abc", Charset::Ascii), 3);
        assert_eq!(width("é\n".as_bytes(), Charset::Ascii), 0);
        let mut out = Vec::new();
        with_question_marks("aé\nb".as_bytes(), Charset::Ascii, &mut out);
        assert_eq!(out, b"a???b");
    }
}
