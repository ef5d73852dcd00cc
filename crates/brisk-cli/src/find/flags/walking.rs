//! Flags that say where the walk goes, in which order, and with how many workers.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::{Flag, Kind, Options, Word};

/// Where the walk goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walking {
    /// From arguments or --search-path; empty: the current directory.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) base_directory: Option<PathBuf>,
    pub(crate) max_depth: Option<usize>,
    pub(crate) min_depth: Option<usize>,
    pub(crate) follow: bool,
    pub(crate) one_file_system: bool,
    /// `None` if the user named no order: a short walk is then printed sorted.
    pub(crate) order: Option<brisk::Order>,
    pub(crate) unique: bool,
    pub(crate) cached: bool,
    pub(crate) threads: Option<NonZeroUsize>,
    /// The configuration's limit on requests in flight.
    pub(crate) max_in_flight: Option<NonZeroUsize>,
}

/// The paths' place on the command line.
pub(super) fn positional() -> Arg {
    Arg::new("path")
        .value_name("path")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
        .help("Where to look (default: the current directory)")
        .long_help("The directories to look in. Without any, the current directory.")
}

/// Takes the paths from what was given.
pub(super) fn read_positional(given: &ArgMatches, options: &mut Options) {
    if let Some(paths) = given.get_many::<PathBuf>("path") {
        options.walking.paths = paths.cloned().collect();
    }
}

pub(super) const FLAGS: &[Flag] = &[
    FOLLOW,
    MAX_DEPTH,
    MIN_DEPTH,
    EXACT_DEPTH,
    ONE_FILE_SYSTEM,
    ORDER,
    UNIQUE,
    CACHED,
    THREADS,
    BASE_DIRECTORY,
    SEARCH_PATH,
];

const FOLLOW: Flag = Flag::new(
    "follow",
    Kind::Switch(|options, on| options.walking.follow = on),
    "Follow symbolic links",
)
.short('L')
.aliases(&["dereference"])
.inverse("no-follow")
.doc(
    "Follow symbolic links: enter the directories they lead to, and judge links by their targets. \
      Costs one statx a link. A link that leads back to a directory above it is reported and not \
      entered. --no-follow takes it back.",
);

fn depth(text: &str) -> Result<usize, String> {
    text.parse().map_err(|error: std::num::ParseIntError| error.to_string())
}

const MAX_DEPTH: Flag = Flag::new(
    "max-depth",
    Kind::Text {
        value: "depth",
        set: |options, text| {
            options.walking.max_depth = Some(depth(text)?);
            Ok(())
        },
    },
    "Do not go deeper than this (default: no limit)",
)
.short('d')
.aliases(&["maxdepth"])
.doc(
    "Do not go deeper than this. Entries of the search path itself have depth 1. By default there \
      is no limit.",
);

const MIN_DEPTH: Flag = Flag::new(
    "min-depth",
    Kind::Text {
        value: "depth",
        set: |options, text| {
            options.walking.min_depth = Some(depth(text)?);
            Ok(())
        },
    },
    "List only entries at this depth or deeper",
)
.aliases(&["mindepth"])
.only_in_long_help()
.doc("List only entries at this depth or deeper. See also --max-depth and --exact-depth.");

const EXACT_DEPTH: Flag = Flag::new(
    "exact-depth",
    Kind::Text {
        value: "depth",
        set: |options, text| {
            let depth = depth(text)?;
            options.walking.max_depth = Some(depth);
            options.walking.min_depth = Some(depth);
            Ok(())
        },
    },
    "List only entries at exactly this depth",
)
.conflicts(&["max-depth", "min-depth"])
.only_in_long_help()
.doc("List only entries at exactly this depth: the same as --min-depth N --max-depth N.");

const ONE_FILE_SYSTEM: Flag = Flag::new(
    "one-file-system",
    Kind::Switch(|options, _| options.walking.one_file_system = true),
    "Stay on the file system of the search path",
)
.aliases(&["mount", "xdev"])
.only_in_long_help()
.doc("Do not enter directories on another file system than the search path they were found from.");

