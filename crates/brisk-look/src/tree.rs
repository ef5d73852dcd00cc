//! [`SumTree`]: the directories that were met, with the sums of all below each; no files.
//!
//! While a count runs, what is seen of a directory is added to it and to those above it. When the
//! count leaves a directory its sums are final ([`SumTree::finish`]): then the difference is added
//! above, up to the first directory that is final itself, because that one has it.

use std::collections::HashMap;

use brisk::usage::Sums;
use brisk_sys::{Identity, slashed};

use crate::count::Counted;

/// The most notes about entries that failed; more are only counted.
const MAX_NOTES: usize = 1_000;

/// A directory's place in the tree.
pub type Id = u32;

/// The place above the roots, which has no name.
pub const TOP: Id = 0;

/// A directory.
#[derive(Debug, Default)]
pub struct DirNode {
    parent: Id,
    /// A root's name is its path, as the user spelled it.
    pub name: Box<[u8]>,
    /// What the directory and all below it take.
    pub sums: Sums,
    /// The sums are those of the end.
    pub is_final: bool,
    /// A root that is no directory.
    pub is_file: bool,
    /// Something in it or below it could not be read or removed.
    pub has_failed: bool,
    /// Sorted by name.
    pub children: Vec<Id>,
}

/// The directories that were met.
#[derive(Debug)]
pub struct SumTree {
    nodes: Vec<DirNode>,
    /// Places that can be used again.
    free: Vec<Id>,
    /// The path of the directory that was looked up last, and its place.
    last: Option<(Vec<u8>, Id)>,
    /// In which directory a file with several names counts: the first one in sorted order.
    links: HashMap<Identity, Id>,
    /// Why something has failed, by directory and name.
    notes: HashMap<(Id, Box<[u8]>), String>,
}

impl Default for SumTree {
    fn default() -> SumTree {
        let nodes = vec![DirNode::default()];
        let (links, notes) = Default::default();
        SumTree { nodes, free: Vec::new(), last: None, links, notes }
    }
}

impl SumTree {
    /// The tree of a count of these roots that begins.
    pub fn new(roots: &[Vec<u8>]) -> SumTree {
        let mut tree = SumTree::default();
        roots.iter().for_each(|root| _ = tree.add(TOP, root));
        tree
    }

    pub fn node(&self, id: Id) -> &DirNode {
        &self.nodes[id as usize]
    }

    pub fn parent(&self, id: Id) -> Option<Id> {
        (id != TOP).then(|| self.node(id).parent)
    }

