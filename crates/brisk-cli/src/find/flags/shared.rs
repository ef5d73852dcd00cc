//! Cases of the flags that `brisk find` has in common with other commands.

use crate::filter::{Case, Syntax, Types};

pub(super) const MATCHING: super::tests::Cases = &[
    ("-s", |o| o.criteria.matching.case == Case::Sensitive),
    ("--case-sensitive -i", |o| o.criteria.matching.case == Case::Insensitive),
    ("--ignore-case", |o| o.criteria.matching.case == Case::Insensitive),
    ("-i -s", |o| o.criteria.matching.case == Case::Sensitive),
    ("-g *.rs", |o| {
        o.criteria.matching.syntax == Syntax::Glob && o.criteria.matching.pattern == "*.rs"
    }),
    ("--glob --regex", |o| o.criteria.matching.syntax == Syntax::Regex),
    ("-F", |o| o.criteria.matching.syntax == Syntax::Fixed),
    ("--literal", |o| o.criteria.matching.syntax == Syntax::Fixed),
    ("--fixed-strings", |o| o.criteria.matching.syntax == Syntax::Fixed),
    ("--exact a", |o| o.criteria.matching.syntax == Syntax::Exact),
    ("--and a --and -b", |o| o.criteria.matching.and == ["a", "-b"]),
    ("-p", |o| o.criteria.matching.full_path),
    ("--full-path", |o| o.criteria.matching.full_path),
];

pub(super) const IGNORING: super::tests::Cases = &[
    ("-H", |o| o.criteria.ignoring.hidden),
    ("--hidden --no-hidden", |o| !o.criteria.ignoring.hidden),
    ("--no-hidden -H", |o| o.criteria.ignoring.hidden),
    ("-I", |o| o.criteria.ignoring.no_ignore),
    ("--no-ignore --ignore", |o| !o.criteria.ignoring.no_ignore),
    ("--no-ignore-vcs", |o| o.criteria.ignoring.no_ignore_vcs),
    ("--no-ignore-vcs --ignore-vcs", |o| !o.criteria.ignoring.no_ignore_vcs),
    ("--no-require-git", |o| o.criteria.ignoring.no_require_git),
    ("--no-require-git --require-git", |o| !o.criteria.ignoring.no_require_git),
    ("--no-ignore-parent", |o| o.criteria.ignoring.no_ignore_parent),
    ("--no-ignore-parent --ignore-parent", |o| !o.criteria.ignoring.no_ignore_parent),
    ("--no-global-ignore-file", |o| o.criteria.ignoring.no_global_ignore_file),
    ("-u", |o| o.criteria.ignoring.hidden && o.criteria.ignoring.no_ignore),
    ("-uuu", |o| o.criteria.ignoring.hidden && o.criteria.ignoring.no_ignore),
    ("-u --no-hidden", |o| !o.criteria.ignoring.hidden && !o.criteria.ignoring.no_ignore),
    ("-u --ignore", |o| !o.criteria.ignoring.hidden && !o.criteria.ignoring.no_ignore),
    ("--no-hidden --ignore -u", |o| o.criteria.ignoring.hidden && o.criteria.ignoring.no_ignore),
    ("--unrestricted", |o| o.criteria.ignoring.hidden && o.criteria.ignoring.no_ignore),
    ("-E a --exclude b", |o| o.criteria.ignoring.exclude == ["a", "b"]),
    ("--exclude-regex ^a", |o| o.criteria.ignoring.exclude_regex == ["^a"]),
    ("--ignore-file x", |o| o.criteria.ignoring.ignore_files == [std::path::PathBuf::from("x")]),
    ("--ignore-contain x", |o| o.criteria.ignoring.ignore_contain == ["x"]),
];

pub(super) const FILTERING: super::tests::Cases = &[
    ("-t f -td --type=l", |o| {
        o.criteria.filtering.types == Types::of(&["file", "directory", "symlink"])
    }),
    ("-t dir -t pipe -t p", |o| o.criteria.filtering.types == Types::of(&["directory", "pipe"])),
    ("-tx -te", |o| o.criteria.filtering.types == Types::of(&["executable", "empty"])),
    ("-e rs --extension .toml", |o| o.criteria.filtering.extensions == ["rs", ".toml"]),
    ("-S +1k --size -2ki", |o| o.criteria.filtering.sizes.len() == 2),
    ("--changed-within 1d", |o| o.criteria.filtering.times.modified_after.as_deref() == Some("1d")),
    ("--newer 1d", |o| o.criteria.filtering.times.modified_after.is_some()),
    ("--change-newer-than 1d", |o| o.criteria.filtering.times.modified_after.is_some()),
    ("--changed-after 1d", |o| o.criteria.filtering.times.modified_after.is_some()),
    ("--changed-before 1d", |o| o.criteria.filtering.times.modified_before.is_some()),
    ("--older 1d", |o| o.criteria.filtering.times.modified_before.is_some()),
    ("--older-than 1d", |o| o.criteria.filtering.times.modified_before.is_some()),
    ("--change-older-than 1d", |o| o.criteria.filtering.times.modified_before.is_some()),
    ("--ctime-within 1d", |o| o.criteria.filtering.times.changed_after.is_some()),
    ("--ctime-before 1d", |o| o.criteria.filtering.times.changed_before.is_some()),
    ("--created-within 1d", |o| o.criteria.filtering.times.created_after.is_some()),
    ("--created-before 1d", |o| o.criteria.filtering.times.created_before.is_some()),
    ("-o 5:8", |o| o.criteria.filtering.owner.is_some()),
    ("--owner :", |o| o.criteria.filtering.owner.is_none()),
    ("--prune", |o| o.criteria.filtering.prune),
];
