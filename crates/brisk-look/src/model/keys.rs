//! What keys and the mouse do.

use brisk_sys::slashed;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::parts::{Key, Row};
use super::{Effect, Mode, Model};
use crate::listing::Listing;
use crate::tree::{Id, TOP};

/// The keys, and what each does.
pub const KEYS: &[(&str, &str)] = &[
    ("Up k, Down j", "the row above, below"),
    ("Enter Right l", "enter the directory"),
    ("Backspace Left h", "back to the directory above"),
    ("PageUp PageDown", "a screen up, down"),
    ("Home End", "the first, the last row"),
    ("s c t n", "sort by size, count, time, name; again: reversed"),
    ("a", "disk usage, or the size of the contents"),
    ("/", "search; Esc shows all again"),
    ("Space", "mark, or take the mark away"),
    ("d", "remove what is marked, or the row; asks first"),
    ("r", "read this directory again"),
    ("o", "leave, and print the path of the row"),
    ("Ctrl-Z", "back to the shell until fg"),
    ("q Ctrl-C", "leave; Ctrl-C in a search leaves the search"),
];

impl Model {
    pub(super) fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, self.mode) {
            (KeyCode::Char('c'), Mode::Search) if is_control => self.search_key(KeyCode::Esc),
            (KeyCode::Char('c'), _) if is_control => return self.leave(130, None),
            (KeyCode::Char('z'), _) if is_control => return vec![Effect::Suspend],
            _ if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {}
            (code, Mode::Search) => self.search_key(code),
            (code, Mode::Question) => {
                self.mode = Mode::Walk;
                if code == KeyCode::Char('y') {
                    return self.remove();
                }
            }
            (code, Mode::Help) => self.help_key(code),
            (code, Mode::Walk) => {
                self.told.clear();
                return self.walk_key(code);
            }
        }
        Vec::new()
    }

    fn search_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char(c) => self.search.push(c),
            KeyCode::Backspace => _ = self.search.pop(),
            KeyCode::Enter => self.mode = Mode::Walk,
            KeyCode::Esc => {
                self.search.clear();
                self.mode = Mode::Walk;
            }
            _ => {}
        }
    }

    fn help_key(&mut self, code: KeyCode) {
        let page = self.height();
        let most = self.most_first_key();
        let first = self.first_key;
        self.first_key = match code {
            KeyCode::Up | KeyCode::Char('k') => first.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => (first + 1).min(most),
            KeyCode::PageUp => first.saturating_sub(page),
            KeyCode::PageDown => (first + page).min(most),
            _ => {
                self.mode = Mode::Walk;
                0
            }
        };
    }

    /// How many keys the screen has room for.
    pub fn key_lines(&self) -> usize {
        usize::from(self.size.1.saturating_sub(2)).max(1)
    }

    /// The first line of the keys where the last one is on the screen.
    pub(super) fn most_first_key(&self) -> usize {
        KEYS.len().saturating_sub(self.key_lines())
    }

    // long: a line for each key
    fn walk_key(&mut self, code: KeyCode) -> Vec<Effect> {
        let page = self.height().cast_signed();
        match code {
            KeyCode::Char('q') => return self.leave(0, None),
            KeyCode::Char('o') => return self.print(),
            KeyCode::Up | KeyCode::Char('k') => return self.go(-1),
            KeyCode::Down | KeyCode::Char('j') => return self.go(1),
            KeyCode::PageUp => return self.go(-page),
            KeyCode::PageDown => return self.go(page),
            KeyCode::Home => return self.go(isize::MIN),
            KeyCode::End => return self.go(isize::MAX),
            KeyCode::Enter | KeyCode::Right | KeyCode::Char('l') => return self.enter_row(),
            KeyCode::Backspace | KeyCode::Left | KeyCode::Char('h') => return self.back(),
            KeyCode::Char('s') => self.sort = self.sort.by(Key::Size),
            KeyCode::Char('c') => self.sort = self.sort.by(Key::Count),
            KeyCode::Char('t') => self.sort = self.sort.by(Key::Time),
            KeyCode::Char('n') => self.sort = self.sort.by(Key::Name),
            KeyCode::Char('a') => self.choices.apparent = !self.choices.apparent,
            KeyCode::Char('/') => {
                self.search.clear();
                self.mode = Mode::Search;
            }
            KeyCode::Char('?') => self.mode = Mode::Help,
            KeyCode::Char(' ') => return self.mark(),
            KeyCode::Char('d') => self.ask(),
            KeyCode::Char('r') => return self.read_again(),
            KeyCode::Esc => self.search.clear(),
            _ => {}
        }
        Vec::new()
    }

    /// Moves the cursor by so many rows.
    pub(super) fn go(&mut self, rows: isize) -> Vec<Effect> {
        self.is_chosen = true;
        // The rows are the same.
        self.is_stale = false;
        self.cursor = self.cursor.saturating_add_signed(rows);
        self.keep_in_sight();
        Vec::new()
    }

    /// A click chooses a row, and enters the one that is chosen.
    pub(super) fn click(&mut self, line: u16) -> Vec<Effect> {
        let at = usize::from(line).checked_sub(2).map(|line| self.first + line);
        let past = self.rows.len().min(self.first + self.height());
        let Some(at) = at.filter(|at| *at < past && self.mode == Mode::Walk) else {
            return Vec::new();
        };
        if at == self.cursor && self.is_chosen {
            return self.enter_row();
        }
        self.go(at.cast_signed() - self.cursor.cast_signed())
    }

    fn enter_row(&mut self) -> Vec<Effect> {
        match self.row() {
            Some(Row::Dir(id)) if !self.tree.node(id).is_file => return self.enter(id),
            Some(_) => self.told = "not a directory".to_owned(),
            None => {}
        }
        Vec::new()
    }

    /// Shows this directory.
    pub(super) fn enter(&mut self, id: Id) -> Vec<Effect> {
        self.view = id;
        self.search.clear();
        self.listing = Listing::default();
        self.cursor = 0;
        self.first = 0;
        self.is_chosen = false;
        self.kept = None;
        self.list()
    }

    /// Shows the directory above, with the cursor on this one.
    fn back(&mut self) -> Vec<Effect> {
        let Some(parent) = self.tree.parent(self.view) else { return Vec::new() };
        if parent == TOP && self.tree.node(TOP).children.len() == 1 {
            return Vec::new();
        }
        let name = self.tree.node(self.view).name.clone();
        let effects = self.enter(parent);
        self.kept = Some(name);
        self.is_chosen = true;
        effects
    }

    fn read_again(&mut self) -> Vec<Effect> {
        if self.choices.is_stored || self.is_busy("reading again") {
            return Vec::new();
        }
        let mut effects = self.count(self.view);
        effects.extend(self.list());
        effects
    }

    fn print(&mut self) -> Vec<Effect> {
        let mut path = self.tree.path(self.view);
        if let Some(row) = self.row() {
            slashed::push(&mut path, self.name(row));
        }
        self.leave(0, Some(path))
    }

    /// A removal is stopped first.
    fn leave(&mut self, code: u8, path: Option<Vec<u8>>) -> Vec<Effect> {
        if self.is_removing {
            self.told = "stopping the removal".to_owned();
            return vec![Effect::StopRemoving];
        }
        vec![Effect::Leave(code, path)]
    }

    /// Whether something runs that this has to wait for; a message then says so.
    pub(super) fn is_busy(&mut self, what: &str) -> bool {
        let is_busy = self.counting.is_some() || self.is_removing;
        if is_busy {
            let running = if self.is_removing { "removal" } else { "count" };
            self.told = format!("{what} has to wait until the {running} is done");
        }
        is_busy
    }
}
