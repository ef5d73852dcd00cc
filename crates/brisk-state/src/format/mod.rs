//! The file format of states: reading states, mapped or piece by piece, and writing them.
//!
//! ```text
//!   header │ a block for each directory │ index
//! ```
//!
//! The index has an [`IndexedDir`](index::IndexedDir) for each directory, in the order of the
//! directories' ids, then an [`IndexedVolume`](index::IndexedVolume) for each file system, and the
//! text for [`State::made_with`](state::State::made_with). A directory keeps its id from one state
//! to the next, so an edited file changes only the block of its directory and the index; a name
//! that comes or goes changes the block above too, which has the directory's times. (A renamed
//! directory counts as a new one.) Blocks may be in any order: a rescan writes parents before
//! children, and siblings by name; [`Tree`](tree::Tree) writes children before parents. The header,
//! the index and each block have a checksum. All numbers are little-endian. Every access is
//! checked: a damaged state can cause wrong results, but no panic.

pub(crate) mod block;
pub(crate) mod index;
pub(crate) mod record;
pub(crate) mod state;
pub(crate) mod tree;
mod update;
pub(crate) mod writer;
