//! The directories above a directory, in steps that do not grow with the depth of the tree.
//!
//! Every node knows its parent. From [`PLAIN`] levels down, about half of the nodes also know a
//! directory further up, so that the number of steps to any directory above is a logarithm of the
//! depth (a skew-binary list):
//!
//! ```text
//!   depth    … 62 ◄─ 63 ◄─ 64 ◄─ 65 ◄─ 66 ◄─ 67 ◄─ 68 ◄─ 69
//!             ▲             │     ▲           │           │
//!             ├─────────────┘     └───────────┘           │
//!             └───────────────────────────────────────────┘
//! ```
//!
//! A shortcut over [`LONG`] levels also knows the inodes and names of the directories that the
//! shortcut passes. A worker that looks for a loop or builds a path need not look at each of them.
//! (Test: `every/chains.rs`.)

use std::sync::Arc;

use super::node::Node;
use super::shortcut::{Passed, Shortcut};

/// The least depth of nodes with shortcuts. Few directories are that deep, and a shortcut
/// costs an allocation.
const PLAIN: u32 = 32;

/// The number of directories that a long shortcut passes, including the one to which it leads. The
/// lengths of shortcuts are powers of two less one, so this is one of them.
const LONG: u32 = 127;

impl<S, X> Node<S, X> {
    /// Whether this is the node above the roots.
    pub fn is_above_roots(&self) -> bool {
        self.parent.is_none()
    }

    /// The shortcut of a child of `parent`, if there is one.
    pub fn shortcut_below(parent: &Arc<Self>) -> Option<Box<Shortcut<Self>>> {
        if parent.child_depth < PLAIN {
            return None;
        }
        let near = parent.jump()?;
        let far = near.jump()?;
        let length = parent.child_depth - near.child_depth;
        // The root is not passed, because its name may have no separator.
        let is_long = parent.child_depth - far.child_depth + 1 == LONG && !far.is_above_roots();
        let inos = || parent.ancestry().take(LONG as usize).map(|node| node.dot_ino);
        (length == near.child_depth - far.child_depth).then(|| {
            let passed = is_long.then(|| Passed::new(inos()));
            Box::new(Shortcut { to: Arc::clone(far), passed })
        })
    }

    /// A directory above: the parent, or one further up.
    pub fn jump(&self) -> Option<&Arc<Self>> {
        self.shortcut.as_ref().map(|shortcut| &shortcut.to).or(self.parent.as_ref())
    }

    /// This directory and those above it, without the node above the roots.
    pub fn ancestry(&self) -> impl Iterator<Item = &Self> {
        let mut next = Some(self);
        std::iter::from_fn(move || {
            let node = next?;
            next = node.parent.as_deref();
            (!node.is_above_roots()).then_some(node)
        })
    }

    /// The directories above this one whose `.` entry had this inode.
    pub fn above_with(&self, ino: u64) -> Vec<&Self> {
        let mut found = Vec::new();
        let mut node = self;
        loop {
            if let Some(Shortcut { to, passed: Some(passed) }) = node.shortcut.as_deref()
                && !passed.has(ino)
            {
                node = to;
                continue;
            }
            let Some(above) = node.parent.as_ref().filter(|above| !above.is_above_roots()) else {
                return found;
            };
            found.extend((above.dot_ino == ino).then_some(&**above));
            node = above;
        }
    }

    /// The names of this directory and of those above it that a long shortcut passes, and the
    /// directory to which the shortcut leads. `None` where no long shortcut begins.
    #[inline]
    pub fn names_above(&self) -> Option<(&[u8], &Self)> {
        let Shortcut { to, passed: Some(passed) } = self.shortcut.as_deref()? else { return None };
        let names = passed.names.get_or_init(|| {
            let mut names = vec![b'/'; self.path_len - to.path_len];
            self.names_into(to.child_depth, &mut names);
            names.into()
        });
        Some((names, to))
    }

    /// Writes the names of the directories from below `child_depth` down to this one into `out`, so
    /// that this one's name comes last. One byte after each name stays as it was.
    pub fn names_into(&self, child_depth: u32, out: &mut [u8]) {
        let mut end = out.len();
        for node in self.ancestry().take((self.child_depth - child_depth) as usize) {
            let name = node.name.to_bytes();
            out[end - 1 - name.len()..end - 1].copy_from_slice(name);
            end -= name.len() + 1;
        }
    }

    /// This directory, or the one above it whose entries have this depth.
    pub fn up_to(&self, child_depth: u32) -> &Self {
        let mut node = self;
        while node.child_depth > child_depth {
            let jump = node.jump().filter(|jump| jump.child_depth >= child_depth);
            let Some(above) = jump.or(node.parent.as_ref()) else { break };
            node = above;
        }
        node
    }

