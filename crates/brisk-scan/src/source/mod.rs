//! [`Source`]: a table that is read, or a data set, which is many of one schema.

mod damage;
mod places;

use std::io;
use std::path::{Path, PathBuf};

use brisk_commands::internal::{Caller, cannot, cause, path_list, quoted};
use brisk_sys::whole::open_regular;
use brisk_table::dataset::{Manifest, Name};
use brisk_table::{Column, Merge, Merged, SCHEMA_KEY, Scan, TableEntry, Unusable};
use serde_json::Value;

use damage::Expected;
pub(crate) use places::Places;

/// A table, or a data set.
pub(crate) struct Source {
    path: PathBuf,
    pub about: About,
    parts: Vec<PathBuf>,
    /// The first part. A data set without rows has none.
    first: Option<Scan>,
    /// The columns that are read.
    columns: Vec<Column>,
}

/// What a source says of the scan.
#[derive(Default)]
pub(crate) struct About {
    /// The roots as rows spell them, and their absolute paths.
    roots: Vec<Vec<u8>>,
    absolute_roots: Vec<Vec<u8>>,
    /// The paths of what could not be read.
    pub unread: Vec<Vec<u8>>,
    /// The file systems that were met.
    pub volumes: Vec<Value>,
    /// All of it, as the metadata of a table has it.
    pub pairs: Vec<(String, String)>,
}

impl Source {
    /// Opens a table or a data set, of which paths and these columns will be read, as far as it has
    /// them.
    ///
    /// # Errors
    /// The message for the user, without the name of the source.
    pub fn open(path: &Path, columns: &[Column]) -> Result<Source, String> {
        let set = path.is_dir().then(|| Manifest::read(path)).transpose();
        let set = set.map_err(|why| why.to_string())?;
        if set.as_ref().is_some_and(|set| !set.is_finished) {
            return Err("the data set is not finished: brisk scan --continue goes on".to_owned());
        }
        set.as_ref().map_or(Ok(()), Manifest::check).map_err(|why| why.to_string())?;
        let parts = set.as_ref().map_or_else(|| vec![path.to_owned()], |set| set.parts.clone());
        let first = parts.first().map(|part| {
            let _expected = Expected::of(part);
            scan(part, columns).map_err(|why| of_part(path, part, why))
        });
        let first = first.transpose()?;
        let pairs = first.as_ref().map(pairs).unwrap_or_default();
        let about = match set {
            Some(set) => Some(About::of_set(set, pairs)),
            None => first.as_ref().and_then(|first| About::of_table(first, pairs)),
        };
        let about = about.ok_or_else(|| Unusable::Foreign.to_string())?;
        Ok(Source { path: path.to_owned(), about, parts, first, columns: columns.to_vec() })
    }

    /// Whether the source has this column.
    pub fn has(&self, column: Column) -> bool {
        self.first.as_ref().is_none_or(|first| first.has(column))
    }

    /// The columns that the source has, without sums, which hold for its own rows alone.
    pub fn columns(&self) -> Vec<Column> {
        let Some(first) = &self.first else { return Column::defaults().collect() };
        let is_sum = |column: &Column| Column::SUMS.contains(column);
        Column::all().filter(|column| first.has(*column) && !is_sum(column)).collect()
    }

    /// Says that the caller needs this column.
    ///
    /// # Errors
    /// The source lacks the column.
    pub fn require(&self, column: Column) -> Result<(), String> {
        let first = self.first.as_ref();
        first.map_or(Ok(()), |first| first.require(column)).map_err(|why| why.to_string())
    }

    /// Where the rows are.
    ///
    /// # Errors
    /// The roots are unknown.
    pub fn places(&self) -> Result<Places, String> {
        let places = Places::new(&self.about.roots, &self.about.absolute_roots);
        places.ok_or_else(|| Unusable::Foreign.to_string())
    }

