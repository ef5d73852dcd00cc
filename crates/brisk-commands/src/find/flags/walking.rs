//! Flags that say where the walk goes, in which order, and with how many workers.

use std::path::PathBuf;

use brisk::{Order, Shape};
use clap::{Arg, ArgAction, value_parser};

use crate::find::options::Flag;
use crate::front::Words;

/// The paths' place on the command line.
pub(super) fn positional() -> Arg {
    Arg::new("path")
        .value_name("path")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
        .hide_short_help(true)
        .help("Where to look (default: the current directory)")
        .long_help("The directories to look in (default: the current directory)")
}

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::on("ignored", |options| {
            options.ignored = true;
            options.selecting.ignoring.hidden = true;
            options.selecting.ignoring.no_ignore = false;
        })
        .brief("Look only for what ignore files and --exclude leave out")
        .on_the_command_line_alone()
        .conflicts("no-ignore unrestricted index delete")
        .doc(
            "List only what .gitignore, other ignore files, --ignore-contain and --exclude leave \
             out, including hidden entries, as git status --ignored does. Of an ignored directory, \
             only the directory itself is a result.",
        ),
        Flag::switch("follow", |options, on| options.selecting.follow = on)
            .rare("Follow symbolic links")
            .short("L")
            .aliases("dereference")
            .inverse("no-follow")
            .doc(
                "Follow symbolic links: enter the directories that they lead to, and apply filters \
                 to their targets. Costs one statx per link. brisk reports, and does not enter, a \
                 link that leads back to a directory above it.",
            ),
        Flag::word(
            "order",
            "order",
            Words::new("none unordered | depth | breadth | sorted").docs("as entries are found, which is fastest | each directory in full before the next one | strictly level by level | by name within each directory"),
            |options, word| {
                options.order = Some(match word {
                    "depth" => Order::Depth(Shape::Pre),
                    "breadth" => Order::Breadth,
                    "sorted" => Order::Sorted(Shape::Pre),
                    _ => Order::Unordered,
                });
            },
        )
        .rare("The order of the results")
        .doc(
            "The order of the results. By default results come in no particular order, but a search \
             that finds at most 1,000 results and ends within 100 ms sorts them by path. In every \
             order the search is parallel, and prints results while it runs. 'sorted' compares \
             paths component by component and gives the same order on every run.",
        ),
        Flag::on("unique", |options| options.unique = true)
            .rare("List each file and directory only once")
            .doc(
                "List each file and directory only once, however many hard links, symbolic links \
                 or search paths lead to it. A directory is entered by one of its paths, and the \
                 depths of its entries count from there. Costs one statx per entry.",
            ),
        Flag::path("index", "file", |options, file| options.index = Some(file))
            .rare("Keep names and types in this file, and read only what has changed")
            .on_the_command_line_alone()
            .doc(
                "Keep the names and types of one tree in this file. The first search reads the \
                 tree. Later ones cost one statx for each directory, and read only the directories \
                 that have changed, or that may have changed without a trace in their times. The \
                 results are those of a search without the file, sorted as with --order sorted. A \
                 search that needs more than names and types, or has --order breadth, --follow, \
                 --unique, --one-file-system or --delete, walks the tree, and leaves the file as \
                 it is. So does a search with colours that cost a statx: see --color. The file \
                 itself is never a result.",
            ),
        Flag::cached().only_in_long_help(),
        Flag::threads("num").only_in_long_help().doc(
            "Use exactly this many workers, and run this many commands of --exec at once. By \
             default brisk measures how many workers pay off: one for a small tree, one per core \
             for a large tree, and more where the storage makes them wait. Commands run one per \
             core by default. The limit is 1,024 workers (fewer if few files may be open, or by the \
             max_in_flight in the configuration), and 1,024 commands at once.",
        ),
        Flag::path("base-directory", "path", |options, path| options.base_directory = Some(path))
            .rare("Work in this directory: relative paths begin there")
            .short("C")
            .on_the_command_line_alone(),
        Flag::path("search-path", "search-path", |options, path| options.paths.push(path))
            .rare("Where to look, instead of [path] arguments")
            .on_the_command_line_alone()
            .conflicts("path")
            .adds_up(),
    ]
}
