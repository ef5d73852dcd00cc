//! The flag table of `brisk cp`: GNU's flags in their order and with their rules, and brisk's own;
//! and which exclude each other.

use std::ffi::{OsStr, OsString};

use brisk::Follow;
use brisk::copy::{Demand, Modes, Update, When};
use clap::Command;

use super::backup::Control;
use super::options::{Existing, Options};
use crate::filter::Ignoring;
use crate::front::getopt::Getopt;
use crate::front::messages::Caller;
use crate::front::{self, Examples, FlagTable, Refusal, Section, Words, exclude};

type Flag = front::Flag<Options>;

/// What stands for a word that an option may lack, because it can be no argument.
pub(super) const NO_WORD: &str = "\0";

/// What is overwritten.
const UPDATES: Words = Words::new("older | changed").newer(NO_WORD);

/// Reads command lines as GNU cp does.
static GETOPT: Getopt<Options> = Getopt {
    table: FlagTable::new(|| {
        let files = [
            Flag::matching(),
            Flag::hiding(),
            Flag::ignoring(),
            Flag::excluding(),
            Flag::types(),
            Flag::attributes(),
        ];
        vec![
            Section::new("As in GNU cp", [what(), attributes(), existing(), names(), how()]),
            Section::new("Beyond GNU cp", [own()]),
            Section::new("Which files are copied", files),
            Section::new("Reports and help", [reports()]),
        ]
    }),
    order: "archive attributes-only backup copy-contents dereference force interactive link \
         no-clobber no-dereference no-preserve no-target-directory one-file-system parents \
         preserve recursive remove-destination sparse reflink strip-trailing-slashes suffix \
         symbolic-link target-directory update verbose context help version",
    operand: |options, path| options.paths.push(path.into()),
    added: "jE",
};

/// What is copied, and what is made of it.
fn what() -> Vec<Flag> {
    vec![
        Flag::on("a, archive", |options| {
            preserve(options, true, "all");
            options.follow = Some(Follow::Never);
            options.recursive = true;
        })
        .brief("Copy trees with everything: the same as -dR --preserve=all"),
        Flag::on("recursive", |options| options.recursive = true)
            .brief("Copy directories and everything below them")
            .short("Rr"),
        Flag::on("d", |options| {
            preserve(options, true, "links");
            options.follow = Some(Follow::Never);
        })
        .brief("The same as --no-dereference --preserve=links"),
        Flag::on("H", |options| options.follow = Some(Follow::Roots))
            .brief("Follow links that are arguments"),
        Flag::on("L, dereference", |options| options.follow = Some(Follow::Always))
            .brief("Follow all links"),
        Flag::on("P, no-dereference", |options| options.follow = Some(Follow::Never))
            .brief("Copy links as links (the default with -R)"),
        Flag::on("l, link", |options| options.hard_links = true)
            .brief("Make hard links instead of copies"),
        Flag::on("s, symbolic-link", |options| options.symbolic_links = true)
            .brief("Make symbolic links instead of copies"),
        Flag::on("attributes-only", |options| options.attributes_only = true)
            .brief("Copy no contents, only the attributes that are preserved"),
        Flag::on("copy-contents", |options| options.copy_contents = true)
            .rare("With -R, read from FIFOs and devices, instead of making new ones"),
        Flag::on("x, one-file-system", |options| options.selecting.one_file_system = true)
            .brief("Copy nothing from other file systems"),
    ]
}

/// Which attributes are preserved.
fn attributes() -> Vec<Flag> {
    vec![
        Flag::on("p", |options| preserve(options, true, USUAL))
            .brief("The same as --preserve=mode,ownership,timestamps"),
        Flag::parsed("preserve", "LIST", |options, list| listed(options, list, true))
            .brief("Preserve these: mode, ownership, timestamps, links, xattr, context, all")
            .bare("mode,ownership,timestamps")
            .doc(
                "Preserve these attributes, separated by commas: mode, ownership, timestamps, \
                 links, xattr, context, all. Without LIST: mode,ownership,timestamps.",
            ),
        Flag::parsed("no-preserve", "LIST", |options, list| listed(options, list, false))
            .brief("Do not preserve these"),
        Flag::on("Z", |options| options.sets_context = true)
            .rare("Give copies the security context of new files (the default)"),
        Flag::bytes("context", "CONTEXT", |options, context| options.context = Some(context))
            .rare("Like -Z; a CONTEXT is refused")
            .bare(NO_WORD),
    ]
}