    /// All rows, in the order of the keys that `key` appends. It returns `false` for a row that no
    /// scan writes.
    ///
    /// # Errors
    /// The message for the user.
    pub fn merge(
        self,
        key: impl Fn(&TableEntry<'_>, &mut Vec<u8>) -> bool + Sync,
    ) -> Result<Merged, String> {
        let mut merge = Merge::new(&std::env::temp_dir()).map_err(unsorted)?;
        let mut first = self.first;
        for part in &self.parts {
            let _expected = Expected::of(part);
            let mut add = || -> Result<(), String> {
                let scan = first.take().map_or_else(|| scan(part, &self.columns), Ok)?;
                tell_unsealed(part, &scan);
                merge.add(&scan, &key).map_err(message)
            };
            add().map_err(|why| of_part(&self.path, part, why))?;
        }
        merge.rows().map_err(unsorted)
    }
}

impl About {
    /// What a table's metadata says; `None` if it is not a table of brisk's.
    fn of_table(scan: &Scan, pairs: Vec<(String, String)>) -> Option<About> {
        let text = |key| scan.get(&format!("brisk.{key}"));
        let paths = |key| serde_json::from_str(text(key)?).ok().map(bytes);
        let volumes = text("volumes").and_then(|list| serde_json::from_str(list).ok());
        Some(About {
            roots: paths("roots")?,
            absolute_roots: paths("absolute_roots")?,
            unread: paths("unread").unwrap_or_default(),
            volumes: volumes.unwrap_or_default(),
            pairs,
        })
    }

    /// What a data set says; `pairs` are those of its first part.
    fn of_set(set: Manifest, mut pairs: Vec<(String, String)>) -> About {
        let about = About {
            roots: bytes(set.what.roots),
            absolute_roots: bytes(set.what.absolute_roots),
            unread: set.errors.into_iter().map(|failure| failure.path.0).collect(),
            volumes: set.volumes,
            pairs: Vec::new(),
        };
        let own = [
            ("brisk.roots", path_list(&about.roots)),
            ("brisk.absolute_roots", path_list(&about.absolute_roots)),
            ("brisk.volumes", Value::from(about.volumes.clone()).to_string()),
            ("brisk.began", set.what.began),
            ("brisk.errors", set.totals.errors.to_string()),
            ("brisk.unread", path_list(&about.unread)),
        ];
        pairs.retain(|(key, _)| own.iter().all(|(own, _)| own != key));
        pairs.extend(own.map(|(key, value)| (key.to_owned(), value)));
        About { pairs, ..about }
    }
}

fn bytes(names: Vec<Name>) -> Vec<Vec<u8>> {
    names.into_iter().map(|Name(bytes)| bytes).collect()
}

/// What brisk has written into a table's metadata.
fn pairs(scan: &Scan) -> Vec<(String, String)> {
    let is_own = |key: &str| key.starts_with("brisk.") && key != SCHEMA_KEY;
    let pairs = scan.pairs().filter(|(key, _)| is_own(key));
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// A message about a part of a data set, or about a table, whose name the caller adds.
fn of_part(path: &Path, part: &Path, why: String) -> String {
    match part.strip_prefix(path) {
        Ok(name) if name != Path::new("") => format!("{}: {why}", quoted(name)),
        _ => why,
    }
}

fn scan(path: &Path, columns: &[Column]) -> Result<Scan, String> {
    let file = open_regular(path).map_err(|error| cause(&error).to_string())?;
    Scan::of(file, columns).map_err(message)
}

fn tell_unsealed(path: &Path, scan: &Scan) {
    if !scan.is_sealed() {
        let why = "has no seal: damage in it may go unnoticed";
        Caller::Brisk.complain(&format!("{} {why}", quoted(path)));
    }
}

/// The message about the temporary file in which rows are sorted.
#[cold]
pub(crate) fn unsorted(error: io::Error) -> String {
    cannot("sort the table in", &std::env::temp_dir(), &error)
}

#[cold]
fn message(why: Unusable) -> String {
    match why {
        Unusable::Unreadable(error) => format!("cannot read the table: {}", cause(&error)),
        Unusable::Unsorted(error) => unsorted(error),
        why => why.to_string(),
    }
}

/// Appends a path with NUL between its names: the order of such bytes is the order of a walk.
/// Returns `false` if it has a NUL already.
pub(crate) fn append_nul_separated(path: &[u8], out: &mut Vec<u8>) -> bool {
    out.extend(path.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }));
    !path.contains(&0)
}
