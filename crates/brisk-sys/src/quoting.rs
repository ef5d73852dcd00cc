//! Names in messages: each is one harmless word of a line, quoted for a shell as GNU's programs
//! quote it.
//!
//! A name may hold any byte but `/` and NUL. A newline in it would begin a line that looks like
//! another message, and an escape sequence would command the terminal that shows it. So each message
//! about a name, of the library and of the command, has the name from [`in_quotes`].

use std::fmt;

/// A character: its bytes, and whether it is shown as it is.
pub type Character<'n> = (&'n [u8], bool);

/// Whether a character controls what shows it, or hides or reorders other characters, or ends a
/// line.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' // soft hyphen: invisible
            | '\u{061C}' // direction mark
            | '\u{180E}' // Mongolian vowel separator: invisible
            | '\u{200B}'..='\u{200F}' // zero width, direction marks
            | '\u{2028}' | '\u{2029}' // ends of lines and paragraphs
            | '\u{202A}'..='\u{202E}' // bidirectional overrides
            | '\u{2060}'..='\u{206F}' // word joiner, invisible operators, isolates
            | '\u{FEFF}' // byte order mark
            | '\u{FFF9}'..='\u{FFFB}' // annotations
            | '\u{E0000}'..='\u{E007F}') // tags
}

/// A name as the library's messages show it: in quotes, its characters those of UTF-8. Makes no
/// system call.
#[must_use]
pub fn quoted(name: &[u8]) -> Quoted<'_> {
    Quoted(name)
}

/// See [`quoted`].
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'n>(&'n [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::with_capacity(self.0.len() + 2);
        in_quotes(self.0, &characters(self.0), true, &mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

/// A text of others in a message, as one line: what is not shown is escaped.
#[must_use]
pub fn line(text: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    for (whole, is_shown) in characters(text) {
        if is_shown { out.extend_from_slice(whole) } else { escape(whole, &mut out) }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The characters of UTF-8 in `name`, and each byte that is none.
fn characters(name: &[u8]) -> impl Iterator<Item = Character<'_>> + Clone {
    name.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid();
        let shown = valid
            .char_indices()
            .map(move |(at, c)| (&valid.as_bytes()[at..at + c.len_utf8()], !is_deceptive(c)));
        shown.chain(chunk.invalid().chunks(1).map(|byte| (byte, false)))
    })
}

/// Appends the name in quotes: in double quotes if an apostrophe alone makes it need quotes. With
/// `escapes`, characters that are not shown are written as a shell reads them between `$'` and `'`.
pub fn in_quotes<'n>(
    name: &[u8],
    characters: &(impl Iterator<Item = Character<'n>> + Clone),
    escapes: bool,
    out: &mut Vec<u8>,
) {
    if name.contains(&b'\'') && is_fit_for_double_quotes(name, characters.clone()) {
        out.push(b'"');
        out.extend_from_slice(name);
        out.push(b'"');
        return;
    }
    out.push(b'\'');
    // GNU quotes names with apostrophes in two passes, and the second begins in the state in which
    // the first ended: inside or outside of the escapes. brisk does the same.
    let ends_in_escape = || characters.clone().last().is_some_and(|(_, is_shown)| !is_shown);
    let mut inside = escapes && name.contains(&b'\'') && ends_in_escape();
    for (whole, is_shown) in characters.clone() {
        if whole == b"'" {
            // The quote that ends the escapes ends this word too.
            out.extend_from_slice(b"'\\''");
            inside = false;
        } else if escapes && !is_shown {
            if !inside {
                out.extend_from_slice(b"'$'");
                inside = true;
            }
            escape(whole, out);
        } else {
            if inside {
                out.extend_from_slice(b"''");
                inside = false;
            }
            out.extend_from_slice(whole);
        }
    }
    out.push(b'\'');
}

/// Whether nothing in the name is special within double quotes.
fn is_fit_for_double_quotes<'n>(
    name: &[u8],
    characters: impl Iterator<Item = Character<'n>>,
) -> bool {
    characters.enumerate().all(|(at, (whole, is_shown))| match whole[0] {
        b'#' | b'~' => at == 0,
        b'{' | b'}' => name.len() == 1,
        byte if byte.is_ascii() => byte.is_ascii_alphanumeric() || b"%+,-./:]_ '@".contains(&byte),
        _ => is_shown,
    })
}

/// Appends a character as C escapes it: by a letter, `\n`, or its bytes in octal, `\303\251`.
pub fn escape(character: &[u8], out: &mut Vec<u8>) {
    for byte in character {
        match letter(*byte) {
            Some(letter) => out.extend_from_slice(&[b'\\', letter]),
            None => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        }
    }
}

/// The letter that C writes after a backslash.
fn letter(byte: u8) -> Option<u8> {
    Some(match byte {
        7 => b'a',
        8 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        11 => b'v',
        12 => b'f',
        b'\r' => b'r',
        b'\\' => b'\\',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of GNU rm 9.1 in UTF-8; of the last line's names alone GNU shows the characters.
    #[test]
    fn names_are_quoted_for_a_shell() {
        for (name, expected) in [
            (&b"d"[..], "'d'"),
            (b"a b", "'a b'"),
            (b"", "''"),
            (b"it's", "\"it's\""),
            (b"q\"q", "'q\"q'"),
            (b"both'\"", "'both'\\''\"'"),
            (b"it's $1", "'it'\\''s $1'"),
            (b"a\nb", "'a'$'\\n''b'"),
            (b"a\n", "'a'$'\\n'"),
            (b"a'\n'b", "'a'\\'''$'\\n'\\''b'"),
            (b"x\x01y", "'x'$'\\001''y'"),
            (b"\x01\x02", "''$'\\001\\002'"),
            (b"bad\xff", "'bad'$'\\377'"),
            (b"bad\xffz", "'bad'$'\\377''z'"),
            (b"\xc3\xa9\xc3", "'\u{e9}'$'\\303'"),
            (b"\\n", "'\\n'"),
            ("\u{9b}".as_bytes(), "''$'\\302\\233'"),
            ("a\u{202e}b\u{2028}".as_bytes(), "'a'$'\\342\\200\\256''b'$'\\342\\200\\250'"),
        ] {
            assert_eq!(quoted(name).to_string(), expected, "{name:?}");
        }
    }

    #[test]
    fn a_text_becomes_one_line() {
        assert_eq!(line("é a\nb\x1b\\".as_bytes()), "é a\\nb\\033\\");
        assert_eq!(line(b"\xff\t"), "\\377\\t");
    }
}
