//! Numbers of owners.

/// A user and a group, each by its number; `None` stands for any, or for the one there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// The user.
    pub user: Option<u32>,
    /// The group.
    pub group: Option<u32>,
}
