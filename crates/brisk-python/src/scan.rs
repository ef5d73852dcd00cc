//! `scan`: the entries of a tree as an Arrow table.

use std::ffi::CStr;

use brisk::{
    Cancel, Directory, Entry, Error, Fields, FileType, Flow, Parallel, Select, Visitor, Walk,
};
use brisk_sys::paths::bytes_to_path;
use brisk_table::{Batches, Column, Gathering, Owners, Rows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::convert::{GivenPath, tell};
use crate::interrupt::interruptible;

/// The name of a capsule with a stream.
pub const STREAM: &CStr = c"arrow_array_stream";

#[cfg(unix)]
pub const OWNERS: Owners = {
    use nix::unistd::{Gid, Group, Uid, User};
    Owners {
        user: |uid| User::from_uid(Uid::from_raw(uid)).ok().flatten().map(|user| user.name),
        group: |gid| Group::from_gid(Gid::from_raw(gid)).ok().flatten().map(|group| group.name),
    }
};

/// Owners have no numbers on Windows.
#[cfg(not(unix))]
pub const OWNERS: Owners = Owners { user: |_| None, group: |_| None };

struct Scanner<'a> {
    gathering: &'a Gathering,
    /// What the columns need of links, and of other entries.
    of_links: Fields,
    of_others: Fields,
    rows: Rows,
    errors: Vec<Error>,
}

impl Visitor for Scanner<'_> {
    type State = ();

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        let is_other = !matches!(entry.file_type(), FileType::Symlink | FileType::Unknown);
        Select::Take(if is_other { self.of_others } else { self.of_links })
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.rows.begin(dir.prefix());
        entries.iter().for_each(|entry| self.rows.push(entry));
        if self.gathering.offer(&mut self.rows) { Flow::Continue } else { Flow::Stop }
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error);
        Flow::Continue
    }
}

impl Parallel for Scanner<'_> {
    fn fork(&self, _: usize) -> Self {
        Scanner { rows: Rows::default(), errors: Vec::new(), ..*self }
    }

    fn merge(&mut self, mut other: Self) {
        self.errors.append(&mut other.errors);
        self.rows.append(other.rows);
    }
}

/// The columns with these names, in the order of the schema.
fn columns_of(names: Option<Vec<String>>) -> PyResult<Vec<Column>> {
    let can_be_asked =
        |column: &Column| *column != Column::Blake3 && !Column::SUMS.contains(column);
    let Some(names) = names else { return Ok(Column::defaults().collect()) };
    if names.is_empty() {
        return Err(PyValueError::new_err("no columns"));
    }
    let column = |name: &String| Column::named(name).filter(can_be_asked);
    let columns = names.iter().map(|name| {
        column(name).ok_or_else(|| PyValueError::new_err(format!("no such column: {name:?}")))
    });
    let mut columns = columns.collect::<PyResult<Vec<Column>>>()?;
    columns.sort_unstable_by_key(|column| *column as u8);
    columns.dedup();
    Ok(columns)
}

/// The entries of a tree as a table, which Arrow's libraries take without a copy.
#[pyclass(frozen, module = "briskfs")]
pub struct Table(Batches);

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.0.rows()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        PyCapsule::new_with_value(py, self.0.stream(std::iter::empty()), STREAM)
    }
}

/// Reads a tree into a table, with a row for each entry and for `root` itself. `columns` are names
/// of columns, by default all that cost no more than a stat. What cannot be read goes to `onerror`;
/// without it, only an error about `root` is raised.
#[pyfunction]
#[pyo3(signature = (root, columns=None, *, onerror=None))]
pub fn scan(
    py: Python<'_>,
    root: GivenPath,
    columns: Option<Vec<String>>,
    onerror: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let columns = columns_of(columns)?;
    let of =
        |file_type| columns.iter().fold(Fields::empty(), |all, one| all | one.fields(file_type));
    let batches = Batches::new(&columns, OWNERS);
    let gathering = Gathering::new(Box::new(batches.clone()));
    let cancel = Cancel::new();
    let walk = Walk::new(bytes_to_path(&root.bytes)).cancelled_by(&cancel);
    let scanner = Scanner {
        gathering: &gathering,
        of_links: of(FileType::Symlink),
        of_others: of(FileType::File),
        rows: Rows::default(),
        errors: Vec::new(),
    };
    let work = || {
        let Scanner { mut rows, errors, .. } = walk.visit_parallel(scanner).0;
        gathering.take(&mut rows);
        errors
    };
    let errors = interruptible(py, &cancel, work)?;
    py.detach(|| gathering.finish(Vec::new()))?;
    tell(py, &errors, onerror.as_ref(), root.text, |error| error.depth() == 0)?;
    Ok(Table(batches))
}
