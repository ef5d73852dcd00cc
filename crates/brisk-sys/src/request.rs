//! How a directory or file is asked about.

/// Which implementation reads the file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The platform's own calls. Where brisk has none, this is the same as `Portable`.
    #[default]
    Native,
    /// `std::fs` alone: slower, and the same on every platform. Tests compare `Native` with it.
    Portable,
}

/// Whether a symbolic link in the last component is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Yes: the call is about the link's target.
    Follow,
    /// No: the call is about the link itself.
    NoFollow,
}

impl Links {
    /// Whether they are followed, as a condition says.
    #[must_use]
    #[inline]
    pub const fn followed(are: bool) -> Links {
        if are { Links::Follow } else { Links::NoFollow }
    }
}

/// How fresh metadata must be on a network file system. Only Linux makes a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// As fresh as stat(2) returns it.
    #[default]
    AsStat,
    /// What the client has cached, which may be stale (`AT_STATX_DONT_SYNC`).
    Cached,
}
