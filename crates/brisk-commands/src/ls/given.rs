//! What the command line says. As in GNU ls, mostly the last word counts. `plan.rs` says what
//! the words mean together, and with the environment.

use std::ffi::OsString;

use crate::front::messages::Caller;
use crate::front::{self, CommonOptions, HasCommon, When};
use crate::show::long::{Columns, Indicator};
use crate::show::quoting::Style;
use crate::show::size::Scale;
use brisk_filter::Stamp;

/// A flag of `brisk ls`.
pub(super) type Flag = front::Flag<Given>;

/// Everything that the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    // Which entries are listed.
    pub(crate) hidden: Hidden,
    pub(crate) ignore: Vec<OsString>,
    pub(crate) hide: Vec<OsString>,
    pub(crate) themselves: bool,
    pub(crate) recursive: bool,
    /// `None`: the other options decide.
    pub(crate) dereference: Option<Dereference>,
    // How they are laid out on lines.
    pub(crate) format: Option<Format>,
    /// Columns of a line; 0: no limit.
    pub(crate) width: Option<usize>,
    /// Columns between tab stops; 0: no tabs.
    pub(crate) tab: Option<usize>,
    /// Whether lines end in a null byte.
    pub(crate) zero: bool,
    /// Whether a long listing says where its names stand.
    pub(crate) dired: bool,
    // Their order.
    pub(crate) sort: Option<Sort>,
    pub(crate) reverse: bool,
    pub(crate) directories_first: bool,
    // The columns.
    pub(crate) columns: Columns,
    /// The unit of blocks and file sizes alike.
    pub(crate) scale: Option<Scale>,
    /// Blocks are 1024 bytes, unless a scale was given.
    pub(crate) kibibytes: bool,
    pub(crate) time: Stamp,
    pub(crate) time_style: Option<OsString>,
    // The names.
    pub(crate) style: Option<Style>,
    /// Whether `?` stands for characters that cannot be shown.
    pub(crate) question_marks: Option<bool>,
    pub(crate) indicator: Indicator,
    /// `None`: never.
    pub(crate) color: Option<When>,
    pub(crate) hyperlink: Option<When>,
    // What GNU ls does not have.
    pub(crate) tree: bool,
    pub(crate) git_ignore: bool,
    pub(crate) max_depth: Option<usize>,
    pub(crate) json: bool,
    pub(crate) icons: bool,
    pub(crate) no_config: bool,
    /// Whether the explanation says what colours cost here.
    pub(crate) measure: bool,
    pub(crate) common: CommonOptions,
    pub(crate) paths: Vec<OsString>,
    /// Whether standard output is a terminal; set before the words are read.
    pub(crate) on_terminal: bool,
}

impl Given {
    /// What holds before any word: under its own name brisk paints on terminals.
    pub(super) fn new(caller: Caller, on_terminal: bool) -> Given {
        let color = (caller == Caller::Brisk).then_some(When::Auto);
        Given { on_terminal, color, ..Given::default() }
    }

    /// Whether a form of the output is named.
    pub(super) fn has_form(&self) -> bool {
        self.format.is_some() || self.json || self.tree
    }

    /// Takes back the form that an earlier layer asked for: the later layer decides.
    pub(super) fn forget_form(&mut self) {
        self.format = None;
        self.zero = false;
        self.json = false;
        self.tree = false;
    }
}

impl HasCommon for Given {
    const HELP_NOT_PRINTED: u8 = 2;
    /// It is read with the configured options.
    const IS_LIMITED: bool = false;

    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}

/// Which names are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// Names that begin with a dot, and names that --hide matches.
    #[default]
    LeftOut,
    /// `.` and `..` alone.
    AlmostAll,
    /// No name.
    All,
}

/// Which links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dereference {
    Never,
    /// Links that the user gave as paths and that lead to directories.
    PathsToDirectories,
    /// Links that the user gave as paths.
    Paths,
    Always,
}

/// How entries are laid out on lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One on each line, with columns of metadata.
    Long,
    /// One on each line.
    Lines,
    /// In columns, sorted down.
    Columns,
    /// In columns, sorted across.
    Across,
    /// One after the other, with commas.
    Commas,
}

/// What entries are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Name,
    /// In the order of the directory.
    Unsorted,
    Size,
    Time,
    Extension,
    Version,
    Width,
}

impl Sort {
    /// The order that this word names; without one, that of the directory.
    pub(crate) fn from_word(word: &str) -> Sort {
        match word {
            "name" => Sort::Name,
            "size" => Sort::Size,
            "time" => Sort::Time,
            "extension" => Sort::Extension,
            "version" => Sort::Version,
            "width" => Sort::Width,
            _ => Sort::Unsorted,
        }
    }
}
