//! How a directory or file is asked about.

/// Which implementation reads the file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The platform's own calls.
    #[default]
    Native,
    /// `std::fs` alone: slower, the same everywhere, the oracle of the other.
    Portable,
}

/// Whether a symbolic link in the last component is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The link's target is meant.
    Follow,
    /// The link itself is meant.
    NoFollow,
}

/// How fresh metadata must be on a network file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// As fresh as stat's.
    #[default]
    AsStat,
    /// What the client has is good enough, and may be stale (`AT_STATX_DONT_SYNC`).
    Cached,
}
