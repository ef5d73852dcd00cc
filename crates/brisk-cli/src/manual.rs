//! Man pages: the sections that clap's table of flags yields, and those that it does not hold:
//! examples, environment, files and exit status.

use std::io::{self, Write};

use clap::Command;
use clap_mangen::Man;

use crate::bench;
use crate::changed::flags as changed;
use crate::diff::flags as diff;
use crate::du::flags as du;
use crate::find::flags as find;
use crate::front::Examples;
use crate::ls::flags as ls;
use crate::own;
use crate::rm::flags as rm;
use crate::scan::flags as scan;

/// Rows of a section: what is named, and what it means.
type PageRows = &'static [(&'static str, &'static str)];

/// What the man page of one command has beyond its flags.
struct PageExtra {
    name: &'static str,
    examples: Examples,
    environment: PageRows,
    files: PageRows,
    exits: PageRows,
}

/// Examples of the program itself, and of the two commands that have no table of flags. A test runs each of them.
const PROGRAM: Examples = &[
    ("find --stats .", "List the tree below the current directory, and what that took"),
    ("help rm", "Explain every option of brisk rm"),
];

pub(crate) const COMPLETIONS: Examples =
    &[("bash > brisk.bash", "Write the completions of bash to a file")];

pub(crate) const MAN: Examples =
    &[("~/.local/share/man/man1", "Write the pages where man(1) looks for them")];

const COLORS: (&str, &str) =
    ("LS_COLORS", "The colours of names, in the form that dircolors(1) writes.");

const NO_COLOR: (&str, &str) =
    ("NO_COLOR", "If it is set and not empty, --color=auto means never.");

const SYSTEM_FILE: (&str, &str) = (
    "/etc/brisk/config.toml",
    "Options and limits for all users, read before the user's own file.",
);

const USER_FILE: (&str, &str) = (
    "$XDG_CONFIG_HOME/brisk/config.toml",
    "The user's options, below ~/.config if the variable is not set: a table [find] or [ls] with \
     a list named options, and a table [limits] with max_in_flight, the most requests at once of \
     every command under every name. The smaller limit of the two files counts. With --no-config \
     this file is not read.",
);

const GIT_CONFIG: (&str, &str) = (
    "GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM, GIT_CONFIG_COUNT",
    "Git's configuration, as in git(1).",
);

const UNUSABLE: (&str, &str) = ("2", "An argument cannot be used.");

/// The command installs no handler, so the signal ends it.
const INTERRUPTED: (&str, &str) = (
    "130",
    "The user interrupted the command; 128 plus its number for another signal. This is how the \
     shell reports a signal.",
);

const TEMPORARY: (&str, &str) = (
    ".brisk-tmp-*",
    "A file until it is whole, beside the one whose place it takes. A run that is killed leaves it \
     behind.",
);

const POSIX: PageRows =
    &[("POSIXLY_CORRECT", "If it is set, options end at the first word that is none.")];

/// The exit codes of the commands that change modes and owners.
const CHANGES: PageRows = &[
    ("0", "Every file is as it should be."),
    ("1", "A file could not be changed, which a message explains."),
    UNUSABLE,
    ("130", "The user interrupted the command; 128 plus the signal's number for another signal."),
];

/// The page of a command that changes modes or owners.
const fn changing(name: &'static str, examples: Examples) -> PageExtra {
    PageExtra { name, examples, environment: POSIX, files: &[], exits: CHANGES }
}

