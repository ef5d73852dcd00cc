//! The flag table of `brisk cp`: GNU's flags, with their rules, and brisk's own; and which flags
//! exclude each other.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use brisk::Follow;
use brisk::copy::{Create, Demand, Modes, Overwriting, Specials, Update, When};
use clap::{Arg, ArgAction, Command, value_parser};

use super::backup::Control;
use super::options::Options;
use crate::filter::Ignoring;
use crate::front::getopt::Getopt;
use crate::front::messages::Caller;
use crate::front::{self, Examples, FlagTable, Refusal, Section, Words, exclude};
use crate::show::safe::os_str;
use crate::system;

type Flag = front::Flag<Options>;

/// Stands for an option's missing word: no argument can contain a NUL.
pub(super) const NO_WORD: &str = "\0";

/// Reads command lines as GNU cp does.
static GETOPT: Getopt<Options> = Getopt {
    table: FlagTable::new(|| {
        let gnu = [what(), attributes(), existing(), others()];
        vec![
            Section::new("As in GNU cp", gnu),
            Section::new("Beyond GNU cp", [own()]),
            Section::new("Which files are copied", Flag::filters()),
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
        Flag::on("a, archive", |it| {
            preserve(it, true, "all");
            it.follow = Some(Follow::Never);
            it.copy.recursive = true;
        })
        .brief("Copy trees with everything: the same as -dR --preserve=all"),
        Flag::on("recursive", |it| it.copy.recursive = true).brief("Copy whole trees").short("Rr"),
        Flag::on("d", |it| {
            preserve(it, true, "links");
            it.follow = Some(Follow::Never);
        })
        .brief("The same as --no-dereference --preserve=links"),
        Flag::on("H", |it| it.follow = Some(Follow::Roots))
            .brief("Follow links that are arguments"),
        Flag::on("L, dereference", |it| it.follow = Some(Follow::Always)).brief("Follow all links"),
        Flag::on("P, no-dereference", |it| it.follow = Some(Follow::Never))
            .brief("Copy links as links (the default with -R)"),
        Flag::on("l, link", |it| it.hard_links = true).brief("Make hard links, not copies"),
        Flag::on("s, symbolic-link", |it| it.symbolic_links = true)
            .brief("Make symbolic links, not copies"),
        Flag::on("attributes-only", |it| it.copy.create = Create::Attributes)
            .brief("Copy no contents, only the attributes that are preserved"),
        Flag::on("copy-contents", |it| it.copy.specials = Specials::Read)
            .rare("With -R, read from FIFOs and devices, instead of making new ones"),
        Flag::on("x, one-file-system", |it| it.selecting.one_file_system = true)
            .brief("Copy nothing from other file systems"),
    ]
}

/// Which attributes are preserved.
fn attributes() -> Vec<Flag> {
    vec![
        Flag::on("p", |it| preserve(it, true, "mode timestamps ownership"))
            .brief("The same as --preserve=mode,ownership,timestamps"),
        Flag::parsed("preserve", "LIST", |it, list| listed(it, list, true))
            .brief("Preserve these: mode, ownership, timestamps, links, xattr, context, all")
            .bare("mode,ownership,timestamps"),
        Flag::parsed("no-preserve", "LIST", |it, list| listed(it, list, false))
            .brief("Do not preserve these"),
        Flag::on("Z", |_| {}).rare("Give copies the security context of new files (the default)"),
        Flag::bytes("context", "CONTEXT", |it, context| it.context = Some(context))
            .rare(
                "Like -Z; with SELinux a CONTEXT is refused, elsewhere it is ignored with a \
                warning",
            )
            .bare(NO_WORD),
    ]
}

/// The words that `--update` takes.
const UPDATES: Words = Words::new("older | changed").newer(NO_WORD);

/// What happens to destinations that exist.
fn existing() -> Vec<Flag> {
    vec![
        Flag::on("f, force", |it| it.copy.force = true)
            .brief("Replace a destination that cannot be opened for writing"),
        Flag::on("remove-destination", |it| it.copy.remove_destination = true)
            .brief("Replace each destination instead of writing to it"),
        Flag::on("i, interactive", |it| (it.asks, it.keeps) = (true, false))
            .brief("Ask before overwriting"),
        Flag::on("n, no-clobber", |it| (it.asks, it.keeps) = (false, true))
            .brief("Overwrite nothing"),
        Flag::word("u, update", "WHAT", UPDATES, |it, word| {
            it.names_update |= word != NO_WORD;
            it.copy.update = if word == "changed" { Update::Changed } else { Update::Older };
        })
        .brief("Overwrite only what is older than its source, or only what differs (changed)")
        .bare(NO_WORD)
        .doc(
            "Copy only what is missing at the destination, or is older there than its source. With \
             'changed', which GNU cp does not have: what is missing, or differs in type, size, time \
             of modification or, if these are preserved, mode or (for root) owners.",
        ),
        Flag::on("b", |it| it.makes_backups = true).brief("The same as --backup"),
        Flag::bytes("backup", "CONTROL", |it, word| {
            it.makes_backups = true;
            it.control = Some(word).filter(|word| word != NO_WORD).or(it.control.take());
        })
        .brief("Keep each destination under another name: none, simple, existing or numbered")
        .bare(NO_WORD)
        .doc(
            "Keep each destination under another name before it is overwritten: never (none, off), \
             as 'x~' (simple, never), as 'x.~1~' (numbered, t), or numbered where there are \
             numbered ones and simple otherwise (existing, nil). Without CONTROL the environment \
             variable VERSION_CONTROL decides; the default is existing.",
        ),
        Flag::bytes("S, suffix", "SUFFIX", |it, suffix| {
            (it.makes_backups, it.suffix) = (true, Some(suffix));
        })
        .brief("The suffix of simple backups (default: SIMPLE_BACKUP_SUFFIX, or ~)"),
    ]
}

/// How destinations are called, and how contents are copied.
fn others() -> Vec<Flag> {
    vec![
        Flag::parsed("t, target-directory", "DIRECTORY", |it, directory| {
            match it.target.replace(directory.into()) {
                Some(_) => Err(Refusal::usage("multiple target directories specified")),
                None => Ok(()),
            }
        })
        .brief("Copy all arguments into DIRECTORY"),
        Flag::on("T, no-target-directory", |it| it.no_target_directory = true)
            .brief("The last argument is the copy itself, even if it is a directory"),
        Flag::on("parents", |it| it.parents = true)
            .brief("Recreate each argument's path in the destination: d/f becomes DIRECTORY/d/f")
            .aliases("path"),
        Flag::on("strip-trailing-slashes", |it| it.strip_slashes = true)
            .rare("Remove slashes from the ends of the arguments"),
        Flag::word("reflink", "WHEN", Words::new("auto | always | never"), |it, word| {
            it.copy.reflink = when(word);
        })
        .brief("Share blocks with the source: auto (where it can), always (or fail), never")
        .bare("always"),
        Flag::word("sparse", "WHEN", Words::new("never | auto | always"), |it, word| {
            it.copy.sparse = when(word);
        })
        .brief("Make holes: never, where the source has them (auto), or for zeros too (always)"),
        Flag::on("v, verbose", |it| it.verbose = true).brief("Print what is copied"),
    ]
}

fn own() -> Vec<Flag> {
    vec![
        Flag::on("content", |it| it.content = true)
            .brief("With --update=changed, compare contents too"),
        Flag::on("delete", |it| it.copy.delete = true)
            .brief("With -R, remove from the destination what the source does not have")
            .doc(
                "With -R, remove from the destination what the source does not have, and what is of \
                 another type there. What filters and the source's ignore rules would leave out \
                 stays, even if the source does not have it. Takes one source only. First use \
                 --dry-run -v to see what would be removed.",
            ),
        Flag::on("sync", |it| it.copy.sync = true).brief("Wait until everything is on the disk"),
        Flag::on("dry-run", |it| it.copy.dry_run = true)
            .brief("Copy nothing; print how many files would be copied and, with -v, which"),
    ]
}

fn reports() -> Vec<Flag> {
    vec![
        Flag::progress(),
        Flag::explain()
            .brief("Copy nothing; say what would be requested from the file system, and why"),
        Flag::stats("FORM"),
        Flag::on("json", |it| it.json = true)
            .brief("Print what was done as JSON, to standard output (-v: each copied entry too)"),
        Flag::threads("N"),
        Flag::help(),
        Flag::version(),
    ]
}

/// What can be preserved.
const ATTRIBUTES: Words =
    Words::new("mode | timestamps | ownership | links | context | xattr | all");

/// Notes the value of `--preserve` or `--no-preserve`.
fn listed(options: &mut Options, list: &OsStr, keeps: bool) -> Result<(), Refusal> {
    let option = if keeps { "--preserve" } else { "--no-preserve" };
    for word in list.as_encoded_bytes().split(|byte| *byte == b',').map(os_str) {
        let refusal = || Refusal::hinted(ATTRIBUTES.refusal(option, word));
        preserve(options, keeps, ATTRIBUTES.get(word).ok_or_else(refusal)?);
    }
    Ok(())
}

/// These attributes are preserved, or are not.
fn preserve(options: &mut Options, keeps: bool, words: &str) {
    let kept = &mut options.copy.preserve;
    let demand = if keeps { Demand::Required } else { Demand::No };
    for word in words.split(' ') {
        match word {
            "mode" => kept.mode = if keeps { Modes::Preserved } else { Modes::Fresh },
            "timestamps" => kept.timestamps = keeps,
            "ownership" => kept.ownership = keeps,
            "links" => kept.links = keeps,
            "xattr" => kept.xattr = demand,
            "context" => kept.context = demand,
            _ => {
                if !keeps || kept.xattr == Demand::No {
                    kept.xattr = if keeps { Demand::Try } else { Demand::No };
                }
                if !keeps || kept.context == Demand::No && has_contexts() {
                    kept.context = if keeps { Demand::Try } else { Demand::No };
                }
                return preserve(options, keeps, "mode timestamps ownership links");
            }
        }
    }
}

/// Whether the system has SELinux's contexts.
pub(super) fn has_contexts() -> bool {
    Path::new("/sys/fs/selinux/status").exists()
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
    options.copy.recursive = false;
    options.selecting.ignoring = Ignoring::nothing();
    GETOPT.read(caller, words, &mut options)?;
    if options.common.answer.is_none() {
        settle(caller, &mut options)?;
    }
    Ok(options)
}

/// Refuses options that exclude each other, in GNU cp's order, and settles what combinations of
/// options mean.
// long: GNU cp checks one thing after the other, and the first that fails is its message
fn settle(caller: Caller, options: &mut Options) -> Result<(), Refusal> {
    let copy = &mut options.copy;
    if options.names_update && caller != Caller::Brisk {
        return Err(Refusal::hinted("option '--update' doesn't allow an argument"));
    }
    match (options.hard_links, options.symbolic_links) {
        (true, true) => {
            return Err(Refusal::hinted("cannot make both hard and symbolic links"));
        }
        (true, false) => copy.create = Create::HardLink,
        (false, true) => copy.create = Create::SymbolicLink,
        (false, false) => {}
    }
    if options.keeps && options.makes_backups {
        let why = "options --backup and --no-clobber are mutually exclusive";
        return Err(Refusal::hinted(why));
    }
    if copy.reflink == When::Always && copy.sparse != When::Auto {
        return Err(Refusal::hinted("--reflink can be used only with --sparse=auto"));
    }
    if options.makes_backups {
        options.backup = Control::read(options.control.as_deref())?;
    }
    if options.content && copy.update != Update::Changed {
        return Err(Refusal::hinted("--content needs --update=changed"));
    }
    if copy.delete && !copy.recursive {
        return Err(Refusal::hinted("--delete needs -R"));
    }
    let keeping = [
        (options.makes_backups, "--backup"),
        (options.asks, "--interactive"),
        (options.keeps, "--no-clobber"),
    ];
    exclude((copy.delete, "--delete"), &keeping)?;
    let parents = (options.parents, "--parents");
    exclude((copy.dry_run, "--dry-run"), &[(options.asks, "--interactive"), parents])?;
    copy.update = match () {
        () if options.keeps => Update::None,
        () if options.content => Update::Contents,
        () => copy.update,
    };
    // A FIFO may be read for long; what is copied until then is to be visible.
    copy.whole_trees = copy.specials != Specials::Read;
    if !copy.recursive {
        copy.specials = Specials::Read;
    }
    copy.backup = options.backup.is_some();
    copy.numbered = options.backup == Some(Control::Numbered);
    copy.through_dangling = std::env::var_os("POSIXLY_CORRECT").is_some();
    copy.umask = Some(system::umask());
    if caller == Caller::Brisk {
        copy.overwriting = Overwriting::Replace;
    }
    Ok(())
}

const ABOUT: &str = "Copy files, and with -R directory trees, in parallel and safely.";

const LONG_ABOUT: &str = "Copy SOURCE to DEST, or SOURCEs into DIRECTORY, as GNU cp (9.1) does, with \
    its options, messages and exit codes; but a usage error exits with 2.\n\n\
    Hidden and ignored files are copied too; filters and --ignore leave files out. A copy gets its \
    name when it is complete, so a killed run leaves no half-written file under that name. After a \
    killed run with -a or -p, the same command with --update=changed copies only what is missing or \
    differs. An existing file, or a symbolic link in place of a file, is replaced by a new file; \
    through a link named cp the file is overwritten in place, as GNU cp does.";

/// The same through a link named cp.
const LINK_ABOUT: &str = "Copy SOURCE to DEST, or SOURCEs into DIRECTORY, as GNU cp (9.1) does, with \
    its options, messages and exit codes.\n\n\
    Hidden and ignored files are copied too; filters and --ignore leave files out. A new file gets \
    its name when it is complete; an existing file is overwritten in place, as GNU cp does.";

/// What holds under both names.
const COMMON_ABOUT: &str = "\n\nNo other user can redirect the copy by renaming or linking files \
    during the run, except through links that are followed (without -R, or with -H, -L or -l). If \
    an entry cannot be copied, a message names it, the rest is copied, and the exit code is 1. Of \
    the configuration files, only the limit on requests (max_in_flight) applies.";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("-R src copy", "Copy a tree"),
    ("-aT --update=changed src copy", "Copy what has changed since the last copy"),
    ("-R --exclude '*.o' src copy", "Copy a tree without some of its files"),
    ("-R --dry-run src copy", "Show how many files would be copied"),
];

/// Those that a link named cp accepts.
const LINK_EXAMPLES: Examples = &[EXAMPLES[0], EXAMPLES[2], EXAMPLES[3]];

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command(caller: Caller) -> Command {
    let files = "What to copy; the last one is the destination, unless -t names it";
    let is_own = caller == Caller::Brisk;
    let examples = if is_own { EXAMPLES } else { LINK_EXAMPLES };
    let about = if is_own { LONG_ABOUT } else { LINK_ABOUT }.to_owned() + COMMON_ABOUT;
    let called = caller.called("brisk cp");
    let command = front::command(called, ABOUT, about, examples, &GETOPT.table);
    let command = GETOPT.known(caller, command).arg(front::paths("FILE", files));
    if is_own { command } else { command.mut_args(as_of_link) }
}

/// An option as it is through a link named cp, where --update takes no word.
fn as_of_link(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "content" => arg.hide(true),
        "update" => arg
            .action(ArgAction::SetTrue)
            .num_args(0)
            .require_equals(false)
            .default_missing_value(None)
            .value_parser(value_parser!(bool))
            .value_name(None)
            .help("Overwrite only what is older than its source")
            .long_help(
                "Copy only what is missing at the destination, or is older there than its source.",
            ),
        _ => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_a_link_offers_what_the_link_accepts() {
        for caller in [Caller::Brisk, Caller::Cp] {
            let is_own = caller == Caller::Brisk;
            let accepts = |word: String| {
                let refusal = read(caller, &[word.clone().into()]).err();
                let why = refusal.map(|refusal| refusal.message).unwrap_or_default();
                let signs = ["invalid option", "unrecognized option", "doesn't allow"];
                assert!(!signs.iter().any(|sign| why.contains(sign)), "{caller:?}: {word}: {why}");
            };
            let mut command = command(caller);
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                // A letter that lacks its value is known.
                arg.get_short().into_iter().for_each(|letter| accepts(format!("-{letter}")));
                let Some(name) = arg.get_long() else { continue };
                if !arg.get_action().takes_values() {
                    accepts(format!("--{name}"));
                    continue;
                }
                for word in arg.get_possible_values() {
                    accepts(format!("--{name}={}", word.get_name()));
                }
            }
            let help = command.render_long_help().to_string();
            assert_eq!(help.contains("--update=changed"), is_own, "{help}");
            assert_eq!(help.contains("a usage error exits with 2"), is_own, "{help}");
        }
    }
}
