//! The plan: which metadata requests an entry costs. The only place that decides on a stat.
//!
//! A pure function of what is wanted, of the entry's type, and of what is known already.

use brisk_sys::{Fields, FileType, Links, Sync};

/// What must still be asked of the system about one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// One statx with this mask, or none.
    pub stat: Option<Fields>,
    /// One readlinkat.
    pub read_link: bool,
}

/// The part of a walk's settings that decides about requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Links below the roots are followed.
    pub follow: bool,
    /// A link given as a root is followed.
    pub follow_roots: bool,
    /// Directories on another device than their root's are not entered.
    pub one_file_system: bool,
    /// Each file is handed on once.
    pub unique: bool,
    pub sync: Sync,
    /// What the visitor is likely to ask for: taken along by a stat that is needed anyway.
    pub likely: Fields,
}

impl Plan {
    /// Whether a link at this depth is followed.
    pub fn links(&self, depth: u32) -> Links {
        if self.follow || (depth == 0 && self.follow_roots) {
            Links::Follow
        } else {
            Links::NoFollow
        }
    }

    /// Whether the type that the directory gave does not do: it is unknown, or that of a link which
    /// the walk follows. The answer is the mask to ask with.
    #[inline]
    pub fn type_request(&self, given: FileType, links: Links) -> Option<Fields> {
        match (given, links) {
            (FileType::Symlink, Links::Follow) => {
                // The target's inode is what a loop is recognised by.
                Some(self.likely | Fields::TYPE | Fields::INO | self.every(FileType::Directory))
            }
            (FileType::Unknown, _) => {
                Some(self.likely | Fields::TYPE | Fields::INO | self.every(FileType::Directory))
            }
            _ => None,
        }
    }

    /// Whether the walk itself needs to know anything of any entry.
    #[inline]
    pub fn asks_for_itself(&self) -> bool {
        self.one_file_system || self.unique
    }

    /// What the walk itself needs to know of an entry of this type.
    #[inline]
    pub fn every(&self, file_type: FileType) -> Fields {
        let mut fields = Fields::empty();
        if self.one_file_system && file_type == FileType::Directory {
            fields |= Fields::DEV;
        }
        if self.unique {
            fields |= Fields::DEV | Fields::INO | Fields::NLINK;
        }
        fields
    }

    /// What must be asked, given the fields wanted and those that are filled.
    #[inline]
    pub fn request(&self, wanted: Fields, file_type: FileType, filled: Fields) -> Request {
        let mut missing = (wanted | self.every(file_type)) - filled;
        if file_type != FileType::Unknown {
            missing -= Fields::TYPE;
        }
        let read_link = missing.contains(Fields::LINK_TARGET) && file_type == FileType::Symlink;
        missing &= Fields::STATX | Fields::DEV;
        Request { stat: (!missing.is_empty()).then_some(missing), read_link }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan {
        follow: false,
        follow_roots: true,
        one_file_system: false,
        unique: false,
        sync: Sync::AsStat,
        likely: Fields::empty(),
    };

    #[test]
    fn requests_by_wish_type_and_knowledge() {
        let none = Fields::empty();
        let xdev = Plan { one_file_system: true, ..PLAN };
        let unique = Plan { unique: true, ..PLAN };
        let identity = Fields::DEV | Fields::INO | Fields::NLINK;
        use FileType::{Directory, File, Symlink, Unknown};
        // (plan, wanted, type, filled) → (stat, readlink)
        let table = [
            (PLAN, none, File, none, None, false),
            (PLAN, Fields::TYPE, File, none, None, false),
            (PLAN, Fields::TYPE, Unknown, none, Some(Fields::TYPE), false),
            (PLAN, Fields::SIZE, File, none, Some(Fields::SIZE), false),
            (PLAN, Fields::SIZE | Fields::TYPE, File, none, Some(Fields::SIZE), false),
            (PLAN, Fields::SIZE, File, Fields::SIZE, None, false),
            (PLAN, Fields::LINK_TARGET, File, none, None, false),
            (PLAN, Fields::LINK_TARGET, Symlink, none, None, true),
            (PLAN, Fields::LINK_TARGET | Fields::MODE, Symlink, none, Some(Fields::MODE), true),
            (xdev, none, File, none, None, false),
            (xdev, none, Directory, none, Some(Fields::DEV), false),
            (xdev, none, Directory, Fields::DEV, None, false),
            (unique, none, File, none, Some(identity), false),
        ];
        for (plan, wanted, file_type, filled, stat, read_link) in table {
            let expected = Request { stat, read_link };
            assert_eq!(
                plan.request(wanted, file_type, filled),
                expected,
                "{wanted:?} {file_type:?}"
            );
        }
    }

    #[test]
    fn types_are_asked_for_only_when_the_directory_did_not_say() {
        assert_eq!(PLAN.type_request(FileType::File, Links::NoFollow), None);
        assert_eq!(PLAN.type_request(FileType::Symlink, Links::NoFollow), None);
        let mask = Some(Fields::TYPE | Fields::INO);
        assert_eq!(PLAN.type_request(FileType::Unknown, Links::NoFollow), mask);
        assert_eq!(PLAN.type_request(FileType::Symlink, Links::Follow), mask);
        let likely = Plan { likely: Fields::SIZE, ..PLAN };
        let mask = Some(Fields::TYPE | Fields::INO | Fields::SIZE);
        assert_eq!(likely.type_request(FileType::Unknown, Links::NoFollow), mask);
    }

    #[test]
    fn links_are_followed_at_the_depths_asked_for() {
        assert_eq!(PLAN.links(0), Links::Follow);
        assert_eq!(PLAN.links(1), Links::NoFollow);
        assert_eq!(Plan { follow: true, ..PLAN }.links(7), Links::Follow);
        assert_eq!(Plan { follow_roots: false, ..PLAN }.links(0), Links::NoFollow);
    }
}
