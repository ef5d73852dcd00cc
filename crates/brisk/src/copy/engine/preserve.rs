//! Which extended attributes copies keep, which step has failed if one cannot be read or set, and
//! the mode with which a directory is made.

use std::ffi::CStr;

use brisk_sys::copy::{self, Attribute};
use brisk_sys::{BorrowedHandle, Ids};

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

    /// Whether entries of a new directory inherit access lists. If modes are kept, first removes
    /// the lists that the directory has inherited. They may lock this user out, so the directory
    /// gets the mode that it would have without them; if they stay, the owner's part of that mode.
    pub(in crate::copy) fn still_inherits(&self, made: BorrowedHandle<'_>, mode: u32) -> bool {
        let remove = |name| copy::remove_attribute(made, name).is_err();
        if !copy::may_have_attribute(made, copy::DEFAULT_LIST) {
            return false;
        }
        let inherits = !self.keeps_mode() || remove(copy::DEFAULT_LIST) | remove(copy::ACCESS_LIST);
        let mode = if inherits { mode & 0o2700 } else { mode };
        copy::set_mode(made, mode).is_err() || inherits
    }

    /// The step that failed if an attribute could not be read or set; `None` if that is no failure.
    pub(in crate::copy) fn step_of(&self, name: &CStr) -> Option<Step> {
        match name.to_bytes() {
            _ if is_access_list(name) => Some(Step::Mode),
            b"security.selinux" if self.context != Demand::Required => None,
            _ if self.xattr != Demand::Required => None,
            _ => Some(Step::Attributes),
        }
    }
}

/// Whether an access list is among them.
pub(super) fn has_list(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|it| *it.0 == *copy::ACCESS_LIST)
}

pub(super) fn is_access_list(name: &CStr) -> bool {
    name.to_bytes().starts_with(b"system.posix_acl_")
}

/// Whether the system alone has a use for this attribute. XFS also shows its access lists to root
/// under these names: if another file system kept them, they would be in force again on XFS.
fn is_own_of_system(name: &CStr) -> bool {
    name.to_bytes().starts_with(b"trusted.SGI_") || name == c"security.evm"
}

/// Whether a copy could have set this attribute. The others are set by the system.
pub(super) fn is_copied(name: &CStr) -> bool {
    let prefixes = ["user.", "trusted.", "system.posix_acl_", "security.capability"];
    let is_one = prefixes.iter().any(|prefix| name.to_bytes().starts_with(prefix.as_bytes()));
    is_one && !is_own_of_system(name)
}

/// The mode with which a directory is made: its owner may fill it, others may do at most what the
/// final mode allows. They may write only once it is complete, and enter before only if it keeps
/// its owner and gets no access list.
pub(super) fn dir_mode_to_make(
    source: &Meta,
    attributes: &[Attribute],
    owners: Option<Ids>,
) -> u32 {
    let stays = owners == Some(Ids::of(source)) && !has_list(attributes);
    let others = if stays { 0o1755 } else { 0o1700 };
    source.mode().unwrap_or(0o777) & others | 0o700
}
