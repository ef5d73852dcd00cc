//! Help texts that several commands share: an option of the same name has the same text everywhere.

pub(crate) const JSON: &str = "Print one JSON object per line";

pub(crate) const NO_CONFIG: &str = "Read no configuration";
