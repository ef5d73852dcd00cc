//! [`Model`]: what is shown, and what a message changes in it. It knows no terminal and no file
//! system: messages come in, and what has to be done outside comes out as [`Effect`]s.

pub mod keys;
mod marks;
pub mod parts;
#[cfg(test)]
mod random;
mod recount;
mod rows;

use brisk::Timestamp;
use brisk::remove::Freed;
use brisk::usage::Sums;
use ratatui_crossterm::crossterm::event::KeyEvent;

use crate::count::Counted;
use crate::listing::Listing;
use crate::removal::{Chosen, Outcome};
use crate::tree::{Id, SumTree, TOP};
use parts::{Marks, Row, RowOrder};

/// What has happened.
#[derive(Debug)]
pub enum Message {
    Key(KeyEvent),
    /// A mouse button was pressed on this line of the screen.
    Click(u16),
    /// The wheel was turned by so many lines.
    Scroll(isize),
    Resize(u16, u16),
    /// What a count has found, and whether it is done.
    Found(Vec<Counted>, bool),
    /// The answer to the [`Effect::List`] of this number.
    Listed(u64, Listing),
    Removed(Outcome),
    RemovalEnded,
    /// The answer to the [`Effect::Measure`] of this number.
    Measured(u64, Freed),
}

/// What has to be done outside of the model.
#[derive(Debug)]
pub enum Effect {
    /// Read what is in this directory. The answer has the same number.
    List(u64, Vec<u8>),
    /// Count this directory; all, if the path is empty. This ends the count that runs.
    Count(Vec<u8>),
    /// End the count that runs.
    StopCounting,
    Remove(Vec<Chosen>),
    StopRemoving,
    /// Find out what removing these paths together frees. The answer has the same number; one that
    /// is being looked for is not wanted any more.
    Measure(u64, Vec<Vec<u8>>),
    /// Stop the program until the shell has it go on.
    Suspend,
    /// End with this exit code, unless a removal failed, and print the path.
    Leave(u8, Option<Vec<u8>>),
}

/// What the user chose on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    pub read_only: bool,
    /// The tree was counted earlier, and is only looked at.
    pub is_stored: bool,
    /// Sizes are those of the contents.
    pub apparent: bool,
}

/// What keys mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Walk,
    /// Keys are the text that is searched for.
    Search,
    /// The keys are shown, until the next one.
    Help,
    /// `y` removes.
    Question,
}

/// What is shown.
#[derive(Debug, Default)]
pub struct Model {
    pub tree: SumTree,
    /// The directory that relative paths begin in.
    pub place: Vec<u8>,
    /// When a stored tree was written, if that is known.
    pub stored: Option<Timestamp>,
    pub choices: Choices,
    pub mode: Mode,
    /// The directory that is shown.
    pub view: Id,
    pub listing: Listing,
    /// The number of the last [`Effect::List`], and whether its answer is due.
    list: (u64, bool),
    pub rows: Vec<Row>,
    /// The row under the cursor; the first one on the screen.
    pub cursor: usize,
    pub first: usize,
    /// The user has moved the cursor in this directory: it stays on its row.
    is_chosen: bool,
    /// The name of the row under the cursor.
    kept: Option<Box<[u8]>>,
    /// The rows have to be computed again.
    is_stale: bool,
    pub sort: RowOrder,
    /// What names must contain.
    pub search: String,
    marks: Marks,
    /// The number of the last [`Effect::Measure`], its paths, and the answer.
    measured: (u64, Vec<Vec<u8>>, Option<Freed>),
    /// The first line of the keys on the screen, while they are shown.
    pub first_key: usize,
    /// The directory that is being counted.
    pub counting: Option<Id>,
    /// What has to be counted when that is done.
    to_count: Vec<Id>,
    /// What could not be removed below directories that are counted again.
    late: Vec<(Id, Counted)>,
    /// A file with several names was removed, or counted alone: where it counts is to be found out.
    is_inexact: bool,
    /// The tree that a count of all roots makes in the background, to find that out.
    fresh: Option<SumTree>,
    /// What the removal that runs could not remove: the first message, and how many entries stay.
    failed: Option<(String, u64)>,
    /// What could not be removed, a message for each removal.
    pub complaints: Vec<String>,
    /// What is being removed is still to be answered for.
    pub is_removing: bool,
    /// One line about what was done last.
    pub told: String,
    /// Columns and lines.
    pub size: (u16, u16),
}

