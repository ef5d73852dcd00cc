//! Flags that say how results are shown, and how many of them.

use std::time::Duration;

use crate::common::options::{StatsForm, Takes, When, Words};
use crate::find::options::Flag;

pub(super) const FLAGS: &[Flag] = &[
Flag::new(
    "absolute-path",
    Takes::Switch(|options, on| options.output.absolute = on),
    "Show absolute paths",
)
.short("a")
.only_in_long_help()
.inverse("relative-path")
.doc("Show absolute paths, with links in the search path resolved. --relative-path takes it back."),
Flag::new(
    "list-details",
    Takes::Nothing(|options| {
        options.output.forget_form();
        options.output.details = true;
        options.output.print0 = false;
    }),
    "List with details, as 'ls -l' does",
)
.short("l")
.conflicts(&["absolute-path", "max-results", "quiet", "one-result"])
.doc(
    "List with details: permissions, owner, size, time, link targets. Results are handed to 'ls -l \
     -h -d', which sorts them and asks for each one's metadata itself.",
),
Flag::new(
    "format",
    Takes::Text("fmt", |options, text| {
        options.output.forget_form();
        options.output.format = Some(text);
    }),
    "Print results in this form",
)
.conflicts(&["list-details"])
.doc(
    "Print each result in this form. These are replaced:\n  {}    path\n  {/}   name\n  {//}  parent \
     directory\n  {.}   path without extension\n  {/.}  name without extension\n  {{ }} a literal \
     brace\nand, as brisk find only:\n  {size} {mtime} {ctime} {btime} {mode} {type} {uid} {user} \
     {gid} {group} {ino} {nlink} {depth} {target}\n\nTimes take a strftime form: \
     '{mtime:%Y-%m-%d}'. Only the named fields are asked for: '{size} {}' costs one statx an \
     entry, for its size alone; {type} and {depth} cost nothing, {target} costs one readlink a \
     link.",
),
Flag::new(
    "json",
    Takes::Nothing(|options| {
        options.output.forget_form();
        options.output.json = true;
        options.output.print0 = false;
    }),
    "Print one JSON object a line",
)
.conflicts(&["format", "list-details", "print0", "exec", "exec-batch"])
.doc(
    "Print one JSON object a line. 'path' holds the path if it is UTF-8; otherwise 'path_b64' \
     holds its bytes in base 64. Numbers are whole, times are RFC 3339 in UTC with nanoseconds; a \
     year that needs more than four digits has a sign. Costs one statx an entry.",
),
Flag::new(
    "print0",
    Takes::Nothing(|options| {
        options.output.print0 = true;
        options.output.json = false;
        options.output.details = false;
    }),
    "End each result with a null byte",
)
.short("0")
.conflicts(&["list-details"])
.only_in_long_help()
.doc("End each result with a null byte instead of a newline, for 'xargs -0'."),
Flag::new(
    "color",
    Takes::Word(
        "when",
        When::WORDS.docs(&["if standard output is a terminal", "in any case", "in no case"]),
        |options, word| options.output.color = When::from_word(word),
    ),
    "When to use colours",
)
.short("c")
.doc(
    "When to use colours: LS_COLORS for types and suffixes, which costs nothing. 'auto', the \
     default, is off too if NO_COLOR is set to anything.",
),
Flag::new(
    "hyperlink",
    Takes::Word(
        "when",
        When::WORDS.docs(&["if colours are on", "in any case", "in no case (default)"]),
        |options, word| options.output.hyperlink = Some(When::from_word(word)),
    ),
    "Make paths links to their files",
)
.bare("auto")
.aliases(&["hyper"])
.only_in_long_help()
.doc(
    "Make each path a terminal hyperlink (OSC 8) to its file:// address. Without a value: auto. \
     Does nothing with --exec, --exec-batch and --json.",
),
Flag::new(
    "path-separator",
    Takes::Text("separator", |options, text| options.output.path_separator = Some(text)),
    "Show this instead of '/' in paths",
)
.only_in_long_help()
.doc("Show this text instead of '/' between the components of paths."),
Flag::new(
    "strip-cwd-prefix",
    Takes::Word(
        "when",
        When::WORDS.docs(&["unless -0, -x or -X is given (default)", "strip './'", "keep './'"]),
        |options, word| options.output.strip_cwd_prefix = When::from_word(word),
    ),
    "When to leave './' out",
)
.bare("always")
.conflicts(&["path", "search-path"])
.only_in_long_help()
.doc(
    "When to leave out the './' that paths in the current directory begin with. By default it is \
     kept with -0, -x and -X, so that no path is taken for an option. A name that begins with a \
     dash always keeps it. Without a value: always.",
),
Flag::new(
    "max-results",
    Takes::Number("count", |options, count| options.output.max_results = u64::try_from(count).ok()),
    "Stop after this many results",
)
.on_the_command_line_alone()
.overrides(&["one-result"])
.only_in_long_help()
.doc("Stop after this many results. 0 means no limit."),
Flag::new(
    "one-result",
    Takes::Nothing(|options| options.output.max_results = Some(1)),
    "Stop after one result",
)
.short_only("1")
.on_the_command_line_alone()
.overrides(&["max-results"])
.only_in_long_help()
.doc("Stop after one result: the same as --max-results=1."),
Flag::new(
    "quiet",
    Takes::Nothing(|options| options.output.quiet = true),
    "Print nothing; exit 0 if something matches, else 1",
)
.short("q")
.aliases(&["has-results"])
.on_the_command_line_alone()
.conflicts(&["max-results"])
.only_in_long_help()
.doc("Print nothing. The exit code is 0 as soon as something matches, and 1 if nothing does."),
Flag::new(
    "show-errors",
    Takes::Switch(|options, on| options.output.show_errors = Some(on)),
    "Report what could not be read",
)
.inverse("no-show-errors")
.only_in_long_help()
.doc(
    "Report directories and files that could not be read. 'brisk find' does so by default \
     (--no-show-errors takes it back), and its exit code is then 1; when called as 'fd', such \
     errors are silent without this flag and the exit code is 0 either way.",
),
Flag::new(
    "max-errors",
    Takes::Number("count", |options, count| options.output.max_errors = u64::try_from(count).ok()),
    "Give up after this many errors",
)
.only_in_long_help()
.doc(
    "Give up when this many files or directories could not be read; the exit code is then 1. 0 \
     means no limit, the default.",
),
Flag::new(
    "max-buffer-time",
    Takes::Number("milliseconds", |options, count| {
        options.output.max_buffer_time = u64::try_from(count).ok().map(Duration::from_millis);
    }),
    "How long to hold results back to print them sorted",
)
.hidden(),
Flag::new(
    "explain",
    Takes::Nothing(|options| options.output.explain = true),
    "Say what will be asked of the file system, and why",
)
.only_in_long_help()
.doc(
    "Print to standard error what will be asked of the file system and which option asks for it; \
     then search.",
),
Flag::new(
    "stats",
    Takes::Word(
        "form",
        StatsForm::WORDS.docs(&["for the reader", "for machines"]),
        |options, word| options.output.stats = Some(StatsForm::from_word(word)),
    ),
    "Say what the search did",
)
.bare("text")
.only_in_long_help()
.doc(
    "Print to standard error, at the end, what the search did: entries, directories, errors, \
     system calls by kind, workers, share of time spent waiting.",
),
Flag::new(
    "no-config",
    Takes::Nothing(|options| options.output.no_config = true),
    "Read no configuration",
)
.on_the_command_line_alone()
.only_in_long_help()
.doc(
    "Read neither /etc/brisk/config.toml nor $XDG_CONFIG_HOME/brisk/config.toml nor \
     BRISK_FIND_OPTS. When called as 'fd', they are never read. Configuration says how entries \
     are found and shown; what is looked for and where, how many results there are, and what is \
     done with them are accepted only on the command line: a configuration with a pattern, --and, \
     --base-directory, --search-path, --max-results, -1, -q, -x, -X or --delete is refused. With \
     --delete, -x and -X the configured output options do not count, and --delete refuses a \
     configured --follow or --unique.",
),
Flag::new(
    "gen-completions",
    Takes::Word(
        "shell",
        Words::new(&[&["bash"], &["elvish"], &["fish"], &["powershell"], &["zsh"], &[""]])
            .docs(&["", "", "", "", "", "the shell that SHELL names"]),
        |options, word| options.output.completions = Some(word.to_owned()),
    ),
    "Print completions for a shell",
)
.bare("")
.on_the_command_line_alone()
.hidden(),
];

