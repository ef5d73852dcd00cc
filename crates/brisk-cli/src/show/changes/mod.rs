//! Changes as commands print them: as git prints them, with null bytes, or as JSON.

pub(crate) mod json;
pub(crate) mod roots;

use brisk_state::Change;

use crate::show::quoting::{Quoting, Style};
use crate::show::text::Charset;
use roots::Roots;

/// How a change becomes a line: the change, what its paths end in, the roots, the output.
pub(crate) type Line = fn(&Change, &[u8], &Roots, &mut Vec<u8>);

/// Appends the letter, a tab, and the path as git quotes it.
pub(crate) fn git(change: &Change, end: &[u8], roots: &Roots, out: &mut Vec<u8>) {
    separated(change, end, roots, *b"\t\n", out, quote);
}

/// Appends the letter and the path as it is, each with a null byte behind it.
pub(crate) fn null(change: &Change, end: &[u8], roots: &Roots, out: &mut Vec<u8>) {
    separated(change, end, roots, *b"\0\0", out, |path, out| out.extend_from_slice(path));
}

/// Appends the letter and the path or, of a renamed entry, the old path and the new one.
fn separated(
    change: &Change,
    end: &[u8],
    roots: &Roots,
    separators: [u8; 2],
    out: &mut Vec<u8>,
    write: impl Fn(&[u8], &mut Vec<u8>),
) {
    out.push(change.kind.letter() as u8);
    for place in change.from.iter().chain([&change.place]) {
        out.push(separators[0]);
        let mut path = roots.path(place);
        path.extend_from_slice(end);
        write(&path, out);
    }
    out.push(separators[1]);
}

/// Appends a path as git writes it where core.quotePath is on: in double quotes with C's escapes if
/// it holds a quote, a backslash, a control character, or a byte that is no ASCII.
pub(crate) fn quote(path: &[u8], out: &mut Vec<u8>) {
    let git = Quoting::new(Style::CMaybe, false, Charset::Ascii).with_special(b"\\");
    let _ = git.write(path, out);
}
