//! Rescans of real trees.

mod case;
mod changes;
mod guarantees;
mod names;
#[cfg(target_os = "linux")]
mod written;
