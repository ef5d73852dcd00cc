//! The commands, each in a module of its own, against the programs that they stand beside and against
//! their documentation.

#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod architecture;
#[cfg(target_os = "linux")]
mod bench;
#[cfg(target_os = "linux")]
mod bench_calls;
#[cfg(target_os = "linux")]
mod bench_rm;
#[cfg(target_os = "linux")]
mod bench_storage;
#[cfg(target_os = "linux")]
mod browser;
#[cfg(target_os = "linux")]
mod changed;
#[cfg(target_os = "linux")]
mod cp;
#[cfg(target_os = "linux")]
mod diff;
#[cfg(target_os = "linux")]
mod docs;
#[cfg(target_os = "linux")]
mod du_beyond;
#[cfg(target_os = "linux")]
mod every;
#[cfg(unix)]
mod fd;
#[cfg(unix)]
mod find;
#[cfg(target_os = "linux")]
mod json;
#[cfg(target_os = "linux")]
mod ls_beyond;
#[cfg(target_os = "linux")]
mod own;
#[cfg(target_os = "linux")]
mod rm;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod wine;