/// In the order of `brisk --help`.
const EXTRAS: [PageExtra; 14] = [
    PageExtra {
        name: "brisk",
        examples: PROGRAM,
        environment: &[(
            "BRISK_BACKEND",
            "If the value is portable, directories are read through the standard library, for \
             comparison.",
        )],
        files: &[SYSTEM_FILE, USER_FILE],
        exits: &[("0", "Success."), ("1", "An error, which a message explains."), UNUSABLE],
    },
    PageExtra {
        name: "brisk-find",
        examples: find::EXAMPLES,
        environment: &[
            ("BRISK_FIND_OPTS", "Options that come before those of the command line."),
            COLORS,
            NO_COLOR,
            ("XDG_CONFIG_HOME", "Where configuration and fd/ignore are; ~/.config by default."),
            GIT_CONFIG,
            ("PATH", "Where -x, -X and -l look for commands."),
            ("TZ", "The time zone of dates that filters and --format use."),
            ("LC_ALL, LC_TIME, LANG", "The names of months and days in --format."),
        ],
        files: &[
            SYSTEM_FILE,
            USER_FILE,
            (
                "$XDG_CONFIG_HOME/fd/ignore",
                "Rules that apply to every search, in gitignore's form.",
            ),
            (".gitignore, .ignore, .fdignore", "Rules for the directory that holds the file."),
            (
                ".git/info/exclude, core.excludesFile",
                "Git's own rules, which apply inside a git repository.",
            ),
        ],
        exits: &[
            ("0", "Success. With -q, something was found."),
            (
                "1",
                "A directory could not be read, a result could not be removed, a command failed, or \
                 output could not be written. With -q, nothing was found.",
            ),
            UNUSABLE,
            INTERRUPTED,
        ],
    },
    PageExtra {
        name: "brisk-ls",
        examples: ls::EXAMPLES,
        environment: &[
            ("BRISK_LS_OPTS", "Options that come before those of the command line."),
            COLORS,
            NO_COLOR,
            ("CLICOLOR_FORCE", "If it is set and not 0, --color=auto means always."),
            ("COLUMNS", "The width of a line, if -w is not given."),
            (
                "LS_BLOCK_SIZE, BLOCK_SIZE, BLOCKSIZE, POSIXLY_CORRECT",
                "The unit of sizes and blocks, as in ls(1).",
            ),
            ("QUOTING_STYLE, TABSIZE, TIME_STYLE", "Defaults for the options of these names."),
            (
                "LC_ALL, LC_COLLATE, LC_CTYPE, LC_TIME, LANG",
                "The locale: the order of names, characters, names of months.",
            ),
            ("TZ", "The time zone."),
        ],
        files: &[SYSTEM_FILE, USER_FILE],
        exits: &[
            ("0", "Success."),
            ("1", "An entry or a directory below an argument could not be read."),
            ("2", "An argument could not be read or used, or output could not be written."),
            INTERRUPTED,
        ],
    },
    PageExtra {
        name: "brisk-rm",
        examples: rm::EXAMPLES,
        environment: &[
            ("XDG_STATE_HOME", "Where the journal of --background is; ~/.local/state by default."),
            ("LOCALAPPDATA", "Where the journal is on Windows."),
            ("POSIXLY_CORRECT", "If it is set, options after the first file are files."),
            ("TZ", "The time zone of a date after --older-than."),
            ("LC_ALL, LC_CTYPE, LANG", "The characters that messages show as they are."),
        ],
        files: &[
            ("$XDG_STATE_HOME/brisk/rm/", "The journal: a record of each tree that was set aside."),
            ("$XDG_STATE_HOME/brisk/rm/log", "Errors of removals in the background."),
        ],
        exits: &[
            ("0", "Everything that was asked for is done."),
            ("1", "Something could not be removed."),
            ("2", "An option or an argument cannot be used; 1 under the name rm."),
            (
                "130",
                "The user interrupted the removal; 128 plus the signal's number for another signal.",
            ),
        ],
    },
    PageExtra {
        name: "brisk-du",
        examples: du::EXAMPLES,
        environment: &[
            (
                "DU_BLOCK_SIZE, BLOCK_SIZE, BLOCKSIZE, POSIXLY_CORRECT",
                "The unit of sizes, as in du(1).",
            ),
            ("TIME_STYLE", "The default of --time-style."),
            ("TZ", "The time zone."),
        ],
        files: &[],
        exits: &[
            ("0", "Everything was counted."),
            ("1", "Something could not be read."),
            ("2", "An option or its value cannot be used; 1 under the name du."),
            (
                "130",
                "The user interrupted the count; 128 plus the signal's number for another signal.",
            ),
        ],
    },
    changing("brisk-chmod", own::CHMOD_EXAMPLES),
    changing("brisk-chown", own::CHOWN_EXAMPLES),
    changing("brisk-chgrp", own::CHGRP_EXAMPLES),
    PageExtra {
        name: "brisk-changed",
        examples: changed::EXAMPLES,
        environment: &[
            ("XDG_CONFIG_HOME", "Where fd/ignore is; ~/.config by default."),
            GIT_CONFIG,
            ("PATH", "Where COMMAND is looked for."),
            ("TZ", "The time zone of dates that filters and --format use."),
            ("XDG_CACHE_HOME", "Where states are kept without --state; ~/.cache by default."),
            ("BRISK_CHANGED", "Set for COMMAND: a file that lists the changes, as --json does."),
            ("BRISK_FULL", "Set to 1 for COMMAND where there was no state to compare with."),
        ],
        files: &[
            ("FILE", "The state: a cache, which may be removed at any time."),
            ("~/.cache/brisk/*.state", "The states of directories for which no FILE is named."),
            ("FILE.lock", "Locked while COMMAND runs, or a stamp or depfile is written."),
            TEMPORARY,
        ],
        exits: &[
            ("0", "Success: nothing changed, or what changed was printed."),
            (
                "1",
                "With --exit-code, something changed; or make and ninja cannot read a name of --depfile.",
            ),
            (
                "2",
                "Something could not be read, a directory is missing or on another file system, or \
                 an argument cannot be used.",
            ),
            ("125", "With a command: the same, or the paths are too many for one command line."),
            ("126", "The command cannot be executed."),
            ("127", "There is no such command."),
            (
                "130",
                "The user interrupted the command, and nothing was accepted; 128 plus its number \
                 for another signal. Every other exit code is the command's.",
            ),
        ],
    },
    PageExtra {
        name: "brisk-scan",
        examples: scan::EXAMPLES,
        environment: &[("TZ", "The time zone of dates that filters use.")],
        files: &[TEMPORARY],
        exits: &[
            ("0", "The table is whole."),
            (
                "1",
                "Something could not be read: the table has the rest. Or the table could not be \
                 written, or DIR is no directory: there is no table.",
            ),
            UNUSABLE,
            ("130", "The user interrupted the scan: there is no table. 143 after kill(1)."),
        ],
    },
    PageExtra {
        name: "brisk-diff",
        examples: diff::EXAMPLES,
        environment: &[
            ("XDG_CONFIG_HOME", "Where fd/ignore is; ~/.config by default."),
            GIT_CONFIG,
            ("TZ", "The time zone of dates that filters use."),
            ("TMPDIR", "Where the state of a directory is kept while it is compared."),
        ],
        files: &[],
        exits: &[
            ("0", "Success: nothing differs, or what differs was printed."),
            ("1", "With --exit-code, something differs."),
            (
                "2",
                "Something could not be read, a file is no state or a damaged one, or an argument \
                 cannot be used.",
            ),
            INTERRUPTED,
        ],
    },
    PageExtra {
        name: "brisk-bench",
        examples: bench::EXAMPLES,
        environment: &[("PATH", "Where bench looks for other programs."), COLORS],
        files: &[(
            ".brisk-bench-*",
            "What bench makes, beside the directory. Nothing is left when it ends.",
        )],
        exits: &[
            ("0", "The measurement succeeded, and all results that should agree do."),
            ("1", "Results differ, or the measurement failed."),
            UNUSABLE,
            ("130", "The user interrupted the measurement; 129 after a hangup, 143 after kill(1)."),
        ],
    },
    PageExtra {
        name: "brisk-completions",
        examples: COMPLETIONS,
        environment: &[("SHELL", "The shell, if no argument names one.")],
        files: &[],
        exits: &[("0", "Success."), ("1", "Output could not be written."), UNUSABLE],
    },
    PageExtra {
        name: "brisk-man",
        examples: MAN,
        environment: &[],
        files: &[],
        exits: &[("0", "Success."), ("1", "A page could not be written."), UNUSABLE],
    },
];

