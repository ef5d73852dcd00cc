//! [`Notice`]: an event of a directory.

/// What an event says of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice<'a> {
    /// The entry with this name has come, gone, or been replaced.
    Name(&'a [u8]),
    /// The contents or the metadata of the entry with this name may have changed.
    Inside(&'a [u8]),
    /// The directory itself was moved, removed or unmounted, or its metadata changed.
    Itself,
    /// The watch has ended: the directory is gone.
    Ended,
}