#[cfg(test)]
pub(super) const CASES: super::tests::Cases = &[
    ("-a", |o| o.output.absolute),
    ("--absolute-path --relative-path", |o| !o.output.absolute),
    ("-l", |o| o.output.details),
    ("--list-details", |o| o.output.details),
    ("--format {}", |o| o.output.format.as_deref() == Some("{}")),
    ("--json", |o| o.output.json),
    ("-0", |o| o.output.print0),
    ("--print0", |o| o.output.print0),
    ("-c always --color=never", |o| o.output.color == When::Never),
    ("--hyperlink", |o| o.output.hyperlink == Some(When::Auto)),
    ("--hyper=always", |o| o.output.hyperlink == Some(When::Always)),
    ("--path-separator //", |o| o.output.path_separator.as_deref() == Some("//")),
    ("--strip-cwd-prefix", |o| o.output.strip_cwd_prefix == When::Always),
    ("--strip-cwd-prefix=never", |o| o.output.strip_cwd_prefix == When::Never),
    ("--max-results 5", |o| o.output.max_results == Some(5)),
    ("--max-results 5 -1", |o| o.output.max_results == Some(1)),
    ("-1 --max-results 5", |o| o.output.max_results == Some(5)),
    ("-q", |o| o.output.quiet),
    ("--quiet -1", |o| o.output.quiet),
    ("--has-results", |o| o.output.quiet),
    ("--show-errors", |o| o.output.show_errors == Some(true)),
    ("--show-errors --no-show-errors", |o| o.output.show_errors == Some(false)),
    ("--max-errors 3", |o| o.output.max_errors == Some(3)),
    ("--max-buffer-time 7", |o| o.output.max_buffer_time == Some(Duration::from_millis(7))),
    ("--explain", |o| o.output.explain),
    ("--stats", |o| o.output.stats == Some(StatsForm::Text)),
    ("--stats=json", |o| o.output.stats == Some(StatsForm::Json)),
    ("--no-config", |o| o.output.no_config),
    ("--gen-completions=zsh", |o| o.output.completions.as_deref() == Some("zsh")),
    ("--gen-completions fish", |o| o.output.completions.as_deref() == Some("fish")),
    ("--gen-completions", |o| o.output.completions.as_deref() == Some("")),
];