/// The man pages of the program and of its commands: names, and texts in roff.
pub(crate) fn pages(whole: &Command) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    EXTRAS.iter().map(move |extra| {
        let command = match extra.name.strip_prefix("brisk-") {
            Some(name) => whole.find_subcommand(name).expect("BUG: a page without a command"),
            None => whole,
        };
        let page = page(extra, command.clone().name(extra.name).display_name(extra.name));
        (extra.name, page.expect("BUG: writing into memory failed"))
    })
}

fn page(extra: &PageExtra, command: Command) -> io::Result<Vec<u8>> {
    let has_subcommands = command.has_subcommands();
    let usage = command.clone().render_usage().to_string();
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    synopsis(usage, &mut page)?;
    man.render_description_section(&mut page)?;
    options(&man, &mut page)?;
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    page.extend_from_slice(sections(extra).as_bytes());
    Ok(page)
}

/// The lines of the usage. clap's own synopsis names every option.
fn synopsis(usage: String, page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SH SYNOPSIS")?;
    let lines = usage.trim_start_matches("Usage:").lines();
    lines.map(str::trim).try_for_each(|line| writeln!(page, "{}\n.br", roff(line)))
}

/// The options. Their headings become subsections; clap makes each of them a section.
fn options(man: &Man, page: &mut Vec<u8>) -> io::Result<()> {
    let mut section = Vec::new();
    man.render_options_section(&mut section)?;
    let text = String::from_utf8_lossy(&section);
    let text = text.replace(".SH ", ".SS ").replacen(".SS OPTIONS", ".SH OPTIONS", 1);
    page.extend_from_slice(text.as_bytes());
    Ok(())
}

/// The sections that clap does not know. One without rows is left out.
fn sections(extra: &PageExtra) -> String {
    let mut text = String::new();
    if !extra.examples.is_empty() {
        text.push_str(".SH EXAMPLES\n");
    }
    let bin = extra.name.replace('-', " ");
    for (line, does) in extra.examples {
        text.push_str(&format!(
            ".PP\n{}:\n.PP\n.RS 4\n.EX\n{}\n.EE\n.RE\n",
            roff(does),
            roff(&format!("{bin} {line}"))
        ));
    }
    for (heading, rows) in
        [("ENVIRONMENT", extra.environment), ("FILES", extra.files), ("EXIT STATUS", extra.exits)]
    {
        if !rows.is_empty() {
            text.push_str(&format!(".SH \"{heading}\"\n"));
        }
        for (what, meaning) in rows {
            text.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", roff(what), roff(meaning)));
        }
    }
    text
}

/// A line of text in roff: dashes and quotes that can be copied, and no request at its start.
fn roff(text: &str) -> String {
    let start = if text.starts_with(['.', '\'']) { "\\&" } else { "" };
    start.to_owned() + &text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}
