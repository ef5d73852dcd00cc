//! Rescans of real trees.

mod case;
mod changes;
mod guarantees;
#[cfg(target_os = "linux")]
mod written;
