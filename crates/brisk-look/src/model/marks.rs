//! Marks, and the question before a removal.

use std::collections::HashSet;

use brisk::remove::Freed;
use brisk::usage::Sums;

use super::row::Row;
use super::{Effect, Mode, Model};
use crate::removal::Chosen;

impl Model {
    pub fn is_marked(&self, row: Row) -> bool {
        self.marks.iter().any(|item| item.dir == self.view && *item.name() == *self.name(row))
    }

    /// The row as a mark; `None` if the file's identity is not known.
    fn mark_of(&self, row: Row) -> Option<Chosen> {
        let listed = self.listed_as(row)?;
        let sums = self.sums(row);
        Some(Chosen { dir: self.view, path: self.path(row), shown: listed.shown?, sums })
    }

    /// Marks or unmarks the row, and moves to the next one.
    pub(super) fn mark(&mut self) {
        let Some(row) = self.row() else { return };
        if self.is_marked(row) {
            let path = self.path(row);
            self.marks.retain(|item| item.path != path);
        } else if let Some(mark) = self.mark_of(row) {
            self.marks.push(mark);
        } else {
            self.told = UNKNOWN.to_owned();
            return;
        }
        self.go(1);
    }

    /// What `d` removes: the marked entries, without those below other marked ones; if none are
    /// marked, the row. While the question is shown, the entries that it is about.
    pub fn chosen(&self) -> Vec<Chosen> {
        if self.mode == Mode::Question {
            return self.asked.clone();
        }
        if self.marks.is_empty() {
            return self.row().and_then(|row| self.mark_of(row)).into_iter().collect();
        }
        let marked: HashSet<_> = self.marks.iter().map(|item| &*item.path).collect();
        let is_below = |item: &Chosen| dirs_above(&item.path).any(|dir| marked.contains(dir));
        self.marks.iter().filter(|item| !is_below(item)).cloned().collect()
    }

    /// How many of these are not on the screen.
    pub fn unseen(&self, chosen: &[Chosen]) -> usize {
        let shown: HashSet<_> = self.shown().map(|(_, row)| self.path(row)).collect();
        chosen.iter().filter(|item| !shown.contains(&item.path)).count()
    }

    /// The sums of these entries together.
    pub fn holds(&self, chosen: &[Chosen]) -> Sums {
        let mut all = Sums::default();
        for item in chosen {
            let dir = self.tree.child(item.dir, item.name());
            let mut sums = dir.map_or(item.sums, |id| self.tree.node(id).sums);
            // A name of a file that counts elsewhere is removed too.
            sums.entries = sums.entries.max(1);
            all += sums;
        }
        all
    }

    /// How much space removing the chosen entries frees, once that is known.
    pub fn frees(&self) -> Option<Freed> {
        self.measured.2
    }

    /// Asks for a measurement of how much space removing the marked entries, or those of the
    /// question, would free, if they have changed.
    pub(super) fn measure(&mut self) {
        let is_asked = self.mode == Mode::Question || !self.marks.is_empty();
        let chosen = if is_asked { self.chosen() } else { Vec::new() };
        let paths: Vec<_> = chosen.into_iter().map(|item| item.path).collect();
        if !self.is_removing && !self.choices.is_stored && paths != self.measured.1 {
            self.measured = (self.measured.0 + 1, paths.clone(), None);
            self.effects.push(Effect::Measure(self.measured.0, paths));
        }
    }

    /// Asks whether to remove.
    pub(super) fn ask(&mut self) {
        let chosen = self.chosen();
        if self.choices.read_only || self.choices.is_stored {
            self.told = "read-only: nothing can be removed".to_owned();
        } else if chosen.is_empty() {
            self.told = if self.row().is_none() { "nothing to remove" } else { UNKNOWN }.to_owned();
        } else if !self.is_busy("removing") {
            self.asked = chosen;
            self.mode = Mode::Question;
        }
    }
}

/// The directories above a path, from the top down.
fn dirs_above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &path[..at])
}

const UNKNOWN: &str = "this entry has not been read yet";
