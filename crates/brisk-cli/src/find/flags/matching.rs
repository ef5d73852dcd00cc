//! Flags that say how names are matched.

use clap::{Arg, ArgMatches};

use crate::common::filter::{Case, Syntax};
use crate::common::options::Takes;
use crate::find::options::{Flag, Options};

/// The pattern's place on the command line.
pub(super) fn positional() -> Arg {
    Arg::new("pattern")
        .value_name("pattern")
        .hide_short_help(true)
        .help("What to look for: a regular expression, or with --glob a glob")
        .long_help(
            "What to look for: a regular expression by default, a glob with --glob. Without a \
             pattern everything is listed. Put '--' in front of a pattern that begins with a dash: \
             brisk find -- -draft",
        )
}

/// Takes the pattern from what was given.
pub(super) fn read_positional(given: &ArgMatches, options: &mut Options) {
    if let Some(pattern) = given.get_one::<String>("pattern") {
        options.matching.pattern.clone_from(pattern);
    }
}

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        "case-sensitive",
        Takes::Nothing(|options| options.matching.case = Case::Sensitive),
        "Distinguish upper and lower case (default: smart case)",
    )
    .short("s")
    .only_in_long_help()
    .overrides(&["ignore-case"])
    .doc(
        "Distinguish upper and lower case. By default case matters only if a pattern contains \
             an uppercase letter (smart case). Overrides -i.",
    ),
    Flag::new(
        "ignore-case",
        Takes::Nothing(|options| options.matching.case = Case::Insensitive),
        "Ignore case (default: smart case)",
    )
    .short("i")
    .overrides(&["case-sensitive"])
    .doc(
        "Ignore case. By default case matters only if a pattern contains an uppercase letter \
             (smart case). Overrides -s.",
    ),
    Flag::new(
        "glob",
        Takes::Nothing(|options| options.matching.syntax = Syntax::Glob),
        "Treat the pattern as a glob (default: a regular expression)",
    )
    .short("g")
    .conflicts(&["fixed-strings"])
    .doc(
        "Treat the pattern as a glob, which must match the whole name. '*' and '?' do not \
             match a '/'; '**' does: brisk find -p -g '**/.git/config'",
    ),
    Flag::new(
        "regex",
        Takes::Nothing(|options| options.matching.syntax = Syntax::Regex),
        "Treat the pattern as a regular expression (the default)",
    )
    .only_in_long_help()
    .overrides(&["glob"])
    .doc("Treat the pattern as a regular expression (the default). Overrides --glob."),
    Flag::new(
        "fixed-strings",
        Takes::Nothing(|options| options.matching.syntax = Syntax::Fixed),
        "Treat the pattern as literal text",
    )
    .short("F")
    .aliases(&["literal"])
    .only_in_long_help()
    .doc(
        "Treat the pattern as literal text, which may stand anywhere in the name. To match a \
             whole name, use --exact or --glob.",
    ),
    Flag::new(
        "exact",
        Takes::Nothing(|options| options.matching.syntax = Syntax::Exact),
        "Treat the pattern as the literal whole name",
    )
    .only_in_long_help()
    .conflicts(&["glob", "fixed-strings"])
    .doc("Treat the pattern as the literal whole name or, with --full-path, the whole path."),
    Flag::new(
        "and",
        Takes::Text("pattern", |options, pattern| options.matching.and.push(pattern)),
        "Require this pattern to match too",
    )
    .on_the_command_line_alone()
    .hyphens()
    .only_in_long_help()
    .doc(
        "Require this pattern to match too. It has the syntax of the first pattern. May be \
             given several times.",
    )
    .adds_up(),
    Flag::new(
        "full-path",
        Takes::Nothing(|options| options.matching.full_path = true),
        "Match the absolute path (default: only the name)",
    )
    .short("p")
    .only_in_long_help()
    .doc(
        "Match patterns against the absolute path. By default they are matched against the \
             name alone. Example: brisk find -p -g '**/.git/config'",
    ),
];

#[cfg(test)]
pub(super) const CASES: super::tests::Cases = &[
    ("-s", |o| o.matching.case == Case::Sensitive),
    ("--case-sensitive -i", |o| o.matching.case == Case::Insensitive),
    ("--ignore-case", |o| o.matching.case == Case::Insensitive),
    ("-i -s", |o| o.matching.case == Case::Sensitive),
    ("-g *.rs", |o| o.matching.syntax == Syntax::Glob && o.matching.pattern == "*.rs"),
    ("--glob --regex", |o| o.matching.syntax == Syntax::Regex),
    ("-F", |o| o.matching.syntax == Syntax::Fixed),
    ("--literal", |o| o.matching.syntax == Syntax::Fixed),
    ("--fixed-strings", |o| o.matching.syntax == Syntax::Fixed),
    ("--exact a", |o| o.matching.syntax == Syntax::Exact),
    ("--and a --and -b", |o| o.matching.and == ["a", "-b"]),
    ("-p", |o| o.matching.full_path),
    ("--full-path", |o| o.matching.full_path),
];
