//! `chmod` and `chown`: modes and owners of trees, as the engine changes them.

use brisk::change::{Change, Ids, ModeChange, To};
use brisk::{Cancel, Follow, Walk};
use brisk_filter::system::{group_id, user_id};
use brisk_sys::paths::bytes_to_path;
use pyo3::exceptions::{PyLookupError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::{GivenPath, tell};
use crate::interrupt::interruptible;

/// Changes the modes of a tree as `chmod -R` does; returns how many were changed. Errors go to
/// `onerror`; without it, the first one is raised at the end.
#[pyfunction]
#[pyo3(signature = (path, mode, *, onerror=None))]
pub fn chmod(
    py: Python<'_>,
    path: GivenPath,
    mode: &Bound<'_, PyAny>,
    onerror: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let change = match mode.cast::<PyString>() {
        Ok(text) => {
            let text = text.to_string_lossy();
            let change = ModeChange::parse(text.as_bytes(), umask(py)?);
            change.ok_or_else(|| PyValueError::new_err(format!("invalid mode: {text:?}")))?
        }
        Err(_) => ModeChange::exactly(mode.extract()?),
    };
    run(py, &path, Follow::Roots, To::Mode(change), onerror)
}

/// The umask of the calling thread. umask(2) returns it only when it sets another one, with which
/// other threads would create files meanwhile; so it is called only if the system does not tell.
fn umask(py: Python<'_>) -> PyResult<u32> {
    let status = std::fs::read("/proc/thread-self/status").unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let told = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    if let Some(Ok(mask)) = told.map(|mask| u32::from_str_radix(mask.trim(), 8)) {
        return Ok(mask);
    }
    let umask = py.import("os")?.getattr("umask")?;
    let mask = umask.call1((0o777,))?.extract()?;
    umask.call1((mask,))?;
    Ok(mask)
}

/// Changes the owners of a tree as `chown -R` does. Owners are names or numbers, as in
/// shutil.chown. Links themselves are changed, not what they lead to. Returns how many entries were
/// changed.
#[pyfunction]
#[pyo3(signature = (path, user=None, group=None, *, onerror=None))]
pub fn chown(
    py: Python<'_>,
    path: GivenPath,
    user: Option<Bound<'_, PyAny>>,
    group: Option<Bound<'_, PyAny>>,
    onerror: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let user = user.map_or(Ok(None), |user| number(&user, "user", user_id))?;
    let group = group.map_or(Ok(None), |group| number(&group, "group", group_id))?;
    if user.is_none() && group.is_none() {
        return Err(PyValueError::new_err("user and/or group must be set"));
    }
    run(py, &path, Follow::Never, To::Owners(Ids { user, group }), onerror)
}

/// The number of an owner. -1 stands for none, as for os.chown.
fn number(
    owner: &Bound<'_, PyAny>,
    what: &str,
    look_up: fn(&str) -> Option<u32>,
) -> PyResult<Option<u32>> {
    if let Ok(name) = owner.cast::<PyString>() {
        let name = name.to_string_lossy();
        let unknown = || PyLookupError::new_err(format!("no such {what}: {name:?}"));
        return look_up(&name).map(Some).ok_or_else(unknown);
    }
    let number: i64 = owner.extract()?;
    let is_id = (-1..i64::from(u32::MAX)).contains(&number);
    let range = || PyOverflowError::new_err(format!("not the number of a {what}: {number}"));
    is_id.then(|| u32::try_from(number).ok()).ok_or_else(range)
}

fn run(
    py: Python<'_>,
    path: &GivenPath,
    follow: Follow,
    to: To,
    onerror: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let cancel = Cancel::new();
    let walk = Walk::new(bytes_to_path(&path.bytes)).follow(follow).cancelled_by(&cancel);
    let change = Change::new(walk, to);
    let (errors, report) = interruptible(py, &cancel, || change.run(Vec::new()))?;
    tell(py, &errors, onerror.as_ref(), path.text, |_| true)?;
    Ok(report.changed)
}
