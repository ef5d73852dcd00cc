//! The flag table of `brisk rm`, the [`Options`] that it sets, and which flags exclude each other.
//! GNU rm's rules are kept: options anywhere before `--`, and the last of -f, -i and -I in force.
//! clap makes help, man page and completions from the table.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use brisk::Timestamp;
use brisk::remove::Preserve;
use clap::{Arg, Command};

use crate::front::getopt::Getopt;
use crate::front::messages::Caller;
use crate::front::{
    self, CommonOptions, Examples, FlagTable, HasCommon, Refusal, Section, Words, exclude, list,
};
use crate::show::quoting::quoted;

/// When questions are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// About write-protected files, on a terminal.
    #[default]
    IfProtected,
    /// Once before anything is removed (-I), and about write-protected files.
    Once,
    /// About everything.
    Always,
    /// Never.
    Never,
}

impl Options {
    /// Whether directories are entered.
    pub(crate) fn recurses(&self) -> bool {
        self.recursive || self.finish
    }

    /// Whether standard input is the list of what to remove.
    pub(crate) fn reads_input(&self) -> bool {
        self.files0_from.as_deref().is_some_and(|from| from == Path::new("-"))
    }
}

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) force: bool,
    pub(crate) prompt: Prompt,
    pub(crate) recursive: bool,
    pub(crate) empty_dirs: bool,
    pub(crate) verbose: bool,
    pub(crate) one_file_system: bool,
    pub(crate) cross_mounts: bool,
    pub(crate) preserve: Preserve,
    /// Whether standard input counts as a terminal.
    pub(crate) presume_terminal: bool,
    pub(crate) dry_run: bool,
    pub(crate) json: bool,
    pub(crate) background: bool,
    pub(crate) finish: bool,
    /// With `finish`: show the trees that it would remove.
    pub(crate) list: bool,
    /// This is the detached process: the name of the record that it inherits.
    pub(crate) finish_record: Option<String>,
    pub(crate) older_than: Option<Timestamp>,
    pub(crate) keep_root: bool,
    /// How long to try again what another process uses.
    pub(crate) wait: Option<Duration>,
    pub(crate) common: CommonOptions,
    pub(crate) paths: Vec<PathBuf>,
    /// The file that lists what to remove; `-` is standard input.
    pub(crate) files0_from: Option<PathBuf>,
}

impl HasCommon for Options {
    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}

type Flag = front::Flag<Options>;

/// Reads command lines as GNU rm does.
static GETOPT: Getopt<Options> = Getopt {
    table: FlagTable::new(|| {
        vec![
            Section::new("As in GNU rm", [as_in_gnu_rm()]),
            Section::new("Beyond GNU rm", [beyond_gnu_rm()]),
            Section::new("Reports and help", [reports(), Flag::answers()]),
        ]
    }),
    order: "force interactive recursive dir verbose one-file-system preserve-root \
         no-preserve-root -presume-input-tty help version",
    operand: |options, path| options.paths.push(path.into()),
    added: "jVn",
};

