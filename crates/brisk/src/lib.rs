//! Large file trees, read as fast as the kernel and the storage allow.
//!
//! A [`Walk`] describes what to visit; a [`Visitor`] receives it in chunks of borrowed entries.

#![forbid(unsafe_code)]

mod beyond;
mod bulk;
mod crew;
mod entry;
mod error;
pub mod ignore;
mod iter;
mod keep;
mod lineage;
mod order;
mod pace;
mod plan;
mod queue;
mod reach;
pub mod remove;
#[doc(hidden)]
pub mod room;
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
pub use entry::{DirEntry, Directory, Entry, Leaving, Listing};
pub use error::{Error, Operation};
pub use iter::{Iter, ParallelIter};
pub use stats::{Calls, Stats};
pub use visitor::{Enter, Flow, Select, Visitor};
pub use walk::{Follow, Order, Walk};
