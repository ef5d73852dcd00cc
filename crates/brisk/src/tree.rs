//! What the walk remembers of the tree: directories that still matter, and children not yet opened.
//!
//! A [`Node`] is a directory with unfinished business below it. It has a name and a parent, never a
//! path and never a handle. Children that wait to be opened are kept as a [`Run`]: names side by side
//! in one allocation, with the parent's handle, which closes when the last of them has been opened.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use brisk_sys::append;
use brisk_sys::paths::ends_open;
use brisk_sys::{Dir, Identity, Links, until_nul};

use crate::Outcome;
use crate::keep::Keep;
use crate::lineage::Shortcut;

/// A directory that is being read or has unfinished descendants.
pub(crate) struct Node<S> {
    /// `None` for the place above the roots alone.
    pub parent: Option<Arc<Node<S>>>,
    /// A way further up, deep in the tree.
    pub shortcut: Option<Box<Shortcut<S>>>,
    /// The name; for a root the path as it was given.
    pub name: Box<CStr>,
    /// The bytes of its path with a separator at the end, as far as they are names in this walk.
    pub length: usize,
    /// The depth of its entries; 0 for the place above the roots.
    pub child_depth: u32,
    /// Whether it was reached through a link that the walk follows.
    pub links: Links,
    /// The inode that its parent lists.
    pub ino: u64,
    /// The inode of `.`, 0 if the directory does not list it.
    pub dot_ino: u64,
    /// The device of the root it belongs to; known only if the walk keeps to one file system.
    pub root_dev: u64,
    /// Its own device; 0 until somebody needs to know.
    pub dev: AtomicU64,
    /// Which directory it is, once handles are scarce: how a worker that comes back by `..` knows
    /// it.
    pub identity: OnceLock<Identity>,
    pub state: S,
    /// What must end before the directory is left: its own reading, batches, children.
    pub unfinished: AtomicUsize,
    /// How long an entry is expected to be waited for, in nanoseconds: the time of metadata requests,
    /// spread over all entries, also those that need none.
    pub entry_nanos: AtomicU32,
    /// Where it stands in its parent, in an ordered walk.
    pub position: u32,
    /// What is known of the directory beside its name: [`Child::note`].
    pub note: u8,
    /// Reading it failed: there may be entries that were never listed.
    pub incomplete: AtomicBool,
    /// How its handle is kept, in a walk that removes directories by it.
    pub keep: OnceLock<Box<Keep>>,
}

impl<S> Node<S> {
    /// The place above the roots.
    pub fn top(state: S) -> Node<S> {
        Node::above(Box::default(), state)
    }

    /// The place above roots that are spelled with `prefix` before them.
    pub fn above(prefix: Box<CStr>, state: S) -> Node<S> {
        Node {
            parent: None,
            shortcut: None,
            name: prefix,
            length: 0,
            child_depth: 0,
            links: Links::Follow,
            ino: 0,
            dot_ino: 0,
            root_dev: 0,
            dev: AtomicU64::new(0),
            identity: OnceLock::new(),
            state,
            unfinished: AtomicUsize::new(1),
            entry_nanos: AtomicU32::new(0),
            position: 0,
            note: 0,
            incomplete: AtomicBool::new(false),
            keep: OnceLock::new(),
        }
    }

    /// How much of it was seen, if it was opened.
    pub fn outcome(&self) -> Outcome {
        if self.incomplete.load(Ordering::Relaxed) { Outcome::Partial } else { Outcome::Complete }
    }

    /// A child of `parent` at this turn; it expects its entries to take what its parent's took.
    pub fn below(parent: &Arc<Node<S>>, child: Child<'_>, state: S, position: u32) -> Node<S> {
        Node {
            parent: Some(Arc::clone(parent)),
            shortcut: Shortcut::below(parent),
            name: child.name.into(),
            length: parent.length + child.name.count_bytes() + 1,
            child_depth: parent.child_depth + 1,
            links: child.links,
            ino: child.ino,
            dot_ino: 0,
            root_dev: parent.root_dev,
            dev: AtomicU64::new(0),
            identity: OnceLock::new(),
            state,
            unfinished: AtomicUsize::new(1),
            entry_nanos: AtomicU32::new(parent.entry_nanos.load(Ordering::Relaxed)),
            position,
            note: child.note,
            incomplete: AtomicBool::new(false),
            keep: OnceLock::new(),
        }
    }

