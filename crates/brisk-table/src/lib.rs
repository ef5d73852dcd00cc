//! Entries of file trees as tables: one schema, written as Parquet or Arrow IPC, and read back.
//!
//! Each worker of a walk gathers [`Rows`]. A [`Gathering`] makes [`Group`]s of them, each a row
//! group or batch of the file, and hands each to a [`Sink`], which encodes the group in the thread
//! of the worker that completed it:
//!
//! ```text
//!   worker: Rows ──┐                    ┌──► Sink::write: columns ► pages ──► │ the file,
//!   worker: Rows ──┼─► Gathering ► Group┤                                     │ under a lock
//!   worker: Rows ──┘   (a lock)         └──► Sink::write: columns ► pages ──► │
//! ```
//!
//! [`Column`] documents the schema. Within a group, rows are in the order of a sorted walk:
//! component by component, a directory before what is in it. The ranges of groups overlap, because
//! the walk is unordered: a program that needs the whole table in order must merge the groups.
//!
//! # Metadata of the file
//! `brisk.schema` is the version of the schema, a number. The caller of [`Gathering::finish`] adds
//! others.

#![forbid(unsafe_code)]

mod arrays;
mod arrow;
mod batches;
mod column;
pub mod dataset;
mod gathering;
mod group;
mod merge;
mod parquet;
mod reader;
mod record;
mod rows;
mod seal;

pub use arrays::Owners;
pub use arrow::ArrowFile;
pub use batches::Batches;
pub use column::Column;
pub use gathering::{Gathering, Sink};
pub use group::{Group, RowRef, Value};
pub use merge::{Merge, Merged};
pub use parquet::ParquetFile;
pub use reader::{Scan, Unusable};
pub use record::{Batch, Digest, TableEntry};
pub use rows::{Below, Rows};

/// The version of the schema. A larger number means that a column has changed its meaning; columns
/// may be added without a new number.
pub const SCHEMA_VERSION: u32 = 2;

/// The key of [`SCHEMA_VERSION`] in a file's metadata.
pub const SCHEMA_KEY: &str = "brisk.schema";