    /// The directory and those above it, up to [`TOP`].
    pub fn upwards(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// Whether `id` is `above` or below it.
    pub fn is_within(&self, id: Id, above: Id) -> bool {
        self.upwards(id).any(|id| id == above)
    }

    /// The path; empty for [`TOP`].
    pub fn path(&self, id: Id) -> Vec<u8> {
        let mut ids: Vec<_> = self.upwards(id).filter(|id| *id != TOP).collect();
        ids.reverse();
        let mut path = Vec::new();
        ids.iter().for_each(|id| slashed::push(&mut path, &self.node(*id).name));
        path
    }

    /// The child of this name.
    pub fn child(&self, id: Id, name: &[u8]) -> Option<Id> {
        self.place(id, name).ok().map(|at| self.node(id).children[at])
    }

    fn place(&self, id: Id, name: &[u8]) -> Result<usize, usize> {
        self.node(id).children.binary_search_by(|child| (*self.node(*child).name).cmp(name))
    }

    /// The child of this name, which is added if there is none.
    pub fn add(&mut self, parent: Id, name: &[u8]) -> Id {
        let at = match self.place(parent, name) {
            Ok(at) => return self.node(parent).children[at],
            Err(at) => at,
        };
        let node = DirNode { parent, name: name.into(), ..DirNode::default() };
        let id = match self.free.pop() {
            Some(id) => id,
            None => {
                self.nodes.push(DirNode::default());
                Id::try_from(self.nodes.len() - 1).expect("BUG: more directories than memory holds")
            }
        };
        self.nodes[id as usize] = node;
        self.nodes[parent as usize].children.insert(at, id);
        id
    }

    /// The directory of this path, `depth` directories below the root `base`; added if it is new.
    pub fn locate(&mut self, base: Id, path: &[u8], depth: usize) -> Id {
        if depth == 0 {
            return if base == TOP { self.root(path) } else { base };
        }
        let (above, name) = split(path);
        let known = self.last.as_ref().filter(|(path, _)| path == above).map(|(_, id)| *id);
        let parent = known.unwrap_or_else(|| {
            let parent = self.locate(base, above, depth - 1);
            self.last = Some((above.to_vec(), parent));
            parent
        });
        self.add(parent, name)
    }

    /// The root of this path, which may have lost the slashes at its end.
    fn root(&mut self, path: &[u8]) -> Id {
        let roots = self.node(TOP).children.iter();
        let mut same =
            roots.filter(|id| without_slashes(&self.node(**id).name) == without_slashes(path));
        let known = same.next().copied();
        known.unwrap_or_else(|| self.add(TOP, path))
    }

    /// The directory has these sums, with all below it.
    pub fn finish(&mut self, id: Id, all: Sums) {
        let before = self.node(id).sums;
        self.nodes[id as usize].is_final = false;
        self.see(id, all, before);
        let node = &mut self.nodes[id as usize];
        node.sums = all;
        node.is_final = true;
    }

    /// Changes the sums of the directory and of those above it, up to the first that is final.
    pub fn see(&mut self, id: Id, more: Sums, less: Sums) {
        let mut at = Some(id);
        while let Some(id) = at.filter(|id| !self.node(*id).is_final) {
            let sums = &mut self.nodes[id as usize].sums;
            *sums += more;
            *sums -= less;
            at = self.parent(id);
        }
    }

    /// Changes the directory and all above it.
    fn change_above(&mut self, id: Id, change: impl Fn(&mut DirNode)) {
        let mut at = Some(id);
        while let Some(id) = at {
            change(&mut self.nodes[id as usize]);
            at = self.parent(id);
        }
    }

    /// Something in this directory or below it has failed.
    fn fail(&mut self, id: Id) {
        self.change_above(id, |node| node.has_failed = true);
    }

    /// Takes in what a count of the directory `base` has found.
    pub fn take(&mut self, base: Id, found: Counted) {
        match found {
            Counted::Entries { path, depth, sums } => {
                let id = self.locate(base, &path, depth);
                self.see(id, sums, Sums::default());
            }
            Counted::Linked { path, depth, file } => {
                let id = self.locate(base, &path, depth);
                self.link(file, id);
            }
            Counted::Total { path, depth, all, is_partial } => {
                let id = self.locate(base, &path, depth);
                self.finish(id, all);
                if is_partial {
                    self.fail(id);
                }
            }
            Counted::Root { path, sums } => {
                let id = self.locate(base, &path, 0);
                self.finish(id, sums);
                self.nodes[id as usize].is_file = true;
            }
            Counted::Failed { path, depth: 0, why } => {
                let id = self.locate(base, &path, 0);
                let name = self.node(id).name.clone();
                self.note(self.parent(id).unwrap_or(TOP), &name, why);
                self.fail(id);
            }
            Counted::Failed { path, depth, why } => {
                let (above, name) = split(&path);
                let dir = self.locate(base, above, depth - 1);
                self.note(dir, name, why);
            }
        }
    }

    /// A file with several names counts in this directory, or in the one that it was met in before.
    fn link(&mut self, file: Identity, id: Id) {
        let precedes = |before: &Id| self.names(id) < self.names(*before);
        if self.links.get(&file).is_none_or(precedes) {
            self.links.insert(file, id);
        }
    }

    /// The names from the root down.
    fn names(&self, id: Id) -> Vec<&[u8]> {
        let mut names: Vec<_> = self.upwards(id).map(|id| &*self.node(id).name).collect();
        names.reverse();
        names
    }

    /// The directory in which this file counts, if it has several names.
    pub fn place_of(&self, file: Identity) -> Option<Id> {
        self.links.get(&file).copied()
    }

    /// Whether files with several names count in this directory or below it. What is outside
    /// changes when they are removed: they may count there then.
    pub fn has_links(&self, id: Id) -> bool {
        self.links.values().any(|there| self.is_within(*there, id))
    }

    /// Says of an entry why something has failed.
    pub fn note(&mut self, dir: Id, name: &[u8], why: String) {
        self.fail(dir);
        if self.notes.len() < MAX_NOTES {
            self.notes.insert((dir, name.into()), why);
        }
    }

    /// Why something about this entry has failed.
    pub fn note_on(&self, dir: Id, name: &[u8]) -> Option<&str> {
        self.notes.get(&(dir, name.into())).map(String::as_str)
    }

    /// Why something in this directory or below it has failed: the first note by its path, and how
    /// many more there are.
    pub fn note_within(&self, id: Id) -> Option<(&str, usize)> {
        let within = self.notes.iter().filter(|((dir, _), _)| self.is_within(*dir, id));
        let count = within.clone().count();
        let first = within.min_by_key(|((dir, name), _)| (self.names(*dir), name))?;
        Some((first.1, count - 1))
    }

    /// The directory of this tree that has the path of a directory of another.
    pub fn same(&self, other: &SumTree, id: Id) -> Option<Id> {
        // The first is that of the top.
        let names = other.names(id).into_iter().skip(1);
        names.into_iter().try_fold(TOP, |id, name| self.child(id, name))
    }

    /// Takes over the notes of an earlier count of the same roots: what could not be removed then
    /// is still there.
    pub fn keep_notes(&mut self, earlier: &SumTree) {
        for ((dir, name), why) in &earlier.notes {
            if let Some(dir) = self.same(earlier, *dir) {
                self.note(dir, name, why.clone());
            }
        }
    }

    /// Drops the notes, and the files with several names, of this directory and of those below it.
    fn forget_within(&mut self, id: Id) {
        let mut links = std::mem::take(&mut self.links);
        let mut notes = std::mem::take(&mut self.notes);
        links.retain(|_, there| !self.is_within(*there, id));
        notes.retain(|(dir, _), _| !self.is_within(*dir, id));
        self.links = links;
        self.notes = notes;
    }

    /// A count of this directory begins: it takes nothing yet, and what it takes is added above.
    pub fn begin(&mut self, id: Id) {
        self.subtract(id, self.node(id).sums);
        self.forget_within(id);
        let children = std::mem::take(&mut self.nodes[id as usize].children);
        children.into_iter().for_each(|child| self.drop_below(child));
        self.nodes[id as usize].sums = Sums::default();
        self.nodes[id as usize].has_failed = false;
        self.change_above(id, |node| node.is_final = false);
    }

    /// The count of this directory is done.
    pub fn end(&mut self, id: Id) {
        self.change_above(id, |node| node.is_final = true);
    }

    /// Subtracts what was removed from a directory and from those above it.
    pub fn subtract(&mut self, id: Id, sums: Sums) {
        self.change_above(id, |node| node.sums -= sums);
    }

    /// The directory is no more.
    pub fn remove(&mut self, id: Id) {
        self.subtract(id, self.node(id).sums);
        self.forget_within(id);
        if let Some(parent) = self.parent(id) {
            self.nodes[parent as usize].children.retain(|child| *child != id);
        }
        self.drop_below(id);
    }

    fn drop_below(&mut self, id: Id) {
        self.last = None;
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            let node = std::mem::take(&mut self.nodes[id as usize]);
            left.extend(node.children);
            self.free.push(id);
        }
    }
}

