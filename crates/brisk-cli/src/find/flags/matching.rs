//! The pattern: what names are matched against. The flags that say how are in
//! `filter/flags/`.

use clap::Arg;

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
