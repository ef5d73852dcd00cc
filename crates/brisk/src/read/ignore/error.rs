//! [`GlobError`]: the error of a glob.

use std::fmt;

/// What is not a valid glob.
#[derive(Debug)]
pub struct GlobError {
    glob: Option<String>,
    kind: globset::ErrorKind,
}

impl GlobError {
    pub(crate) fn new(glob: Option<&str>, kind: &globset::ErrorKind) -> GlobError {
        GlobError { glob: glob.map(str::to_owned), kind: kind.clone() }
    }

    /// The error of the line that the glob was made of.
    pub(super) fn of(self, line: &str) -> GlobError {
        GlobError { glob: Some(line.to_owned()), ..self }
    }
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.glob {
            Some(glob) => write!(f, "error parsing glob '{glob}': {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl std::error::Error for GlobError {}

impl From<globset::Error> for GlobError {
    fn from(error: globset::Error) -> GlobError {
        GlobError::new(error.glob(), error.kind())
    }
}
