//! [`Model`]: what is shown, and what a message changes in it. It knows no terminal and no file
//! system: messages come in, and what has to be done outside comes out as [`Effect`]s.

pub mod keys;
mod marks;
#[cfg(test)]
mod random;
pub mod row;
mod rows;

use std::mem::take;

use brisk::Timestamp;
use brisk::remove::Freed;
use brisk::usage::Sums;
use ratatui_crossterm::crossterm::event::KeyEvent;

use crate::count::Counted;
use crate::listing::Listing;
use crate::removal::{Chosen, Outcome};
use crate::tree::{Id, SumTree, TOP, is_within};
use row::{Key, Row};

/// What has happened.
#[derive(Debug)]
pub enum Message {
    Key(KeyEvent),
    /// A mouse button was pressed on this line of the screen.
    Click(u16),
    /// The wheel was turned by so many lines.
    Scroll(isize),
    Resize(u16, u16),
    /// What a count has found.
    Found(Vec<Counted>),
    CountEnded,
    /// The answer to the [`Effect::List`] of this number.
    Listed(u64, Listing),
    Removed(Outcome),
    RemovalEnded,
    /// The answer to the [`Effect::Measure`] of this number.
    Measured(u64, Freed),
}

impl Message {
    /// Whether the user waits for what this changes.
    pub fn is_by_user(&self) -> bool {
        matches!(self, Self::Key(_) | Self::Click(_) | Self::Scroll(_) | Self::Resize(..))
    }
}

/// What has to be done outside of the model.
#[derive(Debug)]
pub enum Effect {
    /// Read what is in this directory. The answer has the same number.
    List(u64, Vec<u8>),
    /// Count these directories.
    Count(Vec<Vec<u8>>),
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

/// What is chosen on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    pub read_only: bool,
    /// The tree was counted earlier, and is only looked at.
    pub is_stored: bool,
    /// When that was, if it is known.
    pub written: Option<Timestamp>,
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
    pub choices: Choices,
    pub mode: Mode,
    /// The directory that is shown, and what is in it.
    pub view: Id,
    pub listing: Listing,
    /// The number of the last [`Effect::List`], and whether its answer is due.
    list: u64,
    pub is_listing: bool,
    pub rows: Vec<Row>,
    /// The rows have to be computed again.
    is_stale: bool,
    /// The row under the cursor; the first one on the screen.
    pub cursor: usize,
    pub first: usize,
    /// The user has moved the cursor in this directory: it stays on its row.
    is_chosen: bool,
    /// The name of the row under the cursor.
    kept: Option<Box<[u8]>>,
    /// By what rows are sorted.
    pub key: Key,
    pub is_reversed: bool,
    /// What names must contain.
    pub search: String,
    /// The marked entries, in the order in which they were marked.
    pub marks: Vec<Chosen>,
    /// What the question is about.
    asked: Vec<Chosen>,
    /// The number of the last [`Effect::Measure`], its paths, and the answer.
    measured: (u64, Vec<Vec<u8>>, Option<Freed>),
    /// The first line of the keys on the screen, while they are shown.
    pub first_key: usize,
    pub is_counting: bool,
    pub is_removing: bool,
    /// The directories that the removal that runs left something in, what to note there, and how
    /// many entries stay.
    left: Vec<Id>,
    notes: Vec<(Vec<u8>, String)>,
    stay: u64,
    /// What could not be removed, a message for each removal.
    pub complaints: Vec<String>,
    /// One line about what was done last.
    pub told: String,
    /// Columns and lines.
    pub size: (u16, u16),
    effects: Vec<Effect>,
}

impl Model {
    /// The model of a count of these roots that begins. The first message is the size.
    pub fn new(roots: &[Vec<u8>], choices: Choices) -> Model {
        let tree = SumTree::new(roots);
        let view = if let [root] = tree.node(TOP).children[..] { root } else { TOP };
        let effects =
            if choices.is_stored { Vec::new() } else { vec![Effect::Count(roots.to_vec())] };
        let mut model = Model {
            tree,
            choices,
            view,
            effects,
            is_counting: true,
            is_stale: true,
            ..Model::default()
        };
        model.list();
        model
    }

