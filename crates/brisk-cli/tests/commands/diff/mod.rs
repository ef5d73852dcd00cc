//! `brisk diff` of states and directories. The tests of brisk-scan compare tables.

mod handing_on;
mod scene;
mod sides;
mod trees;
