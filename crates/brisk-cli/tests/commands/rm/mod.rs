//! `brisk rm`, compared with GNU rm, and tested against everything that makes removing dangerous.
//!
//! Dangerous tests run on a tmpfs in a mount namespace of their own, as an ordinary user where
//! permissions matter, and in a chroot where `/` is removed.

mod background;
mod beyond;
mod calls;
mod find;
mod gnu;
mod hostile;
mod in_use;
mod limits;
mod list;
mod live;
mod operands;
mod refused;
mod reports;
mod slow;
mod terminal;
