//! Every other system: what the standard library offers.

pub mod holders;
pub mod locale;
pub mod signals;
pub mod waiting;