    /// The parent, and the directory to which the shortcut leads.
    fn ups(&self) -> Option<[&Self; 2]> {
        Some([self.parent.as_ref()?, self.jump()?])
    }

    /// Where the ways down to two directories part: of either way, the directory just below the
    /// deepest one that both ways share. `None` for a directory that is that deepest one itself.
    pub fn fork<'a>(&'a self, other: &'a Self) -> (Option<&'a Self>, Option<&'a Self>) {
        let child_depth = self.child_depth.min(other.child_depth);
        let mut mine = self.up_to(child_depth);
        let mut theirs = other.up_to(child_depth);
        if std::ptr::eq(mine, theirs) {
            let below = |node: &'a Self| {
                (node.child_depth > child_depth).then(|| node.up_to(child_depth + 1))
            };
            return (below(self), below(other));
        }
        // A shortcut's length depends on the depth alone, so both lead equally far.
        while let Some(([near, far], [near_theirs, far_theirs])) = mine.ups().zip(theirs.ups()) {
            if std::ptr::eq(near, near_theirs) {
                break;
            }
            let part = !std::ptr::eq(far, far_theirs);
            (mine, theirs) = if part { (far, far_theirs) } else { (near, near_theirs) };
        }
        (Some(mine), Some(theirs))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;
    use crate::tree::node::Child;
    use brisk_sys::Links;

    /// A chain below `from`, with the depth of its lowest directory and its inodes from `first` on.
    fn chain(from: &Arc<Node<(), ()>>, depth: u32, first: u64) -> Vec<Arc<Node<(), ()>>> {
        let mut chain = vec![Arc::clone(from)];
        for ino in (first..).take((depth - from.child_depth) as usize) {
            let above = chain.last().expect("it has one at least");
            let mut node =
                Node::below(Arc::clone(above), Child::new(c"d", 0, Links::NoFollow), (), ());
            node.dot_ino = ino;
            chain.push(Arc::new(node));
        }
        chain
    }

    #[test]
    fn every_directory_above_is_found_at_any_depth_and_nothing_else() {
        let top = Arc::new(Node::above_roots(c"", ()));
        let chain = chain(&top, 3000, 1);
        for depth in [1, 2, 31, 32, 33, 64, 127, 128, 300, 1000, 2999, 3000_usize] {
            let node = &chain[depth];
            let same = |ino: u64, found: Option<&Node<(), ()>>| match found {
                Some(found) => std::ptr::eq(found, &*chain[ino as usize]),
                None => false,
            };
            for ino in 1..=3001 {
                let found = node.above_with(ino);
                assert_eq!(!found.is_empty(), ino < depth as u64, "{ino} above {depth}");
                assert!(found.is_empty() || same(ino, found.first().copied()));
            }
            for child_depth in [1, 7, 32, 100, depth] {
                assert!(std::ptr::eq(
                    node.up_to(child_depth as u32),
                    &*chain[child_depth.min(depth)]
                ));
            }
        }
    }

    #[test]
    fn a_deep_path_is_whole_whatever_it_is_put_together_from() {
        let top = Arc::new(Node::above_roots(c"", ()));
        let mut node = Arc::new(Node::below(top, Child::new(c"/", 0, Links::NoFollow), (), ()));
        let mut path = b"/".to_vec();
        let mut out = Vec::new();
        for child_depth in 0..2000_u32 {
            let name = CString::new(child_depth.to_string()).expect("digits");
            let child = Child::new(&name, 0, Links::NoFollow);
            node = Arc::new(Node::below(node, child, (), ()));
            path.extend_from_slice(name.to_bytes());
            path.push(b'/');
            if child_depth % 7 == 0 {
                node.prefix_into(&mut out);
                assert!(out == path, "{child_depth}");
            }
        }
    }

    #[test]
    fn ways_part_below_the_deepest_directory_that_both_are_in() {
        let top = Arc::new(Node::above_roots(c"", ()));
        let trunk = chain(&top, 500, 1);
        for at in [0, 1, 5, 31, 32, 33, 200, 499, 500_usize] {
            let left = chain(&trunk[at], 700, 1000);
            let right = chain(&trunk[at], 900, 2000);
            for (a, b) in [(1, 1), (2, 1), (100, 3), (200, 400), (150, 150)] {
                let (mine, theirs) = left[a].fork(&right[b]);
                assert!(std::ptr::eq(mine.expect("a side"), &*left[1]));
                assert!(std::ptr::eq(theirs.expect("a side"), &*right[1]));
                let (mine, theirs) = left[a].fork(&left[0]);
                assert!(std::ptr::eq(mine.expect("a side"), &*left[1]));
                assert!(theirs.is_none());
                let (mine, theirs) = left[a].fork(&left[a]);
                assert!(mine.is_none() && theirs.is_none());
            }
        }
    }
}
