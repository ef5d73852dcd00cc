//! Man pages: the sections that clap's table of flags yields, and those that it does not hold:
//! examples, environment, files and exit status.

use clap::Command;
use clap_mangen::Man;

/// Rows of a section: what is named, and what it means.
type Rows = &'static [(&'static str, &'static str)];

/// What the man page of one command has beyond its flags.
struct Extra {
    name: &'static str,
    /// What a command line does, behind the command line. A test runs each of them.
    examples: Rows,
    environment: Rows,
    files: Rows,
    exits: Rows,
}

const COLORS: (&str, &str) =
    ("LS_COLORS", "The colours of names, in the form that dircolors(1) writes.");

const NO_COLOR: (&str, &str) =
    ("NO_COLOR", "If it is set and not empty, --color=auto means never.");

const SYSTEM_FILE: (&str, &str) =
    ("/etc/brisk/config.toml", "Options of all users. It is read before the user's own file.");

const USER_FILE: (&str, &str) = (
    "$XDG_CONFIG_HOME/brisk/config.toml",
    "The user's options, below ~/.config if the variable is not set: a table [find] or [ls] with \
     a list named options. --no-config leaves it out.",
);

const UNUSABLE: (&str, &str) = ("2", "An argument cannot be used.");

/// In the order of `brisk --help`.
const EXTRAS: [Extra; 8] = [
    Extra {
        name: "brisk",
        examples: &[
            ("brisk find --stats .", "List the current directory's tree, and what that took."),
            ("brisk help rm", "Explain every option of brisk rm."),
        ],
        environment: &[(
            "BRISK_BACKEND",
            "With the value portable, directories are read by the standard library, for \
             comparison.",
        )],
        files: &[SYSTEM_FILE, USER_FILE],
        exits: &[("0", "Success."), ("1", "An error, of which there is a message."), UNUSABLE],
    },
    Extra {
        name: "brisk-find",
        examples: &[
            ("brisk find -e rs", "List the Rust sources below the current directory."),
            (
                "brisk find -u -S +10M -l",
                "List files of 10 MB and more, hidden ones too, with details.",
            ),
            ("brisk find --changed-within 1week --json", "Print what was modified, as JSON."),
            ("brisk find -g '*.log' -X wc -c", "Run one command on all results."),
            (
                "brisk find -u --order sorted --format '{size} {}' -t f",
                "Print sizes and paths of files, in the same order every time.",
            ),
        ],
        environment: &[
            ("BRISK_FIND_OPTS", "Options that come before those of the command line."),
            COLORS,
            NO_COLOR,
            ("XDG_CONFIG_HOME", "Where configuration and fd/ignore lie; ~/.config by default."),
        ],
        files: &[
            SYSTEM_FILE,
            USER_FILE,
            (
                "$XDG_CONFIG_HOME/fd/ignore",
                "Rules that apply to every search, in gitignore's form.",
            ),
            (".gitignore, .ignore, .fdignore", "Rules for the directory that holds the file."),
        ],
        exits: &[
            ("0", "Success. With -q, something was found."),
            (
                "1",
                "A directory could not be read, a command failed, or output could not be written. \
                 With -q, nothing was found.",
            ),
            UNUSABLE,
            ("130", "The user interrupted the search."),
        ],
    },
    Extra {
        name: "brisk-ls",
        examples: &[
            ("brisk ls -la", "List all entries of the current directory with details."),
            ("brisk ls --tree --level 2", "Show the tree, two levels deep."),
            ("brisk ls --json -l src", "Print all columns as JSON, one object a line."),
            ("brisk ls --explain --color .", "Say which colours cost requests here."),
        ],
        environment: &[
            COLORS,
            NO_COLOR,
            ("CLICOLOR_FORCE", "If it is set and not 0, --color=auto means always."),
            ("COLUMNS", "The width of a line, where -w is not given."),
            (
                "LS_BLOCK_SIZE, BLOCK_SIZE, BLOCKSIZE, POSIXLY_CORRECT",
                "The unit of sizes and blocks, as in ls(1).",
            ),
            ("QUOTING_STYLE, TABSIZE, TIME_STYLE", "Defaults of the options of these names."),
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
        ],
    },
    Extra {
        name: "brisk-rm",
        examples: &[
            ("brisk rm -r --dry-run target", "Print what would be removed."),
            ("brisk rm -rf target", "Remove a tree without asking."),
            ("brisk rm -r --older-than 30d logs", "Remove what was not modified for 30 days."),
            ("brisk rm -r --keep-root src", "Empty a directory."),
            ("brisk rm --finish --list", "Show what --background has not removed yet."),
        ],
        environment: &[(
            "XDG_STATE_HOME",
            "Where the journal of --background lies; ~/.local/state by default.",
        )],
        files: &[
            ("$XDG_STATE_HOME/brisk/rm/", "The journal: a record of each tree that was set aside."),
            ("$XDG_STATE_HOME/brisk/rm/log", "Errors of removals in the background."),
        ],
        exits: &[
            ("0", "All that was asked for is done."),
            ("1", "Something stayed, or an argument cannot be used."),
            ("130", "The user interrupted the removal; 128 plus its number for another signal."),
        ],
    },
    Extra {
        name: "brisk-du",
        examples: &[
            ("brisk du", "Show what takes the space below the current directory."),
            ("brisk du --top 10 -a src", "List the ten largest files and directories."),
            ("brisk du --by extension", "Add up by the ends of names."),
            ("brisk du --older-than 90d --min 1M", "List what is large and old."),
            ("brisk du -s --json src", "Print the sums of one tree as JSON."),
            ("brisk du --html space.html src", "Draw a treemap."),
        ],
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
            ("0", "All has counted."),
            ("1", "Something could not be read, or an argument cannot be used."),
        ],
    },
    Extra {
        name: "brisk-bench",
        examples: &[(
            "brisk bench walk --keep-caches --runs 3 .",
            "Compare brisk's ways of walking this tree, and other programs.",
        )],
        environment: &[("PATH", "Where other programs are looked for."), COLORS],
        files: &[(
            ".brisk-bench-*",
            "The copies that bench rm removes, beside the directory; gone when it ends.",
        )],
        exits: &[
            ("0", "All ways saw the same."),
            ("1", "They did not, or the measurement failed."),
            UNUSABLE,
            ("130", "The user interrupted the measurement."),
        ],
    },
    Extra {
        name: "brisk-completions",
        examples: &[("brisk completions bash > brisk.bash", "Write bash's completions to a file.")],
        environment: &[("SHELL", "The shell, where no argument names one.")],
        files: &[],
        exits: &[("0", "Success."), ("1", "Output could not be written."), UNUSABLE],
    },
    Extra {
        name: "brisk-man",
        examples: &[("brisk man ~/.local/share/man/man1", "Write the pages where man(1) looks.")],
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
        (extra.name, page(extra, command.clone().name(extra.name).display_name(extra.name)))
    })
}

fn page(extra: &Extra, command: Command) -> Vec<u8> {
    let has_subcommands = command.has_subcommands();
    let man = Man::new(command);
    let mut page = Vec::new();
    let mut rendered = man
        .render_title(&mut page)
        .and_then(|()| man.render_name_section(&mut page))
        .and_then(|()| man.render_synopsis_section(&mut page))
        .and_then(|()| man.render_description_section(&mut page))
        .and_then(|()| man.render_options_section(&mut page));
    if has_subcommands {
        rendered = rendered.and_then(|()| man.render_subcommands_section(&mut page));
    }
    rendered.expect("BUG: writing into memory failed");
    page.extend_from_slice(sections(extra).as_bytes());
    page
}

/// The sections that clap does not know. One without rows is left out.
fn sections(extra: &Extra) -> String {
    let mut text = String::new();
    if !extra.examples.is_empty() {
        text.push_str(".SH EXAMPLES\n");
    }
    for (command, meaning) in extra.examples {
        text.push_str(&format!(
            ".PP\n{}\n.PP\n.RS 4\n.EX\n{}\n.EE\n.RE\n",
            roff(meaning),
            roff(command)
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
