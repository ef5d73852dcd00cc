//! `brisk diff` of states and directories. The tests of brisk-scan compare tables.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod handing_on;
mod scene;
mod sides;
mod trees;
