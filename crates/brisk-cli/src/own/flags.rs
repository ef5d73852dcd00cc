//! The flag tables of `brisk chmod`, `chown` and `chgrp`: GNU's flags, in their order and with their
//! rules, and brisk's own, which the three share.

use std::ffi::{OsStr, OsString};

use brisk::Follow;
use clap::Command;

use super::options::{Options, Tool, Verbosity};
use super::owners::Owners;
use crate::filter::flags::Flags;
use crate::front::getopt::{Getopt, Mixing};
use crate::front::messages::Caller;
use crate::front::{self, Examples, Refusal, Section, Shared, Table, Takes};
use crate::show::quoting::as_argument;

type Flag = front::Flag<Options>;

const NAMES: Section<Options> = Section::new("Which files are changed", Flags::<Options>::MATCHING);
const TYPES: Section<Options> = Section::new("Which files are changed", Flags::<Options>::TYPES);
const LIMITS: Section<Options> = Section::new("Which files are changed", Flags::<Options>::LIMITS);
const BEYOND: Section<Options> = Section::new("Beyond GNU", OWN);
const LAST: Section<Options> = Section::new("Reports and help", REPORTS);

const CHMOD: Table<Options> =
    &[Section::new("As in GNU chmod", COMMON), BEYOND, NAMES, TYPES, LIMITS, LAST];

const CHOWN: Table<Options> = &[
    Section::new("As in GNU chown", COMMON),
    Section::new("As in GNU chown", LINKS),
    Section::new("As in GNU chown", FROM),
    BEYOND,
    NAMES,
    TYPES,
    LIMITS,
    LAST,
];

const CHGRP: Table<Options> = &[
    Section::new("As in GNU chgrp", COMMON),
    Section::new("As in GNU chgrp", LINKS),
    BEYOND,
    NAMES,
    TYPES,
    LIMITS,
    LAST,
];

fn table(tool: Tool) -> Table<Options> {
    match tool {
        Tool::Chmod => CHMOD,
        Tool::Chown => CHOWN,
        Tool::Chgrp => CHGRP,
    }
}

/// GNU's names, in the order of those that one abbreviation may mean.
const ORDER: &str = "recursive changes dereference from no-dereference no-preserve-root \
    preserve-root quiet silent reference verbose help version";

const COMMON: &[Flag] = &[
    Flag::new(
        "changes",
        Takes::Nothing(|options| options.verbosity = Verbosity::Changes),
        "Print a line for each file that is changed",
    )
    .short("c"),
    Flag::new(
        "quiet",
        Takes::Nothing(|options| options.quiet = true),
        "Print no messages about single files",
    )
    .short("f"),
    Flag::new("silent", Takes::Nothing(|options| options.quiet = true), "The same as --quiet")
        .only_in_long_help(),
    Flag::new(
        "verbose",
        Takes::Nothing(|options| options.verbosity = Verbosity::Everything),
        "Print a line for each file",
    )
    .short("v"),
    Flag::new(
        "preserve-root",
        Takes::Nothing(|options| options.preserve_root = Some(true)),
        "Do not work recursively on '/' (the default of brisk's own commands)",
    ),
    Flag::new(
        "no-preserve-root",
        Takes::Nothing(|options| options.preserve_root = Some(false)),
        "Treat '/' like any other directory",
    )
    .only_in_long_help(),
    Flag::new(
        "reference",
        Takes::Path("RFILE", |options, file| options.reference = Some(file)),
        "Use what RFILE has, instead of the first argument",
    ),
    Flag::new(
        "recursive",
        Takes::Nothing(|options| options.recursive = true),
        "Change directories and everything below them",
    )
    .short("R"),
];

const LINKS: &[Flag] = &[
    Flag::new(
        "dereference",
        Takes::Nothing(|options| options.dereference = Some(true)),
        "Change what links lead to (the default without -R)",
    ),
    Flag::new(
        "no-dereference",
        Takes::Nothing(|options| options.dereference = Some(false)),
        "Change links themselves",
    )
    .short("h"),
    Flag::letter(
        "H",
        Takes::Nothing(|options| options.follow = Some(Follow::Roots)),
        "With -R, follow links to directories that are arguments",
    ),
    Flag::letter(
        "L",
        Takes::Nothing(|options| options.follow = Some(Follow::Always)),
        "With -R, follow all links to directories, on every file system",
    ),
    Flag::letter(
        "P",
        Takes::Nothing(|options| options.follow = None),
        "With -R, follow no links (the default)",
    ),
];

const FROM: &[Flag] = &[Flag::new(
    "from",
    Takes::Parsed("OWNER:GROUP", |options, word| {
        let owners = read_owners(word)?;
        options.warnings.extend(owners.warning.map(|warning| said_of(warning, word)));
        options.from.user = owners.ids.user.or(options.from.user);
        options.from.group = owners.ids.group.or(options.from.group);
        Ok(())
    }),
    "Change only files that have this owner and group; either may be omitted",
)];

