//! From a line to the descriptor: standard output and standard error, and the files that options
//! name.

pub(crate) mod file;
pub(crate) mod out;
