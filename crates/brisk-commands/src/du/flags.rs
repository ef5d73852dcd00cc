//! The flag table of `brisk du`: GNU du's flags, in its order and with its rules, and brisk's own.
//! clap makes help, man page and completions from the table.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use brisk::Follow;
use clap::Command;

use super::groups::GROUPS;
use super::options::Options;
use crate::filter::Ignoring;
use crate::filter::flags::filtering::TYPES_OF_FILES;
use crate::front::getopt::Getopt;
use crate::front::messages::{Caller, cause};
use crate::front::{self, Examples, FlagTable, Refusal, Section, When, Words, list, texts};
use crate::show::quoting::{self, in_message};
use crate::show::safe::os_str;
use crate::show::size::{Scale, refused};
use brisk_filter::Stamp;
use brisk_filter::numbers::{self, Unfit};

type Flag = front::Flag<Options>;

/// Reads command lines as GNU du does.
static GETOPT: Getopt<Options> = Getopt {
    table: FlagTable::new(|| {
        vec![
            Section::new("As in GNU du", [gnu()]),
            Section::new("Beyond GNU du", [own()]),
            Section::new(
                "Which files count",
                [Flag::hiding(), Flag::ignoring(), Flag::matching(), files(), Flag::attributes()],
            ),
            Section::new("Reports and help", [reports()]),
        ]
    }),
    order: "all apparent-size block-size bytes count-links dereference dereference-args exclude \
         exclude-from files0-from human-readable inodes si max-depth null no-dereference \
         one-file-system separate-dirs summarize total threshold time time-style help version",
    operand: |options, path| options.paths.push(path),
    added: "",
};

/// Stands for --time without a word. GNU du has no word for the time of modification, and no
/// argument holds a null byte.
const NO_WORD: &str = "\0";

fn gnu() -> Vec<Flag> {
    vec![
        Flag::on("0, null", |options| options.zero = true).brief("End each line with a null byte"),
        Flag::on("a, all", |options| options.all = true).brief("Show files too"),
        Flag::on("apparent-size", |options| options.apparent = true)
            .brief("Count the lengths of files, not the disk space that they take up")
            .doc(
                "Count the lengths of files, not the disk space that they take up: more for sparse \
                 and compressed files, less for small ones.",
            ),
        Flag::parsed("block-size", "SIZE", |options, value| {
            block_size(options, value, "--block-size")
        })
        .brief("Show sizes in units of SIZE: 1K, MB, human-readable"),
        Flag::parsed("B", "SIZE", |options, value| block_size(options, value, "-B"))
            .brief("The same as --block-size"),
        Flag::on("b, bytes", |options| {
            options.apparent = true;
            options.scale = Some(Scale::units(1));
        })
        .brief("The same as --apparent-size --block-size=1"),
        Flag::on("c, total", |options| options.total = true).brief("Show the sum of all paths"),
        Flag::on("dereference-args", |options| options.follow = Some(Follow::Roots))
            .brief("Follow links that are given as paths")
            .short("DH"),
        Flag::parsed("d, max-depth", "N", |options, value| {
            let text = value.as_encoded_bytes();
            let depth = numbers::integer(text).ok().and_then(|depth| usize::try_from(depth).ok());
            let refusal =
                || Refusal::hinted(format!("invalid maximum depth {}", quoting::as_argument(text)));
            options.max_depth = Some(depth.ok_or_else(refusal)?);
            Ok(())
        })
        .brief("Show nothing deeper than N levels below a path"),
        Flag::bytes("files0-from", "FILE", |options, file| options.files_from = Some(file))
            .brief("Count the paths in FILE, each followed by a null byte; - is standard input"),
        Flag::on("h, human-readable", |options| options.scale = Some(Scale::BINARY))
            .brief("Show sizes as 1K, 234M, 2G"),
        Flag::on("inodes", |options| options.inodes = true)
            .brief("Count files and directories, not bytes"),
        Flag::on("k", |options| options.scale = Some(Scale::units(1024)))
            .brief("The same as --block-size=1K"),
        Flag::on("L, dereference", |options| options.follow = Some(Follow::Always))
            .brief("Follow all links"),
        Flag::on("l, count-links", |options| options.count_links = true)
            .brief("Count a file once for each of its hard links"),
        Flag::on("m", |options| options.scale = Some(Scale::units(1 << 20)))
            .brief("The same as --block-size=1M"),
        Flag::on("P, no-dereference", |options| options.follow = Some(Follow::Never))
            .brief("Follow no links (the default)"),
        Flag::on("S, separate-dirs", |options| options.separate = true)
            .brief("Leave subdirectories out of the sums of directories"),
        Flag::on("si", |options| options.scale = Some(Scale::DECIMAL))
            .brief("The same as -h, in powers of 1000"),
        Flag::on("s, summarize", |options| options.summarize = true).brief("One line per path"),
        Flag::parsed("threshold", "SIZE", |options, value| {
            threshold(options, value.as_encoded_bytes(), "--threshold")
        })
        .brief(
            "Leave out entries smaller than SIZE; if SIZE is negative, those larger than its \
            absolute value",
        )
        .hyphens(),
        Flag::parsed("t", "SIZE", |options, value| {
            threshold(options, value.as_encoded_bytes(), "-t")
        })
        .brief("The same as --threshold")
        .hyphens(),
        Flag::word(
            "time",
            "WORD",
            Words::new("atime access use | ctime status").newer(NO_WORD),
            |options, word| options.time = Some(Stamp::from_word(word)),
        )
        .brief("Show the newest time in each directory: mtime (the default), atime or ctime")
        .bare(NO_WORD),
        Flag::bytes("time-style", "STYLE", |options, style| options.time_style = Some(style))
            .brief("Show times as full-iso, long-iso, iso, or +FORMAT as in date(1)"),
        Flag::parsed("X, exclude-from", "FILE", |options, file| {
            let name = file.as_encoded_bytes();
            let text = list::read(file).map_err(|error| {
                Refusal::hinted(format!("{}: {}", quoting::leading(name), cause(&error)))
            })?;
            let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
            let patterns = lines.filter(|line| !line.is_empty());
            options.exclude.extend(patterns.map(|pattern| os_str(pattern).to_owned()));
            Ok(())
        })
        .brief("Leave out what matches a shell pattern in FILE, one pattern per line"),
        Flag::bytes("exclude", "PATTERN", |options, pattern| options.exclude.push(pattern))
            .brief("Leave out what matches the shell pattern, with everything below it")
            .adds_up(),
        Flag::on("x, one-file-system", |options| options.one_file_system = true)
            .brief("Leave out other file systems"),
    ]
}

