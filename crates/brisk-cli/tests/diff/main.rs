//! `brisk diff`: of states and directories, and of tables.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod scene;
mod sides;
#[cfg(feature = "table")]
mod tables;
mod trees;
