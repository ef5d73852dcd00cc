//! `brisk ls` against the installed GNU ls: the same bytes, to a pipe and to a terminal, the same
//! messages, the same exit codes.
//!
//! The cases are data (`cases.rs`), run on one generated tree (`tree.rs`). Each case is a test of
//! its own, named by its call: `cargo test -p brisk-cli --test ls -- 'options: ls -l types'`.
//! Where there is no GNU ls the cases are left out. The differences between GNU's versions are in a
//! table (`gnu.rs`). What needs more than one call is in the test `ls_beyond`.

#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

#[cfg(target_os = "linux")]
mod cases;
#[cfg(target_os = "linux")]
mod comparison;
#[cfg(target_os = "linux")]
mod gnu;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod tree;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    comparison::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
