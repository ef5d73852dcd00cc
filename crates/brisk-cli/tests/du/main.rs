//! `brisk du`, through a link named `du`, against the installed GNU du: the same bytes, the same
//! messages, the same exit codes.
//!
//! Each option alone and in pairs, on trees with hard links across directories, loops, sparse
//! files, deep, wide, with hostile names, and empty (`tree.rs`). Each call is a test of its own,
//! named by its words: `cargo test -p brisk-cli --test du -- 'du -a -S links'`. Where there is no
//! GNU du the calls are left out. `--reflinks`, which GNU du has not, is tried beside each option
//! (`reflinks.rs`).

#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod gnu;
#[cfg(target_os = "linux")]
mod huge;
#[cfg(target_os = "linux")]
mod many;
#[cfg(target_os = "linux")]
mod reflinks;
#[cfg(target_os = "linux")]
mod tree;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    gnu::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
