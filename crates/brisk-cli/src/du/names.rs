//! The paths that count: those of the command line, or the names in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use super::options::Options;
use crate::common::messages::{Caller, cause};
use crate::common::quoting::{in_message, leading};
use crate::common::safe::os_str;

/// All of a file; `-` is standard input.
pub(super) fn read(file: &OsStr) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    match file.as_encoded_bytes() {
        b"-" => io::stdin().read_to_end(&mut text)?,
        _ => File::open(file)?.read_to_end(&mut text)?,
    };
    Ok(text)
}

/// The paths, and whether all can be used: there is a message about each that cannot.
///
/// # Errors
/// The file with the names cannot be read.
pub(super) fn paths(caller: Caller, options: &Options) -> Result<(Vec<PathBuf>, bool), String> {
    let Some(file) = &options.files_from else {
        let named = options.paths.iter().map(|path| path.as_encoded_bytes());
        let found = usable(caller, named, |_| String::new());
        return Ok(if options.paths.is_empty() { (vec![".".into()], true) } else { found });
    };
    let name = file.as_encoded_bytes();
    let text = read(file).map_err(|error| match error.kind() {
        io::ErrorKind::IsADirectory => format!("{}: read error: {}", leading(name), cause(&error)),
        _ => format!("cannot open {} for reading: {}", in_message(name), cause(&error)),
    })?;
    let text = text.strip_suffix(b"\0").unwrap_or(&text);
    let mut names = text.split(|byte| *byte == 0).peekable();
    if text.is_empty() {
        names.next();
    }
    let is_refused = |path: &&[u8]| name == b"-" && *path == b"-";
    let refused = names.clone().any(|path| is_refused(&path));
    if refused {
        caller.complain("when reading file names from stdin, no file name of '-' allowed");
    }
    let place = |number| format!("{}:{number}: ", leading(name));
    let (paths, whole) = usable(caller, names.filter(|path| !is_refused(path)), place);
    Ok((paths, whole && !refused))
}

/// Without slashes that end a path twice, and without empty paths.
fn usable<'a>(
    caller: Caller,
    names: impl Iterator<Item = &'a [u8]>,
    place: impl Fn(usize) -> String,
) -> (Vec<PathBuf>, bool) {
    let (mut paths, mut whole) = (Vec::new(), true);
    for (index, name) in names.enumerate() {
        let mut name = name;
        while name.len() > 2 && name.ends_with(b"//") {
            name = &name[..name.len() - 1];
        }
        if name.is_empty() {
            caller.complain(&format!("{}invalid zero-length file name", place(index + 1)));
            whole = false;
        } else {
            paths.push(os_str(name).into());
        }
    }
    (paths, whole)
}
