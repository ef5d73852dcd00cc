//! Marks, and the question before what they name is removed.

use std::collections::HashSet;

use brisk::remove::Freed;
use brisk::usage::Sums;
use brisk_sys::slashed;

use super::parts::Row;
use super::{Effect, Mode, Model};
use crate::removal::Chosen;

impl Model {
    pub fn is_marked(&self, row: Row) -> bool {
        self.marks.contains(self.view, self.name(row))
    }

    pub fn has_marks(&self) -> bool {
        !self.marks.all.is_empty()
    }

    /// The row as a mark; `None` if it is not known which file it is.
    fn mark_of(&self, row: Row) -> Option<Chosen> {
        let listed = self.listed_as(row)?;
        let mut path = self.tree.path(self.view);
        slashed::push(&mut path, &listed.name);
        let sums = if listed.is_dir { listed.sums } else { self.sums(row) };
        let name = listed.name.clone();
        Some(Chosen { dir: self.view, name, path, shown: listed.shown?, sums })
    }

    /// Marks the row, or takes its mark away, and goes to the next.
    pub(super) fn mark(&mut self) -> Vec<Effect> {
        let Some(row) = self.row() else { return Vec::new() };
        if self.is_marked(row) {
            let name = self.name(row).to_vec();
            self.marks.forget(self.view, &name);
        } else if let Some(mark) = self.mark_of(row) {
            self.marks.all.push(mark);
        } else {
            self.told = UNKNOWN.to_owned();
            return Vec::new();
        }
        self.go(1)
    }

    /// What the question is about, or would be: the marked entries that are not below others, or
    /// the row.
    pub fn chosen(&self) -> Vec<Chosen> {
        if self.mode == Mode::Question {
            self.marks.asked.clone()
        } else if self.has_marks() {
            self.marks.outermost(&self.tree)
        } else {
            self.row().and_then(|row| self.mark_of(row)).into_iter().collect()
        }
    }

    /// How many of these are not on the screen.
    pub fn unseen(&self, chosen: &[Chosen]) -> usize {
        let rows = self.rows.iter().skip(self.first).take(self.height());
        let shown: HashSet<_> = rows.map(|row| self.name(*row)).collect();
        let is_seen = |item: &&Chosen| item.dir == self.view && shown.contains(&*item.name);
        chosen.len() - chosen.iter().filter(is_seen).count()
    }

    /// What these take together.
    pub fn holds(&self, chosen: &[Chosen]) -> Sums {
        let mut all = Sums::default();
        for item in chosen {
            let dir = self.tree.child(item.dir, &item.name);
            let mut sums = dir.map_or(item.sums, |id| self.tree.node(id).sums);
            // A name of a file that counts elsewhere is removed too.
            sums.entries = sums.entries.max(1);
            all += sums;
        }
        all
    }

    /// What removing the chosen entries frees, once that is known.
    pub fn frees(&self) -> Option<Freed> {
        self.measured.2
    }

    /// Has what the marks free found out, or what the question is about, if that has changed.
    pub(super) fn measure(&mut self) -> Option<Effect> {
        let is_asked = self.mode == Mode::Question || self.has_marks();
        let chosen = if is_asked { self.chosen() } else { Vec::new() };
        let paths: Vec<_> = chosen.into_iter().map(|item| item.path).collect();
        if self.is_removing || self.choices.is_stored || paths == self.measured.1 {
            return None;
        }
        self.measured = (self.measured.0 + 1, paths.clone(), None);
        Some(Effect::Measure(self.measured.0, paths))
    }

    /// Asks whether to remove.
    pub(super) fn ask(&mut self) {
        if self.choices.read_only || self.choices.is_stored {
            self.told = "nothing is removed here".to_owned();
            return;
        }
        self.marks.asked = self.chosen();
        if self.marks.asked.is_empty() {
            let nothing = if self.row().is_none() { "nothing to remove" } else { UNKNOWN };
            self.told = nothing.to_owned();
        } else if !self.is_busy("removing") {
            self.mode = Mode::Question;
        }
    }

    /// The answer was yes.
    pub(super) fn remove(&mut self) -> Vec<Effect> {
        let asked = std::mem::take(&mut self.marks.asked);
        self.is_removing = true;
        let mut effects = self.stop_recount();
        effects.push(Effect::Remove(asked));
        effects
    }
}

const UNKNOWN: &str = "which file this is is not known yet";
