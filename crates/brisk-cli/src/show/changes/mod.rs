//! Changes as commands print them: as git prints them, with null bytes, or as JSON.

pub(crate) mod json;
pub(crate) mod roots;

use brisk_state::Change;

use crate::show::quoting::{Quoting, Style};
use crate::show::text::Charset;
use roots::Roots;

/// How a change becomes a line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// The letter, a tab, and the path as git quotes it.
    Git,
    /// The letter and the path as it is, each with a null byte behind it.
    Null,
    Json,
}

impl Form {
    /// The form that the flags `--json` and `--print0` ask for.
    pub(crate) fn of(json: bool, print0: bool) -> Form {
        match (json, print0) {
            (true, _) => Form::Json,
            (false, true) => Form::Null,
            (false, false) => Form::Git,
        }
    }

    /// Appends a change. `whole`: it stands for all that is below a directory.
    pub(crate) fn append(self, change: &Change, whole: bool, roots: &Roots, out: &mut Vec<u8>) {
        let raw = |path: &[u8], out: &mut Vec<u8>| out.extend_from_slice(path);
        match self {
            Form::Git => separated(change, whole, roots, *b"\t\n", out, quote),
            Form::Null => separated(change, whole, roots, *b"\0\0", out, raw),
            Form::Json => json::change(change, whole, roots, out),
        }
    }
}

/// Appends the letter and the path or, of a renamed entry, the old path and the new one.
fn separated(
    change: &Change,
    whole: bool,
    roots: &Roots,
    separators: [u8; 2],
    out: &mut Vec<u8>,
    write: impl Fn(&[u8], &mut Vec<u8>),
) {
    out.push(change.kind.letter() as u8);
    for place in change.from.iter().chain([&change.place]) {
        out.push(separators[0]);
        let mut path = roots.path(place);
        if whole {
            path.push(b'/');
        }
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
