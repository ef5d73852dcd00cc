//! The sides of the comparison: each a state file, or a table, a data set or a directory, of which
//! a state is made first.

use std::fs;
use std::io::Read;
use std::path::Path;

use brisk_state::{ChangeKind, Input, Rescan, Unusable};
use brisk_sys::whole::open_regular;

use super::options::Options;
use crate::changed::compare::CompareOptions;
use crate::changed::made_with::{filters_of, leave_something_out};
use crate::filter::Selecting;
use crate::front::messages::{Caller, cannot, cause, error_text, unnumbered};
use crate::show::quoting::{quoted, retypable};

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

/// Opens both sides, the old one first. A directory is read with the filters of the state that it
/// is compared with.
///
/// # Errors
/// The message for the user.
pub(super) fn open_both(options: &Options, table: Option<Opener>) -> Result<[Side; 2], String> {
    let [old, new] = [&options.sides[0], &options.sides[1]];
    let recorded = [recorded(old, table)?, recorded(new, table)?];
    let compare =
        CompareOptions { selecting: selecting(options, &recorded)?, ..options.compare.clone() };
    let scanned = |path, side: Option<Side>| side.map_or_else(|| scan(path, options, &compare), Ok);
    let [was, is] = recorded;
    Ok([scanned(old, was)?, scanned(new, is)?])
}

/// The filters with which directories are read; `recorded`: the sides that are none.
fn selecting(options: &Options, recorded: &[Option<Side>; 2]) -> Result<Selecting, String> {
    let given = &options.filter_words;
    let has_dir = recorded.iter().any(Option::is_none);
    if let Some(filter) = given.first().filter(|_| !has_dir && leave_something_out(given)) {
        let filter = retypable(filter);
        return Err(format!("{filter}: filters apply to directories, and neither side is one"));
    }
    let mut sides =
        options.sides.iter().zip(recorded).filter(|(path, _)| has_dir && is_state(path));
    let state = sides.find_map(|(path, side)| Some((path, side.as_ref()?)));
    state.map_or_else(
        || Ok(options.compare.selecting.clone()),
        |(path, state)| filters_of(path, state.input.made_with(), given),
    )
}

/// Opens a side that is a state or a table; `None` for a directory.
fn recorded(path: &Path, table: Option<Opener>) -> Result<Option<Side>, String> {
    let metadata = fs::metadata(path).map_err(|error| cannot("read", path, &error))?;
    if let Some(table) = table.filter(|_| is_table(path)) {
        let input = table(path).map_err(|why| format!("{}: {why}", quoted(path)))?;
        return Ok(Some(Side { input, has_errors: false }));
    }
    if metadata.is_dir() {
        return Ok(None);
    }
    let input = Input::open(path).map_err(|why| match why {
        Unusable::Foreign if is_other_table(path) => format!(
            "{}: of tables, brisk diff reads Parquet: brisk scan -o FILE.parquet",
            quoted(path)
        ),
        why => format!("{}: {}", quoted(path), unnumbered(&why)),
    })?;
    Ok(Some(Side { input, has_errors: false }))
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
fn is_state(path: &Path) -> bool {
    !path.is_dir() && !is_table(path)
}

/// Whether a file, which is not a state, is a table in a form that cannot be compared.
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
fn scan(dir: &Path, options: &Options, compare: &CompareOptions) -> Result<Side, String> {
    let sides = &options.sides;
    let omitted = sides.iter().filter(|side| !side.is_dir()).cloned().collect();
    let mut complain = |message: &str| Caller::Brisk.complain(message);
    let rescan = compare.rescan(&[dir.to_owned()], false, &mut complain)?;
    let report = compare.run_showing_progress(Rescan { omitted, ..rescan })?;
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
