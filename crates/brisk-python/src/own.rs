//! `chmod` and `chown`: modes and owners of trees, as the engine changes them.

use brisk::change::{Change, Ids, ModeChange, To};
use brisk::{Cancel, Follow, Walk};
use brisk_sys::paths::bytes_to_path;
use nix::unistd::{Group, User};
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;

use crate::convert::{Given, tell};
use crate::interrupt::interruptible;

/// A mode or an owner.
#[derive(FromPyObject)]
pub enum Word {
    Number(u32),
    Text(String),
}

/// Changes the modes of a tree as `chmod -R` does; returns how many were changed. Errors go to
/// `onerror`; without it, the first one is raised at the end.
#[pyfunction]
#[pyo3(signature = (path, mode, *, onerror=None))]
pub fn chmod(py: Python<'_>, path: Given, mode: Word, onerror: Option<Py<PyAny>>) -> PyResult<u64> {
    let change = match mode {
        Word::Number(mode) => ModeChange::exactly(mode),
        Word::Text(text) => {
            // The umask can be read only by setting it.
            let umask = py.import("os")?.getattr("umask")?;
            let mask = umask.call1((0,))?.extract()?;
            umask.call1((mask,))?;
            let change = ModeChange::parse(text.as_bytes(), mask);
            change.ok_or_else(|| PyValueError::new_err(format!("invalid mode: {text:?}")))?
        }
    };
    run(py, &path, Follow::Roots, To::Mode(change), onerror)
}

/// Changes the owners of a tree as `chown -R` does. Owners are names or numbers, as in
/// shutil.chown. Links themselves are changed, not what they lead to. Returns how many entries were
/// changed.
#[pyfunction]
#[pyo3(signature = (path, user=None, group=None, *, onerror=None))]
pub fn chown(
    py: Python<'_>,
    path: Given,
    user: Option<Word>,
    group: Option<Word>,
    onerror: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let user_id = |name: &str| Some(User::from_name(name).ok()??.uid.as_raw());
    let group_id = |name: &str| Some(Group::from_name(name).ok()??.gid.as_raw());
    let user = user.map(|user| number(user, "user", user_id)).transpose()?;
    let group = group.map(|group| number(group, "group", group_id)).transpose()?;
    if user.is_none() && group.is_none() {
        return Err(PyValueError::new_err("user and/or group must be set"));
    }
    run(py, &path, Follow::Never, To::Owners(Ids { user, group }), onerror)
}

fn number(owner: Word, what: &str, look_up: impl Fn(&str) -> Option<u32>) -> PyResult<u32> {
    match owner {
        Word::Number(number) => Ok(number),
        Word::Text(name) => look_up(&name)
            .ok_or_else(|| PyLookupError::new_err(format!("no such {what}: {name:?}"))),
    }
}

fn run(
    py: Python<'_>,
    path: &Given,
    follow: Follow,
    to: To,
    onerror: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let cancel = Cancel::new();
    let walk = Walk::new(bytes_to_path(&path.bytes)).follow(follow).cancelled_by(&cancel);
    let change = Change::new(walk, to);
    let (errors, report) = interruptible(py, || cancel.now(), || change.run(Vec::new()))?;
    tell(py, &errors, onerror.as_ref(), path.text, |_| true)?;
    Ok(report.changed)
}
