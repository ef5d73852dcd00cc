//! Printing times.

mod calendar;
pub(crate) mod format;
pub(crate) mod rfc3339;