    pub fn is_top(&self) -> bool {
        self.parent.is_none()
    }

    /// The directory's own depth; the place above the roots has none and says 0.
    pub fn depth(&self) -> usize {
        self.child_depth.saturating_sub(1) as usize
    }

    /// This directory and those above it, without the place above the roots.
    pub fn ancestry(&self) -> impl Iterator<Item = &Node<S>> {
        let mut next = Some(self);
        std::iter::from_fn(move || {
            let node = next?;
            next = node.parent.as_deref();
            (!node.is_top()).then_some(node)
        })
    }

    /// Replaces `out` by the path with a separator at its end.
    pub fn prefix_into(&self, out: &mut Vec<u8>) {
        out.clear();
        out.resize(self.length, b'/');
        let (mut node, mut root, mut end) = (self, None, self.length);
        while let Some(parent) = &node.parent {
            let name = node.name.to_bytes();
            out[end - 1 - name.len()..end - 1].copy_from_slice(name);
            end -= name.len() + 1;
            root = Some(node);
            node = parent;
            while let Some((names, above)) = node.names_above() {
                out[end - names.len()..end].copy_from_slice(names);
                end -= names.len();
                node = above;
            }
        }
        match root {
            _ if !node.name.is_empty() => {
                drop(out.splice(..0, node.name.to_bytes().iter().copied()))
            }
            Some(root) => root.trim_root(out),
            None => {}
        }
    }

    /// A root that ends in a separator (`/`, `dir/`) needs no second one.
    fn trim_root(&self, out: &mut Vec<u8>) {
        let root = self.name.to_bytes();
        if ends_open(root) && out.get(root.len()) == Some(&b'/') {
            out.remove(root.len());
        }
    }

    /// How long an entry is expected to be waited for, by what was measured here or above.
    pub fn expected_wait(&self) -> u32 {
        self.entry_nanos.load(Ordering::Relaxed)
    }

    /// Takes one measurement for what is expected, whatever was measured before.
    pub fn expect_wait(&self, nanos: u32) {
        self.entry_nanos.store(nanos, Ordering::Relaxed);
    }

    /// Takes a measurement in: half of what was expected, half of what was seen.
    pub fn measured_wait(&self, nanos: u32) {
        let before = self.expected_wait();
        let mean = if before == 0 { nanos } else { before / 2 + nanos / 2 };
        if mean != before {
            self.entry_nanos.store(mean, Ordering::Relaxed);
        }
    }
}

/// A chain of parents a hundred thousand levels long must not end in as many nested drops.
impl<S> Drop for Node<S> {
    fn drop(&mut self) {
        // The shortcut goes first, while the nodes in between still hold the node that it leads to.
        self.shortcut = None;
        let mut parent = self.parent.take();
        while let Some(mut node) = parent.and_then(Arc::into_inner) {
            parent = node.parent.take();
        }
    }
}

/// A child of a directory, as its parent listed it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child<'a> {
    pub name: &'a CStr,
    pub ino: u64,
    pub links: Links,
    /// [`CONDEMNED`], and how often it was read before.
    pub note: u8,
}

/// The visitor has marked the entry.
pub(crate) const CONDEMNED: u8 = 0x40;
/// The part of a note that counts: 0 for a directory that is met for the first time.
pub(crate) const TIMES: u8 = 0x3f;

