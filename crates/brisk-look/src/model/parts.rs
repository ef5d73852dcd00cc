//! What a model is made of: rows, their order, marks.

use std::collections::HashSet;

use crate::removal::Chosen;
use crate::tree::{Id, SumTree};

/// A row: a directory of the tree, or an entry of the listing by its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Dir(Id),
    Entry(usize),
}

/// By what rows are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Key {
    #[default]
    Size,
    Count,
    Time,
    Name,
}

/// The order of rows: the largest and the newest come first, and names in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowOrder {
    pub key: Key,
    pub is_reversed: bool,
}

impl RowOrder {
    /// By this key; by the same once more: reversed.
    pub fn by(self, key: Key) -> RowOrder {
        RowOrder { key, is_reversed: self.key == key && !self.is_reversed }
    }
}

/// The marked entries, in the order in which they were marked.
#[derive(Debug, Default)]
pub struct Marks {
    pub all: Vec<Chosen>,
    /// What the question is about.
    pub asked: Vec<Chosen>,
}

impl Marks {
    pub fn contains(&self, dir: Id, name: &[u8]) -> bool {
        self.all.iter().any(|item| item.is(dir, name))
    }

    /// The entry has no mark.
    pub fn forget(&mut self, dir: Id, name: &[u8]) {
        self.all.retain(|item| !item.is(dir, name));
    }

    /// Nothing below this directory has a mark.
    pub fn forget_within(&mut self, tree: &SumTree, id: Id) {
        self.all.retain(|item| !tree.is_within(item.dir, id));
    }

    /// Another tree is shown: what is in a directory that it does not have has no mark.
    pub fn move_to(&mut self, before: &SumTree, tree: &SumTree) {
        for marks in [&mut self.all, &mut self.asked] {
            marks.retain_mut(|item| {
                let dir = tree.same(before, item.dir);
                item.dir = dir.unwrap_or(item.dir);
                dir.is_some()
            });
        }
    }

    /// Those that are not below others.
    pub fn outermost(&self, tree: &SumTree) -> Vec<Chosen> {
        let marked = self.all.iter().map(|item| (item.dir, &item.name));
        let marked: HashSet<_> = marked.collect();
        let is_marked = |id| {
            let parent = tree.parent(id);
            parent.is_some_and(|dir| marked.contains(&(dir, &tree.node(id).name)))
        };
        let is_below = |item: &&Chosen| tree.upwards(item.dir).any(is_marked);
        self.all.iter().filter(|item| !is_below(item)).cloned().collect()
    }
}
