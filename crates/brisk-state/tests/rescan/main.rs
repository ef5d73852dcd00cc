//! Rescans of real trees.

mod case;
mod changes;
#[cfg(target_os = "linux")]
mod guarantees;
#[cfg(target_os = "linux")]
mod names;
#[cfg(target_os = "linux")]
mod written;
