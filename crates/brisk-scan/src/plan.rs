//! What all workers of a scan share: the compiled options, the rows, and what went wrong.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use brisk::filter::Filter;
use brisk::ignore::Rules;
use brisk::unstable::handle;
use brisk::{Directory, Entry, Fields, FileType, Operation};
use brisk_commands::internal::{
    Caller, FieldsByType, Form, Messenger, Options, Owner, Refusal, error_text, quoted, unnumbered,
    with_name,
};
use brisk_sys::paths::with_slashes;
use brisk_sys::threads::lock;
use brisk_sys::volume::Volume;
use brisk_table::dataset::Failure;
use brisk_table::{ArrowFile, Column, Gathering, Owners, ParquetFile, Sink};

use crate::budget::Budget;
use crate::sums::Sums;
use crate::target::{Own, Target};
use crate::text::TextTable;
use crate::volumes::Volumes;

/// What all workers of a scan share.
pub(crate) struct Plan {
    /// The ignore rules; `None` if nothing is ignored.
    pub rules: Option<Rules>,
    pub filter: Filter,
    /// What the columns need of each type of file.
    pub wanted: FieldsByType,
    /// Whether directories that match are not entered.
    pub prune: bool,
    pub hashes: bool,
    /// Rows of directories that wait for their sums, if sums are wanted.
    pub sums: Option<Sums>,
    /// How much may be read, if this is a unit of a data set.
    pub budget: Option<Budget>,
    pub gathering: Gathering,
    own: Option<Own>,
    /// The file systems that were met, if the table has what identifies files.
    volumes: Option<Volumes>,
    /// What could not be read.
    unread: Mutex<Vec<PathBuf>>,
    /// Every message.
    failures: Mutex<Vec<Failure>>,
    pub report: Arc<Messenger>,
}

/// The columns that the options ask for; `usual` are those without `--columns`.
///
/// # Errors
/// A name that no column has, or no name at all.
pub(crate) fn columns(
    options: &Options,
    usual: impl Iterator<Item = Column>,
) -> Result<Vec<Column>, Refusal> {
    let mut columns: Vec<Column> = Vec::new();
    let list = options.columns.as_deref().unwrap_or("+");
    let list = match list.strip_prefix('+') {
        Some(rest) => {
            columns.extend(usual);
            rest
        }
        None => list,
    };
    for name in list.split(',').map(|name| name.trim_start_matches('+')).filter(|n| !n.is_empty()) {
        columns.push(Column::named(name).ok_or_else(|| unknown(name))?);
    }
    columns.extend(Column::SUMS.iter().filter(|_| options.sums));
    columns.extend(options.hash.then_some(Column::Blake3));
    if columns.is_empty() {
        return Err(Refusal::usage("--columns names no column"));
    }
    columns.sort_unstable_by_key(|column| *column as u8);
    columns.dedup();
    Ok(columns)
}

#[cold]
fn unknown(column: &str) -> Refusal {
    let names: Vec<_> = Column::all().map(Column::name).collect();
    let why = format!("no such column; columns are {}", names.join(", "));
    Refusal::usage(format!("--columns: {}: {why}", quoted(column)))
}

impl Plan {
    /// Compiles the options, and begins the table.
    ///
    /// # Errors
    /// A pattern, glob or date that cannot be understood, or a target that cannot be written.
    pub fn new(
        options: &Options,
        columns: Vec<Column>,
        form: Form,
        target: &Target,
        report: &Arc<Messenger>,
        budget: Option<Budget>,
    ) -> Result<Plan, Refusal> {
        let caller = Caller::Brisk;
        let of = |file_type: FileType| {
            columns.iter().fold(Fields::empty(), |sum, column| sum | column.fields(file_type))
        };
        let identifies = [Column::Inode, Column::Device].iter().all(|one| columns.contains(one));
        let sums = columns.iter().any(|column| Column::SUMS.contains(column));
        Ok(Plan {
            filter: options.selecting.filter(caller)?,
            rules: options.selecting.ignoring.rules(caller, &options.paths, false)?,
            wanted: FieldsByType::new(of),
            prune: options.selecting.filtering.prune,
            hashes: columns.contains(&Column::Blake3),
            sums: sums.then(Sums::default),
            budget,
            own: target.own(),
            report: Arc::clone(report),
            gathering: Gathering::new(sink(form, columns, target).map_err(|error| {
                Refusal::usage(format!("cannot begin the table: {}", unnumbered(&error)))
            })?),
            volumes: identifies.then(Volumes::default),
            unread: Mutex::default(),
            failures: Mutex::default(),
        })
    }

    /// Whether the entry is the file that is written, or the one that it replaces.
    #[inline]
    pub fn is_own(&self, entry: &Entry<'_>) -> bool {
        self.own.as_ref().is_some_and(|own| own.is(entry))
    }

    /// A directory could not be read, or an entry not be asked about, or an ignore file not be read.
    #[cold]
    pub fn report_unread(&self, error: &brisk::Error) {
        self.complain(error.path(), error_text(error));
        if error.operation() != Operation::ReadIgnoreFile {
            lock(&self.unread).push(error.path().to_owned());
        }
    }

    /// Tells the user what failed.
    #[cold]
    pub fn complain(&self, path: &Path, message: String) {
        self.report.complain(&message);
        lock(&self.failures).push(Failure { path: with_slashes(path).into(), error: message });
    }

    /// What failed.
    pub fn failures(&self) -> Vec<Failure> {
        std::mem::take(&mut *lock(&self.failures))
    }

    /// The scan was interrupted: ends a unit with the directories that are being read. Returns
    /// whether that is possible: not in any other scan, nor where files are read, because these may
    /// be of any size.
    #[cold]
    pub fn stop_at_boundary(&self) -> bool {
        let budget = self.budget.as_ref().filter(|_| !self.hashes);
        budget.is_some_and(|budget| {
            budget.cancel.at_boundary();
            true
        })
    }

    /// The paths of what could not be read.
    pub fn unread(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *lock(&self.unread))
    }

    /// The file system with this device number holds what is in the directory.
    pub fn meet(&self, device: u64, dir: &Directory<'_>) {
        if let Some(volumes) = &self.volumes {
            volumes.meet(device, || Volume::of(handle(dir)?).ok());
        }
    }

    /// The file systems that were met, and those of the roots, as JSON.
    pub fn volumes(&self, roots: &[PathBuf]) -> String {
        let Some(volumes) = &self.volumes else { return "[]".to_owned() };
        roots.iter().for_each(|root| volumes.meet_root(root));
        volumes.to_json()
    }
}

/// What writes a table in this form.
///
/// # Errors
/// What the system says.
pub(crate) fn sink(form: Form, columns: Vec<Column>, target: &Target) -> io::Result<Box<dyn Sink>> {
    let to = target.writer()?;
    let owners = Owners {
        user: |uid| with_name(Owner::User(uid), |name| name.map(str::to_owned)),
        group: |gid| with_name(Owner::Group(gid), |name| name.map(str::to_owned)),
    };
    Ok(match form {
        Form::Parquet => Box::new(ParquetFile::new(to, &columns, owners)?),
        Form::Arrow => Box::new(ArrowFile::new(to, &columns, owners)?),
        Form::Csv | Form::JsonLines => Box::new(TextTable::new(to, columns, form)?),
    })
}
