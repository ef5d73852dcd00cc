//! What brisk's tests share: the program under test, scratch places, slow file systems.
//!
//! `BRISK_BINARY` names another program to test, such as one built from an older commit: that is
//! how a regression test is seen to fail without the mend.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod place;
mod program;
mod slowfs;

pub use place::{Place, is_root, listed, run, stderr, stdout, unshared};
pub use program::{brisk, left_out, slowfs_program};
pub use slowfs::Mounted;
