//! The flag table of `brisk changed`, and the [`Options`] that it sets. clap makes help, man page
//! and completions from the table.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Arg, Command};

use super::compare::CompareOptions;
use super::watch::flags::{Watching, watch, watching};
use crate::filter::flags::Selects;
use crate::front::{self, Examples, Parsed, Refusal, Section, texts};
use crate::show::changes::roots::CURRENT;

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) compare: CompareOptions,
    /// The directories; the current one if the user named none.
    pub(crate) paths: Vec<PathBuf>,
    /// Whether the user named no directory, so that paths are displayed without `./`.
    pub(crate) is_bare: bool,
    /// The filters' flags, as words in the order of the table.
    pub(crate) filter_words: Vec<OsString>,
    /// If the user named none, empty until [`choose`](super::state_path::choose) is called.
    pub(crate) state: PathBuf,
    /// Whether [`choose`](super::state_path::choose) has chosen the state's file, because there is no
    /// `--state`. Then each run accepts, except a dry run, and the first one
    /// lists no changes as lines.
    pub(crate) state_is_chosen: bool,
    /// Where the new state goes, if `--save` says so, or no `--state` was given.
    /// [`Files`](super::files::Files) decides whether it is written.
    pub(crate) save: Option<PathBuf>,
    /// Whether nothing is accepted.
    pub(crate) dry_run: bool,
    /// Whether roots on another file system than before, and mounts that are gone, are accepted.
    pub(crate) accepts_other_volumes: bool,
    /// Whether a change of ctime alone is ignored.
    pub(crate) no_ctime: bool,
    pub(crate) no_shortcuts: bool,
    pub(crate) format: Option<String>,
    pub(crate) stamp: Option<PathBuf>,
    pub(crate) depfile: Option<PathBuf>,
    /// The words of COMMAND, if there is one.
    pub(crate) command: Vec<OsString>,
    /// Whether COMMAND reads the paths from its standard input.
    pub(crate) stdin0: bool,
    /// Whether it is an error if another brisk has locked the state.
    pub(crate) no_wait: bool,
    pub(crate) watching: Watching,
}

impl Options {
    /// Whether a command is run on what changed.
    pub(super) fn runs_command(&self) -> bool {
        !self.command.is_empty()
    }

    /// Whether to say that there is no state, and that this run does not write one.
    pub(super) fn tells_missing_state(&self) -> bool {
        let accepts = self.save.is_some() || self.runs_command() || self.stamp.is_some();
        // JSON says it in its first object.
        !(accepts || self.state_is_chosen || self.compare.json || self.depfile.is_some())
    }
}

impl AsMut<CompareOptions> for Options {
    fn as_mut(&mut self) -> &mut CompareOptions {
        &mut self.compare
    }
}

impl AsMut<Watching> for Options {
    fn as_mut(&mut self) -> &mut Watching {
        &mut self.watching
    }
}

type Flag = front::Flag<Options>;

/// Leaves out what COMMAND writes, as a filter does.
const OUTPUT: &str = "output";

/// The word of COMMAND that the changed paths replace.
pub(super) const PATHS: &str = "{}";

/// Begins COMMAND on the command line.
const BEFORE_COMMAND: &str = "--";

/// Every flag, by subject, in the order of the help.
static TABLE: front::FlagTable<Options> = front::FlagTable::new(|| {
    vec![
        Section::new("State", [state()]),
        Section::new("Results", [results(), commands(), vec![watch()], builds()]),
        Section::new("Watching", [watching()]),
        Section::new("Which entries", Flag::filters()),
        Section::new("Reports and help", [reports(), Flag::answers()]),
    ]
});

