//! How names are written: unchanged, escaped, or in the quotes of a shell or of C.
//!
//! A [`Quoting`] is a style, the characters that are special in it beyond the usual ones, and
//! whether `?` stands for characters that cannot be shown. Ordinary names (ASCII without special
//! characters) are recognised by one table, and nothing more is done to them. `text.rs` says which
//! bytes make a character in the locale.
//!
//! Every name and argument in a message comes from [`in_message`], [`leading`] or [`as_argument`].

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use brisk_sys::quoting::{Character, escape, in_quotes, is_deceptive};

use crate::show::text::{self, Charset};

/// How names are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Literal,
    /// In single quotes where a shell needs them; characters that cannot be shown stay as they are.
    Shell,
    ShellAlways,
    /// The same; characters that cannot be shown are in `$'…'`.
    ShellEscape,
    ShellEscapeAlways,
    /// As a string in C.
    C,
    /// The same, but only where a character needs it.
    CMaybe,
    /// C's escapes without quotes.
    Escape,
    /// C's escapes in the locale's quotes.
    Locale,
    /// The same, with double quotes where the locale has none of its own.
    CLocale,
}

impl Style {
    /// Whether the name decides about quotes, so that names in columns are shifted by one.
    pub(crate) fn varies(self) -> bool {
        matches!(self, Style::Shell | Style::ShellEscape | Style::CMaybe)
    }
}

/// How names are written.
#[derive(Clone, Debug)]
pub(crate) struct Quoting {
    pub(crate) style: Style,
    /// Whether `?` stands for characters that cannot be shown, in styles that would print them.
    pub(crate) question_marks: bool,
    pub(crate) charset: Charset,
    /// Characters that the style also escapes or quotes.
    special: &'static [u8],
    /// Whether deceptive characters count as ones that cannot be shown.
    distrusts: bool,
}

impl Quoting {
    pub(crate) fn new(style: Style, question_marks: bool, charset: Charset) -> Quoting {
        Quoting { style, question_marks, charset, special: b"", distrusts: false }
    }

    /// The same, with these characters special too.
    pub(crate) fn with_special(self, special: &'static [u8]) -> Quoting {
        Quoting { special, ..self }
    }

    /// Whether the style writes the name unchanged, as far as a table of bytes can tell.
    #[inline]
    fn is_plain(&self, name: &[u8]) -> bool {
        match self.style {
            Style::Literal => !self.question_marks || name.iter().all(|byte| is_graphic(*byte)),
            Style::Shell | Style::ShellEscape => {
                !name.is_empty()
                    && name.iter().all(|byte| HARMLESS[usize::from(*byte)])
                    && !matches!(name[0], b'~' | b'#')
                    && !self.holds_special(name)
            }
            Style::Escape | Style::CMaybe => {
                name.iter().all(|byte| HARMLESS[usize::from(*byte)]) && !self.holds_special(name)
            }
            _ => false,
        }
    }

    #[inline]
    fn holds_special(&self, name: &[u8]) -> bool {
        !self.special.is_empty() && name.iter().any(|byte| self.special.contains(byte))
    }

    /// Appends the name. Returns whether anything was put around or into it.
    #[inline]
    pub(crate) fn write(&self, name: &[u8], out: &mut Vec<u8>) -> bool {
        if self.is_plain(name) {
            brisk::unstable::append(out, name);
            return false;
        }
        self.write_with_care(name, out)
    }

    fn write_with_care(&self, name: &[u8], out: &mut Vec<u8>) -> bool {
        let at = out.len();
        self.restyle(name, out);
        let written = &out[at..];
        let quoted = written.first() != name.first() || written.len() != name.len();
        let passes = matches!(self.style, Style::Literal | Style::Shell | Style::ShellAlways);
        if self.question_marks && passes {
            let whole = out.split_off(at);
            text::with_question_marks(&whole, self.charset, out);
        }
        quoted
    }

