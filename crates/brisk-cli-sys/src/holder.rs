//! [`Holder`]: who uses a file.

/// A process that uses a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The process's number.
    pub process: u32,
    /// The program's name, as the system shows it.
    pub name: String,
}
