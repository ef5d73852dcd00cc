//! 10,000 random keys, clicks and sizes: compares the model with a simple one, which has all
//! entries in one list and computes everything anew.

use std::collections::{BTreeMap, BTreeSet};

use brisk::Walk;
use brisk::unstable::FileIdentity;
use brisk::usage::{Sums, Usage};
use brisk_commands::internal::{Interactive, Scale};
use jiff::tz::TimeZone;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Modifier;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use testkit::Random;

use super::{Choices, Effect, Message, Mode, Model};
use crate::count::Counted;
use crate::listing::{ListedEntry, Listing, Shown};
use crate::picture::Picture;
use crate::tree::split;

/// The planted entries by path: whether each is a directory, and its sums with everything below it.
type Planted = BTreeMap<String, (bool, Sums)>;

/// The simple model of what the screen must show.
#[derive(Debug)]
struct Simple {
    files: Planted,
    view: String,
    /// Whether the directory's entries have come.
    is_listed: bool,
    cursor: Option<String>,
    is_chosen: bool,
    key: char,
    is_reversed: bool,
    is_apparent: bool,
    marks: BTreeSet<String>,
}

impl Simple {
    fn rows(&self) -> Vec<String> {
        let is_here = |path: &String| split(path.as_bytes()).0 == self.view.as_bytes();
        let here = self
            .files
            .iter()
            .filter(|(path, (is_dir, _))| is_here(path) && (*is_dir || self.is_listed));
        let mut rows: Vec<_> = here.map(|(path, (_, sums))| (path.clone(), *sums)).collect();
        rows.sort_by(|(a, one), (b, other)| {
            let size = |sums: &Sums| if self.is_apparent { sums.apparent } else { sums.allocated };
            let order = match self.key {
                's' => size(other).cmp(&size(one)),
                'c' => other.entries.cmp(&one.entries),
                't' => other.newest.cmp(&one.newest),
                _ => a.cmp(b),
            };
            if self.is_reversed { order.reverse() } else { order }.then(a.cmp(b))
        });
        rows.into_iter().map(|(path, _)| path).collect()
    }

    fn go(&mut self, rows: i64) {
        let all = self.rows();
        let at = all.iter().position(|path| Some(path) == self.cursor.as_ref()).unwrap_or(0);
        let at = (at as i64 + rows).clamp(0, (all.len() as i64 - 1).max(0));
        self.cursor = all.get(at as usize).cloned();
        self.is_chosen = true;
    }

    fn enter(&mut self, path: String) {
        self.view = path;
        self.is_listed = false;
        self.is_chosen = false;
        self.cursor = None;
    }

    fn key(&mut self, code: KeyCode, page: i64) {
        match code {
            KeyCode::Up => self.go(-1),
            KeyCode::Down => self.go(1),
            KeyCode::PageUp => self.go(-page),
            KeyCode::PageDown => self.go(page),
            KeyCode::Home => self.go(-1_000_000),
            KeyCode::End => self.go(1_000_000),
            KeyCode::Enter => {
                let dir = self.cursor.clone().filter(|path| self.files[path].0);
                dir.into_iter().for_each(|path| self.enter(path));
            }
            KeyCode::Backspace if self.view != "r" => {
                let from = self.view.clone();
                self.enter(String::from_utf8(split(from.as_bytes()).0.to_vec()).unwrap());
                self.cursor = Some(from);
                self.is_chosen = true;
            }
            KeyCode::Char('a') => self.is_apparent = !self.is_apparent,
            KeyCode::Char(' ') => {
                let path = self.cursor.clone();
                let has_changed = path.is_some_and(|path| {
                    self.marks.remove(&path) || self.is_listed && self.marks.insert(path)
                });
                if has_changed {
                    self.go(1);
                }
            }
            KeyCode::Char(key) => {
                self.is_reversed = self.key == key && !self.is_reversed;
                self.key = key;
            }
            _ => {}
        }
    }

