//! Writing the files that options name, by [`brisk_sys::output`].

use std::io::{self, Write};
use std::path::Path;

use brisk_cli_sys::signals;
use brisk_sys::output::{Medium, Output, Readers};

/// Opens a file for writing. A pipe may get no reader and a device may not answer, so from then on a
/// signal ends the program at once: there is nothing to clean up.
pub fn open(path: &Path) -> io::Result<Output> {
    let place = Medium::of(path)?;
    if matches!(place, Medium::Stream(_)) {
        signals::end_at_once();
    }
    place.open(Readers::All)
}

/// Writes a file.
pub(crate) fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let output = open(path)?;
    output.file().write_all(contents)?;
    output.commit()
}
