//! What the walk remembers of the tree: directories that still matter, names of directories that
//! wait to be opened, and the right to keep handles open.

#[doc(hidden)]
pub mod bound;
pub(crate) mod handles;
pub(crate) mod lineage;
pub(crate) mod names;
pub(crate) mod node;
pub(crate) mod path;
pub(crate) mod pending;
pub(crate) mod root_handles;

pub(crate) use handles::{HandleBudget, Permit};
pub(crate) use lineage::Ancestor;
pub(crate) use names::{PackedName, PackedNames};
pub(crate) use node::{CONDEMNED, Child, Node, TIMES};
pub(crate) use path::PathBuffer;
pub(crate) use pending::PendingDirs;
pub(crate) use root_handles::{RootHandles, ask_at};
