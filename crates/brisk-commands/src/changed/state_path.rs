//! Where the state is if `--state` does not say: in the file of `--save`, or in the user's cache
//! directory, named by the directories that are compared and by the command to run.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::paths::with_slashes;
use xxhash_rust::xxh3::xxh3_128;

use super::flags::Options;
use crate::front::messages::cannot;
use crate::system;

/// Chooses the state's file if there is no `--state`. Sets `save` to the same file, unless this is a
/// dry run, so the next state replaces it.
///
/// # Errors
/// The message for the user: there is no cache directory, or a directory is missing.
pub(super) fn choose(options: &mut Options) -> Result<(), String> {
    if !options.state.as_os_str().is_empty() {
        return Ok(());
    }
    options.state_is_chosen = true;
    options.state = match &options.save {
        Some(file) => file.clone(),
        None => cached(&options.paths, &options.command)?,
    };
    options.save = (!options.dry_run).then(|| options.state.clone());
    Ok(())
}

/// The state in the cache, whose directory is made if it is missing. Neither the order nor the
/// spelling of the paths matters. Each command has a state of its own: a change that was printed,
/// or given to another command, is still new to it.
fn cached(roots: &[PathBuf], command: &[OsString]) -> Result<PathBuf, String> {
    let base = system::user_cache()
        .ok_or("the cache directory is unknown: HOME is not set; name a file with --state")?;
    let whole = |root: &PathBuf| {
        system::absolute(root)
            .map(|path| with_slashes(&path))
            .map_err(|error| cannot("open", root, &error))
    };
    let mut paths = roots.iter().map(whole).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    paths.dedup();
    let directory = base.join("brisk");
    let made = || {
        base.parent().map_or(Ok(()), fs::create_dir_all)?;
        private(&base)?;
        private(&directory)
    };
    made().map_err(|error| {
        let why = cannot("create", &directory, &error);
        format!("{why}; name a file with --state")
    })?;
    // No path and no word contains a null byte, and no path is empty.
    let mut key = paths.join(&0);
    for word in command {
        key.extend_from_slice(b"\0\0");
        key.extend_from_slice(word.as_encoded_bytes());
    }
    Ok(directory.join(format!("{:032x}.state", xxh3_128(&key))))
}

/// Makes a directory for this user alone, unless it is there.
fn private(path: &Path) -> io::Result<()> {
    match system::make_private(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}
