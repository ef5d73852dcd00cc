//! Changes as commands print them: as git prints them, with null bytes, by a template, or as JSON.

mod json;
pub(crate) mod lines;
pub(crate) mod roots;

use crate::show::quoting::{Quoting, Style};
use crate::show::text::Charset;

/// Appends a path as git writes it where core.quotePath is on: in double quotes with C's escapes if
/// it holds a quote, a backslash, a control character, or a byte that is no ASCII.
pub(crate) fn quote(path: &[u8], out: &mut Vec<u8>) {
    let git = Quoting::new(Style::CMaybe, false, Charset::Ascii).with_special(b"\\");
    let _ = git.write(path, out);
}