    /// Moves the cursor after the rows have changed.
    fn settle(&mut self) {
        let rows = self.rows();
        let is_there = self.cursor.as_ref().is_some_and(|path| rows.contains(path));
        if !self.is_chosen || !is_there {
            self.cursor = rows.first().cloned();
        }
    }

    /// Adds what a count has found in a directory to it and to those above it.
    fn grow(&mut self, dir: &str, more: Sums) {
        for (path, (_, sums)) in &mut self.files {
            if dir == path || dir.starts_with(&format!("{path}/")) {
                *sums += more;
            }
        }
    }

    fn listing(&self, dir: &str) -> Listing {
        let here = self.files.iter().filter(|(path, _)| split(path.as_bytes()).0 == dir.as_bytes());
        let entries = here.enumerate().map(|(at, (path, (is_dir, sums)))| {
            let file = FileIdentity { parent: (1, 1), itself: (1, at as u64), owner: 0 };
            let shown = Some(Shown { file, born: None });
            let name = split(path.as_bytes()).1.into();
            ListedEntry { name, is_dir: *is_dir, sums: *sums, shown, ..ListedEntry::default() }
        });
        Listing { entries: entries.collect(), failed: None }
    }
}

fn sums(random: &mut Random) -> Sums {
    let mut sums = Sums::default();
    sums.allocated = random.below(9) as u64 * 512;
    sums.apparent = random.below(5000) as u64;
    sums.entries = random.below(3) as u64;
    sums.newest = Some(brisk::Timestamp { secs: random.below(7) as i64 * 1_000_000, nanos: 0 });
    sums
}

/// A tree of some directories and files.
fn planted(random: &mut Random) -> Planted {
    let mut files = Planted::from([("r".to_owned(), (true, Sums::default()))]);
    for number in 0..300 {
        let dirs: Vec<_> = files.iter().filter(|(_, (is_dir, _))| *is_dir).collect();
        let dir = dirs[random.below(dirs.len())].0.clone();
        let is_dir = random.below(4) == 0;
        let sums = if is_dir { Sums::default() } else { sums(random) };
        files.insert(format!("{dir}/{}", number * 7919 % 1000), (is_dir, sums));
    }
    files
}

const KEYS: [KeyCode; 16] = [
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::Down,
    KeyCode::Down,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::Enter,
    KeyCode::Enter,
    KeyCode::Backspace,
    KeyCode::Char('s'),
    KeyCode::Char('c'),
    KeyCode::Char('t'),
    KeyCode::Char('n'),
    KeyCode::Char(' '),
];

struct Both {
    model: Model,
    simple: Simple,
    /// The [`Effect::List`]s that wait for an answer.
    due: Vec<(u64, String)>,
}

