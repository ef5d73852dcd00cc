//! [`Parser`]: words become pieces of an expression, one after the other. Operators and their order
//! are [`tree`](super::tree)'s.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use brisk::{Fields, Follow, Meta};
use jiff::Zoned;

use super::dialect::RegexType;
use super::line::{CommandLine, Options, Surroundings};
use super::refusal::{Refusal, Why};
use super::tree::{Piece, What, YES};
use crate::fnmatch::Length;

/// Tells the type of the file system that has a device number, such as `ext4`.
pub type FileSystem = Arc<dyn Fn(u64) -> String + Send + Sync>;

/// What an expression refers to.
pub struct Context<'c> {
    /// When the search began, in the user's time zone.
    pub now: Zoned,
    /// How long characters are.
    pub length: Length,
    /// At which depth results begin. As in find(1), nothing is tested above it, and nothing pruned.
    /// A command line says it itself.
    pub min_depth: usize,
    /// The metadata of a file that a test names, or why there is none. Where find(1) follows links,
    /// and a link leads nowhere, it is the link's.
    pub stat: &'c dyn Fn(&Path, Fields, Follow) -> Result<Meta, String>,
    /// For `-fstype`.
    pub file_system: FileSystem,
    /// Whether files have security contexts: SELinux is enabled.
    pub has_contexts: bool,
}

/// What is known of a command line while its words are read.
pub(super) struct Line<'l> {
    pub surroundings: Surroundings<'l>,
    pub said: CommandLine,
    /// The first word that is no option, for the warning about options behind it.
    pub first: Option<usize>,
    /// Whether an action leaves no need for `-print`.
    pub prints: bool,
    /// Whether `-depth` was typed.
    pub is_depth_typed: bool,
}

pub(super) struct Parser<'c, 'l> {
    pub words: &'c [OsString],
    /// The word that is read next.
    pub at: usize,
    /// The test, option or action that was read last.
    pub of: usize,
    pub pieces: Vec<Piece>,
    pub context: &'c Context<'c>,
    /// `None` for `--where`.
    pub line: Option<Line<'l>>,
    /// What `-regextype` chose last.
    pub dialect: RegexType,
    /// Whether `-daystart` was read.
    pub from_midnight: bool,
}

impl<'c, 'l> Parser<'c, 'l> {
    pub fn new(words: &'c [OsString], context: &'c Context<'c>) -> Parser<'c, 'l> {
        let [at, of] = [0; 2];
        let dialect = RegexType::default();
        let from_midnight = false;
        let pieces = Vec::new();
        Parser { words, at, of, pieces, context, line: None, dialect, from_midnight }
    }

    /// Reads all words that are left.
    pub fn all_words(&mut self) -> Result<(), Refusal> {
        while let Some(word) = self.words.get(self.at) {
            self.of = self.at;
            if !is_expression(word, false) {
                return Err(self.no_expression(word));
            }
            self.at += 1;
            self.word(word)?;
        }
        Ok(())
    }

    fn word(&mut self, word: &OsStr) -> Result<(), Refusal> {
        let word = word.to_str().unwrap_or_default();
        let name = word.strip_prefix('-').unwrap_or(word);
        self.check_place(name);
        let what = match name {
            "!" | "not" => What::Not,
            "(" => What::Open,
            ")" => What::Close,
            "a" | "and" => What::And,
            "o" | "or" => What::Or,
            "," => What::Comma,
            "prune" => What::Prune,
            // A `!` before it applies to what follows it.
            "daystart" => {
                self.from_midnight = true;
                self.rename();
                return Ok(());
            }
            _ => match self.test(word)? {
                Some(expr) => What::Part(expr),
                None => return self.of_line(name),
            },
        };
        self.push(what);
        Ok(())
    }

    pub fn push(&mut self, what: What) {
        self.pieces.push(Piece { what, word: self.of, is_added: false });
    }

    /// Messages that name the last piece name this word instead.
    pub fn rename(&mut self) {
        if let Some(last) = self.pieces.last_mut() {
            last.word = self.of;
        }
    }

    /// The argument of what was read last.
    pub fn argument(&mut self) -> Result<&'c OsStr, Refusal> {
        let word = self.words.get(self.at).ok_or_else(|| Refusal::new(Why::Missing, self.of))?;
        self.at += 1;
        Ok(word)
    }

    /// That argument, with � for what is no character.
    pub fn text(&mut self) -> Result<String, Refusal> {
        Ok(self.argument()?.to_string_lossy().into_owned())
    }

    /// That of the argument that was read last.
    pub fn refused(&self, why: Why) -> Refusal {
        Refusal::new(why, self.at - 1).of(self.of)
    }

    /// What a test's argument means, or the refusal of it.
    pub fn read<T>(&mut self, read: impl Fn(&str) -> Option<T>, why: Why) -> Result<T, Refusal> {
        let text = self.text()?;
        read(&text).ok_or_else(|| self.refused(why))
    }

    /// The metadata of a file that the argument names.
    pub fn file(&self, name: &OsStr, fields: Fields) -> Result<Meta, Refusal> {
        let follow = self.line.as_ref().map_or(Follow::Never, |line| line.said.options.follow);
        (self.context.stat)(Path::new(name), fields, follow)
            .map_err(|why| self.refused(Why::File).because(why))
    }

    /// Passes a warning on. `always`: not only if warnings are wanted.
    pub fn warn(&mut self, always: bool, text: impl FnOnce(&Surroundings<'_>) -> String) {
        if let Some(line) = &mut self.line
            && (always || line.warns())
        {
            let text = text(&line.surroundings);
            (line.surroundings.warn)(text);
        }
    }

    /// Why a word cannot stand where a test or an operator must.
    fn no_expression(&self, word: &OsStr) -> Refusal {
        // One that a shell made of a pattern is a file's name.
        let stat = |follow| (self.context.stat)(Path::new(word), Fields::TARGET, follow);
        let leads = |meta: Meta| {
            meta.file_type() != Some(brisk::FileType::Symlink)
                || meta.target().is_some_and(|target| target.file_type().is_some())
        };
        let before = self.pieces.last().map_or(usize::MAX, |piece| piece.word);
        let before = self.words.get(before).map_or("(".into(), |word| word.to_string_lossy());
        match stat(Follow::Never).is_ok_and(leads) {
            true => Refusal::new(Why::Unquoted, self.at).because(before),
            false => Refusal::new(Why::Path, self.at),
        }
    }
}

impl<'l> Line<'l> {
    pub fn new(surroundings: &'l mut Surroundings<'_>) -> Line<'l> {
        let Surroundings { quote, is_posix, warns, warn, prepare } = surroundings;
        let [is_posix, warns] = [*is_posix, *warns];
        let surroundings = Surroundings { quote: *quote, is_posix, warns, warn, prepare };
        let options = Options { warns: surroundings.warns, ..Options::default() };
        let paths = Vec::new();
        let actions = Vec::new();
        let files = Vec::new();
        let said = CommandLine { paths, options, expr: YES, actions, files };
        let [prints, is_depth_typed] = [false; 2];
        Line { surroundings, said, first: None, prints, is_depth_typed }
    }

    pub fn warns(&self) -> bool {
        self.said.options.warns && !self.surroundings.is_posix
    }
}

/// Whether a word is one of an expression, and no path. `begins`: it may be the first one.
pub(super) fn is_expression(word: &OsStr, begins: bool) -> bool {
    match word.as_encoded_bytes() {
        b")" | b"," => !begins,
        b"!" | b"(" => true,
        word => word.len() > 1 && word[0] == b'-',
    }
}