/// A path without the slashes at its end. Of `/` nothing stays, as of the directory of what is in it
/// by [`split`].
fn without_slashes(mut path: &[u8]) -> &[u8] {
    while let Some(rest) = path.strip_suffix(b"/") {
        path = rest;
    }
    path
}

/// A path's directory and its last component.
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(allocated: u64) -> Sums {
        let mut sums = Sums::default();
        sums.allocated = allocated;
        sums.entries = 1;
        sums
    }

    #[test]
    fn a_directory_that_is_told_after_the_one_above_counts_once() {
        let mut tree = SumTree::default();
        let root = tree.locate(TOP, b"/", 0);
        let below = tree.locate(TOP, b"/a/b", 2);
        tree.see(below, sums(3), Sums::default());
        assert_eq!(tree.node(root).sums, sums(3));
        tree.finish(root, sums(10));
        tree.finish(below, sums(5));
        tree.see(below, sums(1), Sums::default());
        assert_eq!(tree.node(root).sums, sums(10));
        assert_eq!((tree.node(below).sums, tree.path(below)), (sums(5), b"/a/b".to_vec()));
        let a = tree.parent(below).unwrap();
        assert_eq!(tree.node(a).sums, sums(5));
        tree.remove(a);
        assert_eq!(tree.node(root).sums.allocated, 5);
        assert!(tree.node(root).children.is_empty());
        let again = tree.locate(TOP, b"/a/b", 2);
        assert_eq!(tree.node(again).sums, Sums::default());
    }

    #[test]
    fn counting_again_replaces_what_was_counted() {
        let mut tree = SumTree::default();
        let root = tree.locate(TOP, b"r/", 0);
        let a = tree.locate(TOP, b"r/a", 1);
        tree.finish(a, sums(5));
        tree.finish(root, sums(9));
        tree.begin(a);
        assert_eq!(tree.node(root).sums.allocated, 4);
        let b = tree.locate(a, b"r/a/b", 1);
        tree.see(b, sums(2), Sums::default());
        assert_eq!(tree.node(root).sums.allocated, 6);
        tree.finish(a, sums(3));
        tree.end(a);
        assert_eq!((tree.node(root).sums.allocated, tree.node(a).sums), (7, sums(3)));
        assert_eq!(tree.path(b), b"r/a/b");
    }
}
