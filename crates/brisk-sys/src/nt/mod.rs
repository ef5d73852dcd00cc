//! Windows's own structures, read as bytes: pure functions, compiled, tested and fuzzed on every system.
//!
//! The calls that fill these bytes are in `src/windows/`; nothing here makes any.

pub mod all;
pub mod kind;
pub mod owner;
pub mod records;
pub mod removal;
pub mod reparse;
pub mod wtf8;
