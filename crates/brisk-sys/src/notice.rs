//! [`Notice`]: an event of a directory. [`Reach`]: of which entries events come.

/// What an event says of a watch. Where watches are [recursive](super::events::Events::IS_RECURSIVE),
/// a name may be a path below the directory, with slashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice<'a> {
    /// The entry with this name has come, gone, or been replaced.
    Name(&'a [u8]),
    /// The contents or the metadata of the entry with this name may have changed.
    Inside(&'a [u8]),
    /// The directory itself was moved, removed or unmounted, or its metadata changed.
    Itself,
    /// The watch has ended: the directory is gone, or the system sends no more of its events.
    Ended,
}

/// Of which entries events come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of the directory.
    Entries,
    /// Where watches are recursive, of all that is below it; elsewhere as `Entries`.
    Tree,
}
