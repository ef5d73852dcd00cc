//! The flag table of `brisk diff`. clap makes help, man page and completions from the table.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Command};

use super::options::Options;
use crate::filter::Ignoring;
use crate::front::{self, Examples, Parsed, Refusal, Section, texts};

type Flag = front::Flag<Options>;

/// Every flag, by subject, in the order of the help.
static TABLE: front::FlagTable<Options> = front::FlagTable::new(|| {
    vec![
        Section::new("Results", [results()]),
        Section::new(
            "Which entries of directories (default: all; beside a state, the state's)",
            Flag::filters(),
        ),
        Section::new("Reports and help", [reports(), Flag::answers()]),
    ]
});

fn results() -> Vec<Flag> {
    vec![
        Flag::on("r, recursive", |options| options.recursive = true)
            .brief("List what is below added, deleted and renamed directories")
            .doc(
                "List what is below added, deleted and renamed directories, one entry per line, as \
                 brisk changed does. By default such a directory has one line, which ends in a \
                 slash and stands for everything below it that has no line of its own.",
            ),
        Flag::on("summary", |options| options.summary = true)
            .brief("Count entries and bytes by directory instead")
            .conflicts("print0 recursive")
            .doc(
                "Count by directory the entries, and the bytes of files, that were added and \
                 deleted, and the entries that were modified (contents or type), in which only the \
                 metadata differs, and that were renamed. A file that grew counts as added bytes, \
                 one that shrank as deleted bytes.",
            ),
        Flag::number("d, max-depth", "N", |options, depth| options.depth = Some(depth))
            .brief("With --summary: show this many levels of directories (default: 1)")
            .requires("summary"),
        Flag::on("json", |options| options.compare.json = true).brief(texts::JSON).conflicts("print0").doc(
            "Print one JSON object per line. The first has 'brisk' (1, the version of the format), \
             'old' and 'new'; each of the others is a change with 'path', 'status', 'from', \
             'fields' and 'type', as those of brisk changed, and with 'whole' where a directory \
             stands for what is below it; the last has 'end' and 'count'. 'path_b64' and \
             'from_b64' stand for a path that is not UTF-8: its bytes in base64.",
        ),
        Flag::changes_print0(),
        Flag::color(),
        Flag::no_renames(),
        Flag::on("content", |options| options.compare.content = true)
            .brief("Compare the contents of all files, not their times")
            .doc(
                "Read all files of equal size, and compare their contents, whatever their times; \
                 times are then no difference. By default files of equal size and mtime count as \
                 the same, and files of equal size and different mtime are read. A state or table \
                 needs digests for this; a message says if it has none.",
            ),
        Flag::on("exit-code", |options| options.compare.exit_code = true)
            .brief("Exit with 1 if something differs"),
    ]
}

fn reports() -> Vec<Flag> {
    vec![Flag::threads("N").only_in_long_help(), Flag::progress().only_in_long_help()]
}

/// Reads the words after the command's name.
///
/// # Errors
/// The refusal of a word, or of options that exclude each other.
pub(super) fn read(words: &[OsString]) -> Result<Options, Refusal> {
    let line = Parsed::split(&TABLE, words, |_, _| None)?;
    line.check(&[])?;
    let sides: Vec<PathBuf> = line.operands.iter().map(PathBuf::from).collect();
    let mut options = Options { sides, ..Options::default() };
    options.compare.selecting.ignoring = Ignoring::nothing();
    options.filter_words = Flag::filter_words(&line, "");
    line.set(&TABLE, &mut options)?;
    if options.compare.common.answer.is_some() {
        return Ok(options);
    }
    if options.sides.len() != 2 {
        return Err(Refusal::hinted(
            "two states, tables or directories are needed: the old one, the new one",
        ));
    }
    Ok(options)
}

const ABOUT: &str = "Show what differs between two states, tables or directories: A added, D deleted, M \
    contents modified, m metadata only.";

