//! What a new file keeps of the file that it replaces, as if that had been overwritten: owners,
//! permissions and attributes, unless the copy keeps those of its source.

use std::ffi::CStr;
use std::io;

use brisk_sys::copy::{self, Attribute, Attributes};
use brisk_sys::{BorrowedHandle, Ids, Links, borrow_handle, permitting};

use super::job::ALL;
use super::preserve::{has_list, is_access_list, is_copied};
use super::work::{Item, Old, Work};
use crate::copy::report::Step;
use crate::copy::settings::{Demand, Modes, Preserve};
use crate::{FileType, Meta};

/// The file that a copy of a regular file replaces, if it is one.
pub(super) fn replaced<'o>(work: &Work<'_>, old: &'o Old) -> Option<&'o Meta> {
    match old {
        Old::Over(old) if work.route.job.copy.replaces(old) => Some(&**old),
        _ => None,
    }
    .filter(|old| old.file_type() == Some(FileType::File))
}

/// The metadata that the new file gets. Puts what it keeps of the old one among its attributes.
pub(super) fn as_replaced(
    work: &mut Work<'_>,
    place: &Item<'_>,
    old: &Meta,
    (source, attributes): (&Meta, &mut Vec<Attribute>),
) -> Meta {
    let job = work.route.job;
    let preserve = job.copy.preserved(FileType::File);
    let limit = keep_attributes(work, place, preserve, attributes);
    let ids = Ids::of(if preserve.ownership { source } else { old });
    let mode = old.mode().unwrap_or(0);
    let mode = match preserve.mode {
        Modes::Preserved => source.mode().unwrap_or(0),
        _ if job.may_give_away && !preserve.ownership => mode,
        // The system takes the setuid bit from a file that gets another owner, or that another user
        // than root writes to; the setgid bit, if the group may execute it.
        _ => mode & (0o1777 | if mode & 0o010 == 0 { 0o2000 } else { 0 }),
    };
    permitting(source, mode & limit, ids)
}

/// Puts what the new file keeps of the old one among its attributes. Returns the permissions that it
/// may have: if the old one's access list cannot be read, only the owner's.
fn keep_attributes(
    work: &mut Work<'_>,
    place: &Item<'_>,
    preserve: Preserve,
    attributes: &mut Vec<Attribute>,
) -> u32 {
    let keeps_list = preserve.mode != Modes::Preserved;
    if !(keeps_list || preserve.xattr == Demand::No || preserve.context == Demand::No) {
        return !0;
    }
    work.requests += 1;
    let (kept, failed) = kept(place, preserve);
    attributes.retain(|it| !(keeps_list && is_access_list(&it.0)));
    attributes.extend(kept);
    let mut limit = !0;
    for (name, error) in failed {
        let is_list = is_access_list(&name);
        if error.kind() != io::ErrorKind::Unsupported {
            limit &= if is_list { !0o077 } else { !0 };
            work.note(if is_list { Step::Mode } else { Step::Attributes }, Err(error));
        }
    }
    limit
}

/// The attributes of the old file that the new one keeps.
fn kept(place: &Item<'_>, preserve: Preserve) -> Attributes {
    let keeps = |name: &CStr| match name.to_bytes() {
        b"security.selinux" => preserve.context == Demand::No,
        // The system removes it from a file that is written to.
        b"security.capability" => false,
        _ if is_access_list(name) => preserve.mode != Modes::Preserved,
        _ => preserve.xattr == Demand::No && is_copied(name),
    };
    let found = copy::attributes_at(place.base, place.name, Links::NoFollow, keeps);
    let found = found.unwrap_or_default();
    if found.1.is_empty() {
        return found;
    }
    // Perhaps /proc is not mounted.
    let opened = copy::open_source(place.base, place.name, Links::NoFollow).ok();
    opened.map_or(found, |old| copy::attributes(borrow_handle(&old), keeps).unwrap_or_default())
}

/// What a new file that did not get its owners may permit, if it keeps the old mode. If its group is
/// neither the old one nor the one wanted, those of the old group are others now, and others may be
/// in the new group: each may do what both could. Of a list, only its owner's part is kept.
pub(super) fn limit_of_group(
    work: &Work<'_>,
    file: BorrowedHandle<'_>,
    (own, to, attributes): (&Meta, Ids, &[Attribute]),
    old: &Meta,
) -> u32 {
    let keeps_mode = work.route.job.copy.preserved(FileType::File).mode != Modes::Preserved;
    let now = copy::stat_open(file, ALL).ok().and_then(|now| now.gid());
    let mode = own.mode().unwrap_or(0);
    let both = if has_list(attributes) { 0 } else { mode & mode >> 3 & 7 };
    match keeps_mode && ![old.gid(), to.group].contains(&now) {
        true => 0o7700 | both << 3 | both,
        false => !0,
    }
}
