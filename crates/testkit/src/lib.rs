//! What brisk's tests share: the program under test, scratch places, slow file systems.
//!
//! `BRISK_BINARY` names another program to test, such as one built from an older commit: that is
//! how a regression test is seen to fail without the mend.

#![cfg_attr(
    target_os = "linux",
    expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")
)]

#[cfg(target_os = "linux")]
mod contained;
#[cfg(target_os = "linux")]
pub mod expressions;
#[cfg(target_os = "linux")]
mod loops;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod program;
mod random;
mod required;
mod scratch;
#[cfg(target_os = "linux")]
mod slowfs;
#[cfg(target_os = "linux")]
mod terminal;
mod ticks;
pub mod usn;

#[cfg(target_os = "linux")]
pub use contained::{OnDisk, scratch, scratch_in};
#[cfg(target_os = "linux")]
pub use loops::LoopMount;
#[cfg(target_os = "linux")]
pub use place::{Installation, huge_files, listed, obedient, peak, run, stderr, stdout, unshared};
#[cfg(target_os = "linux")]
pub use program::{brisk, brisk_scan, has_tables, slowfs_program};
pub use random::{Random, has_products, rounds, tree};
#[cfg(target_os = "linux")]
pub use required::is_root;
pub use required::left_out;
pub use scratch::Scratch;
#[cfg(target_os = "linux")]
pub use slowfs::{Counts, Mounted, can_mount};
#[cfg(target_os = "linux")]
pub use terminal::terminal;

/// A scratch directory in which a test may remove.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch directory")
}
pub use ticks::{pass_ticks, pause};
