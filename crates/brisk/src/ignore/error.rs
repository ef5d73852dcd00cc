//! [`GlobError`]: the error of a glob.

use std::fmt;

/// What is not a valid glob.
#[derive(Debug)]
pub struct GlobError(pub(super) ::ignore::Error);

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for GlobError {}

impl From<globset::Error> for GlobError {
    fn from(error: globset::Error) -> GlobError {
        let glob = error.glob().map(str::to_owned);
        GlobError(::ignore::Error::Glob { glob, err: error.kind().to_string() })
    }
}
