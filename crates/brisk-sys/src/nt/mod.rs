//! Decoders of Windows's structures: pure functions of bytes, compiled, tested and fuzzed on every
//! system.
//!
//! The calls that fill these bytes are in `src/windows/`. No function here makes a system call.

pub mod all;
pub mod kind;
pub mod links;
pub mod notices;
pub mod owner;
pub mod records;
pub mod removal;
pub mod reparse;
pub mod usn;
pub mod volume;
pub mod wtf8;
