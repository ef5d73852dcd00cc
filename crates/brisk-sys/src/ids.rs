//! Numbers of owners.

/// A user and a group, each by its number; `None` stands for any, or for the one there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// The user.
    pub user: Option<u32>,
    /// The group.
    pub group: Option<u32>,
}

impl Ids {
    /// Whether a file of these owners has those that are named here.
    #[must_use]
    pub fn allow(self, owners: Ids) -> bool {
        let is = |wanted: Option<u32>, id| wanted.is_none() || wanted == id;
        is(self.user, owners.user) && is(self.group, owners.group)
    }
}
