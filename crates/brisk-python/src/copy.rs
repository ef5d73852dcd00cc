//! What `copytree` calls: the engine's copy of a tree.

use std::io;
use std::sync::Mutex;

use brisk::copy::{Copy, Modes, NotCopied, Observer, Pair, Preserve, Specials};
use brisk::filter::{Expr, Filter, Test, Types};
use brisk::ignore::{Options, Rules};
use brisk::{Cancel, FileType, Follow, Walk};
use brisk_filter::globs;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{GivenPath, os_error};
use crate::find::{invalid, tests};
use crate::interrupt::interruptible;

/// What `copytree` passes.
#[derive(FromPyObject)]
pub struct CopytreeOptions {
    symlinks: bool,
    ignore_dangling_symlinks: bool,
    dirs_exist_ok: bool,
    /// Which of shutil's functions copies files: copy2, copy or copyfile.
    function: String,
    /// Patterns of what is left out.
    exclude: Vec<String>,
    /// An expression of find(1)'s tests.
    tests: Option<String>,
    /// Paths below the source that are left out.
    ignored: Vec<GivenPath>,
}

impl CopytreeOptions {
    fn filter(&self) -> PyResult<Filter> {
        // Of links that are followed, only those that lead nowhere are links.
        let links = || !Expr::from(Test::types("-type l", Types::of([FileType::Symlink])));
        let dangling = (self.ignore_dangling_symlinks && !self.symlinks).then(links);
        let ignored = globs::except(self.ignored.iter().map(|path| path.bytes.clone()));
        let tests = self.tests.as_ref().map(|line| tests(line, 0, !self.symlinks)).transpose()?;
        let parts = [ignored, dangling, tests].into_iter().flatten().collect();
        Ok(Filter::new(Expr::All(parts)))
    }

    fn copy(&self, cancel: &Cancel) -> PyResult<Copy> {
        let overrides = self.exclude.iter().map(|pattern| format!("!{pattern}")).collect();
        let rules = Options { overrides, ..Options::none() };
        let rules = (!self.exclude.is_empty()).then(|| Rules::new(rules)).transpose();
        let walk = Walk::over([""; 0])
            .follow(if self.symlinks { Follow::Roots } else { Follow::Always })
            .rules(rules.map_err(invalid)?)
            .filter(self.filter()?)
            .cancelled_by(cancel);
        let preserve = Preserve { ownership: false, links: false, ..Preserve::ARCHIVE };
        let only = |mode| Some(Preserve { mode, ..Preserve::default() });
        let preserve_files = match &*self.function {
            "copyfile" => only(Modes::Fresh),
            "copy" => only(Modes::Preserved),
            _ => None,
        };
        let specials = Specials::Refuse;
        let merge = self.dirs_exist_ok;
        Ok(Copy { preserve, preserve_files, specials, merge, ..Copy::new(walk) })
    }
}

/// A failure. The words are those of a refusal for which the system has no error.
struct Failed {
    source: Vec<u8>,
    destination: Vec<u8>,
    /// The one of them that it is about.
    path: Vec<u8>,
    error: io::Error,
    words: Option<String>,
}

/// All failures; the engine's report has only the first thousand.
#[derive(Default)]
struct Failures(Mutex<Vec<Failed>>);

impl Observer for Failures {
    fn failed(&self, failure: &NotCopied) {
        let [source, destination, path] = [&failure.source, &*failure.destination, failure.path()]
            .map(|path| path.as_os_str().as_encoded_bytes().to_vec());
        let error = failure.to_io();
        let is_refusal = error.kind() == io::ErrorKind::InvalidInput && failure.error.is_none();
        let words = is_refusal.then(|| failure.to_string());
        lock(&self.0).push(Failed { source, destination, path, error, words });
    }
}

/// Copies a tree to the end, and returns for each failure the source's path, the destination's path
/// and an OSError.
#[pyfunction]
pub fn copy<'py>(
    source: GivenPath,
    destination: GivenPath,
    options: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let py = options.py();
    let options: CopytreeOptions = options.extract()?;
    let cancel = Cancel::new();
    let copy = options.copy(&cancel)?;
    let failures = Failures::default();
    let [from, to] = [&source, &destination].map(|path| bytes_to_path(&path.bytes).to_owned());
    interruptible(py, &cancel, || copy.run([Pair::new(from, to)], &failures))?;
    let failed = std::mem::take(&mut *lock(&failures.0));
    let triple = |failed: Failed| {
        let error = match failed.words {
            Some(words) => PyOSError::new_err(words),
            None => os_error(py, &failed.error, &failed.path, source.text),
        };
        let paths =
            (source.text.of(py, &failed.source)?, destination.text.of(py, &failed.destination)?);
        PyResult::Ok((paths.0, paths.1, error.into_value(py)))
    };
    PyList::new(py, failed.into_iter().map(triple).collect::<PyResult<Vec<_>>>()?)
}
