//! What a new file keeps of the file that it replaces, as if that had been overwritten: owners,
//! permissions and access list, unless the copy keeps those of its source.

use std::ffi::CStr;

use brisk_sys::copy::{self, Attribute};
use brisk_sys::{Ids, Links, permitting};

use super::preserve::is_access_list;
use super::work::{Item, Old, Work};
use crate::copy::settings::Modes;
use crate::{FileType, Meta};

/// The file that a copy of a regular file replaces, if it is one.
pub(super) fn replaced<'o>(work: &Work<'_>, old: &'o Old) -> Option<&'o Meta> {
    match old {
        Old::Over(old) if work.route.job.copy.replaces(old) => Some(&**old),
        _ => None,
    }
    .filter(|old| old.file_type() == Some(FileType::File))
}

/// The metadata that the new file gets. Puts the old file's access list among its attributes.
pub(super) fn as_replaced(
    work: &mut Work<'_>,
    place: &Item<'_>,
    old: &Meta,
    (source, attributes): (&Meta, &mut Vec<Attribute>),
) -> Meta {
    let preserve = work.route.job.copy.preserved(FileType::File);
    let ids = Ids::of(if preserve.ownership { source } else { old });
    if preserve.mode == Modes::Preserved {
        return permitting(source, source.mode().unwrap_or(0), ids);
    }
    work.requests += 1;
    let is_list = |name: &CStr| name == copy::ACCESS_LIST;
    let found = copy::attributes_at(place.base, place.name, Links::NoFollow, is_list);
    let (list, failed) = found.unwrap_or_default();
    attributes.retain(|it| !is_access_list(&it.0));
    attributes.extend(list);
    let mode = old.mode().unwrap_or(0) & 0o777;
    // The group's permissions may be only the mask of a list that cannot be read.
    let limit = if failed.is_empty() { !0 } else { 0o707 | (mode & 7) << 3 };
    permitting(source, mode & limit, ids)
}
