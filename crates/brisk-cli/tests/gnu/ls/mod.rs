//! `brisk ls` against the installed GNU ls: the same bytes, to a pipe and to a terminal, the same
//! messages, the same exit codes.
//!
//! The cases are data (`cases.rs`), run on one generated tree (`tree.rs`). Each case is a test of
//! its own, named by its call:
//! `BRISK_PRODUCTS=1 cargo test -p brisk-cli --test gnu -- 'options: ls -l types'`.
//! Where there is no GNU ls the cases are left out. The differences between GNU's versions are in a
//! table (`gnu.rs`). What needs more than one call is in `commands/ls_beyond`.

mod case;
mod cases;
mod comparison;
mod gnu;
mod run;
mod tree;

pub use comparison::trials;
