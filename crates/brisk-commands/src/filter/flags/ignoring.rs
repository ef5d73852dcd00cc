//! Flags that say what is left out: hidden files, ignore rules, exclusions.

use super::Selects;
use crate::front::Flag;

impl<O: Selects> Flag<O> {
    /// What becomes of hidden and ignored files. The help of each command says what it does by
    /// default.
    pub(crate) fn hiding() -> Vec<Self> {
        vec![
            Self::switch("hidden", |options, on| options.ignoring().hidden = on)
                .brief("Include hidden entries; --no-hidden leaves them out")
                .short(Self::letter("H"))
                .inverse("no-hidden")
                .doc(
                    "Include hidden files and directories: those whose names begin with a dot. \
                     This does not include files that ignore rules exclude.",
                ),
            Self::switch("no-ignore", |options, on| options.ignoring().no_ignore = on)
            .brief("Include what ignore files exclude; --ignore leaves it out")
            .short(Self::letter("I"))
            .inverse("ignore")
            .doc(
                "Include files even if .gitignore, .ignore, .fdignore, git's own exclude files or \
                 the global ignore file exclude them.",
            ),
            Self::on("unrestricted", |options| {
                options.ignoring().hidden = true;
                options.ignoring().no_ignore = true;
            })
            .brief("Include everything: the same as --hidden --no-ignore")
            .short(Self::letter("u"))
            .overrides("ignore no-hidden")
            .doc(
                "Include everything: the same as --hidden --no-ignore. A later --no-hidden or \
                 --ignore undoes it.",
            )
            .adds_up(),
        ]
    }

    /// Flags that choose among ignore rules.
    pub(crate) fn ignoring() -> Vec<Self> {
        vec![
            Self::switch("no-ignore-vcs", |options, on| options.ignoring().no_ignore_vcs = on)
                .rare("Do not obey .gitignore or git's own exclude files")
                .inverse("ignore-vcs"),
            Self::switch("no-require-git", |options, on| options.ignoring().no_require_git = on)
                .rare("Obey .gitignore outside git repositories too")
                .inverse("require-git")
                .overrides("require-git"),
            Self::switch("no-ignore-parent", |options, on| {
                options.ignoring().no_ignore_parent = on
            })
            .rare("Do not obey ignore files in directories above the search path")
            .inverse("ignore-parent"),
            Self::switch("no-global-ignore-file", |options, on| {
                options.ignoring().no_global_ignore_file = on
            })
            .brief("Do not obey the global ignore file")
            .hidden(),
        ]
    }

    /// Flags that leave out what they name.
    pub(crate) fn excluding() -> Vec<Self> {
        vec![
            Self::text("exclude", "glob", |options, glob| options.ignoring().exclude.push(glob))
            .brief("Leave out entries that match this glob")
            .short("E")
            .doc(
                "Leave out entries that match this glob, and do not enter directories that match \
                 it. A glob with a slash is compared with the entry's path below each search path, \
                 and with its path relative to the current directory. No ignore rule can include \
                 such an entry again. May be given several times.\n\nExamples:\n  \
                 --exclude '*.pyc'\n  --exclude node_modules",
            )
            .adds_up(),
            Self::text("exclude-regex", "regex", |options, regex| options.ignoring().exclude_regex.push(regex))
            .rare("Leave out entries whose path matches this regular expression")
            .hyphens()
            .doc(
                "Leave out entries whose path matches this regular expression anywhere, and do not \
                 enter directories that match it. The path is the one below the search path, such \
                 as 'src/main.rs'. Case matters as it does for the pattern. May be given several \
                 times.",
            )
            .adds_up(),
            Self::path("ignore-file", "path", |options, path| options.ignoring().ignore_files.push(path))
            .rare("Obey this file too, in the format of .gitignore; every other rule overrides it")
            .adds_up(),
            Self::text("ignore-contain", "name", |options, name| options.ignoring().ignore_contain.push(name))
            .rare("Leave out directories that contain an entry of this name")
            .doc(
                "Leave out directories that contain an entry of this name, for example \
                 CACHEDIR.TAG. Costs one statx per directory and name.",
            )
            .adds_up(),
        ]
    }
}
