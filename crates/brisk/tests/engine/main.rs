//! The engine as a whole: the same cases in every mode, GNU find as an oracle, hostile trees and
//! storage, low limits.
//!
//! One binary, so that the code that tests share is compiled once. Only `cases` changes the current
//! directory; every other test names its trees by absolute paths. A test that measures or limits a
//! whole process runs in a child: the same binary again, for one ignored test (`child.rs`).

#[cfg(target_os = "linux")]
mod acting;
#[cfg(target_os = "linux")]
mod back;
#[cfg(target_os = "linux")]
mod beyond;
#[cfg(target_os = "linux")]
mod bulk;
#[cfg(target_os = "linux")]
mod calls;
mod cancelling;
mod case;
mod cases;
#[cfg(target_os = "linux")]
mod changing;
#[cfg(target_os = "linux")]
mod child;
mod chunks;
#[cfg(target_os = "linux")]
mod contention;
#[cfg(target_os = "linux")]
mod copies;
#[cfg(target_os = "linux")]
#[cfg(target_os = "linux")]
mod drafts;
#[cfg(target_os = "linux")]
mod handles;
#[cfg(target_os = "linux")]
mod hostile;
mod ids;
#[cfg(target_os = "linux")]
mod ladder;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod listing;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod oracle;
#[cfg(target_os = "linux")]
mod owning;
mod panics;
mod recalled;
mod record;
#[cfg(target_os = "linux")]
mod removing;
mod ruled;
#[cfg(target_os = "linux")]
mod storage;
mod tree;
#[cfg(target_os = "linux")]
mod unique;
#[cfg(target_os = "linux")]
mod usage;
mod wide;
