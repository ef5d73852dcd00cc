//! What brisk promises, held against what once broke it: one module a promise.
//!
//! Each test runs the program and failed before its mend. `BRISK_BINARY` names an older program to
//! see that.

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
mod finish;
mod hostile_files;
mod hung;
mod interrupted;
mod journal;
mod links;
mod loops;
mod mounts;
mod older_than;
mod printing;
mod prompts;
mod results;
mod signals;
