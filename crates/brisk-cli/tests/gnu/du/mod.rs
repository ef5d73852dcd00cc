//! `brisk du`, through a link named `du`, against the installed GNU du: the same bytes, the same
//! messages, the same exit codes.
//!
//! Each option alone, each two of them in some call, and each option on each tree: with hard links
//! across directories, loops, sparse files, deep, wide, with hostile names, and empty (`tree.rs`).
//! Each call is a test of its own, named by its words: `cargo test -p brisk-cli --test gnu -- 'du -a
//! links'`. Where there is no GNU du the calls are left out. `--reflinks`, which GNU du has not, is
//! tried beside each two options (`reflinks.rs`).

mod calls;
mod gnu;
mod huge;
mod many;
mod reflinks;
mod tree;

pub use gnu::trials;
