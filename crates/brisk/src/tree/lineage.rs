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

use std::sync::{Arc, OnceLock};

/// The least depth of nodes with shortcuts. Few directories are that deep, and a shortcut
/// costs an allocation.
const PLAIN: u32 = 32;

/// The number of directories that a long shortcut passes, including the one to which it leads. The
/// lengths of shortcuts are powers of two less one, so this is one of them.
const LONG: u32 = 127;

/// The 64-bit words of a Bloom filter: 16 bits for each inode, so that the filter suspects one in 200
/// without cause.
const WORDS: usize = 32;

/// A directory that knows its parent.
pub(crate) trait Ancestor: Sized {
    /// The parent; `None` only for the node above the roots.
    fn parent(&self) -> Option<&Arc<Self>>;

    fn shortcut(&self) -> Option<&Shortcut<Self>>;

    /// The depth of its entries; 0 for the node above the roots.
    fn depth_of_entries(&self) -> u32;

    fn name(&self) -> &[u8];

    /// The length in bytes of the names from the root down to this directory, each with a
    /// separator.
    fn path_length(&self) -> usize;

    /// The inode of `.`, 0 if the directory does not list it.
    fn dot_ino(&self) -> u64;

    /// Whether this is the node above the roots.
    fn is_top(&self) -> bool {
        self.parent().is_none()
    }

    /// A directory above: the parent, or one further up.
    fn jump(&self) -> Option<&Arc<Self>> {
        match self.shortcut() {
            Some(shortcut) => Some(&shortcut.to),
            None => self.parent(),
        }
    }

    /// This directory and those above it, without the node above the roots.
    fn ancestry(&self) -> impl Iterator<Item = &Self> {
        let mut next = Some(self);
        std::iter::from_fn(move || {
            let node = next?;
            next = node.parent().map(|parent| &**parent);
            (!node.is_top()).then_some(node)
        })
    }

    /// The directories above this one whose `.` entry had this inode.
    fn above_with(&self, ino: u64) -> Vec<&Self> {
        let mut found = Vec::new();
        let mut node = self;
        loop {
            if let Some(Shortcut { to, passed: Some(passed) }) = node.shortcut()
                && !passed.has(ino)
            {
                node = to;
                continue;
            }
            let Some(above) = node.parent().filter(|above| !above.is_top()) else {
                return found;
            };
            found.extend((above.dot_ino() == ino).then_some(&**above));
            node = above;
        }
    }

    /// The names of this directory and of those above it that a long shortcut passes, and the
    /// directory to which the shortcut leads. `None` where no long shortcut begins.
    #[inline]
    fn names_above(&self) -> Option<(&[u8], &Self)> {
        let Shortcut { to, passed: Some(passed) } = self.shortcut()? else { return None };
        let names = passed.names.get_or_init(|| {
            let mut names = vec![b'/'; self.path_length() - to.path_length()];
            self.names_into(to.depth_of_entries(), &mut names);
            names.into()
        });
        Some((names, to))
    }

    /// Writes the names of the directories from below `level` down to this one into `out`, so that
    /// this one's name comes last. One byte after each name stays as it was.
    fn names_into(&self, level: u32, out: &mut [u8]) {
        let mut end = out.len();
        for node in self.ancestry().take((self.depth_of_entries() - level) as usize) {
            let name = node.name();
            out[end - 1 - name.len()..end - 1].copy_from_slice(name);
            end -= name.len() + 1;
        }
    }

    /// This directory, or the one above it at a level.
    fn up_to(&self, level: u32) -> &Self {
        let mut node = self;
        while node.depth_of_entries() > level {
            let jump = node.jump().filter(|jump| jump.depth_of_entries() >= level);
            let Some(above) = jump.or(node.parent()) else { break };
            node = above;
        }
        node
    }

    /// Where the ways down to two directories part: of either way, the directory just below the
    /// deepest one that both ways share. `None` for a directory that is that deepest one itself.
    fn fork<'a>(&'a self, other: &'a Self) -> (Option<&'a Self>, Option<&'a Self>) {
        let level = self.depth_of_entries().min(other.depth_of_entries());
        let mut mine = self.up_to(level);
        let mut theirs = other.up_to(level);
        if std::ptr::eq(mine, theirs) {
            let below =
                |node: &'a Self| (node.depth_of_entries() > level).then(|| node.up_to(level + 1));
            return (below(self), below(other));
        }
        // A shortcut's length depends on the depth alone, so both lead equally far.
        while let Some(((near, far), (near_theirs, far_theirs))) = ups(mine).zip(ups(theirs)) {
            if std::ptr::eq(near, near_theirs) {
                break;
            }
            let part = !std::ptr::eq(far, far_theirs);
            (mine, theirs) = if part { (far, far_theirs) } else { (near, near_theirs) };
        }
        (Some(mine), Some(theirs))
    }
}

