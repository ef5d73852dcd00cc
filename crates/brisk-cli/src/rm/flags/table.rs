//! The table: each flag is one value with its names, its help and what it sets.

use clap::{Arg, Command};

use super::flag::{Flag, Value};
use super::{Instead, Options, Prompt, Refusal, When};
use crate::common::messages::Caller;
use crate::common::time::read::{NotPast, parse_past};
use brisk::remove::Preserve;

type Rule = fn(&mut Options);

pub(super) const TABLE: &[Flag] = &[
    FORCE,
    ASK,
    ASK_ONCE,
    INTERACTIVE,
    RECURSIVE,
    DIR,
    VERBOSE,
    ONE_FILE_SYSTEM,
    CROSS_MOUNTS,
    PRESERVE_ROOT,
    NO_PRESERVE_ROOT,
    KEEP_ROOT,
    OLDER_THAN,
    DRY_RUN,
    BACKGROUND,
    FINISH,
    LIST,
    PROGRESS,
    STATS,
    JSON,
    THREADS,
    PRESUME,
    RECORD,
    HELP,
    VERSION,
];

fn ask_never(options: &mut Options) {
    options.prompt = Prompt::Never;
    options.prompt_once = false;
}

fn ask_always(options: &mut Options) {
    options.prompt = Prompt::Always;
    options.prompt_once = false;
    options.force = false;
}

fn ask_once(options: &mut Options) {
    options.prompt = Prompt::IfProtected;
    options.prompt_once = true;
    options.force = false;
}

const FORCE: Flag = Flag::new("force", "Ignore what does not exist, never ask", |options, _| {
    ask_never(options);
    options.force = true;
    Ok(())
})
.short(&['f'])
.gnu()
.doc(
    "Ignore files and arguments that do not exist, and never ask. The last of -f, -i, -I and \
     --interactive is in force.",
);

const ASK: Flag = Flag::new("/i", "Ask before every removal", |options, _| {
    ask_always(options);
    Ok(())
})
.short_only(&['i'])
.gnu();

const ASK_ONCE: Flag = Flag::new("/I", "Ask once, before removing much", |options, _| {
    ask_once(options);
    Ok(())
})
.short_only(&['I'])
.gnu()
.doc(
    "Ask once before removing more than three files, or recursively: less of a nuisance than -i, \
     and still a protection against most mistakes.",
);

const INTERACTIVE: Flag = Flag::new(
    "interactive",
    "Ask never, once (-I) or always (-i)",
    interactive,
)
.value(Value::Optional("WHEN"))
.gnu()
.doc("Ask according to WHEN: never, once (-I) or always (-i, and what is meant without WHEN).");

fn interactive(options: &mut Options, when: Option<&str>) -> Result<(), Refusal> {
    const WORDS: [(&str, Rule); 6] = [
        ("never", ask_never),
        ("no", ask_never),
        ("none", ask_never),
        ("once", ask_once),
        ("always", ask_always),
        ("yes", ask_always),
    ];
    let Some(when) = when else {
        ask_always(options);
        return Ok(());
    };
    let exact = WORDS.iter().find(|(word, _)| *word == when);
    let mut begins = WORDS.iter().filter(|(word, _)| word.starts_with(when));
    // "n" begins three words, all with the same meaning.
    let found = exact.or_else(|| {
        let first = begins.next()?;
        begins.all(|other| std::ptr::fn_addr_eq(other.1, first.1)).then_some(first)
    });
    let Some((_, set)) = found else {
        return Err(Refusal::with_hint(format!(
            "invalid argument ‘{when}’ for ‘--interactive’\nValid arguments are:\n  - ‘never’, \
             ‘no’, ‘none’\n  - ‘once’\n  - ‘always’, ‘yes’"
        )));
    };
    set(options);
    Ok(())
}

const RECURSIVE: Flag =
    Flag::new("recursive", "Remove directories with everything below them", |options, _| {
        options.recursive = true;
        Ok(())
    })
    .short(&['r', 'R'])
    .gnu();

const DIR: Flag = Flag::new("dir", "Remove empty directories", |options, _| {
    options.empty_dirs = true;
    Ok(())
})
.short(&['d'])
.gnu();

const VERBOSE: Flag = Flag::new("verbose", "Print what is removed", |options, _| {
    options.verbose = true;
    Ok(())
})
.short(&['v'])
.gnu();

