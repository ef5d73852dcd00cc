//! Other programs read the table without help: pyarrow, polars and DuckDB, from a Python that
//! `BRISK_READERS` names (scripts/test makes it), or from `python3` if it has them.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::{left_out, stderr, stdout};

use crate::{printed, tree};

const CHECKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scan/readers.py");
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scan.md");

/// A Python that has the readers.
fn python(test: &str) -> Option<String> {
    let python = std::env::var("BRISK_READERS").unwrap_or_else(|_| "python3".to_owned());
    let imports = ["-c", "import pyarrow, polars, duckdb, pytz"];
    let has_readers = Command::new(&python).args(imports).output();
    if has_readers.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    left_out(test, "no Python with pyarrow, polars, duckdb and pytz");
    None
}

fn check(test: &str, name: &str, dir: &Path, more: &[&str]) {
    let Some(python) = python(test) else { return };
    let mut command = Command::new(python);
    command.args([CHECKS, name]).args(more).current_dir(dir);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{name}: {}{}", stdout(&output), stderr(&output));
}

/// Every form with every column.
fn written() -> tempfile::TempDir {
    let place = tree();
    for form in ["parquet", "arrow", "csv", "jsonl"] {
        let more = ["--columns", "+name,parent", "--sums", "--hash", "blake3"];
        printed(place.path(), &[&["-o", &format!("x.{form}"), "t"], &more[..]].concat());
    }
    place
}

#[test]
fn pyarrow_reads_what_find_prints() {
    check("pyarrow", "pyarrow", written().path(), &[]);
}

#[test]
fn polars_reads_the_same() {
    check("polars", "polars", written().path(), &[]);
}

/// As one table, by the directory's name where a reader takes it.
#[test]
fn a_data_set_is_read_as_one_table() {
    let place = tree();
    let words = ["--continue", "-o", "out/", "--budget-entries=1", "--columns", "+name,parent"];
    let more = ["--hash", "blake3", "t"];
    printed(place.path(), &[&words[..], &more].concat());
    assert!(fs::read_dir(place.path().join("out")).unwrap().count() > 2);
    check("a data set", "dataset", place.path(), &[]);
}

#[test]
fn duckdb_reads_the_same() {
    check("DuckDB", "duckdb", written().path(), &[]);
}

#[test]
fn all_forms_hold_the_same() {
    check("forms", "forms", written().path(), &[]);
}

/// The queries of the document, on a table that has what they need.
#[test]
fn the_documents_queries_run() {
    let place = tree();
    fs::write(place.path().join("t/twin"), "xxxxx").unwrap();
    let more = ["--columns", "+name", "--sums", "--hash", "blake3"];
    printed(place.path(), &[&["-o", "files.parquet", "t"], &more[..]].concat());
    check("queries", "queries", place.path(), &[DOCUMENT]);
}
