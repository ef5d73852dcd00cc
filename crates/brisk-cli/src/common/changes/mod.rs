//! Changes as commands print them: as git shows them, with null bytes, or as JSON.

pub(crate) mod json;
pub(crate) mod roots;

use brisk_state::Change;

use super::quoting::{Quoting, Style};
use super::text::Charset;
use roots::Roots;

/// Appends the letter, a tab, and the path as git quotes it.
pub(crate) fn git(change: &Change, roots: &Roots, out: &mut Vec<u8>) {
    separated(change, roots, b'\t', b'\n', out, quote);
}

/// Appends the letter and the path as it is, each with a null byte behind it.
pub(crate) fn null(change: &Change, roots: &Roots, out: &mut Vec<u8>) {
    separated(change, roots, 0, 0, out, |path, out| out.extend_from_slice(path));
}

/// Appends the letter and the path or, of a renamed entry, the old path and the new one.
fn separated(
    change: &Change,
    roots: &Roots,
    between: u8,
    end: u8,
    out: &mut Vec<u8>,
    write: impl Fn(&[u8], &mut Vec<u8>),
) {
    out.push(change.kind.letter() as u8);
    for place in change.from.iter().chain([&change.place]) {
        out.push(between);
        write(&roots.path(place), out);
    }
    out.push(end);
}

/// Appends a path as git writes it where core.quotePath is on: in double quotes with C's escapes if
/// it holds a quote, a backslash, a control character, or a byte that is no ASCII.
pub(crate) fn quote(path: &[u8], out: &mut Vec<u8>) {
    let git = Quoting::new(Style::CMaybe, false, Charset::Ascii).with_special(b"\\");
    let _ = git.write(path, out);
}
