//! Names as words of a shell.

use super::escape::{c_escape, octal};
use crate::common::text::{self, Charset};

/// Whether the name needs quotes in a shell. With `escapes`, characters that cannot be shown need
/// them too.
pub(super) fn needs_quotes(name: &[u8], escapes: bool, special: &[u8], charset: Charset) -> bool {
    if name.is_empty() {
        return true;
    }
    text::pieces(name, charset).enumerate().any(|(at, (whole, piece))| {
        let reason = match whole[0] {
            b'{' | b'}' => name.len() == 1,
            b'#' | b'~' => at == 0,
            byte => b"?\\'\n\r\t !\"$&()*;<=>[^`|".contains(&byte),
        };
        reason || special.contains(&whole[0]) || (escapes && !piece.printable)
    })
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
    let ends_in_escape = || text::pieces(name, charset).last().is_some_and(|it| !it.1.printable);
    let mut inside = escapes && name.contains(&b'\'') && ends_in_escape();
    for (whole, piece) in text::pieces(name, charset) {
        let letter = c_escape(whole[0]).filter(|letter| *letter != b'\\');
        match letter {
            Some(letter) if escapes => {
                enter(&mut inside, out);
                out.extend_from_slice(&[b'\\', letter]);
            }
            _ if escapes && !piece.printable => {
                enter(&mut inside, out);
                whole.iter().for_each(|byte| octal(*byte, out));
            }
            _ if whole == b"'" => {
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
    }
    out.push(b'\'');
}

fn enter(inside: &mut bool, out: &mut Vec<u8>) {
    if !*inside {
        out.extend_from_slice(b"'$'");
        *inside = true;
    }
}

/// Whether nothing in the name is special within double quotes.
fn is_fit_for_double_quotes(name: &[u8], charset: Charset) -> bool {
    text::pieces(name, charset).enumerate().all(|(at, (whole, piece))| match whole[0] {
        b'#' | b'~' => at == 0,
        b'{' | b'}' => name.len() == 1,
        byte if byte.is_ascii() => byte.is_ascii_alphanumeric() || b"%+,-./:]_ '@".contains(&byte),
        _ => piece.printable,
    })
}
