//! Takes back the directories that a killed run has left: each is reset to the state of a new one,
//! so that neither another user nor the options of that run affect the copy.

use std::ffi::CStr;
use std::io;

use brisk_sys::{Dir, Ids, Links, base_of, copy, handle_of};

use super::job::{ALL, Route, open_made};
use super::preserve::is_copied;

/// Opens a directory that a killed run has left in this one, and takes it back.
pub(super) fn open_left(route: &Route<'_>, above: &Dir, name: &CStr) -> io::Result<Dir> {
    let dir = open_made(route, above, name, 0o700)?;
    take_back(above, &dir)?;
    Ok(dir)
}

/// Gives a directory the owners, access lists and setgid bit of a new one in `above`, and no other
/// attributes. Only this user may enter it. What cannot be set now is set or reported when the
/// directory is complete; only owners must be set now: those of new entries depend on them.
pub(super) fn take_back(above: &Dir, left: &Dir) -> io::Result<()> {
    let Some(dir) = handle_of(left) else { return Ok(()) };
    let there = above.stat_self(ALL)?;
    let setgid = there.mode().unwrap_or(0) & 0o2000;
    let group = if setgid == 0 { Some(copy::effective_group()) } else { there.gid() };
    let own = Ids { user: Some(copy::effective_user()), group };
    if Ids::of(&left.stat_self(ALL)?) != own {
        copy::set_owners(dir, own)?;
    }
    // Without an access list, its mask would be the group's permissions.
    let _ = copy::set_mode(dir, 0o700 | setgid);
    for (name, _) in copy::attributes(dir, is_copied).unwrap_or_default().0 {
        let _ = copy::remove_attribute(dir, &name);
    }
    let is_default = |name: &CStr| name == copy::DEFAULT_LIST;
    let lists = copy::attributes_at(base_of(above)?, c".", Links::Follow, is_default);
    for (_, list) in lists.unwrap_or_default().0 {
        for name in [copy::DEFAULT_LIST, copy::ACCESS_LIST] {
            let _ = copy::set_attribute(dir, &(name.into(), list.clone()));
        }
    }
    let _ = copy::set_mode(dir, 0o700 | setgid);
    Ok(())
}
