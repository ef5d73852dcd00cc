//! Counting all roots again in the background.
//!
//! A file with several names counts in the first directory that has one. When that name is removed,
//! the file counts in another directory, and which one only a count of all roots can tell: the tree
//! holds no files. The same holds when a directory was counted alone. Until that count is done the
//! screen shows the earlier sums, and its title says so; no key has to wait for it. A removal, or a
//! count of one directory, ends it; it begins anew afterwards.

use std::mem::replace;

use super::{Effect, Mode, Model};
use crate::count::Counted;
use crate::tree::{Id, SumTree, TOP};

impl Model {
    /// Whether the sums are those of an earlier count.
    pub fn is_inexact(&self) -> bool {
        self.is_inexact
    }

    /// Whether a count of this directory is one of all roots.
    pub(super) fn is_whole(&self, id: Id) -> bool {
        id == TOP || matches!(self.tree.node(TOP).children[..], [root] if root == id)
    }

    /// Begins to count all roots in the background, if that is needed.
    pub(super) fn recount(&mut self) -> Vec<Effect> {
        if !self.is_inexact || self.choices.is_stored {
            return Vec::new();
        }
        let roots = &self.tree.node(TOP).children;
        let roots: Vec<_> = roots.iter().map(|id| self.tree.node(*id).name.to_vec()).collect();
        self.fresh = Some(SumTree::new(&roots));
        vec![Effect::Count(Vec::new())]
    }

    /// Ends that count: what it has seen is about to be removed.
    pub(super) fn stop_recount(&mut self) -> Vec<Effect> {
        self.fresh.take().map(|_| Effect::StopCounting).into_iter().collect()
    }

    /// Takes in what that count has found. When it is done its tree replaces the present one.
    pub(super) fn recounted(&mut self, found: Vec<Counted>, is_done: bool) -> Vec<Effect> {
        let Some(mut tree) = self.fresh.take() else { return Vec::new() };
        found.into_iter().for_each(|found| tree.take(TOP, found));
        if !is_done {
            self.fresh = Some(tree);
            return Vec::new();
        }
        tree.end(TOP);
        tree.keep_notes(&self.tree);
        self.is_inexact = false;
        let before = replace(&mut self.tree, tree);
        self.marks.move_to(&before, &self.tree);
        if self.mode == Mode::Question && self.marks.asked.is_empty() {
            self.mode = Mode::Walk;
        }
        let mut above = before.upwards(self.view);
        let same = above.find_map(|id| Some((id, self.tree.same(&before, id)?)));
        match same {
            Some((id, view)) if id == self.view => self.view = view,
            Some((_, view)) => return self.enter(view),
            None => {}
        }
        self.list()
    }
}
