//! What access control lists permit, from the bytes of their extended attributes.

/// The tags of the entries that name no user and no group.
const USER: u8 = 0x01;
const GROUP: u8 = 0x04;
const MASK: u8 = 0x10;
const OTHER: u8 = 0x20;

/// The permissions of the first entry with this tag.
fn rights_of(list: &[u8], tag: u8) -> Option<u32> {
    // A header of 4 bytes, then entries: a tag and permissions of 2 bytes each, an id of 4.
    let mut entries = list.get(4..)?.chunks_exact(8);
    entries.find(|entry| entry[..2] == [tag, 0]).map(|entry| u32::from(entry[2] & 7))
}

/// The mode that a list stands for; `None` if the list is none.
pub(super) fn limit(list: &[u8]) -> Option<u32> {
    // The mask, if there is one, is in the place of the group's permissions.
    let [user, group, mask, other] = [USER, GROUP, MASK, OTHER].map(|tag| rights_of(list, tag));
    Some(user? << 6 | mask.or(group)? << 3 | other?)
}

/// What a file may permit without this access list: its group has no more than the list allows it.
/// In the mode, the list's mask is in the place of the group's permissions.
#[must_use]
pub fn permissions_without(list: &[u8]) -> u32 {
    0o7707 | rights_of(list, GROUP).unwrap_or(0) << 3
}

/// Whether an access list says no more than a mode.
#[must_use]
pub fn is_mode(list: &[u8]) -> bool {
    rights_of(list, MASK).is_none()
}
