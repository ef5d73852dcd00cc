//! Flags that say how names are matched.

use super::Selects;
use brisk_filter::pattern::{Case, Syntax};

use crate::front::Flag;

impl<O: Selects> Flag<O> {
    pub(crate) fn matching() -> Vec<Self> {
        vec![
            Self::text("match", "pattern", |options, pattern| {
                options.selecting().matching.pattern = pattern;
            })
            .brief("Only names that match this pattern (--full-path: absolute paths)")
            .short(Self::letter("m"))
            .on_the_command_line_alone()
            .hyphens(),
            Self::on("case-sensitive", |options| {
                options.selecting().matching.case = Case::Sensitive
            })
            .brief("Distinguish upper and lower case (default: smart case)")
            .short(Self::letter("s"))
            .only_in_long_help()
            .overrides("ignore-case"),
            Self::on("ignore-case", |options| {
                options.selecting().matching.case = Case::Insensitive
            })
            .brief("Ignore case (default: smart case)")
            .short(Self::letter("i"))
            .overrides("case-sensitive")
            .doc(
                "Ignore case. By default case matters only if a pattern contains an uppercase \
                 letter (smart case). Of this and --case-sensitive, the later one counts.",
            ),
            Self::on("glob", |options| options.selecting().matching.syntax = Syntax::Glob)
                .brief("Treat the pattern as a glob (default: a regular expression)")
                .short(Self::letter("g"))
                .conflicts("fixed-strings")
                .doc(
                    "Treat the pattern as a glob, which must match the whole name. '*' and '?' do \
                     not match a '/'; '**' does, with --full-path: '**/.git/config'",
                ),
            Self::on("regex", |options| options.selecting().matching.syntax = Syntax::Regex)
                .brief("Treat the pattern as a regular expression (the default); overrides --glob")
                .only_in_long_help()
                .overrides("glob"),
            Self::on("fixed-strings", |options| {
                options.selecting().matching.syntax = Syntax::Fixed
            })
            .brief("Treat the pattern as literal text, anywhere in the name")
            .short(Self::letter("F"))
            .aliases("literal")
            .only_in_long_help(),
            Self::on("exact", |options| options.selecting().matching.syntax = Syntax::Exact)
                .brief(
                    "Treat the pattern as the literal whole name; with --full-path, the whole path",
                )
                .only_in_long_help()
                .conflicts("glob fixed-strings"),
            Self::text("and", "pattern", |options, pattern| {
                options.selecting().matching.and.push(pattern);
            })
            .brief("Require this pattern, in the same syntax, to match too")
            .on_the_command_line_alone()
            .hyphens()
            .only_in_long_help()
            .adds_up(),
            Self::on("full-path", |options| options.selecting().matching.full_path = true)
                .brief("Match the absolute path (default: only the name)")
                .short(Self::letter("p"))
                .only_in_long_help(),
        ]
    }
}
