//! The rows of the directory that is shown: which, in which order, and which of them are on the
//! screen.

use std::cmp::Ordering;

use brisk::usage::Sums;

use super::Model;
use super::parts::{Key, Row};
use crate::listing::ListedEntry;

impl Model {
    pub fn name(&self, row: Row) -> &[u8] {
        match row {
            Row::Dir(id) => &self.tree.node(id).name,
            Row::Entry(at) => &self.listing.entries[at].name,
        }
    }

    /// What the row adds to the directory that is shown.
    pub fn sums(&self, row: Row) -> Sums {
        match row {
            Row::Dir(id) => self.tree.node(id).sums,
            Row::Entry(at) => {
                let sums = self.listing.entries[at].sums;
                let mut nothing = Sums::default();
                nothing.newest = sums.newest;
                if self.elsewhere(row).is_some() { nothing } else { sums }
            }
        }
    }

    /// What the row's file takes, if that counts by another name of the file.
    pub fn elsewhere(&self, row: Row) -> Option<Sums> {
        let Row::Entry(at) = row else { return None };
        let entry = self.listing.entries.get(at).filter(|entry| entry.is_linked)?;
        let place = self.tree.place_of(entry.shown?.file.itself);
        let is_elsewhere = entry.is_repeated || place.is_some_and(|place| place != self.view);
        is_elsewhere.then_some(entry.sums)
    }

    /// What the listing says of the row.
    pub fn listed_as(&self, row: Row) -> Option<&ListedEntry> {
        match row {
            Row::Dir(id) => {
                self.listing.entry(&self.tree.node(id).name).filter(|entry| entry.is_dir)
            }
            Row::Entry(at) => self.listing.entries.get(at),
        }
    }

    /// The row under the cursor.
    pub fn row(&self) -> Option<Row> {
        self.rows.get(self.cursor).copied()
    }

    /// Computes the rows. The row under the cursor stays under it, and on its line of the screen.
    pub(super) fn settle(&mut self) {
        let under = self.kept.take();
        let line = self.cursor.saturating_sub(self.first);
        let dirs = self.tree.node(self.view).children.iter().map(|id| Row::Dir(*id));
        let entries = self.listing.entries.iter().enumerate().filter(|(_, entry)| !entry.is_dir);
        let entries = entries.map(|(at, _)| Row::Entry(at));
        let mut rows: Vec<_> = dirs.chain(entries).filter(|row| self.is_found(*row)).collect();
        rows.sort_by(|one, other| self.compare(*one, *other));
        self.rows = rows;
        let place = |name: &[u8]| self.rows.iter().position(|row| self.name(*row) == name);
        if let Some(at) = under.and_then(|name| place(&name)).filter(|_| self.is_chosen) {
            self.cursor = at;
            self.first = at.saturating_sub(line);
        }
        self.keep_in_sight();
    }

    /// The cursor is on a row, and on the screen.
    pub(super) fn keep_in_sight(&mut self) {
        let height = self.height();
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        let last = self.rows.len().saturating_sub(height);
        let least = (self.cursor + 1).saturating_sub(height);
        self.first = self.first.min(last).clamp(least, self.cursor);
        self.kept = self.row().map(|row| self.name(row).into());
    }

    fn is_found(&self, row: Row) -> bool {
        let lowercase = |name: &[u8]| String::from_utf8_lossy(name).to_lowercase();
        self.search.is_empty() || lowercase(self.name(row)).contains(&self.search.to_lowercase())
    }

    fn compare(&self, one: Row, other: Row) -> Ordering {
        let [a, b] = [one, other].map(|row| self.sums(row));
        let by_name = || self.name(one).cmp(self.name(other));
        let order = match self.sort.key {
            Key::Size => self.number(&b).cmp(&self.number(&a)),
            Key::Count => b.entries.cmp(&a.entries),
            Key::Time => b.newest.cmp(&a.newest),
            Key::Name => by_name(),
        };
        let order = if self.sort.is_reversed { order.reverse() } else { order };
        order.then_with(by_name)
    }
}
