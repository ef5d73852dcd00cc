//! What every command stands on: messages, standard output, configuration and names of owners.

pub(crate) mod calendar;
pub(crate) mod config;
pub(crate) mod messages;
pub(crate) mod names;
pub(crate) mod options;
pub(crate) mod safe;
pub(crate) mod standard;