impl Both {
    fn update(&mut self, message: Message) {
        let effects = self.model.update(message);
        self.model.settle();
        for effect in effects {
            match effect {
                Effect::List(number, path) => {
                    self.due.push((number, String::from_utf8(path).unwrap()));
                }
                Effect::Measure(..) | Effect::Count(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    fn step(&mut self, random: &mut Random) {
        match random.below(20) {
            0 => {
                let size = (1 + random.below(120) as u16, 1 + random.below(40) as u16);
                self.update(Message::Resize(size.0, size.1));
            }
            1 | 2 => {
                let dirs = self.simple.files.iter().filter(|(_, (is_dir, _))| *is_dir);
                let dirs: Vec<_> = dirs.map(|(path, _)| path.clone()).collect();
                let dir = &dirs[random.below(dirs.len())];
                let more = sums(random);
                self.simple.grow(dir, more);
                let depth = dir.matches('/').count();
                let path = dir.as_bytes().into();
                self.update(Message::Found(vec![Counted::Entries { path, depth, sums: more }]));
            }
            3 | 4 => {
                if let Some((number, dir)) = self.due.pop() {
                    let listing = self.simple.listing(&dir);
                    self.simple.is_listed |= dir == self.simple.view;
                    self.update(Message::Listed(number, listing));
                }
            }
            5 => {
                let line = random.below(45);
                let rows = self.simple.rows();
                let at = line.checked_sub(2).map(|line| self.model.first + line);
                if let Some(path) =
                    at.and_then(|at| rows.get(at)).filter(|_| line <= self.model.height() + 1)
                {
                    if Some(path) == self.simple.cursor.as_ref() && self.simple.is_chosen {
                        self.simple.key(KeyCode::Enter, 0);
                    } else {
                        self.simple.cursor = Some(path.clone());
                        self.simple.is_chosen = true;
                    }
                }
                self.update(Message::Click(line as u16));
            }
            6 => {
                self.simple.key(KeyCode::Char('a'), 0);
                self.update(Message::Key(KeyCode::Char('a').into()));
            }
            _ => {
                let code = KEYS[random.below(KEYS.len())];
                self.simple.key(code, self.model.height() as i64);
                self.update(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)));
            }
        }
        self.simple.settle();
    }

    /// Compares what the screen shows.
    #[track_caller]
    fn compare(&self, looks: &Interactive, step: usize) {
        let Both { model, simple, .. } = self;
        let (columns, lines) = model.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, lines));
        Picture { model, looks, removed: 0 }.draw(&mut buffer);
        let rows = simple.rows();
        let shown = usize::from(lines).saturating_sub(3).min(rows.len());
        let at = rows.iter().position(|path| Some(path) == simple.cursor.as_ref());
        let names =
            model.rows.iter().map(|row| String::from_utf8_lossy(model.name(*row)).into_owned());
        let expected = rows.iter().map(|path| path.rsplit('/').next().unwrap());
        assert!(names.eq(expected), "{step}: the rows of {}", simple.view);
        assert_eq!(model.row().map(|_| model.cursor), at, "{step}: the cursor");
        assert!(model.first + shown <= rows.len().max(model.first), "{step}: lines are empty");
        for line in 0..shown {
            let row = &rows[model.first + line];
            let text: String =
                (0..columns).map(|x| buffer[(x, line as u16 + 2)].symbol()).collect();
            let name = row.rsplit('/').next().unwrap().to_owned();
            let name = if simple.files[row].0 { name + "/" } else { name };
            assert!(
                columns < 40 || text.trim_end().ends_with(&format!(" {name}")),
                "{step}: {text:?} {row}"
            );
            assert_eq!(
                text.starts_with('*'),
                simple.marks.contains(row),
                "{step}: the mark of {row}"
            );
            let is_under = buffer[(0, line as u16 + 2)].modifier.contains(Modifier::REVERSED);
            assert_eq!(is_under, Some(model.first + line) == at, "{step}: the cursor's line");
        }
    }
}

#[test]
fn ten_thousand_random_keys_and_sizes_are_as_in_a_simple_model() {
    let looks = Interactive {
        roots: Vec::new(),
        usage: Usage::new(Walk::over([""; 0])),
        apparent: false,
        scale: Scale::BINARY,
        zone: TimeZone::UTC,
        has_colors: true,
        is_utf8: true,
        read_only: false,
        from: None,
    };
    let mut random = Random(46);
    let files = planted(&mut random);
    let model = Model::new(&[b"r".to_vec()], Choices::default());
    // All directories are known from the beginning.
    let dirs = files.iter().filter(|(path, (is_dir, _))| *is_dir && *path != "r");
    let found = dirs.map(|(path, _)| Counted::Entries {
        path: path.as_bytes().into(),
        depth: path.matches('/').count(),
        sums: Sums::default(),
    });
    let found = Message::Found(found.collect());
    let simple = Simple {
        files,
        view: "r".to_owned(),
        is_listed: false,
        cursor: None,
        is_chosen: false,
        key: 's',
        is_reversed: false,
        is_apparent: false,
        marks: BTreeSet::new(),
    };
    let mut both = Both { model, simple, due: Vec::new() };
    both.update(Message::Resize(80, 24));
    both.update(found);
    both.simple.settle();
    for step in 0..10_000 {
        both.step(&mut random);
        assert_eq!(both.model.mode, Mode::Walk);
        both.compare(&looks, step);
    }
}
