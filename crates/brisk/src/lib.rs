//! Large file trees, read as fast as the kernel and the storage allow.
//!
//! A [`Walk`] describes what to visit; a [`Visitor`] receives it in chunks of borrowed entries.

#![forbid(unsafe_code)]

mod colors;
mod entry;
mod error;
pub mod ignore;
mod visitor;

pub use brisk_sys::{Backend, Fields, FileType, Meta, Timestamp};
pub use colors::{Colors, MetadataColors};
pub use entry::{Directory, DirEntry, Entry, Listing};
pub use error::{Error, Operation};
pub use visitor::{Enter, Flow, Select, Visitor};