/// What happens to destinations that exist.
fn existing() -> Vec<Flag> {
    vec![
        Flag::on("f, force", |options| options.force = true)
            .brief("Remove a destination that cannot be opened, and try again"),
        Flag::on("remove-destination", |options| options.remove_destination = true)
            .brief("Remove each destination before it is written"),
        Flag::on("i, interactive", |options| options.existing = Existing::Asked)
            .brief("Ask before overwriting"),
        Flag::on("n, no-clobber", |options| options.existing = Existing::Kept)
            .brief("Overwrite nothing"),
        Flag::word("u, update", "WHAT", UPDATES, |options, word| {
            options.names_update |= word != NO_WORD;
            options.update = if word == "changed" { Update::Changed } else { Update::Older };
        })
        .brief("Overwrite only what is older than its source, or only what differs (changed)")
        .bare(NO_WORD)
        .doc(
            "Copy only what is missing at the destination or older there than its source. With \
             'changed', which GNU cp does not have, copy what is missing or differs from its source \
             in type, size, time of modification or, if these are preserved, in mode or owners: a \
             second run of the same command then costs no more than a look at both trees, and a run \
             that was broken off goes on.",
        ),
        Flag::on("b", |options| options.makes_backups = true)
            .brief("Keep each destination under another name, as --backup does"),
        Flag::bytes("backup", "CONTROL", |options, word| {
            options.makes_backups = true;
            options.control = Some(word).filter(|word| word != NO_WORD).or(options.control.take());
        })
        .brief("Keep each destination under another name: none, simple, existing or numbered")
        .bare(NO_WORD)
        .doc(
            "Keep each destination under another name before it is overwritten: never (none, off), \
             as 'x~' (simple, never), as 'x.~1~' (numbered, t), or numbered where there are \
             numbered ones and simple otherwise (existing, nil). Without CONTROL the environment \
             variable VERSION_CONTROL decides; the default is existing.",
        ),
        Flag::bytes("S, suffix", "SUFFIX", |options, suffix| {
            options.makes_backups = true;
            options.suffix = Some(suffix);
        })
        .brief("The end of simple backups' names (default: SIMPLE_BACKUP_SUFFIX, or ~)"),
    ]
}

/// How the destinations are called.
fn names() -> Vec<Flag> {
    vec![
        Flag::parsed("t, target-directory", "DIRECTORY", |options, directory| {
            if options.target.replace(directory.into()).is_some() {
                return Err(Refusal::usage("multiple target directories specified"));
            }
            Ok(())
        })
        .brief("Copy all arguments into DIRECTORY"),
        Flag::on("T, no-target-directory", |options| options.no_target_directory = true)
            .brief("The last argument is the copy itself, even if it is a directory"),
        Flag::on("parents", |options| options.parents = true)
            .brief("Make the directories of the arguments' paths in the destination too")
            .aliases("path"),
        Flag::on("strip-trailing-slashes", |options| options.strip_slashes = true)
            .rare("Take slashes from the ends of the arguments"),
    ]
}

fn how() -> Vec<Flag> {
    vec![
        Flag::word("reflink", "WHEN", Words::new("auto | always | never"), |options, word| {
            options.reflink = Some(when(word));
        })
        .brief("Share blocks with the source: auto, always or never")
        .bare("always")
        .doc(
            "Have copies share their blocks with the sources until one of both is changed: where \
             the file system can (auto, the default), always, or never. Without WHEN: always. What \
             cannot be shared is then a failure.",
        ),
        Flag::word("sparse", "WHEN", Words::new("never | auto | always"), |options, word| {
            options.sparse = Some(when(word));
        })
        .brief("Make holes: never, where the source has them (auto), or of all zeros (always)"),
        Flag::on("v, verbose", |options| options.verbose = true).brief("Print what is copied"),
    ]
}

fn own() -> Vec<Flag> {
    vec![
        Flag::on("content", |options| options.content = true)
            .brief("With --update=changed, compare contents too"),
        Flag::on("delete", |options| options.delete = true)
            .brief("With -R, remove from the destination what the source does not have")
            .doc(
                "With -R, remove from directories that exist at the destination what the source \
                 directory does not have. What filters and ignore rules leave out is in the \
                 source, and stays. Only one argument may be copied then. See first with --dry-run \
                 -v what would be removed.",
            ),
        Flag::on("sync", |options| options.sync = true)
            .brief("At the end, wait until all is written to the disk"),
        Flag::on("dry-run", |options| options.dry_run = true)
            .brief("Copy nothing; print count and size (-v: names too)"),
    ]
}

fn reports() -> Vec<Flag> {
    vec![
        Flag::progress(),
        Flag::explain().doc(
            "Copy nothing. Print to standard error how the same command without this option would \
             copy, on which file systems, what it would ask of them, and which option needs that.",
        ),
        Flag::stats("FORM").doc(
            "At the end, print to standard error what was copied and how, system calls by kind, \
             workers and time: as text (the default) or as the JSON object that --json prints.",
        ),
        Flag::on("json", |options| options.json = true)
            .brief("Print what was done as a JSON object, to standard output")
            .doc(
                "Print what was done as a JSON object in one line, to standard output. With -v, an \
                 object for each copied entry comes before it.",
            ),
        Flag::threads("N"),
        Flag::help(),
        Flag::version(),
    ]
}

const USUAL: &str = "mode ownership timestamps";

/// What can be preserved.
const ATTRIBUTES: Words =
    Words::new("mode | timestamps | ownership | links | context | xattr | all");

