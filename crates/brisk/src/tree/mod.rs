//! What the walk remembers of the tree: nodes of directories that are not done, names of
//! directories that wait to be opened, and permits for handles that stay open.
//!
//! This module decides nothing: `read/` opens what waits here, `emit/` says when a directory is
//! done.

pub mod bound;
pub(crate) mod handles;
pub(crate) mod lineage;
pub(crate) mod names;
pub(crate) mod node;
pub(crate) mod path;
pub(crate) mod pending;
pub(crate) mod root_handles;
pub(crate) mod shortcut;

pub(crate) use handles::HeldHandle;
pub use handles::{HandleBudget, Permit};
pub(crate) use names::{PackedName, PackedNames};
pub(crate) use node::{Child, EmitState, MARKED, Node, REENTRIES_MASK, REFUSED};
pub(crate) use path::PathBuffer;
pub(crate) use pending::PendingDirs;
pub(crate) use root_handles::{RootHandles, request_at};