const OWN: &[Flag] = &[
    Flag::new(
        "always",
        Takes::Nothing(|options| options.always = true),
        "Change even files that are already as requested",
    )
    .doc(
        "Make the system call for every file, even one that is already as requested. Through a \
         link with GNU's name this is the default. The call changes a file's ctime, and chown \
         clears setuid bits.",
    ),
    Flag::new(
        "cross-mounts",
        Takes::Nothing(|options| options.cross_mounts = true),
        "With -R, also change file systems that are mounted below",
    )
    .doc(
        "With -R, enter mount points below the arguments, as GNU's programs do. By default brisk \
         reports each mount point, changes the rest, and exits with 1.",
    ),
    Flag::new(
        "dry-run",
        Takes::Nothing(|options| options.dry_run = true),
        "Change nothing; print what would be changed",
    ),
    Flag::new(
        "files0-from",
        Takes::Bytes("FILE", |options, file| options.files0_from = Some(file)),
        "Change the files that FILE lists, each name ended by NUL",
    )
    .doc(
        "Change the files that FILE lists, each name ended by a NUL byte, as 'brisk find -0' \
         prints them; '-' is standard input.",
    ),
];

const REPORTS: &[Flag] = &[
    Shared::PROGRESS,
    Shared::stats("FORM"),
    Flag::new(
        "json",
        Takes::Nothing(|options| options.json = true),
        "Print what was done as a JSON object, to standard output",
    ),
    Shared::threads("N"),
    Shared::HELP,
    Shared::VERSION,
];

/// Reads the words after the command's name.
///
/// # Errors
/// GNU's refusal.
pub(super) fn read(caller: Caller, tool: Tool, words: &[OsString]) -> Result<Options, Refusal> {
    let mut options = Options::default();
    let mixing = Mixing::new(std::env::var_os("POSIXLY_CORRECT"));
    let getopt = Getopt {
        table: table(tool),
        order: ORDER,
        operand: |options: &mut Options, word| options.words.push(word),
        without: if caller == Caller::Brisk { "" } else { "jt" },
    };
    let rest = match tool {
        Tool::Chmod => without_modes(words, mixing, &mut options),
        Tool::Chown | Tool::Chgrp => words.to_vec(),
    };
    getopt.read(&rest, mixing, &mut options)?;
    Ok(options)
}

/// Takes out the words that are a MODE although they begin with a dash, as `-w` and `-Rw`. GNU chmod
/// reads the letters of such a word before the MODE as options, and the whole word as the MODE.
fn without_modes(words: &[OsString], mixing: Mixing, options: &mut Options) -> Vec<OsString> {
    let mut rest = Vec::new();
    let mut is_over = false;
    for word in words {
        let bytes = word.as_encoded_bytes();
        let is_option = matches!(bytes, [b'-', _, ..]) && !bytes.starts_with(b"--");
        is_over |= word == "--" || !is_option && mixing == Mixing::OperandsLast;
        let letters = bytes.iter().skip(1).take_while(|byte| b"Rcfv".contains(byte)).count();
        let next = bytes.get(1 + letters);
        if is_over
            || !is_option
            || !next.is_some_and(|byte| b"rwxXstugoa,+=01234567".contains(byte))
        {
            rest.push(word.clone());
            continue;
        }
        if letters > 0 {
            rest.push(crate::show::safe::os_str(&bytes[..=letters]).to_owned());
        }
        let mode = options.dashed.get_or_insert_default();
        if !mode.is_empty() {
            mode.push(",");
        }
        mode.push(word);
    }
    rest
}

/// Reads `[OWNER][:[GROUP]]`.
pub(super) fn read_owners(word: &OsStr) -> Result<Owners, Refusal> {
    Owners::parse(word).map_err(|why| Refusal::value(said_of(why, word)))
}

/// What is wrong with a word.
pub(super) fn said_of(what: &str, word: &OsStr) -> String {
    format!("{what}: {}", as_argument(word.as_encoded_bytes()))
}

/// A test runs each of them.
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

const LONG_ABOUT: &str = "Change files, and with -R everything below directories, as GNU's \
    programs of these names do.\n\nOnly files that differ are changed: one statx finds out, and a \
    second call is made only if it is needed. No path is used twice: each file is changed by the \
    handle of its directory and its name, never through a link that another user has put there. If \
    a file cannot be changed, a message names it, the rest is changed, and the exit code is 1. \
    Configuration files do not affect this command.";

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command(caller: Caller, tool: Tool) -> Command {
    let (bin, about, examples, operands) = match tool {
        Tool::Chmod => ("brisk chmod", "Change the modes of files", CHMOD_EXAMPLES, "MODE FILE"),
        Tool::Chown => {
            let about = "Change the owners and groups of files";
            ("brisk chown", about, CHOWN_EXAMPLES, "OWNER:GROUP FILE")
        }
        Tool::Chgrp => ("brisk chgrp", "Change the groups of files", CHGRP_EXAMPLES, "GROUP FILE"),
    };
    let help = match tool {
        Tool::Chmod => "The mode, octal as 755 or symbolic as u+rwX,go-w, and then the files",
        Tool::Chown => "[OWNER][:[GROUP]], names or numbers, and then the files",
        Tool::Chgrp => "The group, a name or a number, and then the files",
    };
    front::command(caller.called(bin), about, LONG_ABOUT, examples, table(tool))
        .arg(front::paths(operands, help))
}
