//! Parts: their names, and which of them are there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use brisk_sys::output::{Output, Readers, Temporary, is_temporary, sync, sync_directory};
use brisk_sys::whole::open_regular;

use super::unit::{Seal, Unit, digest};
use super::{Fault, UnitOutcome};

/// A new file in the data set, for a part. It is removed when it is dropped before it is committed.
///
/// # Errors
/// What the system says.
pub fn new_part(out: &Path) -> Result<Temporary, Fault> {
    Temporary::beside(&out.join("part"), Readers::All).map_err(Fault::io("write in", out))
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
    outcome: &mut UnitOutcome,
) -> Result<(), Fault> {
    let unread = |error| Fault::io("read", part.path())(error);
    outcome.seal = open_regular(part.path()).and_then(|file| Seal::of(&file)).map_err(unread)?;
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

/// Checks that a part is the one that was recorded, and no copy of another.
///
/// # Errors
/// What the system says; the part is missing, or another one.
pub(super) fn check(path: &Path, seal: Seal) -> Result<(), Fault> {
    match open_regular(path).and_then(|file| Seal::of(&file)) {
        Ok(found) if found.fits(seal) => Ok(()),
        Ok(_) => Err(Fault::Replaced(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Fault::Lost(path.to_owned())),
        Err(error) => Err(Fault::io("read", path)(error)),
    }
}

/// Gives recorded parts their names, checks them, and removes what is no recorded part.
///
/// # Errors
/// What the system says; a recorded part is missing, or another one.
pub(super) fn tidy(out: &Path, recorded: &HashMap<String, Seal>) -> Result<(), Fault> {
    for entry in fs::read_dir(out).map_err(Fault::io("read", out))? {
        let name = entry.map_err(Fault::io("read", out))?.file_name();
        let name = name.to_string_lossy();
        match name.strip_prefix('.') {
            Some(part) if recorded.contains_key(part) => show(out, part)?,
            Some(part) if is_part(part) => remove(&out.join(&*name))?,
            _ if is_temporary(name.as_bytes()) => remove(&out.join(&*name))?,
            _ if is_part(&name) && !recorded.contains_key(&*name) => remove(&out.join(&*name))?,
            _ => {}
        }
    }
    recorded.iter().try_for_each(|(name, seal)| check(&out.join(name), *seal))
}

/// Gives a part its name.
pub(super) fn show(out: &Path, name: &str) -> Result<(), Fault> {
    let path = out.join(name);
    fs::rename(hidden(out, name), &path).map_err(Fault::io("write", &path))
}

/// Removes a part that does not count. It is not an error if another process has removed it before.
pub(super) fn remove(path: &Path) -> Result<(), Fault> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Fault::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}
