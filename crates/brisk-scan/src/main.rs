//! The program `brisk-scan`: the commands of `brisk` that read or write tables. `brisk` starts it.
//!
//! `brisk scan` writes a table, with a row for each entry (`run`); `brisk diff` reads one (`side`).

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod budget;
mod dataset;
mod from;
mod plan;
mod run;
mod scanner;
mod side;
mod source;
mod sums;
mod target;
mod text;
mod unit;
mod volumes;

use std::ffi::OsString;

use brisk_commands::internal::{Caller, Options, Refusal, run_diff, run_scan};

brisk_cli_sys::main!(command);

/// `brisk scan`, whatever it writes. Returns the exit code.
fn scan(options: &Options) -> Result<u8, Refusal> {
    match (&options.unit, &options.output) {
        (Some(file), _) => unit::scan(options, file),
        (None, Some(out)) if options.continues => dataset::scan(options, out),
        _ => match (&options.from, &options.output) {
            (Some(from), Some(output)) => from::scan(options, from, output),
            _ => run::scan(options),
        },
    }
}

/// Returns the exit code.
fn command() -> u8 {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.split_first() {
        Some((first, rest)) if first == "scan" => run_scan(rest, Some(scan)),
        Some((first, rest)) if first == "diff" => run_diff(rest, Some(side::open)),
        _ => {
            Caller::Brisk.complain("brisk-scan is a part of brisk: see 'brisk scan --help'");
            2
        }
    }
}