impl Model {
    /// The model of a count of these roots that has begun.
    pub fn new(roots: &[Vec<u8>], choices: Choices, size: (u16, u16)) -> Model {
        let tree = SumTree::new(roots);
        let view = if let [root] = tree.node(TOP).children[..] { root } else { TOP };
        let counting = Some(TOP);
        Model { tree, choices, view, size, counting, is_stale: true, ..Model::default() }
    }

    /// Takes a message in.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        self.is_stale = true;
        let mut effects = match message {
            Message::Key(key) => self.key(key),
            Message::Click(line) => self.click(line),
            Message::Scroll(lines) if self.mode == Mode::Walk => self.go(lines),
            Message::Scroll(_) => Vec::new(),
            Message::Resize(columns, lines) => {
                self.size = (columns, lines);
                self.first_key = self.first_key.min(self.most_first_key());
                Vec::new()
            }
            Message::Found(found, is_done) => self.found(found, is_done),
            Message::Listed(number, listing) if number == self.list.0 => self.listed(listing),
            Message::Listed(..) => Vec::new(),
            Message::Removed(outcome) => self.removed(outcome),
            Message::RemovalEnded => self.removal_ended(),
            Message::Measured(number, freed) => {
                if number == self.measured.0 {
                    self.measured.2 = Some(freed);
                }
                Vec::new()
            }
        };
        effects.extend(self.measure());
        if self.is_stale {
            self.settle();
        }
        effects
    }

    /// What takes the space, of these sums.
    pub fn number(&self, sums: &Sums) -> u64 {
        if self.choices.apparent { sums.apparent } else { sums.allocated }
    }

    /// How many rows the screen has.
    pub fn height(&self) -> usize {
        usize::from(self.size.1.saturating_sub(3)).max(1)
    }

    /// Reads what is in the directory that is shown.
    pub fn list(&mut self) -> Vec<Effect> {
        self.list = (self.list.0 + 1, self.view != TOP);
        if self.view == TOP {
            return Vec::new();
        }
        vec![Effect::List(self.list.0, self.tree.path(self.view))]
    }

    /// Whether a thread is to answer.
    pub fn awaits(&self) -> bool {
        self.list.1 || !self.measured.1.is_empty() && self.measured.2.is_none()
    }

    /// Whether the directory's entries are being read.
    pub fn is_listing(&self) -> bool {
        self.list.1
    }

    fn listed(&mut self, listing: Listing) -> Vec<Effect> {
        self.list.1 = false;
        if self.counting.is_some() {
            let dirs = listing.entries.iter().filter(|entry| entry.is_dir);
            dirs.for_each(|entry| _ = self.tree.add(self.view, &entry.name));
        }
        if let Some(why) = &listing.failed {
            self.told.clone_from(why);
        }
        self.listing = listing;
        Vec::new()
    }

    fn found(&mut self, found: Vec<Counted>, is_done: bool) -> Vec<Effect> {
        if self.fresh.is_some() {
            return self.recounted(found, is_done);
        }
        let Some(base) = self.counting else { return Vec::new() };
        for found in found {
            self.tree.take(base, found);
        }
        if !is_done {
            return Vec::new();
        }
        let is_of_base = |late: &mut (Id, Counted)| late.0 == base;
        let late: Vec<_> = self.late.extract_if(.., is_of_base).collect();
        late.into_iter().for_each(|(_, found)| self.tree.take(base, found));
        self.tree.end(base);
        self.counting = None;
        self.is_inexact = !self.is_whole(base) && (self.is_inexact || self.tree.has_links(base));
        self.count_next()
    }

    /// Whether something about this row has failed.
    pub fn has_failed(&self, row: Row) -> bool {
        let is_below = matches!(row, Row::Dir(id) if self.tree.node(id).has_failed);
        is_below || self.tree.note_on(self.view, self.name(row)).is_some()
    }

    /// Why something about this row has failed.
    pub fn note_on(&self, row: Row) -> Option<String> {
        let note = self.tree.note_on(self.view, self.name(row)).map(str::to_owned);
        let below = || match row {
            Row::Dir(id) if self.tree.node(id).has_failed => {
                let (first, others) = self.tree.note_within(id)?;
                Some(and_more(first, others as u64))
            }
            _ => None,
        };
        note.or_else(below)
    }

    /// Counts this directory again, now or when the present count is done.
    fn count(&mut self, id: Id) -> Vec<Effect> {
        if self.counting.is_some() {
            self.to_count.push(id);
            return Vec::new();
        }
        if self.tree.is_within(self.view, id) {
            self.view = id;
        }
        // The count in the background would miss what changes now. Another follows.
        self.fresh = None;
        self.marks.forget_within(&self.tree, id);
        // Another name may be the one that counts.
        self.is_inexact |= !self.is_whole(id) && self.tree.has_links(id);
        self.tree.begin(id);
        self.counting = Some(id);
        vec![Effect::Count(self.tree.path(id))]
    }

    fn count_next(&mut self) -> Vec<Effect> {
        if self.is_removing {
            return Vec::new();
        }
        match self.to_count.pop() {
            Some(id) => self.count(id),
            None => self.recount(),
        }
    }

    /// An item was removed, or was not: the sums of all directories above follow.
    fn removed(&mut self, outcome: Outcome) -> Vec<Effect> {
        let Outcome { item, is_gone, failures, failed } = outcome;
        self.marks.forget(item.dir, &item.name);
        let node = self.tree.child(item.dir, &item.name);
        if let Some((_, why)) = failures.first() {
            let (_, count) = self.failed.get_or_insert_with(|| (why.clone(), 0));
            *count += failed;
        }
        for (path, why) in failures {
            let depth = path[item.path.len()..].iter().filter(|byte| **byte == b'/').count();
            match node.filter(|_| depth > 0) {
                Some(node) => {
                    self.late.push((node, Counted::Failed { path: path.into(), depth, why }))
                }
                None => self.tree.note(item.dir, &item.name, why),
            }
        }
        match node {
            Some(node) if is_gone => {
                if self.tree.is_within(self.view, node) {
                    self.enter(item.dir);
                }
                self.marks.forget_within(&self.tree, node);
                self.is_inexact |= self.tree.has_links(node);
                self.tree.remove(node);
            }
            Some(node) => self.to_count.push(node),
            None if is_gone => self.file_is_gone(&item),
            None => {}
        }
        Vec::new()
    }

    fn file_is_gone(&mut self, item: &Chosen) {
        let at = self.listing.entries.binary_search_by(|entry| entry.name.cmp(&item.name));
        if let Ok(at) = at
            && item.dir == self.view
        {
            self.listing.entries.remove(at);
        }
        self.is_inexact |= self.tree.place_of(item.shown.file.itself) == Some(item.dir);
        self.tree.subtract(item.dir, item.sums);
    }

    fn removal_ended(&mut self) -> Vec<Effect> {
        self.is_removing = false;
        if let Some((first, count)) = self.failed.take() {
            self.told = and_more(&first, count.saturating_sub(1));
            self.complaints.push(self.told.clone());
        }
        let mut effects = self.count_next();
        effects.extend(self.list());
        effects
    }
}

/// A message, and how many more there are.
fn and_more(first: &str, others: u64) -> String {
    if others == 0 { first.to_owned() } else { format!("{first} (and {others} more)") }
}