impl<'a> Child<'a> {
    pub fn new(name: &'a CStr, ino: u64, links: Links) -> Child<'a> {
        Child { name, ino, links, note: 0 }
    }

    /// The child that a record of [`Names`] holds, and the record's length.
    fn from_record(record: &'a [u8]) -> (Child<'a>, usize) {
        let (flags, rest) = record.split_at(1);
        let (ino, rest) = rest.split_at(NAME_AT - 1);
        let name = until_nul(rest).expect("BUG: every name was pushed with a NUL");
        let ino = u64::from_ne_bytes(ino.try_into().expect("BUG: an inode has eight bytes"));
        let links = if flags[0] & 1 == 1 { Links::Follow } else { Links::NoFollow };
        let child = Child { name, ino, links, note: flags[0] >> 1 };
        (child, NAME_AT + name.count_bytes() + 1)
    }
}

/// Names of children, side by side: one byte of flags, eight of inode, the name, its NUL.
#[derive(Debug, Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    count: usize,
}

const NAME_AT: usize = 9;

impl Names {
    pub fn push(&mut self, child: Child<'_>) {
        self.bytes.push(u8::from(child.links == Links::Follow) | (child.note << 1));
        self.bytes.extend_from_slice(&child.ino.to_ne_bytes());
        append(&mut self.bytes, child.name.to_bytes_with_nul());
        self.count += 1;
    }

    /// Adds all of `others` behind its own.
    pub fn take_in(&mut self, others: &Names) {
        self.bytes.extend_from_slice(&others.bytes);
        self.count += others.count;
    }

    /// Takes the first child that was not taken yet; `used` says how far that went.
    pub fn split_first(&mut self, used: &mut usize) -> Option<Names> {
        let record = self.bytes.get(*used..).filter(|rest| !rest.is_empty())?;
        let (_, length) = Child::from_record(record);
        let first = Names { bytes: record[..length].to_vec(), count: 1 };
        *used += length;
        self.count -= 1;
        if self.count == 0 {
            *used = 0;
            *self = Names::default();
        }
        Some(first)
    }

    /// Keeps the children of some names alone.
    pub fn retain(&mut self, keeps: impl Fn(&CStr) -> bool) {
        let all = std::mem::take(self);
        let mut rest = &all.bytes[..];
        while !rest.is_empty() {
            let (child, length) = Child::from_record(rest);
            if keeps(child.name) {
                self.push(child);
            }
            rest = &rest[length..];
        }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }
}

/// How many handles wait for their children to be opened.
#[derive(Debug, Default)]
pub(crate) struct Held {
    count: AtomicUsize,
    /// More handles were wanted than there may be.
    scarce: AtomicBool,
}

/// The right to keep one handle open, until it is dropped.
#[derive(Debug)]
pub(crate) struct Hold(Arc<Held>);

impl Held {
    /// One more, if fewer than `limit` are held.
    pub fn hold(held: &Arc<Held>, limit: usize) -> Option<Hold> {
        let hold = Hold(Arc::clone(held));
        if held.count.fetch_add(1, Ordering::Relaxed) < limit {
            return Some(hold);
        }
        held.scarce.store(true, Ordering::Relaxed);
        None
    }

