//! [`Model`]: the state behind the picture. It uses neither the terminal nor the file system:
//! [`Message`]s come in, and [`Effect`]s, which the caller performs, come out.

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

/// An event from the user or from a thread.
#[derive(Debug)]
pub enum Message {
    Key(KeyEvent),
    /// A mouse button was pressed on this line of the screen.
    Click(u16),
    /// The wheel was turned by this many lines; down is positive.
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
    /// Whether the user caused this, and waits for the picture to change.
    pub fn is_by_user(&self) -> bool {
        matches!(self, Self::Key(_) | Self::Click(_) | Self::Scroll(_) | Self::Resize(..))
    }
}

/// What the model asks its caller to do.
#[derive(Debug)]
pub enum Effect {
    /// List this directory. The answer has the same number.
    List(u64, Vec<u8>),
    /// Count these directories.
    Count(Vec<Vec<u8>>),
    Remove(Vec<Chosen>),
    StopRemoving,
    /// Measure how much space removing these paths together would free. The answer has the same
    /// number. A measurement that still runs is cancelled.
    Measure(u64, Vec<Vec<u8>>),
    /// Stop the program until the shell continues it.
    Suspend,
    /// End with this exit code (at least 1 if a removal failed), and print the path.
    Leave(u8, Option<Vec<u8>>),
}

/// The choices of the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    pub read_only: bool,
    /// Whether the tree is a saved count, which can only be looked at.
    pub is_stored: bool,
    /// When the saved count was made, if that is known.
    pub written: Option<Timestamp>,
    /// Whether sizes are lengths of files, not disk space.
    pub apparent: bool,
}

/// What keys mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Walk,
    /// Keys are appended to the text that is searched for.
    Search,
    /// The key list is shown until a key other than those that scroll it.
    Help,
    /// `y` removes.
    Question,
}

/// The state behind the picture.
#[derive(Debug, Default)]
pub struct Model {
    pub tree: SumTree,
    pub choices: Choices,
    pub mode: Mode,
    /// The directory that is shown, and its entries.
    pub view: Id,
    pub listing: Listing,
    /// The number of the last [`Effect::List`], and whether its answer is still due.
    list: u64,
    pub is_listing: bool,
    pub rows: Vec<Row>,
    /// Whether the rows have to be computed again.
    is_stale: bool,
    /// The index of the row under the cursor, and of the first row on the screen.
    pub cursor: usize,
    pub first: usize,
    /// Whether the user has moved the cursor in this directory. It then stays on its row.
    is_chosen: bool,
    /// The name of the row under the cursor.
    kept: Option<Box<[u8]>>,
    /// The sort key of the rows.
    pub key: Key,
    pub is_reversed: bool,
    /// The text that shown names contain.
    pub search: String,
    /// The marked entries, in the order in which they were marked.
    pub marks: Vec<Chosen>,
    /// The entries that the question is about.
    asked: Vec<Chosen>,
    /// The number of the last [`Effect::Measure`], its paths, and the answer.
    measured: (u64, Vec<Vec<u8>>, Option<Freed>),
    /// The first line of the key list on the screen, while the list is shown.
    pub first_key: usize,
    pub is_counting: bool,
    pub is_removing: bool,
    /// Of the running removal: the directories that were not removed whole, the failures by path,
    /// and how many entries stay.
    left: Vec<Id>,
    notes: Vec<(Vec<u8>, String)>,
    stay: u64,
    /// For each removal that failed in part, a message about what was not removed.
    pub complaints: Vec<String>,
    /// A message in the status line, until the next key.
    pub told: String,
    /// Columns and lines.
    pub size: (u16, u16),
    effects: Vec<Effect>,
}

impl Model {
    /// The model at the start of a count of these roots. The first message must be the screen's
    /// size.
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

    /// Applies a message; returns what the caller has to do.
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

    /// The size that is shown of these sums.
    pub fn number(&self, sums: &Sums) -> u64 {
        if self.choices.apparent { sums.apparent } else { sums.allocated }
    }

    /// Asks for the entries of the directory that is shown.
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

    /// Why this row, or something below it, could not be read or removed.
    pub fn failed(&self, row: Row) -> Option<String> {
        let path = self.path(row);
        let mut notes = self.tree.notes_within(&path);
        Some(and_more(notes.next()?, notes.count() as u64))
    }

    /// Takes in the outcome for one item, and adapts the sums of all directories above it.
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

/// The first message, and how many others there are.
fn and_more(first: &str, others: u64) -> String {
    if others == 0 { first.to_owned() } else { format!("{first} (and {others} more)") }
}
