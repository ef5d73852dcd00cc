//! [`Options`]: the settings and file names from which [`Rules`](super::Rules) are compiled.

use std::ffi::OsString;
use std::path::PathBuf;

/// Which rules apply. The default is what a user of `fd` or `rg` expects, without names that belong
/// to one tool: hidden entries out, git's rules inside repositories, `.ignore` files everywhere.
///
/// ```
/// use brisk::ignore::{Hidden, Options};
///
/// let options = Options {
///     hidden: Hidden::Kept,
///     names: vec![".ignore".into(), ".fdignore".into()],
///     overrides: vec!["!*.bak".into()],
///     ..Options::default()
/// };
/// assert_eq!(options.names.len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether hidden entries are ignored.
    pub hidden: Hidden,
    /// Where `.gitignore` and `.git/info/exclude` count.
    pub git: GitRules,
    /// The user's own gitignore file; it counts where git's rules do.
    pub global: GlobalRules,
    /// Whether rules of the directories above a root apply to it.
    pub parents: Parents,
    /// Names of files that hold rules in any directory, such as `.ignore`; the later a name comes
    /// here, the higher its rank. All of them outrank git's rules.
    pub names: Vec<OsString>,
    /// Further files of rules, matched relative to the current directory. The lowest rank of all
    /// rules; of two such files the later one wins.
    pub files: Vec<PathBuf>,
    /// Globs that beat every rule. `!glob` ignores entries that match. A glob without `!` brings
    /// matching entries back; if there is one, files that match none of the globs are ignored. A glob
    /// with a slash is compared with the path below the root; one that begins with a slash also with
    /// the absolute path.
    pub overrides: Vec<String>,
    /// A directory that contains an entry of one of these names is ignored, roots included.
    pub contain: Vec<OsString>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hidden: Hidden::Ignored,
            git: GitRules::InRepositories,
            global: GlobalRules::Configured,
            parents: Parents::Apply,
            names: vec![".ignore".into()],
            ..Options::none()
        }
    }
}

impl Options {
    /// Nothing is ignored.
    #[must_use]
    pub fn none() -> Options {
        Options {
            hidden: Hidden::Kept,
            git: GitRules::Off,
            global: GlobalRules::Off,
            parents: Parents::Off,
            names: Vec::new(),
            files: Vec::new(),
            overrides: Vec::new(),
            contain: Vec::new(),
        }
    }
}

/// Whether hidden entries that no rule matches are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// They are ignored; a `!rule` brings them back.
    Ignored,
    /// They are not ignored.
    Kept,
}

/// Where `.gitignore` and `.git/info/exclude` count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitRules {
    /// Nowhere: these files are not looked for.
    Off,
    /// At and below a directory that holds `.git` (a directory, or a file as in worktrees and
    /// submodules) or `.jj`. The rules of an outer repository end where an inner one begins.
    InRepositories,
    /// Everywhere, whether there is a repository or not. Repositories are no boundary then.
    Everywhere,
}

/// The user's own gitignore file, below all other git rules. Its anchored rules hold for the top of
/// each repository, or, with [`GitRules::Everywhere`], for the current directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GlobalRules {
    /// None.
    Off,
    /// The file that git is configured to use in a repository: `core.excludesFile`, else
    /// `$XDG_CONFIG_HOME/git/ignore`, else `~/.config/git/ignore`. The user's configuration is read
    /// once, when the first repository is met.
    Configured,
    /// This file.
    File(PathBuf),
}

/// Whether rules of the directories above a root apply to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parents {
    /// They do.
    Apply,
    /// They do not. Whether a root is inside a repository counts all the same.
    Off,
}
