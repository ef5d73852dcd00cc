//! slowfs as its users meet it: the program, mounted in a temporary directory.
//!
//! Tests that mount are left out, and say so, where /dev/fuse is missing.

#![cfg(target_os = "linux")]

mod cli;
mod faults;
mod latency;
mod lies;
mod mirror;
mod support;
mod tree;