const ORDER: Flag = Flag::new(
    "order",
    Kind::Choice {
        value: "order",
        of: &[
            Word { name: "none", aliases: &["unordered"], doc: "as found: the fastest" },
            Word { name: "depth", aliases: &[], doc: "each directory before the next one" },
            Word { name: "breadth", aliases: &[], doc: "strictly level by level" },
            Word { name: "sorted", aliases: &[], doc: "by name within each directory" },
        ],
        set: |options, word| {
            options.walking.order = Some(match word {
                "depth" => brisk::Order::Depth(brisk::Shape::Pre),
                "breadth" => brisk::Order::Breadth,
                "sorted" => brisk::Order::Sorted(brisk::Shape::Pre),
                _ => brisk::Order::Unordered,
            });
        },
    },
    "In which order to list",
)
.only_in_long_help()
.doc(
    "In which order to list. Without this flag the order is none, but a search of at most 1,000 \
     results that is over within 100 ms is printed sorted by path. Every order runs in parallel \
     and streams; 'sorted' compares paths component by component and is the same on every run.",
);

const UNIQUE: Flag = Flag::new(
    "unique",
    Kind::Switch(|options, _| options.walking.unique = true),
    "List each file and directory once, whatever leads to it",
)
.only_in_long_help()
.doc(
    "List each file and directory once, whatever the number of hard links, symbolic links or \
      search paths that lead to it. Costs one statx an entry.",
);

const CACHED: Flag = Flag::new(
    "cached",
    Kind::Switch(|options, _| options.walking.cached = true),
    "Accept metadata that a network file system has cached",
)
.only_in_long_help()
.doc(
    "Accept the metadata that the client of a network file system has cached, without asking its \
      server. Faster there; sizes and times may be stale.",
);

const THREADS: Flag = Flag::new(
    "threads",
    Kind::Text {
        value: "num",
        set: |options, text| {
            let number: NonZeroUsize =
                text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
            options.walking.threads = Some(number);
            Ok(())
        },
    },
    "How many workers (default: as many as pay)",
)
.short('j')
.only_in_long_help()
.doc(
    "Use this many workers, and run this many commands of --exec at once. By default the number of \
      workers is measured: one for a small tree, one per core for a large one, more where the \
      storage makes them wait; commands run one per core. There are at most 1,024 workers, \
      and at most 1,024 commands at once.",
);

const BASE_DIRECTORY: Flag = Flag::new(
    "base-directory",
    Kind::Path {
        value: "path",
        set: |options, path| options.walking.base_directory = Some(path.to_owned()),
    },
    "Work in this directory",
)
.short('C')
.on_the_command_line_alone()
.only_in_long_help()
.doc("Work in this directory: results and relative search paths are relative to it.");

const SEARCH_PATH: Flag = Flag::new(
    "search-path",
    Kind::Paths {
        value: "search-path",
        set: |options, path| options.walking.paths.push(path.to_owned()),
    },
    "Where to look, instead of the <path> arguments",
)
.on_the_command_line_alone()
.conflicts(&["path"])
.only_in_long_help()
.doc("Where to look, instead of the <path> arguments. May be given several times.");

#[cfg(test)]
pub(super) const CASES: super::tests::Cases = &[
    ("-L", |o| o.walking.follow),
    ("--dereference", |o| o.walking.follow),
    ("--follow --no-follow", |o| !o.walking.follow),
    ("-d 3 -d4", |o| o.walking.max_depth == Some(4)),
    ("--maxdepth=3", |o| o.walking.max_depth == Some(3)),
    ("--max-depth 0", |o| o.walking.max_depth == Some(0)),
    ("--min-depth 2", |o| o.walking.min_depth == Some(2)),
    ("--exact-depth 2", |o| o.walking.min_depth == Some(2) && o.walking.max_depth == Some(2)),
    ("--one-file-system", |o| o.walking.one_file_system),
    ("--mindepth 2", |o| o.walking.min_depth == Some(2)),
    ("--mount", |o| o.walking.one_file_system),
    ("--xdev", |o| o.walking.one_file_system),
    ("--order breadth --order=sorted", |o| {
        o.walking.order == Some(brisk::Order::Sorted(brisk::Shape::Pre))
    }),
    ("--order none", |o| o.walking.order == Some(brisk::Order::Unordered)),
    ("--unique", |o| o.walking.unique),
    ("--cached", |o| o.walking.cached),
    ("-j8", |o| o.walking.threads == NonZeroUsize::new(8)),
    ("--threads 2", |o| o.walking.threads == NonZeroUsize::new(2)),
    ("-C x", |o| o.walking.base_directory == Some(PathBuf::from("x"))),
    ("--base-directory x", |o| o.walking.base_directory == Some(PathBuf::from("x"))),
    ("--search-path a --search-path b p", |o| {
        o.walking.paths == [PathBuf::from("a"), PathBuf::from("b")] && o.matching.pattern == "p"
    }),
    ("p a b", |o| o.walking.paths == [PathBuf::from("a"), PathBuf::from("b")]),
];
