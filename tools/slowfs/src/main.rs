//! The command: flags in, a mount until a signal or an unmount, counters out.

mod flags;
#[cfg(target_os = "linux")]
mod foreground;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let flags = flags::Flags::parse();
    match run(&flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("slowfs: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Mounts and serves.
#[cfg(target_os = "linux")]
fn run(flags: &flags::Flags) -> Result<(), String> {
    let shown = flags.shown()?;
    foreground::run(shown, flags.settings(), flags).map_err(|error| error.to_string())
}

/// Other systems have no FUSE to mount with.
#[cfg(not(target_os = "linux"))]
fn run(flags: &flags::Flags) -> Result<(), String> {
    flags.shown()?;
    Err("unsupported on this system: it needs FUSE on Linux".to_owned())
}
