//! [`Change`]: what is to be changed, and how.

use brisk_sys::Ids;
use brisk_sys::mode::ModeChange;

use crate::{Fields, Walk};

/// What entries are to have.
#[derive(Clone, Debug)]
pub enum To {
    /// A mode, which may depend on the entry's present mode. A link has no mode: below the roots it
    /// is left alone, and a root that is a link and is not followed is an error.
    Mode(ModeChange),
    /// A user, a group, or both.
    Owners(Ids),
}

/// What is to be changed in the trees of a [`Walk`], to what, and how.
///
/// # Cost
/// Besides the walk's own calls, one statx for each entry; for the root of the file system one more
/// ([`preserve_root`](field@Change::preserve_root)). Then one call for each entry that differs:
/// fchmodat2 (before Linux 6.6 openat, fstat, chmod and close), or fchownat. With
/// [`from`](field@Change::from) the fchownat stands between an openat, a fstat and a close, so that
/// no other file can take the entry's place meanwhile, and each directory costs one statx more. No
/// allocation for each entry.
///
/// # Platforms
/// Linux. On other systems each entry is an error of the kind
/// [`Unsupported`](std::io::ErrorKind::Unsupported).
#[derive(Clone, Debug)]
pub struct Change {
    /// Where entries are changed. Its order and its mounts have no effect.
    pub walk: Walk,
    /// What entries are to have.
    pub to: To,
    /// Owners are changed only where an entry has these; by default everywhere.
    pub from: Ids,
    /// Changes the owners of what a link leads to, instead of the link's own. Off by default. Costs
    /// one statx more for each link.
    pub dereference: bool,
    /// Makes the call even for an entry that is already as requested, which updates its ctime. Off
    /// by default. Where owners are set without `from`, `dereference` or `exact`, the present owners
    /// are then not asked for ([`fields`](Change::fields)), and each entry counts as changed; instead,
    /// one reading of `/proc/self/mountinfo` and one realpath a root tell whether anything is
    /// mounted below.
    pub always: bool,
    /// Changes nothing, and reports what would be changed. Off by default.
    pub dry_run: bool,
    /// Tells the [`Observer`](super::Observer) what each entry had right before its change, and
    /// whether the system has kept setuid, setgid and sticky bits. Off by default. Costs one statx
    /// more for each directory whose owners are set, and for each mode with such bits.
    pub exact: bool,
    /// Finishes each root before the next is looked up, because the mode of one may decide whether
    /// the next can be reached. On by default.
    pub in_turn: bool,
    /// Refuses to change the root of the file system, whatever path leads to it, together with what
    /// is below it. A walk with a `max_depth` of 0 may change it. On by default.
    pub preserve_root: bool,
    /// Also changes file systems that are mounted below the roots. By default a mount point is an
    /// error of the kind [`CrossesDevices`](std::io::ErrorKind::CrossesDevices), and stays as it
    /// is.
    pub cross_mounts: bool,
}

impl Change {
    /// Changes what this walk visits, by the defaults.
    #[must_use]
    pub fn new(walk: Walk, to: To) -> Change {
        Change {
            walk,
            to,
            from: Ids::default(),
            dereference: false,
            always: false,
            dry_run: false,
            exact: false,
            in_turn: true,
            preserve_root: true,
            cross_mounts: false,
        }
    }

    /// The metadata that the change asks for of every entry: none if no decision depends on it. If
    /// anything is mounted below a root, every entry is asked about in any case, because a file may
    /// be a mount point.
    #[must_use]
    pub fn fields(&self) -> Fields {
        match self.to {
            To::Mode(_) => Fields::MODE,
            To::Owners(_) if self.always && !self.needs_owners() && !self.dereference => {
                Fields::empty()
            }
            To::Owners(_) => Fields::UID | Fields::GID,
        }
    }

    /// Whether a directory whose owners are to be set is asked about again when its turn comes,
    /// after everything below it. Otherwise the first answer decides.
    #[must_use]
    pub fn asks_again(&self) -> bool {
        self.needs_owners() || self.always && !self.fields().is_empty()
    }

    /// Whether it matters which owners an entry has right before its change.
    fn needs_owners(&self) -> bool {
        self.exact || self.from != Ids::default()
    }
}
