//! [`Look`]: what `State`, `changed` and `changedSync` call: what has changed in trees since a state
//! of them was saved. The next state is saved by a call of its own, once JavaScript has the changes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use brisk_state::{Report, Rescan, RescanError};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;
use napi::Result;
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use crate::job::{JobResult, Stop, answer};
use crate::packed::{ErrorParts, Packed};

/// What index.js passes.
#[napi(object, object_to_js = false)]
pub struct ChangeOptions {
    pub content: bool,
    pub ctime: bool,
    pub renames: bool,
}

/// One look at trees.
#[napi]
#[derive(Default)]
pub struct Look {
    /// What was found, and the file of the state.
    found: Arc<Mutex<Option<(Report, PathBuf)>>>,
}

#[napi]
impl Look {
    #[napi(constructor)]
    pub fn new() -> Look {
        Look::default()
    }

    /// Finds what has changed in `roots` since the state in `file` was saved, sorted by path.
    /// Everything is new if there is no state yet.
    #[napi]
    pub fn find(
        &self,
        file: &[u8],
        roots: Vec<Uint8Array>,
        options: ChangeOptions,
        stop: &Stop,
        sync: bool,
    ) -> Result<JobResult> {
        let file = bytes_to_path(file).to_owned();
        let roots: Vec<_> = roots.iter().map(|root| bytes_to_path(root).to_owned()).collect();
        let cancel = stop.cancel.clone();
        let found = Arc::clone(&self.found);
        answer(sync, move || {
            let ChangeOptions { content, ctime, renames } = options;
            let rescan = Rescan { content, ctime, renames, cancel, ..Rescan::over(roots) };
            let mut report = match rescan.run_since(&file) {
                Ok(report) => report,
                Err(why) => return failure(&why).into(),
            };
            let packed = packed(&mut report);
            *lock(&found) = Some((report, file));
            packed
        })
    }

    /// Saves what was found as the next state.
    #[napi]
    pub fn save(&self, sync: bool) -> Result<JobResult> {
        let found = Arc::clone(&self.found);
        answer(sync, move || {
            let saved = lock(&found).as_ref().map_or(Ok(()), |(report, file)| report.save(file));
            saved.map_or_else(|why| failure(&why).into(), |()| Packed::default())
        })
    }
}

/// Why there is no answer.
pub fn failure(why: &RescanError) -> ErrorParts {
    let is_file = matches!(why, RescanError::File(..));
    ErrorParts::new(why.errno(), if is_file { "open" } else { "lstat" }, why.path())
}

fn packed(report: &mut Report) -> Packed {
    let mut packed = Packed::default();
    pack(report, &mut packed);
    packed.errors.extend(report.errors.drain(..).map(ErrorParts::from));
    packed
}

/// Two letters for each change, its kind and the entry's type, and its path. Behind the path of a
/// renamed entry stands where it was.
pub fn pack(report: &Report, packed: &mut Packed) {
    for change in &report.changes {
        packed.letters.extend([change.kind.letter(), change.file_type.letter()]);
        for place in std::iter::once(&change.place).chain(&change.from) {
            packed.push_text(report.path(place).as_os_str().as_encoded_bytes());
        }
    }
}
