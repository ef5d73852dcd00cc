//! What ends a search before it begins.

use crate::front::Refusal;

/// What a failure means for the exit code.
pub(crate) enum Failure {
    /// A command line that is refused.
    Usage(Refusal),
    /// What an option or an operand says cannot be used, and why. The exit code is 2; as fd, 1.
    Unusable(String),
    /// A message, and the exit code.
    Message(String, u8),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Unusable(message)
    }
}
