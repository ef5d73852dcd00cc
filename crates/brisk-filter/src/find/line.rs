//! What a whole command line of find(1) says: paths, options, the expression and its actions.

use std::ffi::OsString;

use brisk::filter::Expr;
use brisk::{Follow, Order};

/// What a command line needs from outside, apart from what its tests refer to.
pub struct Surroundings<'c> {
    /// A name between the locale's quotes, as GNU's programs show it.
    pub quote: &'c dyn Fn(&[u8]) -> String,
    /// Whether POSIXLY_CORRECT is set. Then there are no warnings.
    pub is_posix: bool,
    /// Whether warnings are wanted unless options say otherwise.
    pub warns: bool,
    /// Takes a warning, at the time when GNU find prints it. The caller prints the program's name
    /// before the text; most texts begin with `warning: `.
    pub warn: &'c mut dyn FnMut(String),
    /// Called for each action once it is read, with the [`CommandLine::files`] so far. This is the
    /// time when GNU find opens output files and checks formats. If it returns a message, the
    /// reading ends.
    pub prepare: &'c mut Prepare<'c>,
}

/// Checks an action.
pub type Prepare<'c> = dyn FnMut(&Action, &[OsString]) -> Result<(), String> + 'c;

/// What a command line says.
pub struct CommandLine {
    /// Where the search starts: `.` if the words name no path, and no file with paths.
    pub paths: Vec<OsString>,
    /// The options.
    pub options: Options,
    /// The expression. [`Expr::Action`] is an index into `actions`. If there is no action except
    /// `-prune` and `-quit`, the expression ends with a `-print`.
    pub expr: Expr,
    /// The actions, by number.
    pub actions: Vec<Action>,
    /// The names of output files.
    pub files: Vec<OsString>,
}

/// The options, wherever they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `-H`, `-L`, `-P`, `-follow`
    pub follow: Follow,
    /// `-mindepth`: nothing above this depth is tested.
    pub min_depth: usize,
    /// `usize::MAX` if there is no limit.
    pub max_depth: usize,
    /// Whether a directory comes after its contents.
    pub depth_first: bool,
    /// `-S`: depth first by default, `bfs` by level, `any` as entries come.
    pub order: Order,
    /// `-xdev`, `-mount`
    pub same_device: bool,
    /// `-ignore_readdir_race`: entries that have vanished are not reported.
    pub ignores_races: bool,
    /// The file with the paths; `-` is standard input.
    pub files_from: Option<OsString>,
    /// Whether warnings are wanted.
    pub warns: bool,
    /// `-D explain`
    pub explains: bool,
    /// `-D stats`
    pub stats: bool,
    /// `-j`: how many workers.
    pub threads: Option<usize>,
    /// Whether an action asks the user, on standard input.
    pub asks: bool,
}

impl Options {
    pub(super) fn new(warns: bool) -> Options {
        let order = Order::Depth(brisk::Shape::Pre);
        Options { follow: Follow::Never, max_depth: usize::MAX, order, warns, ..Options::default() }
    }
}

/// An output file: its place in [`CommandLine::files`]. The same name has the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File(pub usize);

/// What is done with an entry. Without a file, output goes to standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The path and a byte: `-print`, `-print0`, `-fprint`, `-fprint0`.
    Print {
        /// The file.
        to: Option<File>,
        /// The byte.
        end: u8,
    },
    /// `-printf`, `-fprintf`
    Printf {
        /// The file.
        to: Option<File>,
        /// The format as it was typed.
        format: Vec<u8>,
    },
    /// `-ls`, `-fls`
    Ls {
        /// The file.
        to: Option<File>,
    },
    /// `-quit`
    Quit,
    /// `-delete`
    Delete,
    /// `-exec`, `-execdir`, `-ok`, `-okdir`
    Exec {
        /// The command and its arguments; of a [`Batch`](ExecKind::Batch), without the last `{}`.
        words: Vec<OsString>,
        /// One entry for each run, or many.
        kind: ExecKind,
        /// Whether the command starts in the entry's directory.
        in_directory: bool,
        /// Whether the user is asked before each run.
        asks: bool,
    },
}

/// How many entries a run of a command gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecKind {
    /// One, in place of each `{}`: `;`.
    Each,
    /// As many as fit: `{} +`.
    Batch,
}

/// What ends a command line before anything is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The help is requested.
    Help,
    /// The version is requested.
    Version,
    /// The list of what `-D` takes is requested.
    DebugHelp,
    /// The words are refused.
    Refused {
        /// The messages, each on its own line after the program's name.
        messages: Vec<String>,
        /// Whether the line about `--help` follows.
        hints: bool,
    },
}
