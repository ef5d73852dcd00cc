//! Rescans of real trees.

mod case;
mod changes;
mod guarantees;
