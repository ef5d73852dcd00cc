//! Flags that say how results are shown, and how many of them.

use std::ffi::OsStr;
use std::time::Duration;

use crate::find::lists::Limit;
use crate::find::options::Flag;
use crate::find::sort::Sort;
use crate::front::{Refusal, When, Words, texts};
use crate::show::quoting::quoted;
use brisk_filter::size;

/// The options that exclude those for lists.
const NOT_WITH_PARTS: &str = "list-details quiet count sort exec exec-batch delete";

/// The value of a flag about lists.
fn amount(value: &OsStr) -> Result<u64, Refusal> {
    value.to_str().and_then(size::amount).ok_or_else(|| {
        Refusal::usage(format!(
            "{} is not a number of files or bytes: write 8, 1M or 100G",
            quoted(value)
        ))
    })
}

const SORT_KEYS: Words = Words::new(
    "path | path,reverse | name | name,reverse | extension | extension,reverse | size | \
     size,reverse | time | time,reverse",
);

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::switch("absolute-path", |options, on| options.output.absolute = on)
            .rare("Show absolute paths, with links in the search path resolved")
            .short("a")
            .inverse("relative-path"),
        Flag::on("list-details", |options| {
            options.output.forget_form();
            options.output.details = true;
            options.output.print0 = false;
        })
        .brief("Show details, as 'ls -l' does")
        .short("l")
        .conflicts("absolute-path quiet")
        .doc(
            "Show details: permissions, owner, size, time, link targets. Each line is that of 'ls \
             -l -h -d'. Columns are aligned; in a long search, which prints lines while it runs, a \
             column becomes wider when a wider value appears.",
        ),
        Flag::text("format", "fmt", |options, text| {
            options.output.forget_form();
            options.output.format = Some(text);
        })
        .brief("Print each result in this form: '{size} {}'")
        .conflicts("list-details")
        .doc(
            "Print each result in this form. These are replaced:\n  {}    path\n  {/}   name\n  \
             {//}  parent directory\n  {.}   path without extension\n  {/.}  name without \
             extension\n  {{ }} a literal brace\nand, under the name brisk only:\n  \\t \\n \\0 \\\\  tab, \
             newline, null byte, backslash\n  {name} {size} \
             {blocks} {mtime} {atime} {ctime} {btime} {mode} {type} {uid} {user} {gid} {group} \
             {inode} {device} {nlink} {depth} {target}\n\nA time may have a strftime format: \
             '{mtime:%Y-%m-%d}'. Only the fields that are named are requested: '{size} {}' costs \
             one statx per entry, for only the size; {type} and {depth} cost nothing; {target} \
             costs one readlink per link.",
        ),
        Flag::on("json", |options| {
            options.output.forget_form();
            options.output.json = true;
            options.output.print0 = false;
        })
        .brief(texts::JSON)
        .conflicts("format list-details print0 exec exec-batch")
        .doc(
            "Print one JSON object per line. 'path' holds the path if it is UTF-8; otherwise \
             'path_b64' holds its bytes in base 64. Numbers are integers. Times are in RFC 3339, \
             in UTC with nanoseconds; a year of more than four digits has a sign. Costs one statx \
             per entry.",
        ),
        Flag::on("print0", |options| {
            options.output.print0 = true;
            options.output.json = false;
            options.output.details = false;
        })
        .rare("End each result with a null byte instead of a newline, for 'xargs -0'")
        .short("0")
        .conflicts("list-details"),
        Flag::word(
            "color",
            "when",
            When::WORDS.docs("if standard output is a terminal | always | never"),
            |options, word| options.output.color = When::from_word(word),
        )
        .brief("When to use colours")
        .short("c")
        .doc(
            "When to use the colours of LS_COLORS. Colours of types and suffixes cost nothing. \
             Colours of executable files (ex), of directories that others may write to (ow), of \
             broken links (or) and a few more cost one statx for each regular file, directory or \
             link; --explain says which. 'auto', the default, means never if NO_COLOR is set and \
             not empty.",
        ),
        Flag::word(
            "hyperlink",
            "when",
            When::WORDS.docs("if colours are on | always | never (the default)"),
            |options, word| options.output.hyperlink = Some(When::from_word(word)),
        )
        .rare("Turn paths into links to their files")
        .bare("auto")
        .aliases("hyper")
        .doc(
            "Turn each path into a terminal hyperlink (OSC 8) to its file:// address. Without a \
             value: auto. Has no effect with --exec, --exec-batch or --json.",
        ),
        Flag::text("path-separator", "separator", |options, text| {
            options.output.path_separator = Some(text)
        })
        .rare("Show this instead of '/' between the components of paths"),
        Flag::word(
            "strip-cwd-prefix",
            "when",
            When::WORDS.docs("unless -0, -x or -X is given (the default) | always | never"),
            |options, word| options.output.strip_cwd_prefix = When::from_word(word),
        )
        .rare("When to leave out './'")
        .bare("always")
        .conflicts("path search-path")
        .doc(
            "When to leave out './' at the start of paths in the current directory. By default \
             './' stays with -0, -x and -X, so that no path is mistaken for an option. Before a \
             name that begins with a dash it always stays. Without a value: always.",
        ),
        Flag::number("max-results", "count", |options, count| {
            options.output.max_results = Some(count)
        })
        .rare("Stop after this many results; with --sort, print only the first of them in that \
            order (0: no limit)")
        .on_the_command_line_alone()
        .overrides("1"),
        Flag::on("1", |options| options.output.max_results = Some(1))
            .rare("Stop after one result: the same as --max-results=1")
            .on_the_command_line_alone()
            .overrides("max-results"),
        Flag::on("quiet", |options| options.output.quiet = true)
            .rare("Print nothing; exit with 0 if something matches, else with 1")
            .short("q")
            .aliases("has-results")
            .on_the_command_line_alone()
            .conflicts("max-results"),
        Flag::on("count", |options| options.output.count = true)
            .rare("Print only the number of results")
            .on_the_command_line_alone()
            .conflicts("list-details format json print0 quiet sort exec exec-batch delete"),
        Flag::word("sort", "key", SORT_KEYS, |options, word| {
            options.output.sort = Some(Sort::from_word(word));
        })
        .brief("Sort by size (largest first), time (newest), name, …, or size,reverse")
        .conflicts("order quiet exec exec-batch delete")
        .doc(
            "Sort the results, and print them at the end: by path, name, extension, size (largest \
             first) or time of modification (newest first). ',reverse' after the key reverses the \
             order. With --max-results the first ones are printed: '-l --sort size --max-results \
             10' shows the ten largest. size and time cost one statx per result. The results have \
             to fit in memory. --order sets the order of the search, which prints results while it \
             runs.",
        ),
        Flag::parsed("parts", "count", |options, text| {
            options.output.list_limit = Some(Limit::Lists(amount(text)?));
            Ok(())
        })
        .rare("Write the results into this many lists of about equal size")
        .conflicts(NOT_WITH_PARTS)
        .on_the_command_line_alone()
        .overrides("part-size part-files")
        .doc(
            "Write the results into this many lists of about equal total file size, and print the \
             names of the lists. Each is for one run of rsync, rclone or tar, which have options \
             that read such a list. Each result goes to the list with the fewest bytes, so lists \
             are complete, and get their names, at the end of the search. Keep the lists outside \
             the tree that is searched.",
        ),
        Flag::parsed("part-size", "size", |options, text| {
            options.output.list_limit = Some(Limit::Bytes(amount(text)?));
            Ok(())
        })
        .rare("Write the results into lists of at most this many bytes: 100G")
        .conflicts(NOT_WITH_PARTS)
        .on_the_command_line_alone()
        .overrides("parts part-files")
        .doc(
            "As --parts, but a list is complete when one more file would make its total size \
             larger than this many bytes (a file larger than this has a list of its own). Each \
             complete list can be used while the search goes on.",
        ),
        Flag::parsed("part-files", "count", |options, text| {
            options.output.list_limit = Some(Limit::Results(amount(text)?));
            Ok(())
        })
        .rare("Write the results into lists of at most this many results: 1M")
        .conflicts(NOT_WITH_PARTS)
        .on_the_command_line_alone()
        .overrides("parts part-size")
        .doc(
            "As --part-size, but a list is complete when it has this many results, whatever their \
             sizes.",
        ),
        Flag::path("part-name", "prefix", |options, prefix| {
            options.output.part_name = Some(prefix)
        })
        .rare("The prefix of the lists' names (default: part, for part.1, part.2)")
        .on_the_command_line_alone(),
        Flag::on("overwrite", |options| options.output.overwrites_lists = true)
            .rare("Replace lists of an earlier search")
            .on_the_command_line_alone()
            .doc(
                "Replace the lists of an earlier search. Without this option brisk writes nothing \
                 if a list with the same prefix exists, because a program that takes all lists \
                 would take those of two searches. Only regular files are ever replaced.",
            ),
        Flag::switch("show-errors", |options, on| options.output.show_errors = Some(on))
            .rare("Report what cannot be read (the default)")
            .inverse("no-show-errors")
            .doc(
                "Report files and directories that cannot be read. 'brisk find' does so by \
                 default, and its exit code is then 1. Under the name 'fd' such errors are silent \
                 without this option, and the exit code is 0 either way.",
            ),
        Flag::number("max-errors", "count", |options, count| {
            options.output.max_errors = Some(count)
        })
        .rare("Give up after this many errors (default: no limit)"),
        Flag::number("max-buffer-time", "milliseconds", |options, count| {
            options.output.max_buffer_time = u64::try_from(count).ok().map(Duration::from_millis);
        })
        .brief("How long to hold results back to print them sorted")
        .hidden(),
        Flag::explain().only_in_long_help().doc(
            "Before the search, print to standard error what will be requested from the file \
             system, and which option needs it.",
        ),
        Flag::stats("form").only_in_long_help(),
        Flag::progress().only_in_long_help().doc(
            "Show on standard error how many entries the search has read: auto (the default: on a \
             terminal, after half a second, unless results go to a terminal or a pipe), always \
             (where there is no terminal, one line per second), never.",
        ),
        Flag::on("no-config", |options| options.output.no_config = true)
            .rare(texts::NO_CONFIG)
            .on_the_command_line_alone()
            .doc(
                "Read no options from /etc/brisk/config.toml, $XDG_CONFIG_HOME/brisk/config.toml \
                 (by default ~/.config/brisk/config.toml) and BRISK_FIND_OPTS. Under the name 'fd' \
                 none are ever read. A limit on requests in /etc/brisk/config.toml holds in any \
                 case. A configuration can set what every search includes or leaves out (-H, -I, \
                 -u, -E), how it walks, and how results are shown. Only the command line can set \
                 what to look for and where, how many results to print, and what to do with them: \
                 a configuration with a pattern, a path, a filter, a depth, --max-results, -1, \
                 --count, -q, --index, --parts, -x, -X or --delete is refused. With --delete, -x \
                 and -X the configured output options are ignored, and --delete refuses a \
                 configured --follow or --unique.",
            ),
        Flag::word(
            "gen-completions",
            "shell",
            Words::new("bash | elvish | fish | nushell | powershell | zsh | ").docs(" |  |  |  |  |  | the shell that SHELL names"),
            |options, word| options.output.completions = Some(word.to_owned()),
        )
        .brief("Print completions for a shell")
        .bare("")
        .on_the_command_line_alone()
        .hidden(),
    ]
}
