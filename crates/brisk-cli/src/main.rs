//! The command `brisk`.

mod find;

fn main() {}
