//! Large file trees, read as fast as the kernel and the storage allow.
//!
//! A [`Walk`] describes what to visit; a [`Visitor`] receives it in chunks of borrowed entries.

#![forbid(unsafe_code)]

mod beyond;
mod bulk;
mod cancel;
mod driver;
mod dynamic;
mod entry;
mod error;
pub mod ignore;
mod iter;
mod keep;
mod lineage;
mod order;
mod owned;
mod pace;
mod plan;
mod queue;
mod reach;
pub mod remove;
mod resume;
#[doc(hidden)]
pub mod room;
mod sched;
mod sift;
mod stats;
mod stuck;
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
pub use visitor::{Breath, Enter, Flow, InTurn, Needs, Outcome, Parallel, Select, Visitor};
pub use walk::{Follow, Mounts, Order, Shape, Walk};
