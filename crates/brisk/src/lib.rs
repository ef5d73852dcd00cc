//! Large file trees, read as fast as the kernel and the storage allow.
//!
//! A [`Walk`] describes what to visit; a [`Visitor`] gets the entries in chunks that it borrows.
//!
//! The feature `ignore`, on by default, adds the module `ignore`: .gitignore and its kin.

#![forbid(unsafe_code)]

mod cancel;
mod dynamic;
mod emit;
mod entry;
mod error;
#[cfg(feature = "ignore")]
pub mod ignore;
mod iter;
mod local;
mod owned;
mod plan;
mod queue;
mod read;
pub mod remove;
mod resume;
mod run;
mod sched;
mod shared;
mod stats;
mod task;
mod tree;
mod unique;
mod visitor;
mod walk;
mod worker;

pub use brisk_sys::append;
pub use brisk_sys::{Access, Backend, Fields, FileType, Meta, Target, Timestamp};
pub use cancel::{Cancel, Unvisited};
pub use dynamic::DynVisitor;
pub use entry::{Directory, Entry, Listing};
pub use error::{Error, Operation};
pub use iter::{Iter, ParallelChunks, ParallelIter};
pub use owned::{ChunkEntry, DirEntry, OwnedChunk};
pub use stats::{Calls, Stats};
#[doc(hidden)]
pub use tree::bound;
pub use visitor::{Breath, Enter, Flow, InTurn, Needs, Outcome, Parallel, Select, Visitor};
pub use walk::{Follow, Mounts, Order, Shape, Walk};
