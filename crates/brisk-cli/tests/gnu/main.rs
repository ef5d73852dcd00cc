//! `brisk ls`, `brisk du`, `brisk chmod`, `brisk chown`, `brisk chgrp` and the links `cp` and `find`
//! against the installed GNU programs. Every two options of different kinds meet in some call (`array.rs`); with
//! `BRISK_PRODUCTS` in the environment, each option meets each tree in a call without others.

#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

#[cfg(target_os = "linux")]
mod array;
#[cfg(target_os = "linux")]
mod cp;
#[cfg(target_os = "linux")]
mod du;
#[cfg(target_os = "linux")]
mod find;
#[cfg(target_os = "linux")]
mod ls;
#[cfg(target_os = "linux")]
mod own;

/// Runs the tests that the arguments choose. All of them are too many to list: without a choice
/// each is a dot.
#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let mut arguments = libtest_mimic::Arguments::from_args();
    arguments.quiet |= arguments.filter.is_none() && arguments.format.is_none();
    let mut trials = ls::trials();
    let (calls_of_du, _scene) = du::trials();
    trials.extend(calls_of_du);
    let (calls_of_own, _keeper) = own::trials();
    trials.extend(calls_of_own);
    let (calls_of_cp, _copier) = cp::trials();
    trials.extend(calls_of_cp);
    trials.extend(find::trials());
    libtest_mimic::run(&arguments, trials).exit_code()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