    fn restyle(&self, name: &[u8], out: &mut Vec<u8>) {
        match self.style {
            Style::Literal => out.extend_from_slice(name),
            style if style.varies() && !self.needs_quotes(name) => out.extend_from_slice(name),
            Style::Shell | Style::ShellAlways => {
                in_quotes(name, &self.characters(name), false, out);
            }
            Style::ShellEscape | Style::ShellEscapeAlways => {
                in_quotes(name, &self.characters(name), true, out);
            }
            Style::CMaybe => self.enclosed(name, "\"", "\"", b"", out),
            Style::Escape => self.enclosed(name, "", "", self.special, out),
            Style::Locale | Style::CLocale if self.charset == Charset::Utf8 => {
                self.enclosed(name, "‘", "’", self.special, out);
            }
            Style::Locale => self.enclosed(name, "'", "'", self.special, out),
            Style::C | Style::CLocale => self.enclosed(name, "\"", "\"", self.special, out),
        }
    }

    /// The characters of the locale in the name, and which of them are shown.
    fn characters<'n>(&self, name: &'n [u8]) -> impl Iterator<Item = Character<'n>> + Clone {
        let distrusts = self.distrusts;
        text::pieces(name, self.charset).map(move |(whole, glyph)| {
            let deceives = || str::from_utf8(whole).is_ok_and(|text| text.contains(is_deceptive));
            (whole, glyph.printable && !(distrusts && deceives()))
        })
    }

    /// Appends C's escapes between two quotes.
    fn enclosed(&self, name: &[u8], open: &str, close: &str, special: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(open.as_bytes());
        for (whole, is_shown) in self.characters(name) {
            if !is_shown || whole == b"\\" {
                escape(whole, out);
                continue;
            }
            if whole == close.as_bytes() || (whole.len() == 1 && special.contains(&whole[0])) {
                out.push(b'\\');
            }
            out.extend_from_slice(whole);
        }
        out.extend_from_slice(close.as_bytes());
    }

    /// Whether the name needs quotes in a style that puts them only where they are needed. In C a
    /// backslash alone needs none; in [`Style::Shell`], neither does a character that is not shown.
    fn needs_quotes(&self, name: &[u8]) -> bool {
        let in_c = self.style == Style::CMaybe;
        let mut characters = self.characters(name).enumerate();
        let needs = |(at, (whole, is_shown)): (usize, Character<'_>)| {
            let is_special = match whole[0] {
                byte if in_c => byte == b'"',
                b'{' | b'}' => name.len() == 1,
                b'#' | b'~' => at == 0,
                byte => b"?\\'\n\r\t !\"$&()*;<=>[^`|".contains(&byte),
            };
            let must_be_escaped = !is_shown && self.style != Style::Shell;
            is_special || must_be_escaped || self.special.contains(&whole[0])
        };
        (name.is_empty() && !in_c) || characters.any(needs)
    }
}

fn is_graphic(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Bytes that no style changes, wherever they stand, except for `~` and `#` at the beginning.
static HARMLESS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte as u8, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z'
            | b'%' | b'+' | b',' | b'-' | b'.' | b'/' | b':' | b'@' | b']' | b'_' | b'~' | b'#');
        byte += 1;
    }
    table
};

/// A name in a message: in single quotes, as a shell would take it.
pub(crate) fn in_message(name: &[u8]) -> String {
    in_style(Style::ShellEscapeAlways, b"", name)
}

/// The same of a path or a text.
pub fn quoted<P: AsRef<OsStr> + ?Sized>(path: &P) -> String {
    in_message(path.as_ref().as_encoded_bytes())
}

/// A name at the beginning of a message: in quotes only if a shell needs them.
pub(crate) fn leading(name: &[u8]) -> String {
    in_style(Style::ShellEscape, b":", name)
}

/// A word that the user may type again: in quotes only if a shell needs them.
pub(crate) fn retypable<P: AsRef<OsStr> + ?Sized>(word: &P) -> String {
    in_style(Style::ShellEscape, b"", word.as_ref().as_encoded_bytes())
}

/// Whether messages quote arguments as GNU's programs do.
static LIKE_GNU: AtomicBool = AtomicBool::new(false);

