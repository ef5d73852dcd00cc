//! `briskfs`: brisk for Python. Everything that walks, stats or removes is in the engine. What is
//! here takes Python's arguments, calls the engine without the interpreter's lock, and makes Python
//! objects of what it returns, as late as it can.

mod ahead;
mod changed;
mod convert;
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

use pyo3::prelude::*;

/// What is in Rust; the package briskfs exports it.
/// It needs no lock of the interpreter: what several threads share is behind locks of its own.
#[pymodule(gil_used = false)]
mod _briskfs {
    #[pymodule_export]
    use crate::changed::{Change, State};
    #[pymodule_export]
    use crate::distributed::Journal;
    #[pymodule_export]
    use crate::find::{FindIterator, FoundEntry, find_entries};
    #[pymodule_export]
    use crate::index::{Files, Index};
    #[cfg(unix)]
    #[pymodule_export]
    use crate::own::{chmod, chown};
    #[pymodule_export]
    use crate::remove::remove;
    #[pymodule_export]
    use crate::scan::{Table, scan};
    #[pymodule_export]
    use crate::scandir::{DirEntry, ScandirIterator, scandir};
    #[pymodule_export]
    use crate::stat::StatResult;
    #[pymodule_export]
    use crate::usage::{DiskUsage, du};
    #[pymodule_export]
    use crate::walk::{WalkIterator, walk};
}
