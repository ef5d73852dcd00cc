//! What every command stands on: messages, output, text and JSON, configuration, names of owners.

pub(crate) mod calendar;
pub(crate) mod config;
pub(crate) mod hyperlink;
pub(crate) mod json;
pub(crate) mod messages;
pub(crate) mod names;
pub(crate) mod out;
pub(crate) mod quoting;
pub(crate) mod safe;
pub(crate) mod standard;
pub(crate) mod stream;
pub(crate) mod text;
