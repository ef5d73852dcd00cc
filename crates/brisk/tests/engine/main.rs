//! The engine as a whole: the same cases in every mode, GNU find as an oracle, hostile trees and
//! storage, low limits.
//!
//! One binary, so that what the tests share is compiled once. Only `cases` uses the current directory;
//! every other test names its trees by absolute paths. What must be measured or limited for a whole
//! process runs in a child: the same binary again, asked for one ignored test (`child.rs`).

#![cfg(target_os = "linux")]

mod calls;
mod cases;
mod changing;
mod child;
mod hostile;
mod limits;
mod mounts;
mod oracle;
mod panics;
mod record;
mod storage;
mod tree;
