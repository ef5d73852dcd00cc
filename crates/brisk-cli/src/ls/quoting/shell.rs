//! Names as words of a shell.

use super::{c_escape, octal};
use crate::ls::text::{self, Charset, Piece};

/// Whether the name needs quotes in a shell. With `escapes`, characters that cannot be shown need
/// them too.
pub(super) fn needs_quotes(name: &[u8], escapes: bool, special: &[u8], charset: Charset) -> bool {
    if name.is_empty() {
        return true;
    }
    let mut at = 0;
    while let Some(byte) = name.get(at) {
        let reason = match byte {
            b'{' | b'}' => name.len() == 1,
            b'#' | b'~' => at == 0,
            b'?' | b'\\' | b'\'' | b'\n' | b'\r' | b'\t' => true,
            b' ' | b'!' | b'"' | b'$' | b'&' | b'(' | b')' | b'*' | b';' | b'<' | b'=' | b'>'
            | b'[' | b'^' | b'`' | b'|' => true,
            _ => false,
        };
        let piece = text::first_piece(&name[at..], charset);
        if reason || special.contains(byte) || (escapes && !piece.printable) {
            return true;
        }
        at += piece.length;
    }
    false
}

/// Appends the name in quotes: in double quotes if an apostrophe alone makes it need quotes.
pub(super) fn quote(name: &[u8], escapes: bool, charset: Charset, out: &mut Vec<u8>) {
    if name.contains(&b'\'') && is_fit_for_double_quotes(name, charset) {
        out.push(b'"');
        out.extend_from_slice(name);
        out.push(b'"');
        return;
    }
    out.push(b'\'');
    // Inside `$'` and `'` escapes are understood. GNU quotes names with apostrophes in two passes,
    // and the second begins in the state in which the first ended. brisk does the same.
    let mut inside = escapes && name.contains(&b'\'') && ends_in_escape(name, charset);
    let mut at = 0;
    while let Some(byte) = name.get(at) {
        let Piece { length, printable, .. } = text::first_piece(&name[at..], charset);
        let whole = &name[at..at + length];
        let letter = c_escape(*byte).filter(|letter| *letter != b'\\');
        match letter {
            Some(letter) if escapes => {
                enter(&mut inside, out);
                out.extend_from_slice(&[b'\\', letter]);
            }
            _ if escapes && !printable => {
                enter(&mut inside, out);
                whole.iter().for_each(|byte| octal(*byte, out));
            }
            _ if *byte == b'\'' => {
                // The quote that ends the escapes ends this word too.
                out.extend_from_slice(b"'\\'");
                inside = false;
                out.push(b'\'');
            }
            _ => {
                if inside {
                    out.extend_from_slice(b"''");
                    inside = false;
                }
                out.extend_from_slice(whole);
            }
        }
        at += length;
    }
    out.push(b'\'');
}

fn ends_in_escape(name: &[u8], charset: Charset) -> bool {
    let mut at = 0;
    let mut escaped = false;
    while at < name.len() {
        let piece = text::first_piece(&name[at..], charset);
        escaped = !piece.printable;
        at += piece.length;
    }
    escaped
}

fn enter(inside: &mut bool, out: &mut Vec<u8>) {
    if !*inside {
        out.extend_from_slice(b"'$'");
        *inside = true;
    }
}

/// Whether nothing in the name is special within double quotes.
fn is_fit_for_double_quotes(name: &[u8], charset: Charset) -> bool {
    let mut at = 0;
    while let Some(byte) = name.get(at) {
        let piece = text::first_piece(&name[at..], charset);
        let fit = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => true,
            b'%' | b'+' | b',' | b'-' | b'.' | b'/' | b':' | b']' | b'_' | b' ' | b'\'' => true,
            b'#' | b'~' => at == 0,
            b'{' | b'}' => name.len() == 1,
            // Of the rest of ASCII, only characters that no shell treats as special.
            b'@' => true,
            0..=127 => false,
            _ => piece.printable,
        };
        if !fit {
            return false;
        }
        at += piece.length;
    }
    true
}