fn own() -> Vec<Flag> {
    vec![
        Flag::on("i, interactive", |options| options.interactive = true)
            .brief("Browse the tree on the whole terminal, and remove from it")
            .doc(
                "Browse the tree on the whole terminal while it is counted. Keys move, sort, \
                 search, mark and remove; ? lists them. Needs a terminal, and the program \
                 brisk-look in the directory of brisk.",
            ),
        Flag::on("print", |options| options.print = true)
            .brief("With -i: accept a standard output that is not a terminal, for the key o")
            .doc(
                "With -i: accept a standard output that is not a terminal. The key o quits, and \
                 prints the path of the row to it: cd \"$(brisk du -i --print)\".",
            ),
        Flag::on("read-only", |options| options.read_only = true).brief("With -i: remove nothing"),
        Flag::path("from", "FILE", |options, file| options.from = Some(file))
            .brief("With -i: show a count that --json or ncdu -o wrote to FILE"),
        Flag::number("top", "N", |options, count| options.top = Some(count))
            .brief("Show only the N largest"),
        Flag::on("tree", |options| options.tree = true)
            .brief("Show the tree with bars even if the output is not a terminal"),
        Flag::parsed("min", "SIZE", |options, value| {
            let text = value.as_encoded_bytes();
            if text.starts_with(b"-") {
                return Err(Refusal::usage(refused(Unfit::Invalid, "--min", text)));
            }
            if has_decimals(text) {
                let shown = in_message(text);
                return Err(Refusal::usage(format!("--min takes whole numbers, not {shown}")));
            }
            threshold(options, text, "--min")
        })
        .brief("Leave out what is smaller than SIZE: 10M is 10 MiB, 10MB 10,000,000 bytes"),
        Flag::parsed("older-than", "AGE", |options, text| {
            options.older_than = Some(front::older_than(text)?);
            options.selecting.filtering.times.older_than = text.to_str().map(str::to_owned);
            Ok(())
        })
        .brief("Show only directories in which nothing was modified for this long")
        .doc(
            "Show only directories (with -a, files too) in which nothing was modified within AGE \
             (90d, 2weeks), or since a date. With --by, add up only files that were last modified \
             before then.",
        ),
        Flag::word("by", "WHAT", Words::new("owner | extension | age | type"), |options, word| {
            options.by = GROUPS.iter().find(|group| group.word == word);
        })
        .brief("Add up by owner, extension, age or type instead of by directory"),
        Flag::on("print0", |options| {
            options.zero = true;
            options.bare = true;
        })
        .brief("Print only the paths, each followed by a null byte")
        .doc("Print only the paths, each followed by a null byte, for brisk rm --files0-from -."),
        Flag::on("json", |options| options.json = true).brief("Print each directory as JSON").doc(
            "Print one JSON object per directory (with -a, per file too), each on a line, as soon \
             as its sums are final: path, type, depth, allocated and apparent bytes, entries; \
             own_… without subdirectories; complete is false if something in the directory or \
             below it could not be read. Cannot be used with --total or --html, and with --top \
             only together with --by.",
        ),
        Flag::word("color", "WHEN", When::WORDS.docs(texts::COLOR_WHEN), |options, word| {
            options.color = When::from_word(word);
        })
        .brief("When to colour the sizes and bars of the tree"),
        Flag::path("html", "FILE", |options, file| options.html = Some(file))
            .brief("Write a page with a zoomable treemap"),
        Flag::on("reflinks", |options| options.reflinks = true)
            .brief("Count extents that files share once (FIEMAP)")
            .doc(
                "Count extents that several files share (reflinks, deduplication) once, in the \
                 file that brisk reads first. Costs an open and an ioctl per file.",
            ),
        Flag::on("frees", |options| options.frees = true)
            .brief("Show what removing each directory would free")
            .doc(
                "Show how much space would become free if exactly this directory, with everything \
                 in it that counts, were removed. Files that also have names elsewhere do not \
                 count, nor do extents shared with files elsewhere or with snapshots. < before a \
                 size means at most; a size without < is within 1 % (on btrfs only for root). \
                 Costs an open and an ioctl per file where files can share extents.",
            ),
        Flag::on("no-shortcuts", |options| options.no_shortcuts = true)
            .brief("Read the tree even where the file system knows the sums (CephFS)"),
    ]
}

