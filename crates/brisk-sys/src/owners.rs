//! Whose entries may be removed from a directory.

use std::io;

use crate::{Meta, Pins};

/// The user id that Linux reports for an owner who has no id in this user namespace: the default of
/// `/proc/sys/kernel/overflowuid`.
const UNKNOWN: u32 = 65_534;

/// Whose entries may be removed from a directory. Only Linux answers anything but `All`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owners {
    /// Entries of every owner.
    All,
    /// Entries of every owner who has an id in this user namespace. The directory has the sticky
    /// bit, but this process has the capability to disregard the bit.
    Known,
    /// Entries of the user with this id alone: the directory has the sticky bit.
    Only(u32),
}

impl Owners {
    /// The error that removing an entry with this metadata would return. The owner
    /// ([`Fields::UID`](crate::Fields::UID)) and the [`Pins`] decide. `None` if nothing is known
    /// that prevents the removal. On other systems than Linux that is always so: metadata has no
    /// pins there, and [`Dir::removable`](crate::Dir::removable) answers `All`. Makes no system
    /// call.
    #[must_use]
    pub fn refusal(self, meta: &Meta) -> Option<io::Error> {
        // The numbers of Linux's errors. Other systems never come to use them: see above.
        const EPERM: i32 = 1;
        const EBUSY: i32 = 16;
        let may = meta.uid().is_none_or(|owner| match self {
            Owners::All => true,
            Owners::Known => owner != UNKNOWN,
            Owners::Only(user) => owner == user,
        });
        let pins = meta.pins();
        let number = if !may || pins.intersects(Pins::IMMUTABLE | Pins::APPEND_ONLY) {
            EPERM
        } else if pins.contains(Pins::MOUNT_POINT) {
            EBUSY
        } else {
            return None;
        };
        Some(io::Error::from_raw_os_error(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    #[test]
    fn owners_pins_and_mounts_refuse() {
        let meta = |uid, pins| Meta { filled: Fields::UID, uid, pins, ..Meta::default() };
        let none = Pins::empty();
        let mount = Pins::MOUNT_POINT;
        for (owners, uid, pins, number) in [
            (Owners::All, 7, none, None),
            (Owners::All, 7, Pins::IMMUTABLE, Some(1)),
            (Owners::All, 7, Pins::APPEND_ONLY | mount, Some(1)),
            (Owners::All, 7, mount, Some(16)),
            (Owners::Only(7), 7, none, None),
            (Owners::Only(8), 7, none, Some(1)),
            (Owners::Known, 7, none, None),
            (Owners::Known, UNKNOWN, none, Some(1)),
        ] {
            let refusal = owners.refusal(&meta(uid, pins));
            assert_eq!(
                refusal.and_then(|error| error.raw_os_error()),
                number,
                "{owners:?} {pins:?}"
            );
        }
        assert!(
            Owners::Only(8).refusal(&Meta::default()).is_none(),
            "an unknown owner promises nothing"
        );
    }
}