const ONE_FILE_SYSTEM: Flag =
    Flag::new("one-file-system", "Do not enter other file systems (the default)", |options, _| {
        options.one_file_system = true;
        Ok(())
    })
    .gnu()
    .doc(
        "Do not enter mount points below the named directories. This is the default here; the \
         option takes --cross-mounts back.",
    );

const CROSS_MOUNTS: Flag =
    Flag::new("cross-mounts", "Also empty what is mounted below", |options, _| {
        options.cross_mounts = true;
        Ok(())
    })
    .doc(
        "Enter mount points below the named directories, as GNU rm does. By default each mount \
         point is a message and exit code 1, and the rest is removed.",
    );

const PRESERVE_ROOT: Flag = Flag::new(
    "preserve-root",
    "Do not remove '/' (the default); with 'all', no mount point either",
    |options, value| {
        options.preserve = match value {
            None => Preserve::Root,
            Some("all") => Preserve::RootAndMounts,
            Some(other) => {
                let message = format!("unrecognized --preserve-root argument: '{other}'");
                return Err(Refusal::plain(message));
            }
        };
        Ok(())
    },
)
.value(Value::Optional("all"))
.gnu()
.doc(
    "Do not remove '/', by whatever name: the default. With 'all', refuse every argument that is \
     a mount point too.",
);

const NO_PRESERVE_ROOT: Flag =
    Flag::new("no-preserve-root", "Treat '/' like any other", |options, _| {
        options.preserve = Preserve::Nothing;
        Ok(())
    })
    .gnu();

const KEEP_ROOT: Flag =
    Flag::new("keep-root", "Empty directories instead of removing them", |options, _| {
        options.keep_root = true;
        Ok(())
    })
    .doc(
        "Remove the contents of the named directories, and keep the directories themselves. Needs \
         -r.",
    );

const OLDER_THAN: Flag = Flag::new(
    "older-than",
    "Remove only what was not modified for this long",
    |options, value| {
        let text = value.unwrap_or_default();
        let refusal = |why| {
            let what = match why {
                NotPast::Unreadable => format!("invalid argument '{text}' for '--older-than'"),
                NotPast::Future => format!("'{text}' for '--older-than' lies in the future"),
            };
            Refusal::with_hint(format!("{what}: write an age as 30d, a date as 2026-01-31"))
        };
        options.older_than = Some(parse_past(text, jiff::Zoned::now).map_err(refusal)?);
        Ok(())
    },
)
.value(Value::Required("AGE"))
.doc(
    "Remove only what was last modified longer ago than AGE or before a date. An age is a number \
     with its unit, without a sign: s, m (minutes), h, d, w, mo (months), y, as in 30d, 2weeks or \
     '1h 30min'. A date is 2026-01-31, '2026-01-31 10:00', a time in RFC 3339, or @SECONDS since \
     the epoch. A time in the future is refused. A directory is removed if it, too, was last \
     modified before then and nothing stays in it.",
);

const DRY_RUN: Flag = Flag::new(
    "dry-run",
    "Remove nothing; print what would be removed",
    |options, _| {
        options.dry_run = true;
        Ok(())
    },
)
.doc(
    "Remove nothing: print how many entries would be removed, their size, and the first of their \
     names (with -v, all). An entry whose removal the system is known to refuse is reported as a \
     removal would report it, and the exit code is 1: entries of a directory that cannot be \
     written to, of other users where the sticky bit is set, on a read-only mount, immutable or \
     append-only.",
);

const BACKGROUND: Flag = Flag::new(
    "background",
    "Return at once, remove afterwards",
    |options, _| {
        options.background = true;
        Ok(())
    },
)
.doc(
    "Rename each directory to a name beside it that no other user can guess, return, and remove \
     it in a process of its own. Each renaming is recorded first, below $XDG_STATE_HOME/brisk/rm \
     (~/.local/state/brisk/rm); errors go into the file 'log' there. The next --background, or \
     --finish, removes what a crash left over. Nothing is ever removed because of its name. A \
     directory that cannot be renamed (in a lower layer of overlayfs, or on a full disk) is \
     removed at once, with a message.",
);

const FINISH: Flag = Flag::new(
    "finish",
    "Remove the trees that --background left",
    |options, _| {
        options.finish = true;
        Ok(())
    },
)
.doc(
    "Remove the trees that --background set aside and could not remove, because the process was \
     killed or the machine went down. A tree that another process is still removing is left to \
     that process. -i, -I, -v, --dry-run, --stats and --json mean what they always do; files and \
     --older-than mean nothing here and are refused. If the directory that holds a tree is not \
     where it was (not mounted, renamed), the tree's record stays, with a message and exit code \
     1: mount the disk, or give the directory its name back. The record of a tree that is gone \
     for good is a file that the message names; remove it. A journal that other users could have \
     changed is refused.",
);

