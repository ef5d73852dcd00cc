//! [`GlobError`]: the error of an override.

use std::fmt;

/// An override that is not a valid glob.
#[derive(Debug)]
pub struct GlobError(pub(super) ::ignore::Error);

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for GlobError {}
