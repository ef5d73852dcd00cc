//! The file format of states: reading states, mapped or piece by piece, and writing them.
//!
//! ```text
//!   header │ a block for each directory, parents before children, siblings by name │ index
//! ```
//!
//! The index has an entry for each directory, by the directory's number, and then the file systems.
//! A directory keeps its number as long as it exists, so a change in a directory changes only its
//! block and the index. The header, the index and each block have a checksum. All numbers are
//! little-endian. Every access is checked: a damaged state can cause wrong results, but no panic.

pub(crate) mod block;
pub(crate) mod index;
pub(crate) mod record;
pub(crate) mod sorting;
pub(crate) mod state;
pub(crate) mod writer;