/// The parent, and the directory to which the shortcut leads.
fn ups<N: Ancestor>(node: &N) -> Option<(&N, &N)> {
    Some((node.parent()?, node.jump()?))
}

/// The way past some of the directories above, from the parent on.
pub(crate) struct Shortcut<N> {
    to: Arc<N>,
    passed: Option<Passed>,
}

/// What a long shortcut knows of the directories that it passes and of the one to which it leads.
struct Passed {
    /// A Bloom filter of their inodes.
    inos: [u64; WORDS],
    /// The passed names, each with a separator; set by the first worker that builds a path.
    names: OnceLock<Box<[u8]>>,
}

impl<N: Ancestor> Shortcut<N> {
    /// The shortcut of a child of `parent`, if there is one.
    pub fn below(parent: &Arc<N>) -> Option<Box<Shortcut<N>>> {
        if parent.depth_of_entries() < PLAIN {
            return None;
        }
        let near = parent.jump()?;
        let far = near.jump()?;
        let is_as_long = parent.depth_of_entries() - near.depth_of_entries()
            == near.depth_of_entries() - far.depth_of_entries();
        is_as_long.then(|| {
            Box::new(Shortcut { to: Arc::clone(far), passed: Passed::new(&**parent, far) })
        })
    }
}

impl Passed {
    /// The directories from `from` up to `to`, if a long shortcut passes that many. The root is not
    /// passed, because its name may have no separator.
    fn new<N: Ancestor>(from: &N, to: &N) -> Option<Passed> {
        if from.depth_of_entries() - to.depth_of_entries() + 1 != LONG || to.is_top() {
            return None;
        }
        let mut inos = [0; WORDS];
        for node in from.ancestry().take(LONG as usize) {
            for (word, bit) in places(node.dot_ino()) {
                inos[word] |= bit;
            }
        }
        Some(Passed { inos, names: OnceLock::new() })
    }

    fn has(&self, ino: u64) -> bool {
        places(ino).iter().all(|&(word, bit)| self.inos[word] & bit != 0)
    }
}

/// The three bits of an inode in a Bloom filter.
fn places(ino: u64) -> [(usize, u64); 3] {
    // Fibonacci hashing: inodes are often consecutive.
    let hash = ino.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [20, 31, 42].map(|shift| {
        let bit = (hash >> shift) as usize % (WORDS * 64);
        (bit / 64, 1 << (bit % 64))
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;
    use crate::tree::node::{Child, Node};
    use brisk_sys::Links;

    /// A chain below `from`, with the depth of its lowest directory and its inodes from `first` on.
    fn chain(from: &Arc<Node<(), ()>>, depth: u32, first: u64) -> Vec<Arc<Node<(), ()>>> {
        let mut chain = vec![Arc::clone(from)];
        for ino in (first..).take((depth - from.child_depth) as usize) {
            let above = chain.last().expect("it has one at least");
            let mut node = Node::below(above, Child::new(c"d", 0, Links::NoFollow), (), ());
            node.dot_ino = ino;
            chain.push(Arc::new(node));
        }
        chain
    }

    #[test]
    fn every_directory_above_is_found_at_any_depth_and_nothing_else() {
        let top = Arc::new(Node::top(()));
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
            for level in [1, 7, 32, 100, depth] {
                assert!(std::ptr::eq(node.up_to(level as u32), &*chain[level.min(depth)]));
            }
        }
    }

    #[test]
    fn a_deep_path_is_whole_whatever_it_is_put_together_from() {
        let top = Arc::new(Node::top(()));
        let mut node = Arc::new(Node::below(&top, Child::new(c"/", 0, Links::NoFollow), (), ()));
        let mut path = b"/".to_vec();
        let mut out = Vec::new();
        for level in 0..2000_u32 {
            let name = CString::new(level.to_string()).expect("digits");
            let child = Child::new(&name, 0, Links::NoFollow);
            node = Arc::new(Node::below(&node, child, (), ()));
            path.extend_from_slice(name.to_bytes());
            path.push(b'/');
            if level % 7 == 0 {
                node.prefix_into(&mut out);
                assert!(out == path, "{level}");
            }
        }
    }

    #[test]
    fn ways_part_below_the_deepest_directory_that_both_are_in() {
        let top = Arc::new(Node::top(()));
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
