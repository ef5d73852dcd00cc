//! Which extended attributes copies keep, what has failed if one cannot be read or set, and with
//! which permissions a directory is made.

use std::ffi::{CStr, CString};
use std::io;

use brisk_sys::copy::{self, Attribute};
use brisk_sys::{BorrowedHandle, Ids};

use super::job::Denied;
use crate::Meta;
use crate::copy::report::Step;
use crate::copy::settings::{Demand, Modes, Preserve};

impl Preserve {
    /// Whether the modes of new files are the sources'.
    pub(in crate::copy) fn keeps_mode(&self) -> bool {
        matches!(self.mode, Modes::Preserved | Modes::PreservedInNew)
    }

    /// Whether sources are asked for their extended attributes.
    pub(in crate::copy) fn lists_attributes(&self) -> bool {
        self.keeps_mode() || self.xattr != Demand::No || self.context != Demand::No
    }

    /// Whether an extended attribute of a source is copied.
    pub(in crate::copy) fn wants_attribute(&self, name: &CStr) -> bool {
        match name.to_bytes() {
            b"security.selinux" => self.context != Demand::No,
            _ if is_access_list(name) => self.keeps_mode(),
            _ => self.xattr != Demand::No && !is_own_of_system(name),
        }
    }

    /// Whether what is made in a new directory inherits access lists. If modes are kept, the lists
    /// that the directory has inherited are removed first. They may deny this user the directory:
    /// it gets the mode that it would have without them, or its owner's part of that mode.
    pub(in crate::copy) fn still_inherits(&self, made: BorrowedHandle<'_>, mode: u32) -> bool {
        let remove = |name| copy::remove_attribute(made, name).is_err();
        if !copy::may_have_attribute(made, copy::DEFAULT_LIST) {
            return false;
        }
        let inherits = !self.keeps_mode() || remove(copy::DEFAULT_LIST) | remove(copy::ACCESS_LIST);
        let mode = if inherits { mode & 0o2700 } else { mode };
        copy::set_mode(made, mode).is_err() || inherits
    }

    /// What was read of a source's attributes. If their names could not be, there may be access
    /// lists.
    pub(in crate::copy) fn found(&self, found: io::Result<copy::Attributes>) -> AttributesRead {
        let (found, failed) = found.unwrap_or_else(|error| {
            let name = if self.keeps_mode() { copy::ACCESS_LIST } else { c"" };
            (Vec::new(), vec![(name.into(), error)])
        });
        let failed = failed.into_iter();
        let denied =
            |(name, error): (CString, _)| Some((self.step_of(&name, &error)?, Some(error)));
        (found, failed.filter_map(denied).collect())
    }

    /// What has failed if an attribute could not be read or set; `None`: nothing.
    pub(in crate::copy) fn step_of(&self, name: &CStr, error: &io::Error) -> Option<Step> {
        match name.to_bytes() {
            // A file system without access lists: the mode is all there is.
            _ if is_access_list(name) && error.kind() == io::ErrorKind::Unsupported => None,
            _ if is_access_list(name) => Some(Step::Mode),
            b"security.selinux" if self.context != Demand::Required => None,
            _ if self.xattr != Demand::Required => None,
            _ => Some(Step::Attributes),
        }
    }
}

/// The attributes of a source that were read, and what failed.
pub(super) type AttributesRead = (Vec<Attribute>, Vec<Denied>);

/// Whether an access list is among them.
pub(super) fn has_list(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|it| *it.0 == *copy::ACCESS_LIST)
}

pub(super) fn is_access_list(name: &CStr) -> bool {
    name.to_bytes().starts_with(b"system.posix_acl_")
}

/// Whether the system alone has a use for this attribute. XFS shows root its access lists under
/// other names, too: what another file system keeps of them would be in force again on XFS.
fn is_own_of_system(name: &CStr) -> bool {
    name.to_bytes().starts_with(b"trusted.SGI_") || name == c"security.evm"
}

/// Whether a copy could have set this attribute. The system sets others.
pub(super) fn is_copied(name: &CStr) -> bool {
    let prefixes = ["user.", "trusted.", "system.posix_acl_", "security.capability"];
    let is_one = prefixes.iter().any(|prefix| name.to_bytes().starts_with(prefix.as_bytes()));
    is_one && !is_own_of_system(name)
}

/// The permissions with which a directory is made: this user's to fill it, and no more than it will
/// have. Others may write to it only when it is left, and enter it only if it stays its owner's and
/// gets no access list.
pub(super) fn dir_mode_to_make(
    source: &Meta,
    attributes: &[Attribute],
    owners: Option<Ids>,
) -> u32 {
    let stays = owners == Some(Ids::of(source)) && !has_list(attributes);
    let others = if stays { 0o1755 } else { 0o1700 };
    source.mode().unwrap_or(0o777) & others | 0o700
}