/// Takes note of the value of `--preserve` or `--no-preserve`.
fn listed(options: &mut Options, list: &OsStr, keeps: bool) -> Result<(), Refusal> {
    let option = if keeps { "--preserve" } else { "--no-preserve" };
    for word in list.as_encoded_bytes().split(|byte| *byte == b',') {
        let word = crate::show::safe::os_str(word);
        let refusal = || Refusal::hinted(ATTRIBUTES.refusal(option, word));
        preserve(options, keeps, ATTRIBUTES.get(word).ok_or_else(refusal)?);
    }
    Ok(())
}

/// These attributes are preserved, or are not.
fn preserve(options: &mut Options, keeps: bool, words: &str) {
    let kept = &mut options.preserve;
    for word in words.split(' ') {
        match word {
            "mode" => kept.mode = if keeps { Modes::Preserved } else { Modes::Fresh },
            "timestamps" => kept.timestamps = keeps,
            "ownership" => kept.ownership = keeps,
            "links" => kept.links = keeps,
            "xattr" => kept.xattr = if keeps { Demand::Required } else { Demand::No },
            "context" => options.wants_context = keeps,
            _ => {
                kept.xattr = match (keeps, kept.xattr) {
                    (false, _) => Demand::No,
                    (true, Demand::Required) => Demand::Required,
                    (true, _) => Demand::Try,
                };
                return preserve(options, keeps, "mode timestamps ownership links");
            }
        }
    }
}

fn when(word: &str) -> When {
    match word {
        "never" => When::Never,
        "always" => When::Always,
        _ => When::Auto,
    }
}

/// Reads the words after the command's name.
///
/// # Errors
/// GNU cp's refusal.
pub(super) fn read(caller: Caller, words: &[OsString]) -> Result<Options, Refusal> {
    let mut options = Options::default();
    options.selecting.ignoring = Ignoring::nothing();
    GETOPT.read(caller, words, &mut options)?;
    if options.run.answer.is_none() {
        settle(caller, &mut options)?;
    }
    Ok(options)
}

/// Refuses options that exclude each other, in GNU cp's order, and settles what follows from several.
fn settle(caller: Caller, options: &mut Options) -> Result<(), Refusal> {
    if options.names_update && caller != Caller::Brisk {
        return Err(Refusal::hinted("option '--update' doesn't allow an argument"));
    }
    if options.hard_links && options.symbolic_links {
        return Err(Refusal::hinted("cannot make both hard and symbolic links"));
    }
    if options.existing == Existing::Kept {
        if options.makes_backups {
            let why = "options --backup and --no-clobber are mutually exclusive";
            return Err(Refusal::hinted(why));
        }
        options.update = Update::None;
    }
    if options.reflink == Some(When::Always) && !matches!(options.sparse, None | Some(When::Auto)) {
        return Err(Refusal::hinted("--reflink can be used only with --sparse=auto"));
    }
    if options.makes_backups {
        options.backup = Control::read(options.control.as_deref())?;
    }
    let changed = (options.update != Update::Changed, "other updates than --update=changed");
    exclude((options.content, "--content"), &[changed])?;
    if options.content {
        options.update = Update::Contents;
    }
    let once = (!options.recursive, "single files: it needs -R");
    exclude((options.delete, "--delete"), &[once])?;
    let asks = (options.existing == Existing::Asked, "--interactive");
    exclude((options.dry_run, "--dry-run"), &[asks])
}

const ABOUT: &str = "Copy files, and with -R directory trees, in parallel and safely.";

const LONG_ABOUT: &str = "Copy SOURCE to DEST, or SOURCEs into DIRECTORY, as GNU cp (9.1) does: its \
    options, messages and exit codes, but a usage error exits with 2.\n\nNothing is left out by \
    default, hidden and ignored files neither; filters and --ignore choose. A copy gets its name \
    when it is whole, so that a run that is killed leaves no part of a file under a name; the same \
    command with --update=changed goes on from there. An existing file is replaced by a new one; \
    through a link named cp it is overwritten in place, as GNU cp does, and keeps its hard \
    links.\n\nSources are opened by the handle of their directory, and copies made by the handle of \
    theirs. So no other user can redirect the copy, whatever is renamed or linked while it runs. If \
    an entry cannot be copied, a message names it, the rest is copied, and the exit code is 1. Of \
    the configuration files only the limit on requests (max_in_flight) affects this command.";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("-R src copy", "Copy a tree"),
    ("-aT --update=changed src copy", "Copy what has changed since the last copy"),
    ("-R -E '*.o' src copy", "Copy a tree without some of its files"),
    ("-R --dry-run src copy", "Show how much would be copied"),
];

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command(caller: Caller) -> Command {
    let paths =
        front::paths("FILE", "What to copy; the last one is the destination, unless -t names it");
    front::command(caller.called("brisk cp"), ABOUT, LONG_ABOUT, EXAMPLES, &GETOPT.table).arg(paths)
}