    /// Whether handles were given up in this walk.
    pub fn is_scarce(&self) -> bool {
        self.scarce.load(Ordering::Relaxed)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the parts of a run share.
struct Siblings<S> {
    parent: Arc<Node<S>>,
    /// `None` once given up: there are too many open handles.
    handle: Option<(Arc<Dir>, Option<Hold>)>,
    bytes: Box<[u8]>,
}

/// Children of one directory that wait to be opened, or a part of them.
pub(crate) struct Run<S> {
    siblings: Arc<Siblings<S>>,
    start: u32,
    end: u32,
}

impl<S> Run<S> {
    /// The children in `names`, which must not be empty. The handle is kept unless `limit` handles
    /// are kept already.
    pub fn new(
        parent: &Arc<Node<S>>,
        handle: &Arc<Dir>,
        held: &Arc<Held>,
        limit: usize,
        names: &Names,
    ) -> Run<S> {
        let hold = Held::hold(held, limit);
        Run::of(parent, hold.map(|hold| (Arc::clone(handle), Some(hold))), names)
    }

    /// The children in `names`, to be opened by a handle that somebody else answers for.
    pub fn lent(parent: &Arc<Node<S>>, handle: &Arc<Dir>, names: &Names) -> Run<S> {
        Run::of(parent, Some((Arc::clone(handle), None)), names)
    }

    /// The children in `names`, whose parent has to be opened first.
    pub fn without_handle(parent: &Arc<Node<S>>, names: &Names) -> Run<S> {
        Run::of(parent, None, names)
    }

    fn of(
        parent: &Arc<Node<S>>,
        handle: Option<(Arc<Dir>, Option<Hold>)>,
        names: &Names,
    ) -> Run<S> {
        let bytes: Box<[u8]> = names.bytes.as_slice().into();
        let end = u32::try_from(bytes.len()).expect("BUG: a buffer of names is far below 4 GiB");
        let siblings = Siblings { parent: Arc::clone(parent), handle, bytes };
        Run { siblings: Arc::new(siblings), start: 0, end }
    }

    pub fn parent(&self) -> &Arc<Node<S>> {
        &self.siblings.parent
    }

    /// The parent's handle, unless it was given up.
    pub fn handle(&self) -> Option<&Arc<Dir>> {
        self.siblings.handle.as_ref().map(|(handle, _)| handle)
    }

    /// The first child.
    pub fn first(&self) -> Child<'_> {
        Child::from_record(&self.siblings.bytes[self.start as usize..self.end as usize]).0
    }

    /// What follows the first child.
    pub fn rest(&self) -> Option<Run<S>> {
        let used = NAME_AT + self.first().name.count_bytes() + 1;
        let start = self.start + used as u32;
        let siblings = Arc::clone(&self.siblings);
        (start < self.end).then_some(Run { siblings, start, end: self.end })
    }

    /// Cuts the run near its middle; the second half is returned.
    pub fn split(&mut self) -> Option<Run<S>> {
        let middle = (self.start + self.end) / 2;
        let mut part =
            Run { siblings: Arc::clone(&self.siblings), start: self.start, end: self.end };
        // Records are found from the front alone: an inode may hold any byte.
        while part.start < middle {
            part = part.rest()?;
        }
        self.end = part.start;
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(names: &[&CStr]) -> Arc<Node<()>> {
        let mut node = Arc::new(Node::top(()));
        for name in names {
            let child = Child::new(name, 0, Links::NoFollow);
            node = Arc::new(Node::below(&node, child, (), 0));
        }
        node
    }

    #[test]
    fn a_prefix_ends_in_one_separator() {
        let mut out = Vec::new();
        for (names, expected) in [
            (vec![c"a", c"b"], "a/b/"),
            (vec![c"/"], "/"),
            (vec![c"/", c"usr"], "/usr/"),
            (vec![c"dir/", c"x"], "dir/x/"),
            (vec![c".", c"x"], "./x/"),
            (vec![], ""),
        ] {
            chain(&names).prefix_into(&mut out);
            assert_eq!(out, expected.as_bytes());
        }
    }

    #[test]
    fn a_very_deep_chain_drops_without_recursion() {
        let names = vec![c"x"; 300_000];
        drop(chain(&names));
    }

    #[test]
    fn a_run_gives_every_child_once_however_it_is_split() {
        let mut names = Names::default();
        for name in [c"a", c"bb", c"ccc", c"d", c"eeeee"] {
            names.push(Child::new(name, 0x0000_ff00_0041_0000, Links::NoFollow));
        }
        let dir = Dir::open(Default::default(), ".".as_ref(), Links::NoFollow).expect("here");
        let held = Arc::default();
        let mut run = Run::new(&chain(&[c"r"]), &Arc::new(dir), &held, 1, &names);
        assert_eq!(held.count.load(Ordering::Relaxed), 1);
        let second = run.split();
        let mut seen = Vec::new();
        for part in [Some(run), second] {
            let mut part = part;
            while let Some(run) = part {
                seen.push(run.first().name.to_owned());
                part = run.rest();
            }
        }
        assert_eq!(seen, [c"a", c"bb", c"ccc", c"d", c"eeeee"].map(CStr::to_owned));
        assert_eq!(held.count.load(Ordering::Relaxed), 0);
    }
}