fn as_in_gnu_rm() -> Vec<Flag> {
    vec![
        Flag::on("f, force", |options| {
            options.prompt = Prompt::Never;
            options.force = true;
        })
        .brief("Ignore files that do not exist, and never ask")
        .doc(
            "Ignore files and arguments that do not exist, and never ask. The last of -f, -i, -I \
             and --interactive is in force.",
        ),
        Flag::on("i", |options| set_prompt(options, Prompt::Always))
            .brief("Ask before every removal"),
        Flag::on("I", |options| set_prompt(options, Prompt::Once))
            .brief("Ask once before removing more than three files, or recursively")
            .doc(
                "Ask once before removing more than three files, or recursively: less of a \
                 nuisance than -i, and still a protection against most mistakes.",
            ),
        Flag::word(
            "interactive",
            "WHEN",
            Words::new("never no none | once | always yes"),
            |options, word| match word {
                "never" => options.prompt = Prompt::Never,
                "once" => set_prompt(options, Prompt::Once),
                _ => set_prompt(options, Prompt::Always),
            },
        )
        .brief("Ask never, once (like -I) or always (like -i)")
        .bare("always")
        .doc("Ask never, once (like -I) or always (like -i). Without WHEN: always."),
        Flag::on("recursive", |options| options.recursive = true)
            .brief("Remove directories and everything below them")
            .short("rR"),
        Flag::on("d, dir", |options| options.empty_dirs = true).brief("Remove empty directories"),
        Flag::on("v, verbose", |options| options.verbose = true).brief("Print what is removed"),
        Flag::on("one-file-system", |options| options.one_file_system = true)
            .rare("Do not enter other file systems (the default)")
            .doc(
                "Do not enter mount points below the named directories. This is the default here; \
                 the option undoes --cross-mounts.",
            ),
        Flag::parsed("preserve-root", "all", |options, value| {
            options.preserve = match value.to_str() {
                Some("/") => Preserve::Root,
                Some("all") => Preserve::RootAndMounts,
                _ => {
                    let shown = quoted(value);
                    return Err(format!("unrecognized --preserve-root argument: {shown}").into());
                }
            };
            Ok(())
        })
        .brief("Do not remove '/' (the default); with 'all', no mount point either")
        .bare("/")
        .doc(
            "Do not remove '/', by whatever name: the default. With 'all', refuse every argument \
             that is a mount point too.",
        ),
        Flag::on("no-preserve-root", |options| options.preserve = Preserve::Nothing)
            .rare("Treat '/' like any other directory")
            .whole(),
    ]
}

