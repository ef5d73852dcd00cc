//! The flag tables of `brisk chmod`, `chown` and `chgrp`: GNU's flags, in their order and with their
//! rules, and brisk's own, which the three share.

use std::ffi::{OsStr, OsString};

use brisk::Follow;
use clap::Command;

use super::options::{Options, Sets, Verbosity};
use super::owners::NewOwners;
use crate::filter::Ignoring;
use crate::front::getopt::Getopt;
use crate::front::messages::Caller;
use crate::front::{self, Examples, FlagTable, Refusal, Section};

type Flag = front::Flag<Options>;

/// One of the three commands.
pub(crate) struct Tool {
    /// How it is called.
    pub(super) called: &'static str,
    pub(super) sets: Sets,
    about: &'static str,
    operands: &'static str,
    /// What the operands are.
    brief: &'static str,
    examples: Examples,
    getopt: Getopt<Options>,
}

/// A test runs each example.
pub(crate) const CHMOD_EXAMPLES: Examples = &[
    ("-R u+rwX,go-w src", "Let only the owner change files"),
    ("-R --type d 755 src", "Set the mode of only the directories"),
    ("-R --dry-run go= src", "Show what would be changed"),
];
pub(crate) const CHOWN_EXAMPLES: Examples = &[
    ("-R --dry-run root:root src", "Show what would be changed"),
    ("--reference README.md src", "Give a directory the owners that a file has"),
];
pub(crate) const CHGRP_EXAMPLES: Examples =
    &[("-R --dry-run root src", "Show what would be changed")];

/// GNU's long names, in the order in which GNU lists what an abbreviation may mean.
const ORDER: &str = "recursive changes dereference from no-dereference no-preserve-root \
    preserve-root quiet silent reference verbose help version";

/// `own`: letters that GNU's command does not have.
const fn getopt(added: &'static str, sections: fn() -> Vec<Section<Options>>) -> Getopt<Options> {
    let operand = |options: &mut Options, word| options.words.push(word);
    Getopt { table: FlagTable::new(sections), order: ORDER, operand, added }
}

/// The flags of a command: GNU's, and those that the three share.
fn sections(gnu: &'static str, flags: Vec<Vec<Flag>>) -> Vec<Section<Options>> {
    let files = [Flag::matching(), Flag::types(), Flag::attributes()];
    vec![
        Section::new(gnu, flags),
        Section::new("Beyond GNU", [own()]),
        Section::new("Which files are changed", files),
        Section::new("Reports and help", [reports()]),
    ]
}

pub(crate) static CHMOD: Tool = Tool {
    called: "brisk chmod",
    sets: Sets::Mode,
    about: "Change the modes of files",
    operands: "MODE FILE",
    brief: "The mode, octal as 755 or symbolic as u+rwX,go-w, and then the files",
    examples: CHMOD_EXAMPLES,
    // `t` is not listed here: in GNU chmod, -t is a MODE.
    getopt: getopt("jn", || sections("As in GNU chmod", vec![common(), dashed()])),
};

pub(crate) static CHOWN: Tool = Tool {
    called: "brisk chown",
    sets: Sets::Owners,
    about: "Change the owners and groups of files",
    operands: "OWNER:GROUP FILE",
    brief: "[OWNER][:[GROUP]], names or numbers, and then the files",
    examples: CHOWN_EXAMPLES,
    getopt: getopt("jtn", || sections("As in GNU chown", vec![common(), links(), from()])),
};

pub(crate) static CHGRP: Tool = Tool {
    called: "brisk chgrp",
    sets: Sets::Group,
    about: "Change the groups of files",
    operands: "GROUP FILE",
    brief: "The group, a name or a number, and then the files",
    examples: CHGRP_EXAMPLES,
    getopt: getopt("jtn", || sections("As in GNU chgrp", vec![common(), links()])),
};

fn common() -> Vec<Flag> {
    vec![
        Flag::on("c, changes", |options| options.lines = Verbosity::Changes)
            .brief("Print a line for each file that is changed"),
        Flag::on("f, quiet", |options| options.quiet = true)
            .brief("Print no messages about single files"),
        Flag::on("silent", |options| options.quiet = true).rare("The same as --quiet"),
        Flag::on("v, verbose", |options| options.lines = Verbosity::All)
            .brief("Print a line for each file"),
        Flag::on("preserve-root", |options| options.preserve_root = true)
            .brief("Do not work recursively on '/' (the default of brisk's own commands)"),
        Flag::on("no-preserve-root", |options| options.preserve_root = false)
            .rare("Treat '/' like any other directory"),
        Flag::path("reference", "RFILE", |options, file| options.reference = Some(file))
            .brief("Use what RFILE has, instead of the first argument"),
        Flag::on("R, recursive", |options| options.recursive = true)
            .brief("Change directories and everything below them"),
    ]
}

/// A MODE such as `-w` or `-Rw`. The letters before it are options, and the whole word is the MODE.
fn dashed() -> Vec<Flag> {
    vec![Flag::dashed("rwxXstugoa,+=01234567", |options, word| match &mut options.dashed {
        Some(mode) => mode.extend([OsStr::new(","), &word]),
        None => options.dashed = Some(word),
    })]
}

