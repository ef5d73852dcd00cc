//! Times: which of a file's times is meant, reading them as users write them, and writing them.

mod calendar;
pub(crate) mod format;
pub(crate) mod read;
pub(crate) mod rfc3339;
mod stamp;

pub(crate) use stamp::Stamp;
