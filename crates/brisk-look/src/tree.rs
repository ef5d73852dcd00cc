//! [`SumTree`]: the directories that a count has met, each with the sums of everything below it; no
//! files. What is found in a directory is added to it and to all directories above it.
//!
//! A file with several names counts once, in the first directory that has one of them. The tree
//! keeps the directories of all names, so that the file counts in the next one once that name is
//! removed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::take;

use brisk::usage::Sums;
use brisk_sys::{Identity, slashed};

use crate::count::Counted;

/// The most failures that are kept.
const MAX_NOTES: usize = 100_000;

/// A directory's index in the tree.
pub type Id = u32;

/// The node above the roots, which has no name.
pub const TOP: Id = 0;

/// A directory.
#[derive(Debug, Default)]
pub struct DirNode {
    parent: Id,
    /// A root's name is its path, as the user spelled it.
    pub name: Box<[u8]>,
    /// The sums of the directory and everything below it.
    pub sums: Sums,
    /// Whether this is a root that is not a directory.
    pub is_file: bool,
    /// Sorted by name.
    pub children: Vec<Id>,
}

/// A file with several names.
#[derive(Debug)]
struct LinkedFile {
    sums: Sums,
    /// The directory of each name. The file counts in the first.
    dirs: Vec<Id>,
}

/// The directories that a count has met.
#[derive(Debug, Default)]
pub struct SumTree {
    nodes: Vec<DirNode>,
    /// Indices that can be used again.
    free: Vec<Id>,
    /// The paths at which the running count began, without slashes at the end.
    bases: Vec<(Box<[u8]>, Id)>,
    /// The path of the directory that was looked up last, and its index.
    last: Option<(Vec<u8>, Id)>,
    links: HashMap<Identity, LinkedFile>,
    /// The message about each entry that could not be read or removed, by its path.
    notes: BTreeMap<Vec<u8>, String>,
}

impl SumTree {
    /// The tree at the start of a count of these roots.
    pub fn new(roots: &[Vec<u8>]) -> SumTree {
        let mut tree = SumTree { nodes: vec![DirNode::default()], ..SumTree::default() };
        let roots: Vec<_> = roots.iter().map(|root| tree.child_or_new(TOP, root)).collect();
        tree.begin(&roots);
        tree
    }

    pub fn node(&self, id: Id) -> &DirNode {
        &self.nodes[id as usize]
    }

    pub fn parent(&self, id: Id) -> Option<Id> {
        (id != TOP).then(|| self.node(id).parent)
    }

