//! Text as the locale sees it: which bytes make a character, whether it can be shown, how many columns
//! it takes. ASCII is known here; everything else is the C library's word.

use std::sync::OnceLock;

use brisk_cli_sys::{Glyph, locale};

/// What bytes outside of ASCII are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    /// Nothing that could be shown: the C locale.
    Ascii,
    Utf8,
    /// Characters of another kind: the C library decodes them.
    Other,
}

static CURRENT: OnceLock<Charset> = OnceLock::new();

impl Charset {
    /// The character set that was [set](Charset::set), or ASCII.
    pub(crate) fn current() -> Charset {
        CURRENT.get().copied().unwrap_or(Charset::Ascii)
    }

    /// Sets what [`current`](Charset::current) answers; the first call counts.
    pub(crate) fn set(self) {
        let _ = CURRENT.set(self);
    }
}

/// The first character of some bytes, or a byte that begins none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// In bytes.
    pub(crate) length: usize,
    pub(crate) printable: bool,
    /// Columns, if it can be shown.
    pub(crate) width: Option<usize>,
    pub(crate) control: bool,
    /// The bytes are no character.
    pub(crate) malformed: bool,
}

/// The first character of `bytes`, which must not be empty.
pub(crate) fn first_piece(bytes: &[u8], charset: Charset) -> Piece {
    let byte = bytes[0];
    let malformed =
        Piece { length: 1, printable: false, width: None, control: false, malformed: true };
    if byte < 0x80 {
        let printable = matches!(byte, b' '..=b'~');
        let width = printable.then_some(1);
        return Piece { printable, width, control: !printable, malformed: false, ..malformed };
    }
    if charset == Charset::Ascii {
        return malformed;
    }
    match locale::first_glyph(bytes) {
        Glyph::Invalid => malformed,
        Glyph::Incomplete => Piece { length: bytes.len(), ..malformed },
        Glyph::Character { length, width, printable, control } => {
            Piece { length, width, printable, control, malformed: false }
        }
    }
}

/// Appends `bytes` with a `?` for each character that cannot be shown.
pub(crate) fn with_question_marks(bytes: &[u8], charset: Charset, out: &mut Vec<u8>) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let piece = first_piece(rest, charset);
        match piece.width {
            Some(_) => out.extend_from_slice(&rest[..piece.length]),
            None => out.push(b'?'),
        }
        rest = &rest[piece.length..];
    }
}

/// How many columns `bytes` take. What cannot be shown takes one where characters have several bytes
/// (control characters none), and none in the C locale.
pub(crate) fn width(bytes: &[u8], charset: Charset) -> usize {
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return bytes.len();
    }
    let mut columns = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let piece = first_piece(rest, charset);
        let unknown = usize::from(charset != Charset::Ascii && !piece.control);
        columns += piece.width.unwrap_or(unknown);
        rest = &rest[piece.length..];
    }
    columns
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
