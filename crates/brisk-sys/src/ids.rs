//! Numbers of owners.

use crate::Meta;

/// A user and a group, each by its number; `None` stands for any, or for the one there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// The user.
    pub user: Option<u32>,
    /// The group.
    pub group: Option<u32>,
}

impl Ids {
    /// The owners in a file's metadata, as far as they were asked for.
    #[must_use]
    pub fn of(meta: &Meta) -> Ids {
        Ids { user: meta.uid(), group: meta.gid() }
    }

    /// Whether `owners` has the user and the group that are named here.
    #[must_use]
    pub fn allow(self, owners: Ids) -> bool {
        let is = |wanted: Option<u32>, id| wanted.is_none() || wanted == id;
        is(self.user, owners.user) && is(self.group, owners.group)
    }
}

/// Metadata with other permissions and owners.
#[must_use]
pub fn permitting(meta: &Meta, mode: u32, to: Ids) -> Meta {
    let [uid, gid] = [(to.user, meta.uid), (to.group, meta.gid)].map(|it| it.0.unwrap_or(it.1));
    Meta { mode, uid, gid, ..meta.clone() }
}