fn files() -> Vec<Flag> {
    vec![
        Flag::word("type", "TYPE", TYPES_OF_FILES, |options, word| {
            options.selecting.filtering.types.add(word);
        })
        .brief("Count only files of this type: f, l, s, p, b, c, x or e, as in brisk find")
        .adds_up(),
    ]
}

fn reports() -> Vec<Flag> {
    vec![
        Flag::explain(),
        Flag::stats("FORM"),
        Flag::progress(),
        Flag::threads("N"),
        Flag::help(),
        Flag::version(),
    ]
}

/// Whether a number has digits behind a point.
fn has_decimals(text: &[u8]) -> bool {
    let rest = text.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    matches!(&rest[digits..], [b'.' | b',', digit, ..] if digit.is_ascii_digit())
}

fn block_size(options: &mut Options, value: &OsStr, option: &str) -> Result<(), Refusal> {
    let text = value.as_encoded_bytes();
    let refusal = |why: Unfit| Refusal::usage(refused(why, option, text));
    options.scale = Some(Scale::parse(text).map_err(refusal)?);
    Ok(())
}

fn threshold(options: &mut Options, text: &[u8], option: &str) -> Result<(), Refusal> {
    let refusal = |why: Unfit| Refusal::usage(refused(why, option, text));
    let digits = text.strip_prefix(b"-");
    let number = digits.unwrap_or(text);
    let is_small = |byte: &u8| matches!(byte, b'g' | b't' | b'p' | b'e' | b'z' | b'y');
    let has_digits = number.first().is_some_and(u8::is_ascii_digit);
    // A unit alone has no sign.
    if number.iter().any(is_small) || (digits.is_some() && !has_digits) {
        return Err(refusal(if has_digits { Unfit::Suffix } else { Unfit::Invalid }));
    }
    let size = numbers::with_unit(number).map_err(refusal)?;
    let size = i64::try_from(size).map_err(|_| refusal(Unfit::TooLarge))?;
    if size == 0 && digits.is_some() {
        return Err(Refusal::usage("invalid --threshold argument '-0'"));
    }
    options.threshold = if digits.is_some() { -size } else { size };
    Ok(())
}

