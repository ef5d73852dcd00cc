//! Data sets: a directory of Parquet files of one schema, its parts, which grows by units of work
//! and survives the death of any process that works on it.
//!
//! A [`Unit`] is a piece of a scan: directories to be read, and how much may be taken. The worker
//! that runs it writes one part, and answers with an [`UnitOutcome`]: the part's name, and the
//! directories that the unit has not entered. The [`Journal`] records outcomes, and makes further
//! units of what they hand back. A unit may run twice, on one machine or on two, and a unit with a
//! limit of time may then hand back other directories. So the first outcome that is recorded
//! counts, and the part of any other is removed. [`Manifest`] is what a reader needs.
//!
//! ```text
//!   Journal::next_unit ──► Unit ──► a worker, anywhere ──► Outcome ──► Journal::record
//!           ▲                         │                                     │
//!           │                  .part-….parquet ──── it counts: renamed ──► part-….parquet
//!           └──────────── the directories that it did not enter ────────────┘
//! ```
//!
//! Most readers of data sets leave out names that begin with `.` or `_`. So a part has a hidden name
//! until the journal has recorded it. These reach the disk one after the other:
//!
//! 1. the part, and its hidden name;
//! 2. the line in the journal;
//! 3. the part's final name. If a recorded part still has its hidden name when the journal is
//!    opened, it is renamed then.
//!
//! No function here walks a tree.

use std::io;
use std::path::{Path, PathBuf};

mod fault;
mod journal;
mod line;
mod manifest;
mod parts;
mod unit;

pub use fault::Fault;
pub use journal::{Journal, Limits};
pub use manifest::Manifest;
pub use parts::{commit_part, new_part};
pub use unit::{Description, Failure, Name, Seal, Totals, Unit, UnitDir, UnitOutcome, VERSION};

/// What follows the path of a data set in that of its journal. The journal is not a file in the data
/// set, because polars refuses a directory with anything but Parquet files.
pub const JOURNAL: &str = ".units.jsonl";

/// The path of the journal of the data set in this directory.
///
/// # Errors
/// The directory is missing, or what else the system says.
pub fn journal_of(out: &Path) -> io::Result<PathBuf> {
    let mut path = out.canonicalize()?.into_os_string();
    path.push(JOURNAL);
    Ok(path.into())
}
