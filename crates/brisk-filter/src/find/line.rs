//! What a whole command line of find(1) says: paths, options, the expression and its actions.

use std::ffi::OsString;

use brisk::filter::Expr;
use brisk::{Follow, Order};

/// What a command line needs from outside, besides what its tests refer to.
pub struct Surroundings<'c> {
    /// A name between the locale's quotes, as GNU's programs show it.
    pub quote: &'c dyn Fn(&[u8]) -> String,
    /// Whether POSIXLY_CORRECT is set: then nothing is warned of.
    pub is_posix: bool,
    /// Whether warnings are wanted unless options say otherwise.
    pub warns: bool,
    /// Takes a warning, at the time when GNU find prints it. The text is whole: most begin with
    /// `warning: `, and the program's name comes before it.
    pub warn: &'c mut dyn FnMut(String),
    /// Looks at each action when it has been read, with the [`CommandLine::files`] so far. This is
    /// the time when GNU find opens output files and checks formats. A message ends the reading.
    pub prepare: &'c mut Prepare<'c>,
}

/// What looks at an action.
pub type Prepare<'c> = dyn FnMut(&Action, &[OsString]) -> Result<(), String> + 'c;

/// What a command line says.
pub struct CommandLine {
    /// Where the search starts: `.` if the words name no path, and no file with paths.
    pub paths: Vec<OsString>,
    /// The options.
    pub options: Options,
    /// The expression. [`Expr::Act`] counts in `actions`. Where no action but `-prune` and `-quit`
    /// is given, it ends with a `-print`.
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
    /// `-mindepth`: nothing above it is tested.
    pub min_depth: usize,
    /// `usize::MAX` if there is no limit.
    pub max_depth: usize,
    /// Whether a directory comes after its contents.
    pub depth_first: bool,
    /// `-S`: depth first by default, `bfs` by level, `any` as entries come.
    pub order: Order,
    /// `-xdev`, `-mount`
    pub same_device: bool,
    /// `-ignore_readdir_race`: nothing is said of entries that have vanished.
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
        /// One entry a run, or many.
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
    /// The help is asked for.
    Help,
    /// The version is asked for.
    Version,
    /// The list of what `-D` takes is asked for.
    DebugHelp,
    /// The words are refused.
    Refused {
        /// What is told, each on a line of its own behind the program's name.
        messages: Vec<String>,
        /// Whether the line about `--help` follows.
        hints: bool,
    },
}
