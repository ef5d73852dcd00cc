//! [`StreamEnds`]: what a wait has found out about the standard descriptors.

/// What [`wait`](crate::waiting::wait) has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamEnds {
    /// The reader of standard output has gone, or the terminal has.
    pub output_closed: bool,
    /// Standard input has ended.
    pub input_ended: bool,
}
