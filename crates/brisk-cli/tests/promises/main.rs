//! What brisk promises: one module for each promise, with tests of what once broke it.
//!
//! Each test runs the program, and failed before the mend. `BRISK_BINARY` names an older program,
//! with which the failure can be seen.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod address;
mod atimes;
mod chains;
mod configuration;
mod delete;
mod denied;
mod dry_run;
mod end;
mod endless;
mod exclusions;
mod finish;
mod git_settings;
mod hostile_files;
mod hung;
mod interrupted;
mod journal;
mod links;
mod loops;
mod messages;
mod mounts;
mod names;
mod older_than;
mod outputs;
mod printing;
mod prompts;
mod results;
mod signals;
