//! Everything that the command line of `brisk du` says.

use std::ffi::OsString;
use std::path::PathBuf;

use brisk::{Follow, Timestamp};

use super::groups::Group;
use crate::filter::Selecting;
use crate::filter::flags::{Selects, Size};
use crate::front::{CommonOptions, HasCommon, When};
use crate::show::size::Scale;
use brisk_filter::Stamp;
use brisk_filter::size::range_of_du;

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Files too.
    pub(crate) all: bool,
    pub(crate) apparent: bool,
    pub(crate) inodes: bool,
    pub(crate) scale: Option<Scale>,
    /// A line for the sum of all.
    pub(crate) total: bool,
    pub(crate) summarize: bool,
    /// Below this depth nothing is shown; 0 where sums of paths are wanted alone.
    pub(crate) max_depth: Option<usize>,
    /// Sums of directories are without their subdirectories.
    pub(crate) separate: bool,
    pub(crate) count_links: bool,
    /// Which links are followed; none by default.
    pub(crate) follow: Option<Follow>,
    pub(crate) one_file_system: bool,
    /// The least that is shown; if this is negative, the most.
    pub(crate) threshold: i64,
    pub(crate) zero: bool,
    /// Lines are paths alone.
    pub(crate) bare: bool,
    pub(crate) exclude: Vec<OsString>,
    /// Where the names are that count.
    pub(crate) files_from: Option<OsString>,
    pub(crate) time: Option<Stamp>,
    pub(crate) time_style: Option<OsString>,
    pub(crate) top: Option<usize>,
    /// The tree, also where standard output is not a terminal.
    pub(crate) tree: bool,
    pub(crate) older_than: Option<Timestamp>,
    /// What files are grouped by, instead of directories.
    pub(crate) by: Option<&'static Group>,
    pub(crate) selecting: Selecting,
    pub(crate) color: When,
    pub(crate) json: bool,
    pub(crate) html: Option<PathBuf>,
    pub(crate) reflinks: bool,
    /// Sums are what removing would free.
    pub(crate) frees: bool,
    pub(crate) no_shortcuts: bool,
    /// The tree to walk through.
    pub(crate) interactive: bool,
    /// Standard output is for the path that the user leaves with.
    pub(crate) print: bool,
    pub(crate) read_only: bool,
    /// The sums of an earlier count, which are shown instead.
    pub(crate) from: Option<PathBuf>,
    pub(crate) common: CommonOptions,
    pub(crate) paths: Vec<OsString>,
}

impl HasCommon for Options {
    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}

impl Selects for Options {
    /// GNU du has other letters, or none.
    const WITHOUT: &'static str = "eFgHiImopsSu";
    /// --older-than is about directories, and no --newer is.
    const NEWER: &'static str = "";

    /// Those of --min and --threshold, which are GNU's.
    const SIZE: Size = Size {
        read: range_of_du,
        needs: "write +10M (at least), -4K (at most) or 512 (exactly, in bytes); K, M, G and T are \
                powers of 1024, KB, MB, GB and TB of 1000",
        brief: "Only this size: +10M at least, -4K at most (K 1024, KB 1000)",
        doc: "Only regular files of this size: +10M (at least), -4K (at most), 512 (exactly, in \
              bytes). The units are those of --min: K, M, G and T are powers of 1024; KB, MB, GB and \
              TB of 1000. May be given several times: all of them must hold.",
    };

    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}
