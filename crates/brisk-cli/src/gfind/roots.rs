//! Where a search begins, if the names are in a file: `-files0-from`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};

use crate::front::messages::cause;
use crate::show::quoting::as_argument;
use crate::show::safe::{os_str, path_bytes};

/// Starting points, and messages about names that are none.
pub(super) struct Names {
    pub(super) roots: Vec<OsString>,
    pub(super) failures: Vec<String>,
}

/// Reads names that end in NULs.
///
/// # Errors
/// The message about a file that cannot be opened.
pub(super) fn read(file: &OsStr) -> Result<Names, String> {
    let (name, mut source): (_, Box<dyn Read>) = match path_bytes(file) {
        b"-" => (as_argument(b"(standard input)"), Box::new(io::stdin())),
        name => {
            let name = as_argument(name);
            let opened = File::open(file);
            let why = |error| format!("cannot open {name} for reading: {}", cause(&error));
            let opened = opened.map_err(why)?;
            (name, Box::new(opened))
        }
    };
    let mut bytes = Vec::new();
    let failed = source.read_to_end(&mut bytes).err();
    let failed = failed.map(|error| format!("{name}: read error: {}", cause(&error)));
    let mut names = Names { roots: Vec::new(), failures: failed.into_iter().collect() };
    if bytes.last() == Some(&0) {
        bytes.pop();
    } else if bytes.is_empty() {
        return Ok(names);
    }
    for (at, root) in bytes.split(|byte| *byte == 0).enumerate() {
        match root {
            b"" => names.failures.push(format!("{name}:{}: invalid zero-length file name", at + 1)),
            root => names.roots.push(os_str(root).to_owned()),
        }
    }
    Ok(names)
}