/// From now on, arguments in messages are in the locale's quotes, with C's escapes.
pub(crate) fn quote_like_gnu() {
    LIKE_GNU.store(true, Relaxed);
}

/// An argument in a message.
pub(crate) fn as_argument(text: &[u8]) -> String {
    let style = if LIKE_GNU.load(Relaxed) { Style::Locale } else { Style::ShellEscapeAlways };
    in_style(style, b"", text)
}

fn in_style(style: Style, special: &'static [u8], name: &[u8]) -> String {
    // In a shell's quotes ASCII looks the same in every locale.
    let decides = style == Style::Locale || !name.is_ascii();
    let charset = if decides { Charset::current() } else { Charset::Ascii };
    let mut out = Vec::new();
    for_messages(style, charset).with_special(special).write(name, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn for_messages(style: Style, charset: Charset) -> Quoting {
    Quoting { distrusts: true, ..Quoting::new(style, false, charset) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(quoting: &Quoting, name: &str) -> String {
        let mut out = Vec::new();
        quoting.write(name.as_bytes(), &mut out);
        String::from_utf8(out).expect("a text")
    }

    #[test]
    fn each_style_in_its_manner() {
        use Style::{C, CMaybe, Escape, Literal, Locale, Shell, ShellAlways, ShellEscape};
        let table = [
            (Literal, "a b\n", "a b\n"),
            (Shell, "a", "a"),
            (Shell, "a b", "'a b'"),
            (Shell, "", "''"),
            (Shell, "~a", "'~a'"),
            (Shell, "a~", "a~"),
            (Shell, "it's", "\"it's\""),
            (Shell, "it's $1", "'it'\\''s $1'"),
            (Shell, "{", "'{'"),
            (Shell, "{}", "{}"),
            (ShellAlways, "a", "'a'"),
            (ShellEscape, "a\nb", "'a'$'\\n''b'"),
            (ShellEscape, "a\n", "'a'$'\\n'"),
            (ShellEscape, "\u{1}\u{2}c", "''$'\\001\\002''c'"),
            (ShellEscape, "a'\n'b", "'a'\\'''$'\\n'\\''b'"),
            (C, "a\"b\\\n", "\"a\\\"b\\\\\\n\""),
            (CMaybe, "a\\b", "a\\b"),
            (CMaybe, "a\\b\n", "\"a\\\\b\\n\""),
            (Escape, "a \u{7f}", "a \\177"),
            (Locale, "a'\\\n", "'a\\'\\\\\\n'"),
        ];
        for (style, name, expected) in table {
            let quoting = Quoting::new(style, false, Charset::Ascii);
            assert_eq!(written(&quoting, name), expected, "{style:?} {name:?}");
        }
    }

    #[test]
    fn question_marks_stand_for_what_cannot_be_shown() {
        let mut out = Vec::new();
        let quoting = Quoting::new(Style::Literal, true, Charset::Ascii);
        assert!(!quoting.write(b"a\nb\xff", &mut out));
        assert_eq!(out, b"a?b?");
    }

    #[test]
    fn messages_quote_as_a_shell() {
        assert_eq!(in_message(b"a b"), "'a b'");
        assert_eq!(quoted("a\nb"), "'a'$'\\n''b'");
        assert_eq!(leading(b"a"), "a");
        assert_eq!(leading(b"a b"), "'a b'");
        assert_eq!(leading(b"a:b"), "'a:b'");
        assert_eq!(retypable(OsStr::new("a:b")), "a:b");
        assert_eq!(retypable(OsStr::new("it's")), "\"it's\"");
    }

    #[test]
    fn messages_show_no_deceptive_characters() {
        let shown = |style| written(&for_messages(style, Charset::Utf8), "é\u{202e}\u{9b}");
        assert_eq!(shown(Style::Locale), "‘é\\342\\200\\256\\302\\233’");
        assert_eq!(shown(Style::ShellEscape), "'é'$'\\342\\200\\256\\302\\233'");
    }
}