fn state() -> Vec<Flag> {
    vec![
        Flag::path("state", "FILE", |options, file| options.state = file)
            .brief("Compare with this state (default: one that brisk keeps)")
            .doc(
                "Compare with this state. If FILE does not exist or is damaged, everything is new; \
                 --json gives the reason. The file changes only with --save, --stamp or a command. \
                 Without --state and --save, brisk keeps a state for these directories in the \
                 user's cache directory (--explain says where), and accepts what it prints; the \
                 first run only records the entries and says how many. Each command has a state of \
                 its own, so the command also runs for a change that a run without it has printed.",
            ),
        Flag::path("save", "NEW", |options, file| options.save = Some(file))
            .brief("Write the new state to NEW")
            .doc(
                "Write the new state to the file NEW: 'mv NEW FILE' accepts it. If NEW is FILE \
                 itself, the state is accepted as soon as the changes are printed. Without \
                 --state, NEW is also the state that is compared with. With a command, NEW is replaced \
                 only if the command succeeds.",
            ),
        Flag::on("n, dry-run", |options| options.dry_run = true)
            .brief("Accept nothing; the filters may differ from the state's")
            .conflicts("save stamp depfile")
            .doc(
                "Print the changes, and accept nothing. Only in a dry run may the filters differ \
                 from those with which the state was made: it prints the changes that pass both. A \
                 deleted entry is tested only by its path and type.",
            ),
        Flag::on("content", |options| options.compare.content = true)
            .rare("Let contents decide which files changed")
            .doc(
                "Let contents decide which files changed: a file that was only touched has not \
                 changed. The first run reads every file; later runs read the files whose metadata \
                 changed.",
            ),
        Flag::on("no-ctime", |options| options.no_ctime = true)
            .rare("Do not count a change of only the ctime (unsafe)")
            .doc(
                "Do not count a file as changed if only its ctime differs. This is for trees in \
                 which indexers, or backups that make hard links, change the ctime. Unsafe: an \
                 edit that keeps the size and sets the mtime back is then missed.",
            ),
        Flag::on("other-file-system", |options| options.accepts_other_volumes = true)
            .rare("Accept directories that are on another file system than before")
            .doc(
                "Accept directories that are on another file system than before, and compare path \
                 by path. Without this option such a directory is an error, because on a disk that \
                 is not mounted everything would seem deleted.",
            ),
        Flag::on("no-shortcuts", |options| options.no_shortcuts = true)
            .rare("Read every directory and check every entry"),
    ]
}

fn results() -> Vec<Flag> {
    vec![
        Flag::changes_print0(),
        Flag::on("json", |options| options.compare.json = true)
            .brief(texts::JSON)
            .conflicts("print0 format")
            .doc(
                "Print one JSON object per line. The first has 'brisk' (1, the version of the \
                 format), 'clock', 'full', 'reason' and 'roots'; each of the others is a change \
                 with 'path', 'status', 'from', 'fields' and 'type'; the last has 'end' and \
                 'count'. 'path_b64' and 'from_b64' stand for a path that is not UTF-8: its bytes \
                 in base64.",
            ),
        Flag::text("format", "FMT", |options, text| options.format = Some(text))
            .rare("Print each change in this form: '{status} {}'")
            .doc(
                "Print each change in this form. The placeholders are those of 'brisk find \
                 --format', and {status} and {from}, the old path of a renamed entry. For the \
                 metadata of a deleted entry, '-' is printed.",
            ),
        Flag::color(),
        Flag::no_renames(),
        Flag::on("exit-code", |options| options.compare.exit_code = true)
            .rare("Exit with 1 if something changed"),
    ]
}

fn commands() -> Vec<Flag> {
    vec![
        Flag::on("stdin0", |options| options.stdin0 = true)
            .rare("Give COMMAND the paths on its standard input")
            .doc(
                "Give COMMAND the paths that {} would become on its standard input, each followed \
                 by a null byte. Their number is not limited.",
            ),
        Flag::text(OUTPUT, "GLOB", |options, glob| options.selecting().ignoring.exclude.push(glob))
            .rare("Leave out what COMMAND writes")
            .doc(
                "Leave out what COMMAND writes into the directories: entries that match this glob, \
                 as with --exclude. May be given several times.",
            )
            .adds_up(),
        Flag::on("no-wait", |options| options.no_wait = true)
            .rare("Fail if another brisk runs a command on the same state"),
    ]
}

