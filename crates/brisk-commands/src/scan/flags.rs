//! The flag table of `brisk scan`, and the [`Options`] that it sets: what is written, where, and the
//! filters of `brisk find`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Command;

use crate::filter::flags::Selects;
use crate::filter::{Ignoring, Selecting};
use crate::front::{
    self, CommonOptions, Examples, HasCommon, Parsed, Refusal, Section, Spec, Words,
};
use crate::show::quoting::quoted;
use brisk_filter::size;

/// The form of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Parquet,
    Arrow,
    Csv,
    JsonLines,
}

impl Form {
    /// The form that a word names: a value of `--as`, or the extension of a file.
    pub fn named(word: &str) -> Option<Form> {
        Some(match word {
            "parquet" => Form::Parquet,
            "arrow" => Form::Arrow,
            "csv" => Form::Csv,
            "jsonl" => Form::JsonLines,
            _ => return None,
        })
    }
}

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub paths: Vec<PathBuf>,
    /// Where the table goes; `-` is standard output.
    pub output: Option<PathBuf>,
    pub form: Option<Form>,
    /// The table or the data set whose rows are written, instead of those of directories.
    pub from: Option<PathBuf>,
    /// Names of columns, separated by commas.
    pub columns: Option<String>,
    pub sums: bool,
    pub hash: bool,
    /// Whether the table is a data set, which this run begins or goes on with.
    pub continues: bool,
    /// How long a unit of a data set takes.
    pub budget: Option<Duration>,
    /// How many entries a unit of a data set takes.
    pub budget_entries: Option<u64>,
    /// The file with the unit that is done instead of a scan; `-` is standard input.
    pub unit: Option<PathBuf>,
    /// The words that choose rows, for the units of a data set.
    pub words: Vec<OsString>,
    pub selecting: Selecting,
    pub common: CommonOptions,
}

impl HasCommon for Options {
    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}

impl Selects for Options {
    /// `-o` says where the table goes.
    const WITHOUT: &'static str = "o";

    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}

type Flag = front::Flag<Options>;

/// Every flag, by subject, in the order of the help.
static FLAGS: front::FlagTable<Options> = front::FlagTable::new(|| {
    vec![
        Section::new("Table", [table(), data_set()]),
        Section::new(
            "Where to look (default: everywhere)",
            [Flag::hiding(), Flag::depths(), Flag::ignoring(), Flag::excluding()],
        ),
        Section::new("Pattern", [Flag::matching()]),
        Section::new("Filters", [Flag::types(), Flag::attributes(), Flag::pruning()]),
        Section::new("Run", [cached(), run(), Flag::answers()]),
    ]
});

fn table() -> Vec<Flag> {
    vec![
        Flag::path("o, output", "FILE", |options, file| options.output = Some(file))
            .brief("Where the table goes; - is standard output")
            .doc(
                "Where the table goes: FILE.parquet, FILE.arrow (Arrow IPC), FILE.csv or \
                 FILE.jsonl (JSON lines). - is standard output, in the format that --as names. The \
                 file appears under its name when it is complete; until then, an older file of \
                 that name stays as it is.",
            ),
        Flag::word("as", "FORM", Words::new("parquet | arrow | csv | jsonl"), |options, word| {
            options.form = Form::named(word)
        })
        .rare("The format, if not by name"),
        Flag::path("from", "SOURCE", |options, source| options.from = Some(source))
            .rare("Write the rows of a table or a data set, in order")
            .requires("output")
            .conflicts("continue hash stats unit")
            .doc(
                "Write the rows of SOURCE, which is a table in Parquet or the directory of a data \
                 set, instead of scanning: in the order of a sorted walk, with sums if --sums asks \
                 for them. The columns are those of SOURCE, or those of them that --columns names.",
            ),
        Flag::text("columns", "LIST", |options, list| options.columns = Some(list))
            .brief("Which columns: path,size,mtime, or +name to add some")
            .doc(
                "The columns, separated by commas: path, name, parent, depth, type, size, blocks, \
                 mode, uid, gid, user, group, nlink, inode, device, atime, mtime, ctime, btime, \
                 target, blake3, below_entries, below_bytes, below_blocks. After a + they are \
                 added to those of a plain scan, which are all but name, parent, blake3 and those \
                 that begin with below. Parquet and Arrow have path_bytes and target_bytes \
                 besides, for what is not UTF-8. A table without metadata costs no statx.",
            ),
        Flag::on("sums", |options| options.sums = true)
            .brief("Add what is below each directory: entries, bytes, blocks")
            .doc(
                "Add the columns below_entries, below_bytes and below_blocks: for a directory, the \
                 number of rows below it, their bytes (without those of directories), and their \
                 blocks. A file with several hard links counts for each of them, as for du -l.",
            ),
        Flag::word("hash", "ALGORITHM", Words::new("blake3"), |options, _| {
            options.hash = true;
        })
        .rare("Add the digest of each regular file: blake3")
        .doc(
            "Add the column blake3: the digest of each regular file. Reads every file to its end.",
        ),
    ]
}

