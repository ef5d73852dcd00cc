//! `brisk find`: lists a tree, filtered, formatted, or handed to commands.

mod details;
mod exec;
mod format;
mod item;
mod json;

pub use item::Item;
