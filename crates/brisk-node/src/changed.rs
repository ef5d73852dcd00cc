//! What `changed` and `changedSync` call: what has changed in trees since a state of them was saved.

use brisk_state::{Report, Rescan, RescanError};
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
    answer(sync, move || {
        let ChangeOptions { save, content, ctime, renames } = options;
        let rescan = Rescan { content, ctime, renames, cancel, ..Rescan::over(roots) };
        let report = rescan.run_since(&file);
        let saved = report.and_then(|report| {
            if save {
                report.save(&file)?;
            }
            Ok(report)
        });
        saved.map_or_else(|why| failure(&why).into(), packed)
    })
}

fn failure(why: &RescanError) -> Failure {
    let is_file = matches!(why, RescanError::File(..));
    Failure::new(why.errno(), if is_file { "open" } else { "lstat" }, why.path())
}

/// Two letters for each change, its kind and the entry's type, and its path. Behind the path of a
/// renamed entry stands where it was.
fn packed(report: Report) -> Packed {
    let mut packed = Packed::default();
    for change in &report.changes {
        packed.letters.extend([change.kind.letter(), change.file_type.letter()]);
        for place in std::iter::once(&change.place).chain(&change.from) {
            packed.push_text(report.path(place).as_os_str().as_encoded_bytes());
        }
    }
    packed.errors.extend(report.errors.into_iter().map(Failure::from));
    packed
}
