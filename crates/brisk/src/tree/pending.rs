//! [`PendingDirs`]: children of one directory that wait to be opened. They share their names and
//! their parent's handle, which closes when the last of them has been opened.

use std::sync::Arc;

use brisk_sys::Dir;

use crate::tree::handles::{HandleBudget, Permit};
use crate::tree::names::PackedNames;
use crate::tree::node::Child;

/// What the parts of one list of children share.
struct Siblings<N> {
    parent: Arc<N>,
    /// The parent's handle; `None` if the budget of handles was spent. The permit is missing where
    /// another owner of the handle has it.
    handle: Option<(Arc<Dir>, Option<Permit>)>,
    names: PackedNames,
}

/// Children of one directory that wait to be opened, or a part of them.
pub(crate) struct PendingDirs<N> {
    siblings: Arc<Siblings<N>>,
    /// Where this part's first record begins among the names, and where its last one ends.
    start: u32,
    end: u32,
}

impl<N> PendingDirs<N> {
    /// The children in `names`, which must not be empty. The handle stays open if the budget has a
    /// permit for it.
    pub fn new(
        parent: &Arc<N>,
        handle: &Arc<Dir>,
        budget: &Arc<HandleBudget>,
        names: &PackedNames,
    ) -> Self {
        let kept = budget.permit().map(|permit| (Arc::clone(handle), Some(permit)));
        PendingDirs::of(parent, kept, names)
    }

    /// The children in `names`, to be opened relative to a handle whose owner has the permit.
    pub fn lent(parent: &Arc<N>, handle: &Arc<Dir>, names: &PackedNames) -> Self {
        PendingDirs::of(parent, Some((Arc::clone(handle), None)), names)
    }

    /// The children in `names`, whose parent has to be opened anew first.
    pub fn without_handle(parent: &Arc<N>, names: &PackedNames) -> Self {
        PendingDirs::of(parent, None, names)
    }

    fn of(
        parent: &Arc<N>,
        handle: Option<(Arc<Dir>, Option<Permit>)>,
        names: &PackedNames,
    ) -> Self {
        let end = u32::try_from(names.size()).expect("BUG: a buffer of names is far below 4 GiB");
        let siblings = Siblings { parent: Arc::clone(parent), handle, names: names.to_exact() };
        PendingDirs { siblings: Arc::new(siblings), start: 0, end }
    }

    pub fn parent(&self) -> &Arc<N> {
        &self.siblings.parent
    }

    /// The parent's handle, if it stayed open.
    pub fn handle(&self) -> Option<&Arc<Dir>> {
        self.siblings.handle.as_ref().map(|(handle, _)| handle)
    }

    /// The first child.
    pub fn first(&self) -> Child<'_> {
        Child::unpack(self.siblings.names.at(self.start as usize))
    }

    /// The children after the first one.
    pub fn rest(&self) -> Option<Self> {
        let used = self.siblings.names.at(self.start as usize).size();
        let start = self.start + used as u32;
        let siblings = Arc::clone(&self.siblings);
        (start < self.end).then_some(PendingDirs { siblings, start, end: self.end })
    }

    /// Cuts the list near its middle; the second half is returned.
    pub fn split(&mut self) -> Option<Self> {
        let middle = (self.start + self.end) / 2;
        let siblings = Arc::clone(&self.siblings);
        let mut part = PendingDirs { siblings, start: self.start, end: self.end };
        // A record's beginning can be found only from the front, because an inode may hold any
        // byte.
        while part.start < middle {
            part = part.rest()?;
        }
        self.end = part.start;
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use brisk_sys::Links;

    use super::*;

    #[test]
    fn every_child_is_opened_once_however_the_list_is_split() {
        let mut names = PackedNames::default();
        for name in [c"a", c"bb", c"ccc", c"d", c"eeeee"] {
            names.push(Child::new(name, 0x0000_ff00_0041_0000, Links::NoFollow).pack());
        }
        let dir = Dir::open(Default::default(), ".".as_ref(), Links::NoFollow).expect("here");
        let budget = Arc::new(HandleBudget::new(1));
        let mut all = PendingDirs::new(&Arc::new(()), &Arc::new(dir), &budget, &names);
        assert!(budget.permit().is_none(), "the permit is in use");
        let second = all.split();
        let mut seen = Vec::new();
        for part in [Some(all), second] {
            let mut part = part;
            while let Some(pending) = part {
                seen.push(pending.first().name.to_owned());
                part = pending.rest();
            }
        }
        assert_eq!(seen, [c"a", c"bb", c"ccc", c"d", c"eeeee"].map(CStr::to_owned));
        assert!(budget.permit().is_some(), "the permit was given back");
    }
}
