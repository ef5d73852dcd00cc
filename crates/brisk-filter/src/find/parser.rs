//! [`Parser`]: words become pieces of an expression, one after the other.
//! [`operators`](super::operators) knows the operators and their order.

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use brisk::{Fields, Follow, Meta};
use jiff::Zoned;

use super::fault::{Fault, Why};
use super::leading::is_expression;
use super::line_reader::LineReader;
use super::names::no_test;
use super::operators::{Piece, What, YES};
use super::syntaxes::RegexType;
use super::word_reader::WordReader;
use crate::fnmatch::Length;
use crate::mounted::FileSystem;

/// What an expression refers to.
pub struct Context<'c> {
    /// Reads the clock, in the user's time zone, for the first test that counts from now.
    pub now: &'c dyn Fn() -> Zoned,
    /// The lengths of characters.
    pub length: Length,
    /// The depth at which results begin. As in find(1), nothing above it is tested or pruned. A
    /// command line has its own.
    pub min_depth: usize,
    /// The metadata of a file that a test names, or why there is none. If find(1) follows links, a
    /// dangling link has its own metadata.
    pub stat: &'c dyn Fn(&Path, Fields, Follow) -> Result<Meta, String>,
    /// For `-fstype`.
    pub file_system: FileSystem,
}

pub(super) struct Parser<'c, 'l> {
    pub words: WordReader<'c>,
    pub pieces: Vec<Piece>,
    pub context: &'c Context<'c>,
    /// `None` for `--where`.
    pub line: Option<LineReader<'l>>,
    /// What `-regextype` chose last.
    pub dialect: RegexType,
    /// Whether `-daystart` was read.
    pub from_midnight: bool,
    now: OnceCell<Zoned>,
}

impl<'c, 'l> Parser<'c, 'l> {
    pub fn new(words: &'c [OsString], context: &'c Context<'c>) -> Parser<'c, 'l> {
        let words = WordReader::new(words);
        let dialect = RegexType::default();
        let from_midnight = false;
        let pieces = Vec::new();
        let now = OnceCell::new();
        Parser { words, pieces, context, line: None, dialect, from_midnight, now }
    }

    /// When the search began.
    pub fn now(&self) -> &Zoned {
        self.now.get_or_init(self.context.now)
    }

    /// Reads all words that are left.
    pub fn all_words(&mut self) -> Result<(), Fault> {
        while let Some(word) = self.words.next() {
            self.words.of = self.words.at;
            if !is_expression(word, false) {
                return Err(self.no_expression(word));
            }
            self.words.at += 1;
            self.word(word)?;
        }
        Ok(())
    }

    fn word(&mut self, word: &OsStr) -> Result<(), Fault> {
        let word = word.to_str().unwrap_or_default();
        let name = word.strip_prefix('-').unwrap_or(word);
        if let Some(line) = &mut self.line {
            line.check_place(&self.words, name);
        }
        // A `!` before it applies to what follows it.
        if name == "daystart" {
            self.from_midnight = true;
            self.rename();
            return Ok(());
        }
        if let Some(operator) = What::named(name) {
            self.push(operator);
        } else if let Some(test) = self.test(word)? {
            self.push(What::Part(test));
        } else {
            self.of_line(name)?;
        }
        Ok(())
    }

    pub fn push(&mut self, what: What) {
        self.pieces.push(Piece { what, word: self.words.of, is_added: false });
    }

    /// Lets messages that name the last piece name this word instead.
    pub fn rename(&mut self) {
        if let Some(last) = self.pieces.last_mut() {
            last.word = self.words.of;
        }
    }

    /// The metadata of a file that the argument names.
    pub fn file(&self, name: &OsStr, fields: Fields) -> Result<Meta, Fault> {
        let follow = self.line.as_ref().map_or(Follow::Never, |line| line.said.options.follow);
        (self.context.stat)(Path::new(name), fields, follow)
            .map_err(|why| self.words.refused(Why::FILE).because(why))
    }

    /// Reads what only whole command lines have: an option or an action.
    fn of_line(&mut self, name: &str) -> Result<(), Fault> {
        let Parser { line, words, .. } = self;
        let part = match line {
            Some(line) if name == "files0-from" => {
                line.said.options.files_from = Some(words.argument()?.to_owned());
                self.rename();
                return Ok(());
            }
            Some(line) => match line.option(words, name)? {
                true => Some(YES),
                false => line.action(words, name)?,
            },
            None => None,
        };
        let Some(part) = part else {
            let reason = no_test(&self.words.all[self.words.of].to_string_lossy());
            return Err(Fault::new(Why::UNKNOWN, self.words.of).because(reason));
        };
        self.push(What::Part(part));
        Ok(())
    }

    /// Why a word cannot stand where a test or an operator must.
    fn no_expression(&self, word: &OsStr) -> Fault {
        // A word that a shell made from a pattern is a file's name.
        let stat = |follow| (self.context.stat)(Path::new(word), Fields::TARGET, follow);
        let leads = |meta: Meta| {
            meta.file_type() != Some(brisk::FileType::Symlink)
                || meta.target().is_some_and(|target| target.file_type().is_some())
        };
        let before = self.pieces.last().map_or(usize::MAX, |piece| piece.word);
        let before = self.words.all.get(before).map_or("(".into(), |word| word.to_string_lossy());
        match stat(Follow::Never).is_ok_and(leads) {
            true => Fault::new(Why::UNQUOTED, self.words.at).because(before),
            false => Fault::new(Why::PATH, self.words.at),
        }
    }
}
