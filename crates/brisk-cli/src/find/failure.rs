//! What ends a search before it begins.

/// What a failure means for the exit code.
pub(crate) enum Failure {
    /// clap has an answer: help, the version or a refusal.
    Usage(clap::Error),
    /// A message, and the exit code.
    Message(String, u8),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Message(message, 1)
    }
}