fn builds() -> Vec<Flag> {
    vec![
        Flag::path("stamp", "FILE", |options, file| options.stamp = Some(file))
            .brief("Write a list with digests to FILE, only if it differs; accept the state")
            .doc(
                "Write a sorted list of all entries, with digests of contents, to FILE, but only \
                 if the list differs from the one that is there, so what depends on FILE is \
                 rebuilt only if an entry was edited, added or removed. Then accept the state. \
                 Contents decide what changed, as with --content. FILE must be a stamp, empty, or \
                 not there.",
            ),
        Flag::path("depfile", "FILE", |options, file| options.depfile = Some(file))
            .rare("Write the paths of all entries to FILE, as make and ninja read them")
            .doc(
                "Write a rule to FILE, as make and ninja read it: the stamp (without --stamp, the \
                 state) depends on all entries that pass the filters, and on all directories. If \
                 make or ninja cannot read a path (one with a newline or an equals sign, say), \
                 no file is written, and the exit code is 1 (with a command 125).",
            ),
    ]
}

fn reports() -> Vec<Flag> {
    vec![
        Flag::threads("N").only_in_long_help(),
        Flag::explain().only_in_long_help().doc(
            "Print to standard error which method was used for each file system, and why no faster \
         one.",
        ),
        Flag::stats("FORM").only_in_long_help(),
        Flag::progress().only_in_long_help(),
    ]
}

/// Whether the words hold a command.
pub(super) fn has_command(words: &[OsString]) -> bool {
    words.iter().any(|word| word == BEFORE_COMMAND)
}

/// Reads the words after the command's name.
///
/// # Errors
/// The refusal of a word, or of options that exclude each other.
pub(super) fn read(words: &[OsString]) -> Result<Options, Refusal> {
    let mut options = Options::default();
    let mut parts = words.splitn(2, |word| word == BEFORE_COMMAND);
    let line = Parsed::read(
        &TABLE,
        |options, path| options.paths.push(path.into()),
        parts.next().unwrap_or_default(),
        &mut options,
    )?;
    if options.compare.common.answer.is_some() {
        return Ok(options);
    }
    options.filter_words = Flag::filter_words(&line, OUTPUT);
    options.is_bare = options.paths.is_empty();
    if options.is_bare {
        options.paths.push(CURRENT.into());
    }
    if let Some(command) = parts.next() {
        check_command(&options, command)?;
        options.command = command.to_vec();
    }
    check(&options)?;
    Ok(options)
}

fn check(options: &Options) -> Result<(), Refusal> {
    let need_command = [(options.stdin0, "--stdin0"), (options.no_wait, "--no-wait")];
    for (given, flag) in need_command.into_iter().chain(options.watching.need_command()) {
        if given && !options.runs_command() {
            return Err(Refusal::hinted(format!("{flag} needs a command after '--'")));
        }
    }
    super::watch::flags::check(&options.watching, &options.compare.selecting)
}

/// Refuses a missing program, and options about the list, which is not printed with a command.
fn check_command(options: &Options, command: &[OsString]) -> Result<(), Refusal> {
    let Some(program) = command.first() else {
        return Err(Refusal::hinted("there is no command after '--'"));
    };
    if program == OsStr::new(PATHS) {
        return Err(Refusal::hinted("the command cannot begin with '{}'"));
    }
    let Options { compare, .. } = options;
    let lists = [
        (compare.json, "--json"),
        (compare.print0, "-0"),
        (options.format.is_some(), "--format"),
        (compare.exit_code, "--exit-code"),
        (options.dry_run, "--dry-run"),
    ];
    front::exclude((true, "a command"), &lists)
}

const ABOUT: &str =
    "Show what changed in directories since the last run: A added, D deleted, M modified.";

