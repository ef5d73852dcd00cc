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
        "List hidden files and directories too: those whose names begin with a dot. Files that \
             ignore rules exclude are still left out. --no-hidden undoes this option.",
    ),
    Flag::new(
        "no-ignore",
        Takes::Switch(|options, on| options.ignoring.no_ignore = on),
        "Do not obey .gitignore, .ignore and .fdignore",
    )
    .short("I")
    .inverse("ignore")
    .doc(
        "List files even if .gitignore, .ignore, .fdignore, git's own exclude files or the \
             global ignore file exclude them. --ignore undoes this option.",
    ),
    Flag::new(
        "no-ignore-vcs",
        Takes::Switch(|options, on| options.ignoring.no_ignore_vcs = on),
        "Do not obey .gitignore",
    )
    .inverse("ignore-vcs")
    .only_in_long_help()
    .doc(
        "List files even if .gitignore or git's own exclude files exclude them. --ignore-vcs \
             undoes this option.",
    ),
    Flag::new(
        "no-require-git",
        Takes::Switch(|options, on| options.ignoring.no_require_git = on),
        "Obey .gitignore outside git repositories too",
    )
    .inverse("require-git")
    .overrides(&["require-git"])
    .only_in_long_help()
    .doc(
        "Obey .gitignore and the global gitignore file everywhere. By default they apply only \
             inside a git repository. --require-git undoes this option.",
    ),
    Flag::new(
        "no-ignore-parent",
        Takes::Switch(|options, on| options.ignoring.no_ignore_parent = on),
        "Do not obey ignore files in parent directories",
    )
    .inverse("ignore-parent")
    .only_in_long_help()
    .doc(
        "Do not obey ignore files in directories above the search path. --ignore-parent undoes \
             this option.",
    ),
    Flag::new(
        "no-global-ignore-file",
        Takes::Switch(|options, on| options.ignoring.no_global_ignore_file = on),
        "Do not obey the global ignore file",
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
        "List everything: the same as --no-ignore --hidden. A later --no-hidden or --ignore \
             undoes it. Giving it twice changes nothing.",
    )
    .adds_up(),
    Flag::new(
        "exclude",
        Takes::Text("glob", |options, glob| options.ignoring.exclude.push(glob)),
        "Leave out entries that match this glob",
    )
    .short("E")
    .doc(
        "Leave out entries that match this glob, and do not enter directories that match it. \
             No ignore rule can take this back. May be given several times.\n\nExamples:\n  \
             --exclude '*.pyc'\n  --exclude node_modules",
    )
    .adds_up(),
    Flag::new(
        "exclude-regex",
        Takes::Text("regex", |options, regex| options.ignoring.exclude_regex.push(regex)),
        "Leave out entries whose path matches this regular expression",
    )
    .hyphens()
    .only_in_long_help()
    .doc(
        "Leave out entries whose path matches this regular expression anywhere, and do not \
             enter directories that match it. The path is the one below the search path, such as \
             'src/main.rs'. Case is treated as for the pattern. May be given several times.",
    )
    .adds_up(),
    Flag::new(
        "ignore-file",
        Takes::Path("path", |options, path| options.ignoring.ignore_files.push(path)),
        "Obey this file too, in the format of .gitignore",
    )
    .only_in_long_help()
    .doc(
        "Obey this file too, in the format of .gitignore. Every other rule overrides its \
             rules.",
    )
    .adds_up(),
    Flag::new(
        "ignore-contain",
        Takes::Text("name", |options, name| options.ignoring.ignore_contain.push(name)),
        "Leave out directories that contain an entry of this name",
    )
    .only_in_long_help()
    .doc(
        "Leave out directories that contain an entry of this name, for example CACHEDIR.TAG. \
             Costs one statx per directory and name.",
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
