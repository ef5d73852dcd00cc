//! One side of the comparison: a state file, or a table, a data set or a directory, of which a state
//! is made first.

use std::fs;
use std::io::Read;
use std::path::Path;

use brisk_state::{ChangeKind, Input, Rescan, Unusable};
use brisk_sys::whole::open_regular;

use super::options::Options;
use crate::front::messages::{Caller, cannot, cause, error_text, unnumbered};
use crate::show::quoting::quoted;

/// What a Parquet file begins with, and an Arrow file.
const PARQUET: &[u8] = b"PAR1";
const ARROW: &[u8] = b"ARROW1";

/// What follows the path of a data set in that of its journal.
const JOURNAL: &str = ".units.jsonl";

/// Opens a table or a data set as a side of the comparison, or says why it cannot be one.
pub type Opener = fn(&Path) -> Result<Input, String>;

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
pub(super) fn open(path: &Path, options: &Options, table: Option<Opener>) -> Result<Side, String> {
    let metadata = fs::metadata(path).map_err(|error| cannot("read", path, &error))?;
    if let Some(table) = table.filter(|_| is_table(path)) {
        let input = table(path).map_err(|why| format!("{}: {why}", quoted(path)))?;
        return Ok(Side { input, has_errors: false });
    }
    if metadata.is_dir() {
        return scan(path, options);
    }
    let input = Input::open(path).map_err(|why| match why {
        Unusable::Foreign if is_other_table(path) => format!(
            "{}: of tables, brisk diff reads Parquet: brisk scan -o FILE.parquet",
            quoted(path)
        ),
        why => format!("{}: {}", quoted(path), unnumbered(&why)),
    })?;
    Ok(Side { input, has_errors: false })
}

/// Whether a side is a Parquet file, or a data set of such files.
pub(super) fn is_table(path: &Path) -> bool {
    is_data_set(path) || path.is_file() && begins_with(path, PARQUET)
}

/// Whether a directory is a data set, or one without its journal, which is refused then.
fn is_data_set(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let mut journal = path.clone().into_os_string();
    journal.push(JOURNAL);
    let is_part = |name: &[u8]| name.starts_with(b"part-") && name.ends_with(b".parquet");
    let mut first = fs::read_dir(&path).into_iter().flatten().flatten().take(1);
    let mut has_part = || first.any(|entry| is_part(entry.file_name().as_encoded_bytes()));
    path.is_dir() && (Path::new(&journal).is_file() || has_part())
}

/// Whether a side is neither a directory nor a table.
pub(super) fn is_state(path: &Path) -> bool {
    !path.is_dir() && !is_table(path)
}

/// Whether a file, which is no state, is a table in a form that cannot be compared.
fn is_other_table(path: &Path) -> bool {
    let is_text = path.extension().is_some_and(|form| form == "csv" || form == "jsonl");
    is_text || begins_with(path, ARROW)
}

fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let mut bytes = [0; 8];
    let bytes = &mut bytes[..magic.len()];
    open_regular(path).and_then(|mut file| file.read_exact(bytes)).is_ok() && bytes == magic
}

/// Looks at a directory. Its state goes through a file, because two states need not be in memory at
/// once.
fn scan(dir: &Path, options: &Options) -> Result<Side, String> {
    let sides = &options.sides;
    let left_out = sides.iter().filter(|side| !side.is_dir()).cloned().collect();
    let comparing = &options.comparing;
    let mut complain = |message: &str| Caller::Brisk.complain(message);
    let rescan = comparing.rescan(&[dir.to_owned()], false, &mut complain)?;
    let report = comparing.run_showing_progress(Rescan { left_out, ..rescan })?;
    for error in &report.errors {
        Caller::Brisk.complain(&error_text(error));
    }
    let unknown = report.changes.iter().filter(|change| change.kind == ChangeKind::Unknown);
    let unread = unknown.map(|change| change.place.path.clone()).collect();
    let has_errors = !report.errors.is_empty();
    let failed = |why: String| format!("cannot keep what {} holds: {why}", quoted(dir));
    let file = report.write_unnamed(&std::env::temp_dir());
    let file = file.map_err(|error| failed(cause(&error).to_string()))?;
    drop(report);
    let mut input = Input::of(file).map_err(|why| failed(why.to_string()))?;
    input.live = Some(dir.to_owned());
    input.unread = unread;
    Ok(Side { input, has_errors })
}
