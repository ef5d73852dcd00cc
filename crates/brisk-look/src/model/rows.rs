//! The rows of the directory that is shown: their order, and which of them are on the screen.

use std::cmp::Ordering;

use brisk::usage::Sums;
use brisk_sys::slashed;

use super::Model;
use super::row::{Key, Row};
use crate::listing::ListedEntry;

impl Model {
    pub fn name(&self, row: Row) -> &[u8] {
        match row {
            Row::Dir(id) => &self.tree.node(id).name,
            Row::Entry(at) => &self.listing.entries[at].name,
        }
    }

    /// The row's path.
    pub fn path(&self, row: Row) -> Vec<u8> {
        let mut path = self.tree.path(self.view);
        slashed::push(&mut path, self.name(row));
        path
    }

    /// What the row adds to the sums of the directory that is shown.
    pub fn sums(&self, row: Row) -> Sums {
        match row {
            Row::Dir(id) => self.tree.node(id).sums,
            Row::Entry(_) if self.elsewhere(row).is_some() => Sums::default(),
            Row::Entry(at) => self.listing.entries[at].sums,
        }
    }

    /// The sums of the row's file, if the file counts under another of its names.
    pub fn elsewhere(&self, row: Row) -> Option<Sums> {
        let Row::Entry(at) = row else { return None };
        let entry = self.listing.entries.get(at).filter(|entry| entry.is_linked)?;
        let place = self.tree.place_of(entry.shown?.file.itself);
        let is_elsewhere = entry.is_repeated || place.is_some_and(|place| place != self.view);
        is_elsewhere.then_some(entry.sums)
    }

    /// The row's entry in the listing.
    pub fn listed_as(&self, row: Row) -> Option<&ListedEntry> {
        match row {
            Row::Dir(_) => self.listing.entry(self.name(row)).filter(|entry| entry.is_dir),
            Row::Entry(at) => self.listing.entries.get(at),
        }
    }

    /// The row under the cursor.
    pub fn row(&self) -> Option<Row> {
        self.rows.get(self.cursor).copied()
    }

    /// How many rows the screen has.
    pub fn height(&self) -> usize {
        usize::from(self.size.1.saturating_sub(3)).max(1)
    }

    /// The rows on the screen, and the index of each among all rows.
    pub fn shown(&self) -> impl Iterator<Item = (usize, Row)> {
        self.rows.iter().copied().enumerate().skip(self.first).take(self.height())
    }

    /// Computes the rows again if something has changed. If the user has moved the cursor, it stays
    /// on its row, and the row on its line of the screen.
    pub fn settle(&mut self) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let under = self.kept.take().filter(|_| self.is_chosen);
        let line = self.cursor.saturating_sub(self.first);
        let dirs = self.tree.node(self.view).children.iter().map(|id| Row::Dir(*id));
        let entries = self.listing.entries.iter().enumerate().filter(|(_, entry)| !entry.is_dir);
        let entries = entries.map(|(at, _)| Row::Entry(at));
        let search = self.search.to_lowercase();
        let mut rows: Vec<_> = dirs.chain(entries).collect();
        if !search.is_empty() {
            let name = |row: &Row| String::from_utf8_lossy(self.name(*row)).to_lowercase();
            rows.retain(|row| name(row).contains(&search));
        }
        rows.sort_by(|one, other| self.compare(*one, *other));
        let place = |name: Box<[u8]>| rows.iter().position(|row| *self.name(*row) == *name);
        if let Some(at) = under.and_then(place) {
            self.cursor = at;
            self.first = at.saturating_sub(line);
        }
        self.rows = rows;
        self.keep_in_sight();
    }

    /// Puts the cursor on a row, and scrolls that row onto the screen.
    pub(super) fn keep_in_sight(&mut self) {
        let height = self.height();
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        let last = self.rows.len().saturating_sub(height);
        let least = (self.cursor + 1).saturating_sub(height);
        self.first = self.first.min(last).clamp(least, self.cursor);
        self.kept = self.row().map(|row| self.name(row).into());
    }

    fn compare(&self, one: Row, other: Row) -> Ordering {
        let [a, b] = [one, other].map(|row| self.sums(row));
        let by_name = self.name(one).cmp(self.name(other));
        let order = match self.key {
            Key::Size => self.number(&b).cmp(&self.number(&a)),
            Key::Count => b.entries.cmp(&a.entries),
            Key::Time => b.newest.cmp(&a.newest),
            Key::Name => by_name,
        };
        if self.is_reversed { order.reverse() } else { order }.then(by_name)
    }
}
