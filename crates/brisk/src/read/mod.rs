//! From a directory's name to entries with all wanted metadata.
//!
//! ```text
//!   open ─► bulk (read) ─► classify: type known? ─► admit ─► select ─► fetch ─► admit ─┐
//!     │                      (else fetch)    rules,  Drop, Enter, Take       filter    ├─► emit
//!     └─ loops                               filter                          again     │
//!                            batches: slow requests go to other workers ◄──────────────┘
//! ```
//!
//! - `open`, `reach`: open a directory, also where its parent's handle was given up;
//! - `loops`: whether the directory leads back to one above it;
//! - `admit`: the ignore rules of the directory and the filter, and what both say of an entry;
//! - `bulk`, `buffers`: read its records, also from servers that answer in bulk;
//! - `classify`, `types`, `fetch`: make records entries, follow links, and ask for what is missing;
//! - `batches`: cut chunks whose requests are slow into batches for other workers;
//! - `in_flight`, `watchdog`: rescue what a worker had ready when one of its requests hangs;
//! - `ignore`: the rules of .gitignore and similar files.

pub(crate) mod admit;
pub(crate) mod batches;
pub(crate) mod buffers;
pub(crate) mod bulk;
pub(crate) mod classify;
pub(crate) mod fetch;
pub mod ignore;
pub(crate) mod in_flight;
pub(crate) mod loops;
pub(crate) mod open;
pub(crate) mod reach;
mod types;
pub(crate) mod watchdog;
