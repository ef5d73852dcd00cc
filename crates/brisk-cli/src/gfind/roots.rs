//! Where a search begins, if the names are in a file: `-files0-from`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;

use super::outputs::identity;
use crate::front::messages::cause;
use crate::show::quoting::as_argument;
use crate::show::safe::{os_str, path_bytes};

/// Reads names that end in NULs. In the place of a name that is none there is a message. `asks`:
/// answers are read from standard input.
///
/// # Errors
/// The message about a file that cannot be opened, or that is standard input where that is read.
pub(super) fn read(file: &OsStr, asks: bool) -> Result<Vec<Result<OsString, String>>, String> {
    let is_stdin = file == "-";
    let shown = if is_stdin { &b"(standard input)"[..] } else { path_bytes(file) };
    let name = as_argument(shown);
    let unread = |error| format!("{name}: read error: {}", cause(&error));
    let refused = |error| format!("cannot open {name} for reading: {}", cause(&error));
    let mut source: Box<dyn Read> = match is_stdin {
        true => match rustix::io::dup(rustix::stdio::stdin()) {
            Ok(stdin) => Box::new(File::from(stdin)),
            Err(error) => return Ok(vec![Err(unread(error.into()))]),
        },
        false => Box::new(File::open(file).map_err(refused)?),
    };
    if asks && (is_stdin || identity(file) == identity("/dev/stdin")) {
        return Err(format!(
            "option -files0-from: standard input must not refer to the same file when combined with \
             -ok, -okdir: {name}\n"
        ));
    }
    let mut bytes = Vec::new();
    let failed = source.read_to_end(&mut bytes).err();
    let failed = failed.map(|error| Err(unread(error)));
    let named = |(at, root): (usize, &[u8])| match root {
        b"" => Err(format!("{name}:{}: invalid zero-length file name", at + 1)),
        root => Ok(os_str(root).to_owned()),
    };
    let all = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    let count = if bytes.is_empty() { 0 } else { usize::MAX };
    let names = all.split(|byte| *byte == 0).take(count).enumerate().map(named);
    Ok(names.chain(failed).collect())
}