const LIST: Flag =
    Flag::new("list", "With --finish: show what is left, and since when", |options, _| {
        options.list = true;
        Ok(())
    })
    .doc(
        "With --finish: remove nothing. Print a line for each tree that was set aside and is \
         still there: when it was set aside, whether it is waiting, running (a process removes \
         it) or unreachable (and why), its path, and the name that the tree had. With --json, one \
         object a line.",
    );

const PROGRESS: Flag = Flag::new("progress", "Show the progress: auto, always, never", |options, value| {
    options.progress = match value {
        Some("auto") => When::Auto,
        None | Some("always") => When::Always,
        Some("never") => When::Never,
        Some(other) => {
            let message = format!(
                "invalid argument ‘{other}’ for ‘--progress’\nValid arguments are:\n  - ‘auto’\n  - \
                 ‘always’\n  - ‘never’"
            );
            return Err(Refusal::with_hint(message));
        }
    };
    Ok(())
})
.value(Value::Optional("WHEN"))
.doc("Show on standard error how many entries have been removed, and how many are removed in a \
    second: auto (the default: on a terminal, after the first second), always (where there is no \
    terminal, one line a second), never.");

const STATS: Flag = Flag::new("stats", "Print at the end what was done", |options, _| {
    options.stats = true;
    Ok(())
})
.doc(
    "Print to standard error, at the end, what was removed, system calls by kind, workers and \
     time.",
);

const JSON: Flag = Flag::new("json", "Print the same as JSON, to standard output", |options, _| {
    options.json = true;
    Ok(())
});

const THREADS: Flag = Flag::new("threads", "Use exactly this many workers", |options, value| {
    let text = value.unwrap_or_default();
    let refusal = || Refusal::with_hint(format!("invalid argument '{text}' for '--threads'"));
    options.threads = Some(text.parse().map_err(|_| refusal())?);
    Ok(())
})
.value(Value::Required("N"))
.doc(
    "Use exactly this many workers. By default as many as pay: the number is measured, not \
     configured.",
);

const PRESUME: Flag = Flag::new("-presume-input-tty", "", |options, _| {
    options.presume_terminal = true;
    Ok(())
})
.gnu()
.hidden();

const RECORD: Flag = Flag::new("-finish-record", "", |options, value| {
    options.record = value.map(Into::into);
    Ok(())
})
.value(Value::Required("FILE"))
.hidden();

const HELP: Flag = Flag::new("help", "Show this, or with --help all of it", |options, _| {
    options.instead = Some(Instead::Help);
    Ok(())
})
.short(&['h'])
.gnu();

const VERSION: Flag = Flag::new("version", "Show the version", |options, _| {
    options.instead = Some(Instead::Version);
    Ok(())
})
.gnu();

const ABOUT: &str = "Removes files, and with -r directory trees: in parallel, and safe from other \
    users who change them meanwhile.";

const LONG_ABOUT: &str = "Removes files, and with -r directory trees. Options, messages and exit \
    codes are GNU rm's, with two differences: what is mounted below a directory is not entered \
    unless --cross-mounts says so, and a link with a slash behind it is refused, not \
    followed.\n\nNo path is used twice: every directory is opened relative to the handle of its \
    parent, never through a link, and each entry is removed by that handle and its name. So no \
    other user can redirect the removal, whatever is renamed or linked meanwhile. An entry that \
    cannot be removed is a message; the rest is removed, and the exit code is 1. Configuration \
    files and the environment change nothing about this command.";

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command(caller: Caller) -> Command {
    let bin = caller.rm_command();
    let name = bin.rsplit(' ').next().unwrap_or(bin);
    Command::new(name)
        .bin_name(bin)
        .display_name(bin)
        .version(caller.version())
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .max_term_width(98)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(TABLE.iter().filter(|flag| !flag.hidden).map(Flag::arg))
        .arg(
            Arg::new("path")
                .value_name("FILE")
                .help("The files to remove; after --, also names that begin with a dash")
                .num_args(0..)
                .value_parser(clap::value_parser!(std::path::PathBuf)),
        )
}
