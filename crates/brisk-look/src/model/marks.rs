//! Marks, and the question before what they name is removed.

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

    /// The row as a mark; `None` if it is not known which file it is.
    fn mark_of(&self, row: Row) -> Option<Chosen> {
        let listed = self.listed_as(row)?;
        let sums = self.sums(row);
        Some(Chosen { dir: self.view, path: self.path(row), shown: listed.shown?, sums })
    }

    /// Marks the row, or takes its mark away, and goes to the next.
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

    /// What the question is about, or would be: the marked entries that are not below others, or
    /// the row.
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

    /// What these take together.
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

    /// What removing the chosen entries frees, once that is known.
    pub fn frees(&self) -> Option<Freed> {
        self.measured.2
    }

    /// Has what the marks free found out, or what the question is about, if that has changed.
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
            self.told = "nothing is removed here".to_owned();
        } else if chosen.is_empty() {
            self.told = if self.row().is_none() { "nothing to remove" } else { UNKNOWN }.to_owned();
        } else if !self.is_busy("removing") {
            self.asked = chosen;
            self.mode = Mode::Question;
        }
    }
}

/// The directories that a path leads through.
fn dirs_above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &path[..at])
}

const UNKNOWN: &str = "which file this is is not known yet";
