//! What the keys and the mouse do.

use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::row::{Key, Row};
use super::{Effect, Mode, Model};
use crate::listing::Listing;
use crate::tree::{Id, TOP};

/// The keys, and what each does.
pub const KEYS: &[(&str, &str)] = &[
    ("Up k, Down j", "one row up, down"),
    ("Enter Right l", "enter the directory"),
    ("Backspace Left h", "back to the parent directory"),
    ("PageUp PageDown", "one screen up, down"),
    ("Home End", "first, last row"),
    ("s c t n", "sort by size, count, time, name; the same key again reverses"),
    ("a", "switch between disk space and lengths of files"),
    ("/", "search the names in this directory; Esc shows all again"),
    ("Space", "mark (*) or unmark the row"),
    ("d", "remove the marked entries, or the row; asks first"),
    ("r", "count this directory again"),
    ("o", "quit, and print the row's path"),
    ("Ctrl-Z", "suspend; fg resumes"),
    ("q Ctrl-C", "quit; in a search, Ctrl-C ends only the search"),
];

impl Model {
    pub(super) fn key(&mut self, key: KeyEvent) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, self.mode) {
            (KeyCode::Char('c'), Mode::Search) if is_control => self.search_key(KeyCode::Esc),
            (KeyCode::Char('c'), _) if is_control => self.leave(130, None),
            (KeyCode::Char('z'), _) if is_control => self.effects.push(Effect::Suspend),
            _ if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {}
            (code, Mode::Search) => self.search_key(code),
            (code, Mode::Question) => {
                self.mode = Mode::Walk;
                if code == KeyCode::Char('y') {
                    self.is_removing = true;
                    self.effects.push(Effect::Remove(std::mem::take(&mut self.asked)));
                }
            }
            (code, Mode::Help) => self.help_key(code),
            (code, Mode::Walk) => {
                self.told.clear();
                self.walk_key(code);
            }
        }
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
        let page = self.height().cast_signed();
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.scroll_keys(-1),
            KeyCode::Down | KeyCode::Char('j') => self.scroll_keys(1),
            KeyCode::PageUp => self.scroll_keys(-page),
            KeyCode::PageDown => self.scroll_keys(page),
            _ => {
                self.mode = Mode::Walk;
                self.first_key = 0;
            }
        }
    }

    /// How many lines of the key list fit on the screen.
    pub fn key_lines(&self) -> usize {
        usize::from(self.size.1.saturating_sub(2)).max(1)
    }

    /// Scrolls the key list, at most until its last line is on the screen.
    pub(super) fn scroll_keys(&mut self, lines: isize) {
        let most = KEYS.len().saturating_sub(self.key_lines());
        self.first_key = self.first_key.saturating_add_signed(lines).min(most);
    }

    // long: a line for each key
    fn walk_key(&mut self, code: KeyCode) {
        let page = self.height().cast_signed();
        match code {
            KeyCode::Char('q') => self.leave(0, None),
            KeyCode::Char('o') => {
                let path = self.row().map(|row| self.path(row));
                self.leave(0, Some(path.unwrap_or_else(|| self.tree.path(self.view))));
            }
            KeyCode::Up | KeyCode::Char('k') => self.go(-1),
            KeyCode::Down | KeyCode::Char('j') => self.go(1),
            KeyCode::PageUp => self.go(-page),
            KeyCode::PageDown => self.go(page),
            KeyCode::Home => self.go(isize::MIN),
            KeyCode::End => self.go(isize::MAX),
            KeyCode::Enter | KeyCode::Right | KeyCode::Char('l') => self.enter_row(),
            KeyCode::Backspace | KeyCode::Left | KeyCode::Char('h') => self.back(),
            KeyCode::Char('s') => self.sort_by(Key::Size),
            KeyCode::Char('c') => self.sort_by(Key::Count),
            KeyCode::Char('t') => self.sort_by(Key::Time),
            KeyCode::Char('n') => self.sort_by(Key::Name),
            KeyCode::Char('a') => self.choices.apparent = !self.choices.apparent,
            KeyCode::Char('/') => {
                self.search.clear();
                self.mode = Mode::Search;
            }
            KeyCode::Char('?') => self.mode = Mode::Help,
            KeyCode::Char(' ') => self.mark(),
            KeyCode::Char('d') => self.ask(),
            KeyCode::Char('r') => self.read_again(),
            KeyCode::Esc => self.search.clear(),
            _ => {}
        }
    }

    /// Moves the cursor by so many rows.
    pub(super) fn go(&mut self, rows: isize) {
        self.is_chosen = true;
        // The rows do not change.
        self.is_stale = false;
        self.cursor = self.cursor.saturating_add_signed(rows);
        self.keep_in_sight();
    }

    /// A click moves the cursor to a row; a click on the cursor's row enters it.
    pub(super) fn click(&mut self, line: u16) {
        let line = usize::from(line).checked_sub(2).filter(|_| self.mode == Mode::Walk);
        match line.and_then(|line| self.shown().nth(line)) {
            Some((at, _)) if at == self.cursor && self.is_chosen => self.enter_row(),
            Some((at, _)) => self.go(at.cast_signed() - self.cursor.cast_signed()),
            None => {}
        }
    }

    /// Sorts by this key; the same key again reverses the order.
    fn sort_by(&mut self, key: Key) {
        self.is_reversed = self.key == key && !self.is_reversed;
        self.key = key;
    }

    fn enter_row(&mut self) {
        match self.row() {
            Some(Row::Dir(id)) if !self.tree.node(id).is_file => self.enter(id),
            Some(_) => self.told = "not a directory".to_owned(),
            None => {}
        }
    }

    /// Shows this directory.
    pub(super) fn enter(&mut self, id: Id) {
        self.view = id;
        self.search.clear();
        self.listing = Listing::default();
        self.cursor = 0;
        self.first = 0;
        self.is_chosen = false;
        self.kept = None;
        self.list();
    }

    /// Shows the directory above, with the cursor on this one.
    fn back(&mut self) {
        let parent = self.tree.parent(self.view);
        if let Some(parent) = parent.filter(|id| *id != TOP || self.roots().len() > 1) {
            let name = self.tree.node(self.view).name.clone();
            self.enter(parent);
            self.kept = Some(name);
            self.is_chosen = true;
        }
    }

    pub fn roots(&self) -> &[Id] {
        &self.tree.node(TOP).children
    }

    fn read_again(&mut self) {
        if !self.choices.is_stored && !self.is_busy("counting again") {
            let dirs = if self.view == TOP { self.roots().to_vec() } else { vec![self.view] };
            self.count(&dirs);
            self.list();
        }
    }

    /// Quits; while a removal runs, only stops the removal.
    fn leave(&mut self, code: u8, path: Option<Vec<u8>>) {
        let leave = Effect::Leave(code, path);
        self.effects.push(if self.is_removing { Effect::StopRemoving } else { leave });
    }

    /// Whether `what` has to wait for a count or a removal. A message says so about a count; for a
    /// removal the status line already does.
    pub(super) fn is_busy(&mut self, what: &str) -> bool {
        if self.is_counting {
            self.told = format!("{what} has to wait until the count ends");
        }
        self.is_counting || self.is_removing
    }
}
