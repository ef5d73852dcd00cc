//! `briskfs`: brisk for Python. Everything that walks, stats, copies or removes is in the engine.
//! What is here takes Python's arguments, calls the engine without the interpreter's lock, and makes
//! Python objects of what it returns, as late as it can.

mod ahead;
mod changed;
mod convert;
mod copy;
mod distributed;
mod find;
mod gathering;
mod index;
mod interrupt;
#[cfg(unix)]
mod own;
mod remove;
mod scan;
mod scandir;
mod stat;
mod usage;
mod walk;
mod watch;

use pyo3::prelude::*;

/// What is in Rust; the package briskfs exports it.
/// It needs no lock of the interpreter: what several threads share is behind locks of its own.
#[pymodule(gil_used = false)]
mod _briskfs {
    #[cfg(unix)]
    #[pymodule_export]
    use crate::own::{chmod, chown};
    #[pymodule_export]
    use crate::{
        changed::{Change, State},
        copy::copy,
        distributed::Journal,
        find::{FindIterator, FoundEntry, find_entries},
        index::{Files, Index},
        remove::remove,
        scan::{Table, scan},
        scandir::{DirEntry, ScandirIterator, scandir},
        stat::StatResult,
        usage::{DiskUsage, du},
        walk::{WalkIterator, walk},
        watch::{ChangeStream, WatchBatch},
    };
}
