//! One side of the comparison: a state file, or a directory, of which a state is made first.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_state::{Input, Kind, Rescan};

use super::options::Options;
use crate::common::filter::Chosen;
use crate::common::messages::{Caller, cause, unnumbered};

/// A side of the comparison.
pub(super) struct Side {
    pub(super) input: Input,
    /// Not everything could be read. A message has said so.
    pub(super) has_errors: bool,
}

/// Opens a side.
///
/// # Errors
/// The message for the user.
pub(super) fn open(path: &Path, options: &Options) -> Result<Side, String> {
    let about = fs::metadata(path)
        .map_err(|error| format!("cannot read '{}': {}", path.display(), cause(&error)))?;
    if about.is_dir() {
        return scan(path, options);
    }
    let input = Input::open(path).map_err(|why| format!("'{}': {why}", path.display()))?;
    Ok(Side { input, has_errors: false })
}

/// Looks at a directory. Its state goes through a file, because two states need not be in memory at
/// once.
fn scan(dir: &Path, options: &Options) -> Result<Side, String> {
    let Options { matching, ignoring, filtering, .. } = options;
    let rescan = Rescan::over([dir])
        .choice(Arc::new(Chosen::new(matching, ignoring, filtering)?))
        .without(options.sides.clone())
        .threads(options.threads);
    let rescan = match ignoring.rules(Caller::Brisk, &[dir.to_owned()])? {
        Some(rules) => rescan.ignoring(rules),
        None => rescan,
    };
    let report = rescan.run().map_err(|why| unnumbered(&why))?;
    for error in report.errors() {
        Caller::Brisk.complain(&unnumbered(error));
    }
    let unknown = report.changes().iter().filter(|change| change.kind == Kind::Unknown);
    let unknown: HashSet<Vec<u8>> = unknown.map(|change| change.place.path.clone()).collect();
    let has_errors = !report.errors().is_empty();
    let file = Temporary::new();
    let failed = |why: String| format!("cannot keep what '{}' holds: {why}", dir.display());
    report.write(&file.0).map_err(|error| failed(cause(&error).to_string()))?;
    drop(report);
    let input = Input::open(&file.0).map_err(|why| failed(why.to_string()))?;
    Ok(Side { input: input.live(dir.to_owned(), unknown), has_errors })
}

/// The name of a file that is removed with this value. It stays open where it was opened.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Temporary {
        let name = format!("brisk-diff-{}.state", std::process::id());
        Temporary(std::env::temp_dir().join(name))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // There may be no such file. What matters is the error before.
        let _ = fs::remove_file(&self.0);
    }
}