fn beyond_gnu_rm() -> Vec<Flag> {
    vec![
        Flag::on("cross-mounts", |options| options.cross_mounts = true)
            .brief("Also empty file systems that are mounted below")
            .doc(
                "Enter mount points below the named directories, as GNU rm does. By default brisk \
                 reports each mount point, removes the rest, and exits with 1.",
            ),
        Flag::on("keep-root", |options| options.keep_root = true)
            .brief("Empty directories instead of removing them")
            .doc(
                "Remove the contents of the named directories, and keep the directories \
                 themselves. Needs -r. '.' may be named; '..' is refused as always.",
            ),
        Flag::parsed("older-than", "AGE", |options, text| {
            options.older_than = Some(front::older_than(text)?);
            Ok(())
        })
        .brief("Remove only files not modified for this long: 30d, 1y")
        .doc(
            "Remove only what was last modified longer ago than AGE or before a date. An age is a \
             number with its unit, without a sign: s, min, h, d, w, mo (months), y, as in 30d, \
             2weeks or '1h 30min'. A date is 2026-01-31, '2026-01-31 10:00', a time in RFC 3339, \
             or @SECONDS since the epoch. A time in the future is refused. A directory is removed \
             if it, too, was last modified before then and nothing stays in it. --changed-before \
             is the same.",
        )
        .aliases("changed-before"),
        Flag::parsed("wait", "TIME", |options, text| {
            options.wait = Some(time(text)?);
            Ok(())
        })
        .brief("Try what is in use again for this long: 2s, 1min")
        .doc(
            "Try again for TIME what another process uses: on Windows programs that run and files \
             that are open, mapped or locked; elsewhere mount points that are busy and directories \
             in which NFS keeps a file that is still open. What stays after that is reported with \
             the processes that use it, as far as this user may see them. An argument about which \
             a question was asked is not tried again. TIME is a number with its unit: ms, s, m, h.",
        ),
        Flag::path("files0-from", "FILE", |options, file| options.files0_from = Some(file))
            .brief("Remove the files that FILE lists, each name ended by NUL")
            .doc(
                "Remove the files that FILE lists, each name ended by a NUL byte, as 'brisk find \
                 -0' prints them; '-' is standard input. The list is read during the removal, and \
                 may be of any length. An empty name, or a last name without its NUL, which may be \
                 half of a path, is reported and removes nothing.",
            ),
        Flag::on("n, dry-run", |options| options.dry_run = true)
            .brief("Remove nothing; print count and size (-v: names too)")
            .doc(
                "Remove nothing: print for each FILE how many entries would be removed and their \
                 size, and the sum of all; with -v also each name. The size of a file with several \
                 hard links counts once, and only if all of them would go. The last line says what the \
                 file system would get back: neither blocks that files elsewhere or snapshots share, \
                 nor those of files that have other names; at most, where it cannot be known. A FILE inside a later \
                 one counts twice; inside an earlier one of which nothing would stay, it is \
                 reported as missing. An entry whose removal the system is known to refuse is \
                 reported as a removal would report it, and the exit code is 1: entries of a \
                 directory that cannot be written to, of other users where the sticky bit is set, \
                 on a read-only mount, immutable or append-only.",
            ),
        Flag::on("background", |options| options.background = true)
            .brief("Return at once, and remove in the background")
            .doc(
                "Rename each directory to a name beside it that no other user can guess, return, \
                 and remove it in a process of its own. Each renaming is recorded first, below \
                 $XDG_STATE_HOME/brisk/rm (~/.local/state/brisk/rm; on Windows \
                 %LOCALAPPDATA%\\brisk\\rm); errors go into the file 'log' there. The next \
                 --background, or --finish, removes what a crash left over. Nothing is ever \
                 removed because of its name. A directory that cannot be renamed (in a lower layer \
                 of overlayfs, or on a full disk) is removed at once, with a message.",
            ),
        Flag::on("finish", |options| options.finish = true)
            .brief("Remove the trees that --background left")
            .doc(
                "Remove the trees that --background set aside and could not remove, because the \
                 process was killed or the machine went down. A tree that another process is still \
                 removing is left to that process. -i, -I, -v, --dry-run, --stats and --json mean \
                 what they always do; files and --older-than mean nothing here and are refused. If \
                 the directory that holds a tree is not where it was (not mounted, renamed), the \
                 tree's record stays, with a message and exit code 1: mount the disk, or give the \
                 directory its name back. The record of a tree that is gone for good is a file \
                 that the message names; remove it. A journal that other users could have changed \
                 is refused.",
            ),
        Flag::on("list", |options| options.list = true)
            .rare("With --finish, show what is left, and since when")
            .doc(
                "With --finish, remove nothing. Print a line for each tree that was set aside and \
                 is still there: when it was set aside, whether it is waiting, running (a process \
                 removes it) or unreachable (and why), its path, and the name that the tree had. \
                 With --json, one object per line.",
            ),
    ]
}

fn reports() -> Vec<Flag> {
    vec![
        Flag::progress(),
        Flag::explain().doc(
            "Remove nothing, ask nothing and look at no file. Print to standard error how the same \
             command without this option would remove, which requests it would make to the file \
             system, and which option needs them.",
        ),
        Flag::stats("FORM").doc(
            "Print to standard error, at the end, what was removed, system calls by kind, workers \
             and time: as text (the default) or as the JSON object that --json prints.",
        ),
        Flag::on("json", |options| options.json = true)
            .brief("Print the same as JSON, to standard output")
            .doc(
                "Print what --stats prints as a JSON object in one line, to standard output. With \
                 -v, an object for each removed entry comes before it.",
            ),
        Flag::threads("N"),
        Flag::on("-presume-input-tty", |options| options.presume_terminal = true),
        Flag::text("-finish-record", "FILE", |options, file| options.finish_record = Some(file)),
    ]
}

fn set_prompt(options: &mut Options, prompt: Prompt) {
    options.prompt = prompt;
    options.force = false;
}

/// The value of `--wait`.
fn time(value: &OsStr) -> Result<Duration, Refusal> {
    front::duration(value).ok_or_else(|| {
        let shown = quoted(value);
        Refusal::hinted(format!("invalid argument {shown} for '--wait': write 500ms, 2s or 1min"))
    })
}