const LONG_ABOUT: &str = "Show what differs between A and B. Each is a state of brisk changed, a \
    Parquet table of brisk scan, or a directory. A directory is compared whole, including hidden \
    and ignored files; beside a state, it is read with the filters with which the state was made. \
    The lines say: A added, M contents modified, m metadata only, D deleted, T changed to another \
    type of file, R renamed, ? cannot be read. A directory that was added, deleted or renamed as a \
    whole has one line, which ends in a slash.\n\n\
    Files of equal size and mtime count as the same; but a file whose ctime or inode differs from a \
    state's is M, because its contents cannot be compared. Files of equal size and different mtime \
    are read, if both sides can be read; if the contents are equal, only the metadata differs. \
    --content reads all files of equal size. For metadata, brisk compares mode, owner and, for \
    files, mtime; also inode and ctime of files if A and B show one tree at two times. Links are \
    compared by their targets.\n\n\
    A state or a table holds what was recorded when it was written. Columns that a table lacks are \
    not compared, and a message says so.";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("old.state src", "Show what changed in a directory since the state was written"),
    ("--exit-code src copy", "Compare two trees, and exit with 1 if they differ"),
    ("files.parquet src", "Show what changed in a directory since it was scanned"),
    ("--content src copy", "Compare the contents of all files, whatever their times are"),
    ("--summary old.state new.state", "Show where bytes were added and deleted"),
    ("-r --json old.state new.state", "Print each entry that differs, as JSON"),
];

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command() -> Command {
    let side = |id, name, help| {
        let arg = Arg::new(id).value_name(name).help(help).required(true);
        arg.value_parser(clap::value_parser!(PathBuf))
    };
    front::command("brisk diff", ABOUT, LONG_ABOUT, EXAMPLES, &TABLE)
        .arg(side("old", "A", "The state, table or directory to compare with"))
        .arg(side("new", "B", "The later state, table or directory"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::Answer;

    fn parse(line: &str) -> Result<Options, String> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        read(&words).map_err(|refusal| refusal.message)
    }

    type Holds = fn(&Options) -> bool;

    #[test]
    fn every_flag_sets_what_it_says() {
        let cases: &[(&str, Holds)] = &[
            ("", |o| o.sides.len() == 2 && !o.recursive),
            ("-r", |o| o.recursive),
            ("--recursive", |o| o.recursive),
            ("--summary --max-depth 3", |o| o.summary && o.depth == Some(3)),
            ("--json", |o| o.compare.json),
            ("-0", |o| o.compare.print0),
            ("--print0", |o| o.compare.print0),
            ("--no-renames", |o| o.compare.no_renames),
            ("--content", |o| o.compare.content),
            ("--exit-code", |o| o.compare.exit_code),
            ("--match -x", |o| o.compare.selecting.matching.pattern == "-x"),
            ("-e rs", |o| o.compare.selecting.filtering.extensions == ["rs"]),
            ("", |o| o.compare.selecting.ignoring.hidden && o.compare.selecting.ignoring.no_ignore),
            ("-e rs -H", |o| o.filter_words == ["--hidden", "--extension=rs"]),
            ("-u --ignore", |o| !o.compare.selecting.ignoring.no_ignore),
            ("--no-hidden --hidden", |o| o.compare.selecting.ignoring.hidden),
            ("-j2", |o| o.compare.common.threads.map(usize::from) == Some(2)),
            ("-h", |o| o.compare.common.answer == Some(Answer::Summary)),
            ("--help", |o| o.compare.common.answer == Some(Answer::Help)),
            ("-V", |o| o.compare.common.answer == Some(Answer::Version)),
        ];
        for (line, holds) in cases {
            let options = parse(&format!("a b {line}")).unwrap();
            assert!(holds(&options), "{line}: {options:?}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (line, why) in [
            ("a", "two states, tables or directories"),
            ("a b c", "two states, tables or directories"),
            ("a b --json -0", "'--json' cannot be used with '--print0'"),
            ("a b --summary -0", "'--summary' cannot be used with '--print0'"),
            ("a b --summary -r", "'--summary' cannot be used with '--recursive'"),
            ("a b --max-depth 1", "'--max-depth' requires '--summary'"),
            ("a b --prune", "unrecognized option '--prune'"),
        ] {
            let told = parse(line).unwrap_err();
            assert!(told.contains(why), "{line}: {told}");
        }
    }
}
