//! The program `brisk-look`: the full-screen tree of `brisk du -i`. `brisk` starts it.
//!
//! ```text
//!   keys, mouse ─► terminal ─┐              ┌─► picture ─► terminal
//!   count ─► Inbox ──────────┼─► Model ─────┤
//!   listing, removal ────────┘  (messages)  └─► Effects ─► threads of listing, count, removal
//! ```

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod count;
mod listing;
mod model;
mod picture;
mod removal;
mod running;
mod stored;
mod terminal;
mod tree;

use std::ffi::OsString;

use brisk_commands::internal::{Caller, run_du};

brisk_cli_sys::main!(command);

/// Returns the exit code.
fn command() -> u8 {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.split_first() {
        Some((first, rest)) if first == "du" => run_du(rest, running::run),
        _ => {
            Caller::Brisk.complain("brisk-look is a part of brisk: see 'brisk du --help'");
            2
        }
    }
}
