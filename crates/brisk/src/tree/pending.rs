//! [`PendingDirs`]: children of one directory that wait to be opened. They share their names and
//! their parent's handle, which closes when the last of them has been opened.

use std::sync::Arc;

use brisk_sys::Dir;

use crate::sched::sync::count_writes;
use crate::tree::handles::HeldHandle;
use crate::tree::names::PackedNames;
use crate::tree::node::Child;

/// What the parts of one list of children share.
struct Siblings<N> {
    parent: Arc<N>,
    /// The parent's handle; `None` if the budget of handles was spent.
    handle: Option<HeldHandle>,
    names: PackedNames,
}

/// Children of one directory that wait to be opened, or a part of them.
pub(crate) struct PendingDirs<N> {
    siblings: Arc<Siblings<N>>,
    /// The parent's handle, for the worker that takes the first child: the queue hands it over
    /// without a permit. So at most one such handle is open for each list of children, however
    /// often the list is split.
    pub handed_over: Option<Arc<Dir>>,
    /// Where this part's first record begins among the names, and where its last one ends.
    start: u32,
    end: u32,
}

impl<N> PendingDirs<N> {
    /// The children in `names`, which must not be empty. Without a handle, their parent has to be
    /// opened anew first.
    pub fn new(parent: &Arc<N>, handle: Option<HeldHandle>, names: &PackedNames) -> Self {
        let end = u32::try_from(names.size()).expect("BUG: a buffer of names is far below 4 GiB");
        let siblings = Siblings { parent: Arc::clone(parent), handle, names: names.to_exact() };
        PendingDirs { siblings: Arc::new(siblings), handed_over: None, start: 0, end }
    }

    /// Hands the parent's handle over to the worker that takes the first child.
    pub fn handing_over(self, handle: &Arc<Dir>) -> Self {
        PendingDirs { handed_over: Some(Arc::clone(handle)), ..self }
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
        self.from(self.after(self.start))
    }

    /// Where the record ends that begins here.
    fn after(&self, start: u32) -> u32 {
        start + self.siblings.names.at(start as usize).size() as u32
    }

    fn from(&self, start: u32) -> Option<Self> {
        (start < self.end).then(|| {
            count_writes(&*self.siblings, 2);
            let siblings = Arc::clone(&self.siblings);
            PendingDirs { siblings, handed_over: None, start, end: self.end }
        })
    }

    /// Cuts the list near its middle; the second half is returned.
    pub fn split(&mut self) -> Option<Self> {
        let middle = (self.start + self.end) / 2;
        let mut start = self.start;
        // A record's beginning can be found only from the front, because an inode may hold any
        // byte.
        while start < middle {
            start = self.after(start);
        }
        let part = self.from(start);
        self.end = start;
        part
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use brisk_sys::Links;

    use super::*;
    use crate::tree::{EmitState, HandleBudget};

    #[test]
    fn every_child_is_opened_once_however_the_list_is_split() {
        let mut names = PackedNames::default();
        for name in [c"a", c"bb", c"ccc", c"d", c"eeeee"] {
            names.push(Child::new(name, 0x0000_ff00_0041_0000, Links::NoFollow).pack());
        }
        let dir = Dir::open(Default::default(), ".".as_ref(), Links::NoFollow).expect("here");
        let budget = HandleBudget::new(1);
        let kept = ().hold_for_children(&Arc::new(dir), &budget);
        let mut all = PendingDirs::new(&Arc::new(()), kept, &names);
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
