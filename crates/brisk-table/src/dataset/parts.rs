//! Parts: their names, and which of them are there.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use brisk_sys::output::{Output, Readers, Temporary, is_temporary, sync, sync_directory};

use super::unit::{Unit, digest};
use super::{Fault, JOURNAL, Outcome};

/// A new file in the data set, for a part. It is removed when it is dropped before it is committed.
///
/// # Errors
/// What the system says.
pub fn new_part(out: &Path) -> Result<Temporary, Fault> {
    Temporary::beside(&out.join(JOURNAL), Readers::All).map_err(Fault::io("write in", out))
}

/// Gives a part the hidden name that it has until it is recorded, and notes it in the outcome. File
/// and name are on the disk then.
///
/// # Errors
/// What the system says.
pub fn commit_part(
    part: Temporary,
    out: &Path,
    unit: &Unit,
    outcome: &mut Outcome,
) -> Result<(), Fault> {
    let name = format!("part-{}.parquet", digest(&format!("{}{}", unit.id, outcome.to_json())));
    let hidden = hidden(out, &name);
    sync(part.file())
        .and_then(|()| Output::File(part, hidden.clone()).commit())
        .and_then(|()| sync_directory(out))
        .map_err(Fault::io("write", &hidden))?;
    outcome.part = Some(name);
    Ok(())
}

/// Where a part is before it is recorded.
pub(super) fn hidden(out: &Path, name: &str) -> PathBuf {
    out.join(format!(".{name}"))
}

/// Whether this is the name of a part.
pub(super) fn is_part(name: &str) -> bool {
    let digits = name.strip_prefix("part-").and_then(|rest| rest.strip_suffix(".parquet"));
    digits.is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Gives recorded parts their names, and removes what is no recorded part.
///
/// # Errors
/// What the system says; a recorded part is missing.
pub(super) fn tidy(out: &Path, mut recorded: HashSet<String>) -> Result<(), Fault> {
    let mut hidden_parts = Vec::new();
    for entry in fs::read_dir(out).map_err(Fault::io("read", out))? {
        let name = entry.map_err(Fault::io("read", out))?.file_name();
        let name = name.to_string_lossy();
        match name.strip_prefix('.') {
            Some(part) if is_part(part) => hidden_parts.push(part.to_owned()),
            _ if is_temporary(name.as_bytes()) => remove(&out.join(&*name))?,
            _ if is_part(&name) && !recorded.remove(&*name) => remove(&out.join(&*name))?,
            _ => {}
        }
    }
    for name in hidden_parts {
        let path = hidden(out, &name);
        if recorded.remove(&name) { show(out, &name)? } else { remove(&path)? }
    }
    match recorded.into_iter().next() {
        Some(name) => Err(Fault::Lost(out.join(name))),
        None => Ok(()),
    }
}

/// Gives a part its name.
pub(super) fn show(out: &Path, name: &str) -> Result<(), Fault> {
    let path = out.join(name);
    fs::rename(hidden(out, name), &path).map_err(Fault::io("write", &path))
}

/// Removes a part that does not count. It is no error if another process has removed it before.
pub(super) fn remove(path: &Path) -> Result<(), Fault> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Fault::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}
