//! `chmod` and `chown`: modes and owners of trees, as `chmod -R` and `chown -R` change them. A mode
//! is set before the walk enters the directory, owners once everything below it is done.

use std::io;

use brisk::{
    Act, At, Cancel, Directory, Entry, Error, Fields, FileType, Flow, Follow, Leaving, Meta,
    Mounts, Needs, Operation, Outcome, Parallel, Select, Visitor, Walk,
};
use brisk_sys::change::{set_mode, set_owners, stat};
use brisk_sys::mode::ModeChange;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::{Ids, Links, Pins};
use nix::unistd::{Group, User};
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;

use crate::convert::{Given, tell};
use crate::interrupt::interruptible;

enum To {
    Mode(ModeChange),
    Owners(Ids),
}

struct Changing<'a> {
    to: &'a To,
    fields: Fields,
    changed: u64,
    errors: Vec<Error>,
}

impl Changing<'_> {
    fn entry(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let is_dir = entry.file_type().is_dir();
        // The walk has reported an entry of which it could not ask.
        let Some(meta) = entry.meta() else {
            entry.prune();
            return Ok(());
        };
        if is_dir && entry.depth() > 0 && meta.pins().contains(Pins::MOUNT_POINT) {
            entry.prune();
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        match self.to {
            To::Owners(_) if is_dir => {
                entry.mark();
                Ok(())
            }
            // A link has no mode.
            To::Mode(_) if entry.file_type() == FileType::Symlink => Ok(()),
            _ => self.change(&entry.at()?, is_dir, Links::followed(entry.is_followed_link()), meta),
        }
    }

    fn leave(&mut self, dir: &Leaving<'_>) -> io::Result<()> {
        let at = dir.at()?;
        let links = Links::followed(dir.is_followed_link());
        let meta = stat(at.as_fd(), at.name(), self.fields, links)?;
        self.change(&at, true, links, &meta)
    }

    fn change(&mut self, at: &At<'_>, is_dir: bool, links: Links, meta: &Meta) -> io::Result<()> {
        match self.to {
            To::Mode(change) => {
                let old = meta.mode().unwrap_or(0);
                let new = change.of(old, is_dir);
                if new == old {
                    return Ok(());
                }
                set_mode(at.as_fd(), at.name(), new, links)?;
            }
            To::Owners(to) => {
                if to.allow(Ids { user: meta.uid(), group: meta.gid() }) {
                    return Ok(());
                }
                set_owners(at.as_fd(), at.name(), *to, Ids::default(), links)?;
            }
        }
        self.changed += 1;
        Ok(())
    }
}

impl Visitor for Changing<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields)
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            if let Err(error) = self.entry(entry) {
                let error = Error::new(Operation::Open, entry.path(), entry.depth(), error);
                self.errors.push(error);
            }
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error);
        Flow::Continue
    }
}

impl Parallel for Changing<'_> {
    fn fork(&self, _: usize) -> Self {
        Changing { changed: 0, errors: Vec::new(), ..*self }
    }

    fn merge(&mut self, other: Self) {
        self.changed += other.changed;
        self.errors.extend(other.errors);
    }
}

impl Act for Changing<'_> {
    fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        // As GNU's programs leave a directory that cannot be read.
        if dir.is_marked()
            && dir.outcome() != Outcome::Unread
            && let Err(error) = self.leave(dir)
        {
            let here = dir.directory();
            let path = here.path().to_owned();
            self.errors.push(Error::new(Operation::Open, path, here.depth(), error));
        }
        Flow::Continue
    }
}

/// A mode or an owner.
#[derive(FromPyObject)]
pub enum Word {
    Number(u32),
    Text(String),
}

/// Changes the modes of a tree as `chmod -R` does; returns how many were changed. What fails goes
/// to `onerror`, or is raised in the end.
#[pyfunction]
#[pyo3(signature = (path, mode, *, onerror=None))]
pub fn chmod(py: Python<'_>, path: Given, mode: Word, onerror: Option<Py<PyAny>>) -> PyResult<u64> {
    let change = match mode {
        Word::Number(mode) => ModeChange::exactly(mode),
        Word::Text(text) => {
            // There is no other way to ask.
            let umask = py.import("os")?.getattr("umask")?;
            let mask = umask.call1((0,))?.extract()?;
            umask.call1((mask,))?;
            let change = ModeChange::parse(text.as_bytes(), mask);
            change.ok_or_else(|| PyValueError::new_err(format!("invalid mode: {text:?}")))?
        }
    };
    run(py, &path, &To::Mode(change), onerror)
}

/// Changes the owners of a tree as `chown -R` does: names or numbers, as in shutil.chown. Links are
/// changed, and not what they lead to. Returns how many were changed.
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
    run(py, &path, &To::Owners(Ids { user, group }), onerror)
}

fn number(owner: Word, what: &str, look_up: impl Fn(&str) -> Option<u32>) -> PyResult<u32> {
    match owner {
        Word::Number(number) => Ok(number),
        Word::Text(name) => look_up(&name)
            .ok_or_else(|| PyLookupError::new_err(format!("no such {what}: {name:?}"))),
    }
}

fn run(py: Python<'_>, path: &Given, to: &To, onerror: Option<Py<PyAny>>) -> PyResult<u64> {
    let cancel = Cancel::new();
    let fields = match to {
        To::Mode(_) => Fields::MODE,
        To::Owners(_) => Fields::UID | Fields::GID,
    };
    let is_mode = matches!(to, To::Mode(_));
    let walk = Walk::new(bytes_to_path(&path.bytes))
        .follow(if is_mode { Follow::Roots } else { Follow::Never })
        .mounts(Mounts::SameMount)
        .cancelled_by(&cancel);
    let changing = Changing { to, fields, changed: 0, errors: Vec::new() };
    let Changing { changed, errors, .. } =
        interruptible(py, || cancel.now(), || walk.act(changing).0)?;
    tell(py, &errors, onerror.as_ref(), path.text, |_| true)?;
    Ok(changed)
}
