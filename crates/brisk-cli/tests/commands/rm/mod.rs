//! `brisk rm`, compared with GNU rm, and tested against everything that makes removing dangerous.
//!
//! Dangerous tests run on a tmpfs in a mount namespace of their own, as an ordinary user where
//! permissions matter, and in a chroot where `/` is removed.

mod atimes;
mod background;
mod beyond;
mod calls;
mod dry_run;
mod finish;
mod gnu;
mod hostile;
mod in_use;
mod journal;
mod limits;
mod list;
mod live;
mod older_than;
mod operands;
pub mod prompts;
mod refused;
mod reports;
mod slow;
mod terminal;