/// Reads the words after the command's name.
///
/// # Errors
/// GNU rm's refusal.
pub(crate) fn read(caller: Caller, words: &[OsString]) -> Result<Options, Refusal> {
    let mut options = Options::default();
    GETOPT.read(caller, words, &mut options)?;
    options.cross_mounts &= !options.one_file_system;
    check(&options)?;
    Ok(options)
}

/// Refuses options that exclude each other. The trees that --finish removes were chosen when they
/// were set aside. They can be shown, asked about and removed; no other choice can be made.
fn check(options: &Options) -> Result<(), Refusal> {
    if options.common.answer.is_some() {
        return Ok(());
    }
    let asks = (matches!(options.prompt, Prompt::Always | Prompt::Once), "--interactive");
    let dry_run = (options.dry_run, "--dry-run");
    let stats = (options.common.stats.is_some(), "--stats");
    let older_than = (options.older_than.is_some(), "--older-than");
    let keep_root = (options.keep_root, "--keep-root");
    let from = (options.files0_from.is_some(), "--files0-from");
    let dir = (options.empty_dirs && !options.recursive, "--dir");
    let background = (options.background, "--background");
    let finish = (options.finish, "--finish");
    if let (true, Some(path)) = (from.0, options.paths.first()) {
        return Err(list::extra_operand(path.as_os_str()));
    }
    exclude((options.reads_input(), "--files0-from=-"), &[asks])?;
    exclude((options.wait.is_some(), "--wait"), &[asks, dry_run, from, background, finish])?;
    if options.list && !options.finish {
        return Err(Refusal::hinted("--list needs --finish"));
    }
    let explain = (options.common.explain, "--explain");
    exclude((options.list, "--list"), &[asks, dry_run, stats, explain])?;
    exclude(finish, &[background, older_than, keep_root, from, dir])?;
    if let (true, Some(path)) = (options.finish, options.paths.first()) {
        let shown = quoted(path);
        return Err(Refusal::hinted(format!("--finish takes no files: extra operand {shown}")));
    }
    let json = (options.json, "--json");
    exclude(background, &[asks, dry_run, stats, json, older_than, keep_root, from])
}

const ABOUT: &str = "Remove files, and with -r directory trees, in parallel and safely.";

const LONG_ABOUT: &str = "Remove files, and with -r directory trees. Options, messages and exit \
    codes are those of GNU rm, with three differences: a mount point below an argument is not \
    entered without --cross-mounts, a link with a trailing slash is refused and not followed, and \
    a usage error exits with 2 (through a link named rm, with 1).\n\nNo path is used twice: every \
    directory is opened relative to the handle of its parent, never through a link, and each entry \
    is removed by that handle and its name. So no other user can redirect the removal by renaming \
    or linking files during the run. If an entry cannot be removed, a message names it, the rest \
    is removed, and the exit code is 1. One thread removes alone where it may have to ask: with \
    -i, and at a terminal without -f, unless the user is root. Of the configuration files, only \
    the limit on requests (max_in_flight) applies.";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("-r --dry-run target", "Show what would be removed"),
    ("-rf target", "Remove a tree without asking"),
    ("-r --older-than 30d logs", "Remove what has not been modified for 30 days"),
    ("-r --keep-root src", "Empty a directory"),
    ("--finish --list", "Show what --background has not removed yet"),
];

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command(caller: Caller) -> Command {
    // The help of each flag names its words.
    let command =
        front::command(caller.called("brisk rm"), ABOUT, LONG_ABOUT, EXAMPLES, &GETOPT.table);
    let has_words = |arg: &Arg| !arg.get_possible_values().is_empty();
    let files = "The files to remove; after --, also names that begin with a dash";
    GETOPT
        .known(caller, command)
        .mut_args(|arg| if has_words(&arg) { arg.hide_possible_values(true) } else { arg })
        .arg(front::paths("FILE", files))
}

#[cfg(test)]
mod tests;
