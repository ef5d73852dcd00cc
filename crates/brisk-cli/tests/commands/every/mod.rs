//! What brisk promises of every command, and of every walk: one module for each promise, with tests of
//! what once broke it.
//!
//! Each test runs the program, and failed before the mend. `BRISK_BINARY` names an older program,
//! with which the failure can be seen.

mod address;
mod chains;
mod configuration;
mod denied;
mod end;
mod endless;
mod hostile_files;
mod hung;
mod interrupted;
mod links;
mod loops;
mod messages;
mod mounts;
mod names;
mod outputs;
mod printing;
mod results;
mod signals;