    /// Takes a message in.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        if !matches!(message, Message::Found(_)) {
            self.settle();
        }
        self.is_stale = true;
        match message {
            Message::Key(key) => self.key(key),
            Message::Click(line) => self.click(line),
            Message::Scroll(lines) if self.mode == Mode::Walk => self.go(lines),
            Message::Scroll(_) => {}
            Message::Resize(columns, lines) => {
                self.size = (columns, lines);
                self.scroll_keys(0);
            }
            Message::Found(found) => found.into_iter().for_each(|found| self.tree.take(found)),
            Message::CountEnded => self.is_counting = false,
            Message::Listed(number, listing) if number == self.list => self.listed(listing),
            Message::Listed(..) => {}
            Message::Removed(outcome) => self.removed(outcome),
            Message::RemovalEnded => self.removal_ended(),
            Message::Measured(number, freed) if number == self.measured.0 => {
                self.measured.2 = Some(freed);
            }
            Message::Measured(..) => {}
        }
        self.measure();
        take(&mut self.effects)
    }

    /// What takes the space, of these sums.
    pub fn number(&self, sums: &Sums) -> u64 {
        if self.choices.apparent { sums.apparent } else { sums.allocated }
    }

    /// Has what is in the directory that is shown read.
    fn list(&mut self) {
        self.list += 1;
        self.is_listing = self.view != TOP;
        if self.is_listing {
            self.effects.push(Effect::List(self.list, self.tree.path(self.view)));
        }
    }

    fn listed(&mut self, listing: Listing) {
        self.is_listing = false;
        if self.is_counting {
            let dirs = listing.entries.iter().filter(|entry| entry.is_dir);
            dirs.for_each(|entry| _ = self.tree.child_or_new(self.view, &entry.name));
        }
        if let Some(why) = &listing.failed {
            self.told.clone_from(why);
        }
        self.listing = listing;
    }

    /// Counts these directories again.
    fn count(&mut self, dirs: &[Id]) {
        if let Some(id) = dirs.iter().find(|id| self.tree.is_within(self.view, **id)) {
            self.view = *id;
        }
        let paths: Vec<_> = dirs.iter().map(|id| self.tree.path(*id)).collect();
        let is_below =
            |item: &Chosen, dir: &Vec<u8>| item.path != *dir && is_within(&item.path, dir);
        self.marks.retain(|item| !paths.iter().any(|dir| is_below(item, dir)));
        self.tree.begin(dirs);
        self.is_counting = true;
        self.effects.push(Effect::Count(paths));
    }

    /// Why this row or something below it has failed.
    pub fn failed(&self, row: Row) -> Option<String> {
        let path = self.path(row);
        let mut notes = self.tree.notes_within(&path);
        Some(and_more(notes.next()?, notes.count() as u64))
    }

    /// An item was removed, or was not: the sums of all directories above follow.
    fn removed(&mut self, Outcome { item, is_gone, failures, failed }: Outcome) {
        self.marks.retain(|mark| !is_within(&mark.path, &item.path));
        self.notes.extend(failures);
        self.stay += failed;
        match self.tree.child(item.dir, item.name()) {
            Some(dir) if is_gone => {
                if self.tree.is_within(self.view, dir) {
                    self.enter(item.dir);
                }
                self.tree.remove(dir);
            }
            Some(dir) => self.left.push(dir),
            None if is_gone => {
                if item.dir == self.view {
                    self.listing.entries.retain(|entry| *entry.name != *item.name());
                }
                self.tree.remove_file(item.dir, item.shown.file.itself, item.sums);
            }
            None => {}
        }
    }

    fn removal_ended(&mut self) {
        self.is_removing = false;
        let notes = take(&mut self.notes);
        let stay = take(&mut self.stay);
        if let Some((_, first)) = notes.first() {
            self.told = and_more(first, stay.saturating_sub(1));
            self.complaints.push(self.told.clone());
        }
        let left = take(&mut self.left);
        if !left.is_empty() {
            self.count(&left);
        }
        notes.into_iter().for_each(|(path, why)| self.tree.note(&path, why));
        self.list();
    }
}

/// A message, and how many more there are.
fn and_more(first: &str, others: u64) -> String {
    if others == 0 { first.to_owned() } else { format!("{first} (and {others} more)") }
}