    /// The directory and those above it, up to [`TOP`].
    fn upwards(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// Whether `id` is `above` or below it.
    pub fn is_within(&self, id: Id, above: Id) -> bool {
        self.upwards(id).any(|id| id == above)
    }

    /// The names from the root down.
    fn names(&self, id: Id) -> Vec<&[u8]> {
        let ids = self.upwards(id).filter(|id| *id != TOP);
        let mut names: Vec<_> = ids.map(|id| &*self.node(id).name).collect();
        names.reverse();
        names
    }

    /// The path; empty for [`TOP`].
    pub fn path(&self, id: Id) -> Vec<u8> {
        let mut path = Vec::new();
        self.names(id).iter().for_each(|name| slashed::push(&mut path, name));
        path
    }

    fn place(&self, id: Id, name: &[u8]) -> Result<usize, usize> {
        self.node(id).children.binary_search_by(|child| (*self.node(*child).name).cmp(name))
    }

    /// The child of this name.
    pub fn child(&self, id: Id, name: &[u8]) -> Option<Id> {
        self.place(id, name).ok().map(|at| self.node(id).children[at])
    }

    /// The child of this name; added if it is new.
    pub fn child_or_new(&mut self, parent: Id, name: &[u8]) -> Id {
        let at = match self.place(parent, name) {
            Ok(at) => return self.node(parent).children[at],
            Err(at) => at,
        };
        let id = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(DirNode::default());
            Id::try_from(self.nodes.len() - 1).expect("BUG: more directories than memory holds")
        });
        self.nodes[id as usize] = DirNode { parent, name: name.into(), ..DirNode::default() };
        self.nodes[parent as usize].children.insert(at, id);
        id
    }

    /// The directory of this path; added if it is new. `depth` counts from the path at which the
    /// count began.
    fn locate(&mut self, path: &[u8], depth: usize) -> Id {
        if depth == 0 {
            let base = self.bases.iter().find(|(base, _)| **base == *without_slashes(path));
            return base.map_or(TOP, |(_, id)| *id);
        }
        let (above, name) = split(path);
        let known = self.last.as_ref().filter(|(path, _)| path == above).map(|(_, id)| *id);
        let parent = known.unwrap_or_else(|| {
            let parent = self.locate(above, depth - 1);
            self.last = Some((above.to_vec(), parent));
            parent
        });
        self.child_or_new(parent, name)
    }

    /// Changes the sums of the directory and of all above it.
    fn change(&mut self, id: Id, change: impl Fn(&mut Sums)) {
        let mut at = Some(id);
        while let Some(id) = at {
            change(&mut self.nodes[id as usize].sums);
            at = self.parent(id);
        }
    }

    fn add(&mut self, id: Id, sums: Sums) {
        self.change(id, |all| *all += sums);
    }

    fn subtract(&mut self, id: Id, sums: Sums) {
        self.change(id, |all| *all -= sums);
    }

    /// Adds what a count has found.
    pub fn take(&mut self, found: Counted) {
        match found {
            Counted::Entries { path, depth, sums } => {
                let id = self.locate(&path, depth);
                self.add(id, sums);
            }
            Counted::Linked { path, depth, file, sums } => {
                let id = self.locate(&path, depth);
                self.link(id, file, sums);
            }
            Counted::Root { path, sums } => {
                let id = self.locate(&path, 0);
                self.add(id, sums);
                self.nodes[id as usize].is_file = true;
            }
            Counted::Total { path, depth, mut all } => {
                let id = self.locate(&path, depth);
                all -= self.node(id).sums;
                self.add(id, all);
            }
            Counted::Failed { path, why } => self.note(&path, why),
        }
    }

    /// Adds a name of a file with several names, which is in this directory.
    fn link(&mut self, id: Id, file: Identity, sums: Sums) {
        // The time counts in the directory of each name.
        let mut newest = Sums::default();
        newest.newest = sums.newest;
        self.add(id, newest);
        let new = LinkedFile { sums, dirs: Vec::new() };
        let mut file_before = self.links.remove(&file).unwrap_or(new);
        let LinkedFile { sums, dirs } = &mut file_before;
        dirs.push(id);
        let last = dirs.len() - 1;
        if last == 0 {
            self.add(id, *sums);
        } else if self.names(id) < self.names(dirs[0]) {
            dirs.swap(0, last);
            self.subtract(dirs[last], *sums);
            self.add(id, *sums);
        }
        self.links.insert(file, file_before);
    }

    /// Lets a file that counted in `was` count in the first directory that is left, after some of
    /// its names were removed. `false`: no name is left.
    fn settle(&mut self, was: Id, LinkedFile { sums, dirs }: &mut LinkedFile) -> bool {
        if dirs.first() != Some(&was) {
            self.subtract(was, *sums);
            let first = (0..dirs.len()).min_by_key(|at| self.names(dirs[*at]));
            if let Some(first) = first {
                dirs.swap(0, first);
                self.add(dirs[0], *sums);
            }
        }
        !dirs.is_empty()
    }

    /// The directory in which this file counts, if it has several names.
    pub fn place_of(&self, file: Identity) -> Option<Id> {
        self.links.get(&file).map(|file| file.dirs[0])
    }

    /// Keeps the message about an entry that could not be read or removed.
    pub fn note(&mut self, path: &[u8], why: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.insert(without_slashes(path).into(), why);
        }
    }

    /// The messages about this path and everything below it.
    pub fn notes_within(&self, path: &[u8]) -> impl Iterator<Item = &str> {
        let above = without_slashes(path).to_vec();
        let from = self.notes.range(above.clone()..).map(|(path, why)| (path, &**why));
        let same = above.clone();
        let from = from.take_while(move |(path, _)| path.starts_with(&same));
        from.filter(move |(path, _)| is_within(path, &above)).map(|(_, why)| why)
    }

    /// Begins a count of these directories, whose sums start at 0.
    pub fn begin(&mut self, ids: &[Id]) {
        ids.iter().for_each(|id| self.clear(*id));
        let paths = ids.iter().map(|id| (without_slashes(&self.path(*id)).into(), *id));
        self.bases = paths.collect();
    }

    /// Forgets what was found in this directory and below it.
    fn clear(&mut self, id: Id) {
        let gone = self.take_below(id);
        let mut links = take(&mut self.links);
        links.retain(|_, file| {
            let was = file.dirs[0];
            file.dirs.retain(|dir| !gone.contains(dir));
            self.settle(was, file)
        });
        self.links = links;
        let path = self.path(id);
        self.notes.retain(|noted, _| !is_within(noted, &path));
        self.subtract(id, self.node(id).sums);
        self.nodes[id as usize].sums = Sums::default();
        for id in gone.into_iter().filter(|it| *it != id) {
            self.nodes[id as usize] = DirNode::default();
            self.free.push(id);
        }
        self.last = None;
    }

    /// Unlinks a directory and all directories below it from each other; returns them.
    fn take_below(&mut self, id: Id) -> HashSet<Id> {
        let mut all = HashSet::new();
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            all.insert(id);
            left.append(&mut self.nodes[id as usize].children);
        }
        all
    }

    /// Removes a directory.
    pub fn remove(&mut self, id: Id) {
        self.clear(id);
        let parent = self.node(id).parent;
        self.nodes[parent as usize].children.retain(|child| *child != id);
        self.free.push(id);
    }

    /// Removes a file with these sums from this directory.
    pub fn remove_file(&mut self, dir: Id, file: Identity, sums: Sums) {
        let Some(mut linked) = self.links.remove(&file) else { return self.subtract(dir, sums) };
        let was = linked.dirs[0];
        if let Some(at) = linked.dirs.iter().position(|it| *it == dir) {
            linked.dirs.remove(at);
        }
        if self.settle(was, &mut linked) {
            self.links.insert(file, linked);
        }
    }
}