const LONG_ABOUT: &str = "Show what changed in directories since the last run, or since the state \
    that --state names was written: A added, M modified, D deleted, T changed to another type of \
    file, R renamed, ? cannot be read now. With a command after '--', run the command if something \
    changed, and accept the new state if it succeeds: the word {} becomes the changed paths that \
    still exist, and the variable BRISK_CHANGED names a file with all changes as JSON lines. \
    Hidden files, and files that .gitignore, .ignore or .fdignore exclude, are left out; -u \
    includes everything.\n\nFor files, brisk compares type, size, mode, owner, inode, link target, \
    mtime and ctime; for directories, type, mode and owner. The state is a cache: if it is \
    damaged, everything counts as new.";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("src", "Print what changed in src; the first run only records"),
    ("src -- true", "Run a command at first, after changes and after failures"),
    ("src --state src.state", "Print what changed since this state"),
    ("-e rs --state rs.state -- wc -c {}", "Run a command on what changed"),
    ("src --state src.state --stamp src.stamp", "Keep a stamp that changes only with the inputs"),
    ("-e rs --state rs.state --json", "Print what changed in the Rust sources, as JSON"),
];

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command() -> Command {
    front::command("brisk changed", ABOUT, LONG_ABOUT, EXAMPLES, &TABLE)
        .arg(front::paths("DIR", "Where to look (default: the current directory)"))
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .help("What to run if something changed, with the changed paths in place of {}")
                .last(true)
                .num_args(0..),
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::Answer;
    use crate::front::StatsForm;

    /// A command line, and what must hold of the options.
    type LineCase = (&'static str, fn(&Options) -> bool);

    fn parse(line: &str) -> Result<Options, String> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        read(&words).map_err(|refusal| refusal.message)
    }

    #[test]
    fn every_flag_sets_what_it_says() {
        let cases: &[LineCase] = &[
            ("a b", |o| o.paths.len() == 2 && !o.is_bare && !o.runs_command()),
            ("", |o| o.paths == [PathBuf::from(".")] && o.is_bare),
            ("--state=x", |o| o.state.as_os_str() == "x"),
            ("--save n", |o| o.save.as_deref() == Some("n".as_ref())),
            ("--content", |o| o.compare.content),
            ("--no-ctime", |o| o.no_ctime),
            ("--other-file-system", |o| o.accepts_other_volumes),
            ("--no-shortcuts", |o| o.no_shortcuts),
            ("-0", |o| o.compare.print0),
            ("--print0", |o| o.compare.print0),
            ("--json", |o| o.compare.json),
            ("--format {}", |o| o.format.as_deref() == Some("{}")),
            ("--no-renames", |o| o.compare.no_renames),
            ("--exit-code", |o| o.compare.exit_code),
            ("--output x --output y", |o| o.compare.selecting.ignoring.exclude == ["x", "y"]),
            ("--stamp f", |o| o.stamp.is_some()),
            ("--depfile f", |o| o.depfile.is_some()),
            ("--match -x", |o| o.compare.selecting.matching.pattern == "-x"),
            ("-e rs -H -s", |o| {
                o.compare.selecting.filtering.extensions == ["rs"]
                    && o.compare.selecting.ignoring.hidden
            }),
            // As in find and fd.
            ("-u --no-hidden", |o| {
                !o.compare.selecting.ignoring.no_ignore && !o.compare.selecting.ignoring.hidden
            }),
            ("-u --ignore", |o| {
                !o.compare.selecting.ignoring.no_ignore && !o.compare.selecting.ignoring.hidden
            }),
            ("-j2", |o| o.compare.common.threads.map(usize::from) == Some(2)),
            ("--explain", |o| o.compare.common.explain),
            ("--stats", |o| o.compare.common.stats == Some(StatsForm::Text)),
            ("--stats=json", |o| o.compare.common.stats == Some(StatsForm::Json)),
            ("-- x --json {}", |o| o.command.len() == 3 && !o.compare.json),
            ("--stdin0 -- x", |o| o.stdin0),
            ("--no-wait -- x", |o| o.no_wait),
            ("a -- x -- y", |o| o.command == ["x", "--", "y"]),
            ("-h", |o| o.compare.common.answer == Some(Answer::Summary)),
            ("--help -- x", |o| o.compare.common.answer == Some(Answer::Help)),
            ("-V", |o| o.compare.common.answer == Some(Answer::Version)),
        ];
        for (line, holds) in cases {
            let options = parse(&format!("--state s {line}")).unwrap();
            assert!(holds(&options), "{line}: {options:?}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (line, why) in [
            ("--state s --", "there is no command"),
            ("--state s -- {} x", "cannot begin with '{}'"),
            ("--state s --json -- x", "a command cannot be used with --json"),
            ("--state s -0 -- x", "a command cannot be used with -0"),
            ("--state s --exit-code -- x", "a command cannot be used with --exit-code"),
            ("--state s --json -0", "'--json' cannot be used with '--print0'"),
            ("--state s --stdin0", "--stdin0 needs a command"),
            ("--state s --no-wait", "--no-wait needs a command"),
            ("--state s --prune", "unrecognized option '--prune'"),
        ] {
            let told = parse(line).unwrap_err();
            assert!(told.contains(why), "{line}: {told}");
        }
    }
}
