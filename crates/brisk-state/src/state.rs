//! [`State`]: the file.

use std::fmt;
use std::io;
use std::path::Path;

/// A state, loaded.
#[derive(Debug)]
pub struct State(());

/// Why there is no state to compare with.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unusable {
    /// There is no such file: this is the first run.
    Missing,
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is no state.
    Foreign,
    /// Another version of brisk wrote it.
    Version(u32),
    /// It is shorter than it says, or a checksum is wrong.
    Torn,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Missing => f.write_str("there is no state yet"),
            Unusable::Unreadable(error) => write!(f, "the state cannot be read: {error}"),
            Unusable::Foreign => f.write_str("the file is no state of brisk"),
            Unusable::Version(version) => {
                write!(f, "the state is of version {version}, which this brisk does not read")
            }
            Unusable::Torn => f.write_str("the state is damaged"),
        }
    }
}

impl std::error::Error for Unusable {}

impl State {
    /// Loads a state.
    ///
    /// # Errors
    /// There is none, or the file is unusable; what follows is a full scan.
    pub fn load(_file: &Path) -> Result<State, Unusable> {
        Err(Unusable::Missing)
    }
}
