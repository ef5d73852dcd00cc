//! Flags that say how names are matched.

use super::Selects;
use brisk_filter::pattern::{Case, Syntax};

use crate::front::Flag;

impl<O: Selects> Flag<O> {
    pub(crate) fn matching() -> Vec<Self> {
        vec![
            Self::text("match", "pattern", |options, pattern| options.matching().pattern = pattern)
                .brief("Only names that match this pattern (--full-path: absolute paths)")
                .short(Self::letter("m"))
                .on_the_command_line_alone()
                .hyphens()
                .once("'A|B' matches either pattern, and --and adds one that must match too"),
            Self::on("case-sensitive", |options| options.matching().case = Case::Sensitive)
                .rare("Distinguish upper and lower case (default: smart case)")
                .short(Self::letter("s"))
                .overrides("ignore-case"),
            Self::on("ignore-case", |options| options.matching().case = Case::Insensitive)
                .brief("Ignore case (default: smart case)")
                .short(Self::letter("i"))
                .overrides("case-sensitive")
                .doc(
                    "Ignore case. By default case matters only if a pattern contains an uppercase \
                 letter (smart case). Of this and --case-sensitive, the later one counts.",
                ),
            Self::on("glob", |options| options.matching().syntax = Syntax::Glob)
                .brief("Treat the pattern as a glob (default: a regular expression)")
                .short(Self::letter("g"))
                .conflicts("fixed-strings")
                .doc(
                    "Treat the pattern as a glob, which must match the whole name. '*' and '?' do \
                     not match a '/'; '**' does, with --full-path: '**/.git/config'",
                ),
            Self::on("regex", |options| options.matching().syntax = Syntax::Regex)
                .rare("Treat the pattern as a regular expression (the default); overrides --glob")
                .overrides("glob"),
            Self::on("fixed-strings", |options| options.matching().syntax = Syntax::Fixed)
                .rare("Treat the pattern as literal text, anywhere in the name")
                .short(Self::letter("F"))
                .aliases("literal"),
            Self::on("exact", |options| options.matching().syntax = Syntax::Exact)
                .rare(
                    "Treat the pattern as the literal whole name; with --full-path, the whole path",
                )
                .conflicts("glob fixed-strings"),
            Self::text("and", "pattern", |options, pattern| options.matching().and.push(pattern))
                .rare("Require this pattern, in the same syntax, to match too")
                .on_the_command_line_alone()
                .hyphens()
                .adds_up(),
            Self::on("full-path", |options| options.matching().full_path = true)
                .rare("Match the absolute path (default: only the name)")
                .short(Self::letter("p")),
        ]
    }
}
