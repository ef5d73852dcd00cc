//! The plan: which metadata requests an entry costs. Only two other places stat entries: the search
//! for loops, and rules that look for a marker in a directory.
//!
//! A pure function of what is wanted, of the entry's type, and of what is known already.

use brisk_sys::{Fields, FileType, Freshness, Links, STATX};

/// What must still be asked of the system about one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// One statx with this mask, or none.
    pub stat: Option<Fields>,
    /// One statx that follows the link.
    pub target: bool,
    /// One readlinkat.
    pub read_link: bool,
    /// The fields that come from extended attributes.
    pub xattr: Fields,
}

impl Request {
    /// Whether anything beyond one statx is asked.
    #[inline]
    pub fn needs_more_than_stat(&self) -> bool {
        self.target || self.read_link || !self.xattr.is_empty()
    }
}

/// One request for extended attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum XattrCall {
    /// The names of all attributes, which show at once whether there are access lists, contexts and
    /// capabilities, but not a context's text.
    List,
    /// Whether there is a capability.
    Capability,
    /// The context's text.
    Context,
}

impl XattrCall {
    /// The call that answers most of what is wanted, if anything is wanted.
    pub fn first(wanted: Fields) -> Option<XattrCall> {
        let two = Fields::CAPS.union(Fields::CONTEXT);
        if wanted.contains(Fields::ACCESS) || wanted.contains(two) {
            // Most files have none of them: one call says so.
            Some(XattrCall::List)
        } else if wanted.contains(Fields::CAPS) {
            Some(XattrCall::Capability)
        } else if wanted.contains(Fields::CONTEXT) {
            Some(XattrCall::Context)
        } else {
            None
        }
    }

    /// The fields that its answer settles.
    pub fn answers(self) -> Fields {
        match self {
            XattrCall::List => Fields::ACCESS.union(Fields::CAPS),
            XattrCall::Capability => Fields::CAPS,
            XattrCall::Context => Fields::CONTEXT,
        }
    }
}

/// The part of a walk's settings that decides about requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestPlan {
    /// Links below the roots are followed.
    pub follow: bool,
    /// A link given as a root is followed.
    pub follow_roots: bool,
    /// Directories on another device than their root's are not entered.
    pub one_device: bool,
    /// Mount points below the roots are not opened.
    pub one_mount: bool,
    /// Each file is delivered once.
    pub unique: bool,
    pub freshness: Freshness,
    /// What the visitor is likely to ask for: taken along by a stat that is needed anyway.
    pub likely: Fields,
}

impl RequestPlan {
    /// Whether a link at this depth is followed.
    pub fn follow_at(&self, depth: u32) -> Links {
        Links::followed(self.follow || (depth == 0 && self.follow_roots))
    }

    /// Whether the listed type is not enough: it is unknown, or that of a link which the walk
    /// follows. The answer is the mask to ask with.
    #[inline]
    pub fn type_request(&self, given: FileType, follow: Links) -> Option<Fields> {
        match (given, follow) {
            (FileType::Symlink, Links::Follow) | (FileType::Unknown, _) => {
                let mask = self.likely | Fields::TYPE | self.walk_fields(FileType::Directory);
                // The target's inode is what a loop is recognised by.
                Some(if self.follow { mask | Fields::INO } else { mask })
            }
            _ => None,
        }
    }

    /// Whether the walk itself needs to know anything of any entry.
    #[inline]
    pub fn needs_walk_fields(&self) -> bool {
        self.one_device || self.unique
    }

    /// Whether most entries will probably cost a statx.
    pub fn will_request(&self) -> bool {
        !self.likely.is_empty() || self.needs_walk_fields()
    }

    /// What the walk itself needs to know of an entry of this type.
    #[inline]
    pub fn walk_fields(&self, file_type: FileType) -> Fields {
        let mut fields = Fields::empty();
        if self.one_device && file_type == FileType::Directory {
            fields |= Fields::DEV;
        }
        if self.unique {
            fields |= Fields::DEV | Fields::INO | Fields::NLINK;
        }
        fields
    }