/// Reads the words after the command's name.
///
/// # Errors
/// GNU du's refusal.
// long: GNU du checks one thing after the other, and the first that fails is its message
pub(super) fn read(caller: Caller, words: &[OsString]) -> Result<Options, Refusal> {
    let mut options = Options::default();
    options.selecting.ignoring = Ignoring::nothing();
    GETOPT.read(caller, words, &mut options)?;
    if options.common.answer.is_some() {
        return Ok(options);
    }
    // Directories are chosen by their sums, groups have none: their files are chosen.
    if options.by.is_some() {
        options.older_than = None;
    } else {
        options.selecting.filtering.times.older_than = None;
    }
    if options.all && options.summarize {
        return Err(Refusal::hinted("cannot both summarize and show all entries"));
    }
    if options.summarize {
        match options.max_depth {
            Some(0) => {
                caller.complain("warning: summarizing is the same as using --max-depth=0");
            }
            Some(depth) => {
                let message = format!("warning: summarizing conflicts with --max-depth={depth}");
                return Err(Refusal::hinted(message));
            }
            None => options.max_depth = Some(0),
        }
    }
    let [by, json] = [(options.by.is_some(), "--by"), (options.json, "--json")];
    let [total, html] = [(options.total, "--total"), (options.html.is_some(), "--html")];
    front::exclude((options.bare, "--print0"), &[total, by, json, html])?;
    let top = (options.top.is_some() && options.by.is_none(), "--top without --by");
    front::exclude(json, &[total, html, top])?;
    if options.html.as_deref() == Some(Path::new("-")) {
        return Err(Refusal::hinted("--html needs a file: it does not write to standard output"));
    }
    check_interactive(&options)?;
    let null = (options.zero, "--null and --print0");
    let time = (options.time.is_some(), "--time");
    front::exclude((options.tree, "--tree"), &[null, json, html, time])?;
    if options.frees {
        front::exclude((true, "--frees"), &without_frees(&options))?;
    }
    if options.inodes && options.apparent {
        let options = "warning: options --apparent-size and -b are ineffective with --inodes";
        caller.complain(options);
    }
    if let Some(path) = options.paths.first().filter(|_| options.files_from.is_some()) {
        return Err(list::extra_operand(path));
    }
    Ok(options)
}

/// What means nothing with --frees.
fn without_frees(options: &Options) -> [(bool, &'static str); 9] {
    [
        (options.interactive, "-i, which shows what the marks free"),
        (options.apparent, "--apparent-size and -b"),
        (options.inodes, "--inodes"),
        (options.follow == Some(Follow::Always), "--dereference"),
        (options.count_links, "--count-links"),
        (options.separate, "--separate-dirs"),
        (options.reflinks, "--reflinks"),
        (options.by.is_some(), "--by"),
        (options.html.is_some(), "--html"),
    ]
}

/// What means nothing in the tree of -i, or nothing without it.
fn check_interactive(options: &Options) -> Result<(), Refusal> {
    if !options.interactive {
        let needs = |flag| Err(Refusal::hinted(format!("{flag} needs -i")));
        return match options {
            Options { print: true, .. } => needs("--print"),
            Options { read_only: true, .. } => needs("--read-only"),
            Options { from: Some(_), .. } => needs("--from"),
            _ => Ok(()),
        };
    }
    if options.from.is_some() && !options.paths.is_empty() {
        return Err(Refusal::hinted(
            "--from cannot be used with directories: it shows a saved count",
        ));
    }
    let others = [
        (options.all, "--all"),
        (options.zero, "--null"),
        (options.total, "--total"),
        (options.inodes, "--inodes"),
        (options.max_depth.is_some(), "--max-depth and --summarize"),
        (options.separate, "--separate-dirs"),
        (options.threshold != 0, "--threshold and --min"),
        (options.time.is_some(), "--time"),
        (options.time_style.is_some(), "--time-style"),
        (options.top.is_some(), "--top"),
        (options.tree, "--tree"),
        (options.older_than.is_some(), "--older-than"),
        (options.by.is_some(), "--by"),
        (options.json, "--json"),
        (options.html.is_some(), "--html"),
        (options.files_from.is_some(), "--files0-from"),
        (options.common.explain, "--explain"),
        (options.common.stats.is_some(), "--stats"),
    ];
    front::exclude((true, "-i"), &others)
}

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    (".", "Show what takes up the space below the current directory"),
    ("--top 10 -a src", "List the ten largest files and directories"),
    ("--by extension", "Add up by the extensions of names"),
    ("--older-than 90d --min 1M", "List the directories that are large and old"),
    ("-s --json src", "Print the sums of one tree as JSON"),
    ("--html space.html src", "Draw a treemap"),
];

const ABOUT: &str = "Show what takes up the space: GNU du's options, and a tree with bars.";

const LONG_ABOUT: &str = "Add up the disk space of files and directories, including hidden and \
    ignored files (--no-hidden and --ignore leave them out). A terminal gets a tree of the largest \
    directories; elsewhere each directory is a line, the largest first. All options of GNU du (9.1) \
    are there; through a link named du, output and messages are GNU du's too.\n\n\
    A file with several hard links counts once, in the first of its directories in sorted order, so \
    every run gives the same sums. Through a link named du, and with --by or --reflinks, it counts \
    where brisk finds it first. If a directory cannot be read, a message names it, the rest is \
    counted, and the exit code is 1. Only the key d of -i removes anything, and it asks first.";

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command(caller: Caller) -> Command {
    let paths = front::paths("PATH", "What to add up (default: the current directory)");
    front::command(caller.called("brisk du"), ABOUT, LONG_ABOUT, EXAMPLES, &GETOPT.table).arg(paths)
}
