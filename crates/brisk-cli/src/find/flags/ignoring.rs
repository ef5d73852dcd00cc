//! Flags that say what is left out: hidden files, ignore rules, exclusions.

use crate::common::options::Takes;
use crate::find::options::Flag;

pub(super) const FLAGS: &[Flag] = &[
Flag::new(
    "hidden",
    Takes::Switch(|options, on| options.ignoring.hidden = on),
    "List hidden files and directories too",
)
.short("H")
.inverse("no-hidden")
.doc(
    "List hidden files and directories too: those whose name begins with a dot. What ignore files \
      name is still left out. --no-hidden takes it back.",
),
Flag::new(
    "no-ignore",
    Takes::Switch(|options, on| options.ignoring.no_ignore = on),
    "Do not heed .gitignore, .ignore and .fdignore",
)
.short("I")
.inverse("ignore")
.doc(
    "List what .gitignore, .ignore, .fdignore, git's own exclude files or the global ignore file \
      name. --ignore takes it back.",
),
Flag::new(
    "no-ignore-vcs",
    Takes::Switch(|options, on| options.ignoring.no_ignore_vcs = on),
    "Do not heed .gitignore",
)
.inverse("ignore-vcs")
.only_in_long_help()
.doc("List what .gitignore and git's own exclude files name. --ignore-vcs takes it back."),
Flag::new(
    "no-require-git",
    Takes::Switch(|options, on| options.ignoring.no_require_git = on),
    "Heed .gitignore outside of git repositories too",
)
.inverse("require-git")
.overrides(&["require-git"])
.only_in_long_help()
.doc(
    "Heed .gitignore and the global gitignore file everywhere. By default they apply only inside \
     a git repository. --require-git takes it back.",
),
Flag::new(
    "no-ignore-parent",
    Takes::Switch(|options, on| options.ignoring.no_ignore_parent = on),
    "Do not heed ignore files in parent directories",
)
.inverse("ignore-parent")
.only_in_long_help()
.doc(
    "Do not heed ignore files in directories above the search path. --ignore-parent takes it back.",
),
Flag::new(
    "no-global-ignore-file",
    Takes::Switch(|options, on| options.ignoring.no_global_ignore_file = on),
    "Do not heed the global ignore file",
)
.hidden(),
Flag::new(
    "unrestricted",
    Takes::Nothing(|options| {
        options.ignoring.hidden = true;
        options.ignoring.no_ignore = true;
    }),
    "List everything: the same as --no-ignore --hidden",
)
.short("u")
.overrides(&["ignore", "no-hidden"])
.doc(
    "List everything: the same as --no-ignore --hidden. A later --no-hidden or --ignore takes it \
    back. Giving it twice changes nothing.",
)
.adds_up(),
Flag::new(
    "exclude",
    Takes::Text("glob", |options, glob| options.ignoring.exclude.push(glob)),
    "Leave out entries that match the glob",
)
.short("E")
.doc(
    "Leave out entries that match the glob, and do not enter such directories. Stronger than any \
      ignore rule. May be given several times.\n\nExamples:\n  --exclude '*.pyc'\n  --exclude \
      node_modules",
)
.adds_up(),
Flag::new(
    "exclude-regex",
    Takes::Text("regex", |options, regex| options.ignoring.exclude_regex.push(regex)),
    "Leave out entries whose path matches the regular expression",
)
.hyphens()
.only_in_long_help()
.doc(
    "Leave out entries whose path below the search path ('src/main.rs') matches the regular \
      expression anywhere, and do not enter such directories. Case counts as for the pattern. May \
      be given several times.",
)
.adds_up(),
Flag::new(
    "ignore-file",
    Takes::Path("path", |options, path| options.ignoring.ignore_files.push(path)),
    "Heed this file too, in .gitignore format",
)
.only_in_long_help()
.doc("Heed this file too, in .gitignore format. Its rules are weaker than all others.")
.adds_up(),
Flag::new(
    "ignore-contain",
    Takes::Text("name", |options, name| options.ignoring.ignore_contain.push(name)),
    "Leave out directories that contain the named entry",
)
.only_in_long_help()
.doc(
    "Leave out directories that contain the named entry, for example CACHEDIR.TAG. Costs one statx \
      a directory and name.",
)
.adds_up(),
];

#[cfg(test)]
pub(super) const CASES: super::tests::Cases = &[
    ("-H", |o| o.ignoring.hidden),
    ("--hidden --no-hidden", |o| !o.ignoring.hidden),
    ("--no-hidden -H", |o| o.ignoring.hidden),
    ("-I", |o| o.ignoring.no_ignore),
    ("--no-ignore --ignore", |o| !o.ignoring.no_ignore),
    ("--no-ignore-vcs", |o| o.ignoring.no_ignore_vcs),
    ("--no-ignore-vcs --ignore-vcs", |o| !o.ignoring.no_ignore_vcs),
    ("--no-require-git", |o| o.ignoring.no_require_git),
    ("--no-require-git --require-git", |o| !o.ignoring.no_require_git),
    ("--no-ignore-parent", |o| o.ignoring.no_ignore_parent),
    ("--no-ignore-parent --ignore-parent", |o| !o.ignoring.no_ignore_parent),
    ("--no-global-ignore-file", |o| o.ignoring.no_global_ignore_file),
    ("-u", |o| o.ignoring.hidden && o.ignoring.no_ignore),
    ("-uuu", |o| o.ignoring.hidden && o.ignoring.no_ignore),
    ("-u --no-hidden", |o| !o.ignoring.hidden && !o.ignoring.no_ignore),
    ("-u --ignore", |o| !o.ignoring.hidden && !o.ignoring.no_ignore),
    ("--no-hidden --ignore -u", |o| o.ignoring.hidden && o.ignoring.no_ignore),
    ("--unrestricted", |o| o.ignoring.hidden && o.ignoring.no_ignore),
    ("-E a --exclude b", |o| o.ignoring.exclude == ["a", "b"]),
    ("--exclude-regex ^a", |o| o.ignoring.exclude_regex == ["^a"]),
    ("--ignore-file x", |o| o.ignoring.ignore_files == [std::path::PathBuf::from("x")]),
    ("--ignore-contain x", |o| o.ignoring.ignore_contain == ["x"]),
];
