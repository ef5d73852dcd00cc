//! What every command stands on: messages, standard output, configuration and names of owners.

pub(crate) mod config;
pub(crate) mod filter;
pub(crate) mod messages;
pub(crate) mod mode;
pub(crate) mod names;
pub(crate) mod numbers;
pub(crate) mod safe;
pub(crate) mod size;
pub(crate) mod standard;
pub(crate) mod time;