/// A path without the slashes at its end. `/` becomes empty, as [`split`] has it for the directory
/// of `/x`.
fn without_slashes(mut path: &[u8]) -> &[u8] {
    while let Some(rest) = path.strip_suffix(b"/") {
        path = rest;
    }
    path
}

/// Whether a path is `above` or below it.
pub fn is_within(path: &[u8], above: &[u8]) -> bool {
    let rest = path.strip_prefix(without_slashes(above));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
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

    fn take(tree: &mut SumTree, path: &[u8], depth: usize, allocated: u64) {
        tree.take(Counted::Entries { path: path.into(), depth, sums: sums(allocated) });
    }

    #[test]
    fn what_is_found_is_added_above_in_any_order() {
        let mut tree = SumTree::new(&[b"/".to_vec()]);
        take(&mut tree, b"/a/b", 2, 3);
        take(&mut tree, b"/", 0, 10);
        take(&mut tree, b"/a/b", 2, 2);
        let root = tree.child(TOP, b"/").unwrap();
        let a = tree.child(root, b"a").unwrap();
        let b = tree.child(a, b"b").unwrap();
        let taken = |tree: &SumTree, id| tree.node(id).sums.allocated;
        assert_eq!([root, a, b].map(|id| taken(&tree, id)), [15, 5, 5]);
        assert_eq!(tree.path(b), b"/a/b");
        tree.remove(a);
        assert_eq!(taken(&tree, root), 10);
        assert!(tree.node(root).children.is_empty());
    }

    #[test]
    fn counting_again_replaces_what_was_counted() {
        let mut tree = SumTree::new(&[b"r/".to_vec()]);
        take(&mut tree, b"r/a/old", 2, 5);
        take(&mut tree, b"r/", 0, 4);
        let root = tree.child(TOP, b"r/").unwrap();
        let a = tree.child(root, b"a").unwrap();
        tree.note(b"r/a/old", "why".to_owned());
        tree.begin(&[a]);
        assert_eq!(tree.node(root).sums.allocated, 4);
        assert_eq!(tree.notes_within(b"r/").count(), 0);
        take(&mut tree, b"r/a/b", 1, 2);
        assert_eq!(tree.node(root).sums.allocated, 6);
        let b = tree.child(a, b"b").unwrap();
        assert_eq!(tree.path(b), b"r/a/b");
        assert_eq!(tree.node(a).children, [b]);
    }

    #[test]
    fn a_file_with_several_names_counts_where_the_first_that_is_left_is() {
        let mut tree = SumTree::new(&[b"r".to_vec()]);
        let file = (1, 7);
        for dir in ["b", "c", "a/x", "c"] {
            let path = format!("r/{dir}").into_bytes();
            let depth = path.split(|byte| *byte == b'/').count() - 1;
            tree.take(Counted::Linked { path: path.into(), depth, file, sums: sums(9) });
        }
        let root = tree.child(TOP, b"r").unwrap();
        let [a, b, c] = [b"a", b"b", b"c"].map(|name| tree.child(root, name).unwrap());
        let counts = |tree: &SumTree, at: &[Id]| {
            let taken = at.iter().map(|id| tree.node(*id).sums.allocated).collect::<Vec<_>>();
            assert_eq!(tree.node(root).sums.allocated, taken.iter().sum::<u64>());
            taken
        };
        assert_eq!(counts(&tree, &[a, b, c]), [9, 0, 0]);
        tree.remove(a);
        assert_eq!(counts(&tree, &[b, c]), [9, 0]);
        tree.remove_file(b, file, sums(9));
        assert_eq!(counts(&tree, &[b, c]), [0, 9]);
        tree.remove_file(c, file, sums(9));
        assert_eq!((counts(&tree, &[b, c]), tree.place_of(file)), (vec![0, 9], Some(c)));
        tree.remove_file(c, file, sums(9));
        assert_eq!((counts(&tree, &[b, c]), tree.place_of(file)), (vec![0, 0], None));
    }
}