    /// What must be asked, given the fields wanted and those that are filled. What the system
    /// cannot report is not asked for.
    #[inline]
    pub fn request(&self, wanted: Fields, file_type: FileType, filled: Fields) -> Request {
        let mut missing = (wanted | self.walk_fields(file_type)) - filled;
        if file_type != FileType::Unknown {
            missing -= Fields::TYPE;
        }
        let is_link = file_type == FileType::Symlink;
        let mut xattr = missing & Fields::XATTR;
        if file_type != FileType::File {
            // Nothing else can be executed.
            xattr -= Fields::CAPS;
        }
        let stat = missing & STATX;
        Request {
            stat: (!stat.is_empty()).then_some(stat),
            target: is_link && missing.contains(Fields::TARGET),
            read_link: is_link && missing.contains(Fields::LINK_TARGET),
            xattr,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: RequestPlan = RequestPlan {
        follow: false,
        follow_roots: true,
        one_device: false,
        one_mount: false,
        unique: false,
        freshness: Freshness::AsStat,
        likely: Fields::empty(),
    };

    #[test]
    #[rustfmt::skip]
    fn requests_by_wish_type_and_knowledge() {
        let none = Fields::empty();
        let xdev = RequestPlan { one_device: true, ..PLAN };
        let unique = RequestPlan { unique: true, ..PLAN };
        let identity = Fields::DEV | Fields::INO | Fields::NLINK;
        use FileType::{Directory, File, Symlink, Unknown};
        let nothing = Request { stat: None, target: false, read_link: false, xattr: none };
        let stat = |fields| Request { stat: Some(fields), ..nothing };
        let text = Request { read_link: true, ..nothing };
        let target = Request { target: true, ..nothing };
        let xattr = |xattr| Request { xattr, ..nothing };
        let caps = Fields::CAPS;
        let access = Fields::ACCESS;
        // (plan, wanted, type, filled) → request
        let table = [
            (PLAN, none, File, none, nothing),
            (PLAN, Fields::TYPE, File, none, nothing),
            (PLAN, Fields::TYPE, Unknown, none, stat(Fields::TYPE)),
            (PLAN, Fields::SIZE, File, none, stat(Fields::SIZE)),
            (PLAN, Fields::SIZE | Fields::TYPE, File, none, stat(Fields::SIZE)),
            (PLAN, Fields::SIZE, File, Fields::SIZE, nothing),
            (PLAN, Fields::LINK_TARGET, File, none, nothing),
            (PLAN, Fields::LINK_TARGET, Symlink, none, text),
            (PLAN, Fields::LINK_TARGET, Symlink, Fields::LINK_TARGET, nothing),
            (PLAN, Fields::LINK_TARGET | Fields::MTIME, Symlink, none,
                Request { read_link: true, ..stat(Fields::MTIME) }),
            (PLAN, Fields::TARGET, File, none, nothing),
            (PLAN, Fields::TARGET, Symlink, none, target),
            (PLAN, Fields::TARGET, Symlink, Fields::TARGET, nothing),
            (PLAN, Fields::TARGET | Fields::LINK_TARGET, Symlink, none,
                Request { read_link: true, ..target }),
            (PLAN, caps, File, none, xattr(caps)),
            (PLAN, caps, Directory, none, nothing),
            (PLAN, caps, Symlink, none, nothing),
            (PLAN, caps, File, caps, nothing),
            (PLAN, access, Directory, none, xattr(access)),
            (PLAN, access | caps | Fields::MTIME, File, none,
                Request { xattr: access | caps, ..stat(Fields::MTIME) }),
            (PLAN, Fields::CONTEXT | caps, Symlink, none, xattr(Fields::CONTEXT)),
            (xdev, none, File, none, nothing),
            (xdev, none, Directory, none, stat(Fields::DEV)),
            (xdev, none, Directory, Fields::DEV, nothing),
            (unique, none, File, none, stat(identity)),
        ];
        for (plan, wanted, file_type, filled, expected) in table {
            let request = plan.request(wanted, file_type, filled);
            assert_eq!(request, expected, "{wanted:?} {file_type:?}");
            let beyond = expected.target || expected.read_link || !expected.xattr.is_empty();
            assert_eq!(request.needs_more_than_stat(), beyond, "{wanted:?} {file_type:?}");
        }
    }

    /// Where more than one thing is wanted, the names are listed, and only a text is asked for
    /// after that.
    #[test]
    fn attributes_are_asked_for_once() {
        use XattrCall::{Capability, Context, List};
        let access = Fields::ACCESS;
        let caps = Fields::CAPS;
        let context = Fields::CONTEXT;
        let table: [(Fields, &[XattrCall]); 8] = [
            (Fields::empty(), &[]),
            (access, &[List]),
            (caps, &[Capability]),
            (context, &[Context]),
            (access | caps, &[List]),
            (access | context, &[List, Context]),
            (caps | context, &[List, Context]),
            (access | caps | context, &[List, Context]),
        ];
        for (wanted, expected) in table {
            let mut left = wanted;
            let mut calls = Vec::new();
            while let Some(call) = XattrCall::first(left) {
                calls.push(call);
                left -= call.answers();
            }
            assert_eq!(calls, expected, "{wanted:?}");
        }
    }

    #[test]
    fn types_are_asked_for_only_when_the_directory_did_not_say() {
        assert_eq!(PLAN.type_request(FileType::File, Links::NoFollow), None);
        assert_eq!(PLAN.type_request(FileType::Symlink, Links::NoFollow), None);
        let mask = Some(Fields::TYPE);
        assert_eq!(PLAN.type_request(FileType::Unknown, Links::NoFollow), mask);
        assert_eq!(PLAN.type_request(FileType::Symlink, Links::Follow), mask);
        let follows = RequestPlan { follow: true, likely: Fields::SIZE, ..PLAN };
        let mask = Some(Fields::TYPE | Fields::INO | Fields::SIZE);
        assert_eq!(follows.type_request(FileType::Unknown, Links::NoFollow), mask);
        assert_eq!(follows.type_request(FileType::Symlink, Links::Follow), mask);
    }

    #[test]
    fn links_are_followed_at_the_depths_asked_for() {
        assert_eq!(PLAN.follow_at(0), Links::Follow);
        assert_eq!(PLAN.follow_at(1), Links::NoFollow);
        assert_eq!(RequestPlan { follow: true, ..PLAN }.follow_at(7), Links::Follow);
        assert_eq!(RequestPlan { follow_roots: false, ..PLAN }.follow_at(0), Links::NoFollow);
    }
}
