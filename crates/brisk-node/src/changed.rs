//! What `changed` and `changedSync` call: what has changed in trees since a state of them was saved.

use std::path::PathBuf;

use brisk::Cancel;
use brisk_state::{Place, Report, Rescan, RescanError, State, Unusable};
use brisk_sys::errno;
use brisk_sys::paths::bytes_to_path;
use napi::Result;
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use crate::job::{Answer, Stop, answer};
use crate::packed::{Failure, Packed};

/// What index.js passes.
#[napi(object, object_to_js = false)]
pub struct ChangeOptions {
    pub save: bool,
    pub content: bool,
    pub ctime: bool,
    pub renames: bool,
}

/// Finds what has changed in `roots` since the state in `file` was saved, sorted by path. Everything
/// is new if there is no state yet.
#[napi]
pub fn changes(
    file: &[u8],
    roots: Vec<Uint8Array>,
    options: ChangeOptions,
    stop: &Stop,
    sync: bool,
) -> Result<Answer> {
    let file = bytes_to_path(file).to_owned();
    let roots: Vec<_> = roots.iter().map(|root| bytes_to_path(root).to_owned()).collect();
    let cancel = stop.cancel();
    answer(sync, move || match rescan(file, &roots, &options, cancel) {
        Ok(report) => packed(report),
        Err(failure) => failure.into(),
    })
}

fn rescan(
    file: PathBuf,
    roots: &[PathBuf],
    options: &ChangeOptions,
    cancel: Cancel,
) -> std::result::Result<Report, Failure> {
    let rescan = Rescan {
        since: State::load(&file),
        without: vec![file.clone()],
        content: options.content,
        ctime: options.ctime,
        renames: options.renames,
        cancel,
        ..Rescan::over(roots)
    };
    // A file that is no state is neither read nor replaced.
    if let Err(Unusable::Foreign) = rescan.since {
        return Err(Failure::new(libc::EEXIST, "open", &file));
    }
    let report = rescan.run().map_err(|error| match error {
        RescanError::Root(path, error) => Failure::new(errno(&error), "lstat", &path),
        RescanError::Elsewhere(path) => Failure::new(libc::EXDEV, "lstat", &path),
        _ => Failure::new(libc::ECANCELED, "lstat", &file),
    })?;
    if options.save && report.is_new() {
        report.write(&file).map_err(|error| Failure::new(errno(&error), "open", &file))?;
    }
    Ok(report)
}

/// Two letters for each change, its kind and the entry's type, and its path. Behind the path of a
/// renamed entry stands where it was.
fn packed(report: Report) -> Packed {
    let mut packed = Packed::default();
    let path_of = |place: &Place| {
        let mut path = report.roots[place.root].clone();
        if !place.path.is_empty() {
            path.push(bytes_to_path(&place.path));
        }
        path.into_os_string().into_encoded_bytes()
    };
    for change in &report.changes {
        packed.letters.extend([change.kind.letter(), change.file_type.letter()]);
        packed.push_text(&path_of(&change.place));
        if let Some(from) = &change.from {
            packed.push_text(&path_of(from));
        }
    }
    packed.errors.extend(report.errors.into_iter().map(Failure::from));
    packed
}