fn links() -> Vec<Flag> {
    vec![
        Flag::on("dereference", |options| options.dereference = Some(true))
            .brief("Change what links lead to (the default without -R)"),
        Flag::on("h, no-dereference", |options| options.dereference = Some(false))
            .brief("Change links themselves"),
        Flag::on("H", |options| options.follow = Some(Follow::Roots))
            .brief("With -R, follow links to directories that are arguments"),
        Flag::on("L", |options| options.follow = Some(Follow::Always))
            .brief("With -R, follow all links to directories, on every file system"),
        Flag::on("P", |options| options.follow = None)
            .brief("With -R, follow no links (the default)"),
    ]
}

fn from() -> Vec<Flag> {
    vec![
        Flag::parsed("from", "OWNER:GROUP", |options, word| {
            let owners = NewOwners::read(Sets::Owners, word)?;
            options.warnings.extend(owners.warning);
            options.from.user = owners.ids.user.or(options.from.user);
            options.from.group = owners.ids.group.or(options.from.group);
            Ok(())
        })
        .brief("Change only files that have this owner and group; either may be omitted"),
    ]
}

fn own() -> Vec<Flag> {
    vec![
        Flag::on("always", |options| options.always = true)
            .brief("Change even files that are already as requested")
            .doc(
                "Make the system call for every file, even one that is already as requested. \
                 Through a link with GNU's name this is the default. The call changes a file's \
                 ctime, and chown clears setuid bits.",
            ),
        Flag::on("cross-mounts", |options| options.cross_mounts = true)
            .brief("With -R, also change file systems that are mounted below")
            .doc(
                "With -R, enter mount points below the arguments, as GNU's programs do. By default \
                 brisk reports each mount point, changes the rest, and exits with 1.",
            ),
        Flag::on("n, dry-run", |options| options.dry_run = true)
            .brief("Change nothing; print what would be changed"),
        Flag::bytes("files0-from", "FILE", |options, file| options.files0_from = Some(file))
            .brief("Change the files that FILE lists, each name ended by NUL")
            .doc(
                "Change the files that FILE lists, each name ended by a NUL byte, as 'brisk find \
                 -0' prints them; '-' is standard input.",
            ),
    ]
}

fn reports() -> Vec<Flag> {
    vec![
        Flag::progress(),
        Flag::explain().doc(
            "Change nothing and look at no file. Print to standard error how the same command \
             without this option would change files, what it would ask of the file system, and \
             which option needs that.",
        ),
        Flag::stats("FORM").doc(
            "At the end, print to standard error how many files were changed, were already as \
             requested, and failed, system calls by kind, workers and time: as text (the default) \
             or as the JSON object that --json prints.",
        ),
        Flag::on("json", |options| options.json = true)
            .brief("Print what was done as a JSON object, to standard output")
            .doc(
                "Print what was done as a JSON object, to standard output. No line is printed for \
                 each file, not even with --dry-run; -c and -v are refused.",
            ),
        Flag::threads("N"),
        Flag::help(),
        Flag::version(),
    ]
}

/// Reads the words after the command's name.
///
/// # Errors
/// GNU's refusal.
pub(super) fn read(
    caller: Caller,
    tool: &'static Tool,
    words: &[OsString],
) -> Result<Options, Refusal> {
    let is_own = caller == Caller::Brisk;
    let mut options = Options { always: !is_own, preserve_root: is_own, ..Options::default() };
    let read = tool.getopt.read(caller, words, &mut options);
    options.warnings.iter().for_each(|warning| caller.complain(warning));
    read?;
    options.cross_mounts |= options.follow == Some(Follow::Always);
    let may_dereference = !options.recursive || options.follow.is_some();
    options.dereference.get_or_insert(may_dereference);
    options.selecting.follow = options.follow == Some(Follow::Always);
    options.selecting.ignoring = Ignoring::nothing();
    if options.json && options.lines > Verbosity::None {
        let why =
            "--json prints one object, and no line for each file: it cannot be used with -c or -v";
        return Err(Refusal::hinted(why));
    }
    if options.dry_run && !options.json {
        options.lines = options.lines.max(Verbosity::Changes);
    }
    Ok(options)
}

const LONG_ABOUT: &str = "Change files, and with -R everything below directories, as GNU chmod, \
    chown and chgrp do.\n\nA file that is already as requested is not changed: brisk makes one \
    statx for each file, and a second call only if it is needed. No path is used twice: each file \
    is changed by the handle of its directory and its name, never through a link that another user \
    has put there. If a file cannot be changed, a message names it, the rest is changed, and the \
    exit code is 1. Of the configuration files, only the limit on requests (max_in_flight) applies.";

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command(caller: Caller, tool: &'static Tool) -> Command {
    let called = caller.called(tool.called);
    let getopt = &tool.getopt;
    let command = front::command(called, tool.about, LONG_ABOUT, tool.examples, &getopt.table);
    getopt.known(caller, command).arg(front::paths(tool.operands, tool.brief))
}
