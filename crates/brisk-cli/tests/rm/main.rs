//! `brisk rm`: held against GNU rm, and against everything that makes deleting dangerous.
//!
//! What could go wrong happens on a tmpfs in a mount namespace of the test's own, as an ordinary user
//! where permissions matter, and in a chroot where `/` is meant.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod background;
mod beyond;
mod calls;
mod find;
mod gnu;
mod hostile;
mod limits;
mod refused;
mod slow;