fn data_set() -> Vec<Flag> {
    vec![
        Flag::on("continue", |options| options.continues = true)
            .brief("Write a data set into the directory of -o, or continue one")
            .requires("output")
            .conflicts("as")
            .doc(
                "Write the table as a data set: Parquet files in the directory that -o names, each \
                 of one unit of the scan, and beside it a journal of the units that are done. After an \
                 interruption of any kind the same command goes on, and loses no more than the \
                 last unit. polars, DuckDB and others read the directory as one table.",
            ),
        Flag::parsed("budget", "time", |options, value| {
            options.budget = Some(front::duration(value).ok_or_else(|| {
                Refusal::usage(format!("{} is not a time: write 30s or 5min", quoted(value)))
            })?);
            Ok(())
        })
        .rare("How long a unit takes (default: 30s)")
        .requires("continue")
        .doc(
            "How long a unit of --continue takes: 30 seconds by default. After this time the unit \
             enters no other directory, and what is left becomes other units. A directory is \
             always read to its end.",
        ),
        Flag::parsed("budget-entries", "count", |options, value| {
            let amount = value.to_str().and_then(size::amount);
            options.budget_entries = Some(amount.ok_or_else(|| {
                Refusal::usage(format!("{} is not a number of entries: write 5M", quoted(value)))
            })?);
            Ok(())
        })
        .rare("How many entries a unit takes: 5M")
        .requires("continue")
        .doc("Like --budget, but after about this many rows and directories."),
        Flag::path("unit", "FILE", |options, file| options.unit = Some(file))
            .rare("Do the unit of a data set that FILE describes; - is standard input")
            .conflicts("output continue as columns sums hash")
            .doc(
                "Do the unit of a data set that FILE describes in JSON, and print its outcome in \
                 JSON, for programs that distribute units. - is standard input, from which brisk \
                 reads one line. The input must stay open: when it ends, brisk ends at once.",
            ),
    ]
}

/// What a row says depends on this flag, as which rows there are depends on the filters.
fn cached() -> Vec<Flag> {
    vec![Flag::cached().only_in_long_help()]
}

fn run() -> Vec<Flag> {
    vec![
        Flag::threads("N"),
        Flag::progress().only_in_long_help(),
        Flag::stats("FORM").only_in_long_help(),
    ]
}

fn line(words: &[OsString]) -> Result<(Options, Parsed<'_>), Refusal> {
    let mut options = Options::default();
    // An inventory lists everything, hidden and ignored files too.
    options.selecting.ignoring = Ignoring::nothing();
    let operand = |options: &mut Options, path: OsString| options.paths.push(path.into());
    let line = Parsed::read(&FLAGS, operand, words, &mut options)?;
    Ok((options, line))
}

/// Whether the flag chooses rows, or what they say.
fn chooses(flag: &Spec) -> bool {
    let others = [table(), data_set(), run(), Flag::answers()];
    !others.iter().flatten().any(|other| other.spec.name == flag.name)
}

/// Reads the options of a unit, which choose its rows and columns. The rest is not for it to say.
///
/// # Errors
/// The refusal of a word.
pub fn read_unit(words: &[OsString]) -> Result<Options, Refusal> {
    let (options, line) = line(words)?;
    let is_other =
        |flag: &&Spec| !chooses(flag) && !["columns", "hash", "sums"].contains(&flag.name);
    let flag = line.flags().find(is_other).map(Spec::spelling);
    match flag.or_else(|| line.operands.first().map(|path| quoted(*path))) {
        Some(word) => Err(Refusal::usage(format!(
            "{word} is not an option of a unit, which takes filters, --columns and --hash"
        ))),
        None => Ok(options),
    }
}

/// Reads the words after the command's name.
///
/// # Errors
/// The refusal of a word.
pub fn read(words: &[OsString]) -> Result<Options, Refusal> {
    let (mut options, line) = line(words)?;
    options.words = line.words(chooses);
    if options.unit.is_some() && !options.paths.is_empty() {
        return Err(Refusal::hinted("--unit names its directories itself"));
    }
    if options.from.is_some() && !(options.paths.is_empty() && options.words.is_empty()) {
        return Err(Refusal::hinted("--from takes no directories and no filters"));
    }
    if options.paths.is_empty() {
        options.paths.push(PathBuf::from("."));
    }
    Ok(options)
}

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("-o files.parquet .", "Write a row for each entry"),
    ("--sums -o sums.parquet src", "Add what is below each directory"),
    ("--columns path,size -S +1M -o - --as csv", "Print the large files as CSV"),
    ("--hash blake3 --columns +name -o digests.arrow src", "Add digests, and names"),
];

const ABOUT: &str =
    "Write a table of a file tree: a row for each entry, as Parquet, Arrow, CSV or JSON.";

const LONG_ABOUT: &str = "Write a table of file trees, with a row for each entry: Parquet, Arrow \
    IPC, CSV or JSON lines. DuckDB, polars, pandas and others read it. Everything is listed, \
    hidden and ignored files too; --no-hidden and --ignore leave them out. The filters are those of \
    brisk find.\n\nThe \
    rows are in no particular order. A directory that cannot be read still has its row; a message \
    names it, and the exit code is 1. The file that is written, and the one that it replaces, are \
    left out.";

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command() -> Command {
    let paths = front::paths("DIR", "The directories to scan (default: the current directory)");
    front::command("brisk scan", ABOUT, LONG_ABOUT, EXAMPLES, &FLAGS).arg(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_take_what_chooses_rows_and_columns() {
        let read = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            read_unit(&words).map_err(|refusal| refusal.message)
        };
        assert!(read("-e rs --cached --columns path -x --hash blake3 -E b -H").is_ok());
        for (line, word) in [
            ("-e rs -o x", "--output"),
            ("--as=csv", "--as"),
            ("--help", "--help"),
            ("-x /data", "/data"),
            ("--continue -o x/", "--continue"),
            ("-j2", "--threads"),
            ("--stats", "--stats"),
        ] {
            let told = read(line).unwrap_err();
            assert!(told.starts_with(word) || told.starts_with(&format!("'{word}'")), "{told}");
        }
    }

    #[test]
    fn units_get_what_chooses_rows() {
        let line =
            "-o x/ --continue --budget 1s -j2 --stats --sums -e rs --cached --columns path t";
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let options = read(&words).map_err(|refusal| refusal.message).unwrap();
        assert_eq!(options.words, ["--extension=rs", "--cached"]);
    }
}
