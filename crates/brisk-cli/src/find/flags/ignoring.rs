//! Flags that say what is left out: hidden files, ignore rules, exclusions.

use std::path::PathBuf;

use super::{Flag, Kind};

/// What is left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ignoring {
    /// Whether hidden entries are listed.
    pub(crate) hidden: bool,
    /// Whether all ignore files are disregarded.
    pub(crate) no_ignore: bool,
    /// Whether git's ignore files are disregarded.
    pub(crate) no_ignore_vcs: bool,
    /// Whether git's ignore files apply outside of repositories too.
    pub(crate) no_require_git: bool,
    /// Whether ignore files above the search path are disregarded.
    pub(crate) no_ignore_parent: bool,
    /// Whether the user's own ignore file is disregarded.
    pub(crate) no_global_ignore_file: bool,
    /// Globs of what is left out, whatever the other rules say.
    pub(crate) exclude: Vec<String>,
    /// Regular expressions of paths below the search path that are left out likewise.
    pub(crate) exclude_regex: Vec<String>,
    /// Further ignore files, weaker than all others.
    pub(crate) ignore_files: Vec<PathBuf>,
    /// Names: a directory that contains one of them is left out.
    pub(crate) ignore_contain: Vec<String>,
}

pub(super) const FLAGS: &[Flag] = &[
    HIDDEN,
    NO_IGNORE,
    NO_IGNORE_VCS,
    NO_REQUIRE_GIT,
    NO_IGNORE_PARENT,
    NO_GLOBAL_IGNORE_FILE,
    UNRESTRICTED,
    EXCLUDE,
    EXCLUDE_REGEX,
    IGNORE_FILE,
    IGNORE_CONTAIN,
];

const HIDDEN: Flag = Flag::new(
    "hidden",
    Kind::Switch(|options, on| options.ignoring.hidden = on),
    "List hidden files and directories too",
)
.short('H')
.inverse("no-hidden")
.doc(
    "List hidden files and directories too: those whose name begins with a dot. What ignore files \
      name is still left out. --no-hidden takes it back.",
);

const NO_IGNORE: Flag = Flag::new(
    "no-ignore",
    Kind::Switch(|options, on| options.ignoring.no_ignore = on),
    "Do not heed .gitignore, .ignore and .fdignore",
)
.short('I')
.inverse("ignore")
.doc(
    "List what .gitignore, .ignore, .fdignore, git's own exclude files or the global ignore file \
      name. --ignore takes it back.",
);

const NO_IGNORE_VCS: Flag = Flag::new(
    "no-ignore-vcs",
    Kind::Switch(|options, on| options.ignoring.no_ignore_vcs = on),
    "Do not heed .gitignore",
)
.inverse("ignore-vcs")
.only_in_long_help()
.doc("List what .gitignore and git's own exclude files name. --ignore-vcs takes it back.");

const NO_REQUIRE_GIT: Flag = Flag::new(
    "no-require-git",
    Kind::Switch(|options, on| options.ignoring.no_require_git = on),
    "Heed .gitignore outside of git repositories too",
)
.inverse("require-git")
.overrides(&["require-git"])
.only_in_long_help()
.doc(
    "Heed .gitignore and the global gitignore file everywhere. By default they apply only inside \
     a git repository. --require-git takes it back.",
);

const NO_IGNORE_PARENT: Flag = Flag::new(
    "no-ignore-parent",
    Kind::Switch(|options, on| options.ignoring.no_ignore_parent = on),
    "Do not heed ignore files in parent directories",
)
.inverse("ignore-parent")
.only_in_long_help()
.doc(
    "Do not heed ignore files in directories above the search path. --ignore-parent takes it back.",
);

const NO_GLOBAL_IGNORE_FILE: Flag = Flag::new(
    "no-global-ignore-file",
    Kind::Switch(|options, on| options.ignoring.no_global_ignore_file = on),
    "Do not heed the global ignore file",
)
.hidden();

const UNRESTRICTED: Flag = Flag::new(
    "unrestricted",
    Kind::Repeatable(|options| {
        options.ignoring.hidden = true;
        options.ignoring.no_ignore = true;
    }),
    "List everything: the same as --no-ignore --hidden",
)
.short('u')
.overrides(&["ignore", "no-hidden"])
.doc(
    "List everything: the same as --no-ignore --hidden. A later --no-hidden or --ignore takes it \
    back. Giving it twice changes nothing.",
);

const EXCLUDE: Flag = Flag::new(
    "exclude",
    Kind::Texts {
        value: "glob",
        set: |options, glob| {
            options.ignoring.exclude.push(glob.to_owned());
            Ok(())
        },
    },
    "Leave out entries that match the glob",
)
.short('E')
.doc(
    "Leave out entries that match the glob, and do not enter such directories. Stronger than any \
      ignore rule. May be given several times.\n\nExamples:\n  --exclude '*.pyc'\n  --exclude \
      node_modules",
);

const EXCLUDE_REGEX: Flag = Flag::new(
    "exclude-regex",
    Kind::Texts {
        value: "regex",
        set: |options, regex| {
            options.ignoring.exclude_regex.push(regex.to_owned());
            Ok(())
        },
    },
    "Leave out entries whose path matches the regular expression",
)
.hyphens()
.only_in_long_help()
.doc(
    "Leave out entries whose path below the search path ('src/main.rs') matches the regular \
      expression anywhere, and do not enter such directories. Case counts as for the pattern. May \
      be given several times.",
);

const IGNORE_FILE: Flag = Flag::new(
    "ignore-file",
    Kind::Paths {
        value: "path",
        set: |options, path| options.ignoring.ignore_files.push(path.to_owned()),
    },
    "Heed this file too, in .gitignore format",
)
.only_in_long_help()
.doc("Heed this file too, in .gitignore format. Its rules are weaker than all others.");

const IGNORE_CONTAIN: Flag = Flag::new(
    "ignore-contain",
    Kind::Texts {
        value: "name",
        set: |options, name| {
            options.ignoring.ignore_contain.push(name.to_owned());
            Ok(())
        },
    },
    "Leave out directories that contain the named entry",
)
.only_in_long_help()
.doc(
    "Leave out directories that contain the named entry, for example CACHEDIR.TAG. Costs one statx \
      a directory and name.",
);

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
    ("--ignore-file x", |o| o.ignoring.ignore_files == [PathBuf::from("x")]),
    ("--ignore-contain x", |o| o.ignoring.ignore_contain == ["x"]),
];
