//! Git's configuration says which file holds the user's own rules, and whether case counts: in all
//! the places where git looks, and with what git lists as the oracle.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::{Scratch, brisk, stderr, stdout};

/// A repository `t`, and a home with files of rules: `rules1` ignores `x1` and `/y1`, and so on.
struct Repository(Scratch);

/// What a case adds: variables, and files. In both, `{}` is the scratch directory.
type Added<'a> = &'a [(&'a str, &'a str)];

const NAMES: [&str; 9] = ["x1", "x2", "x3", "y1", "y2", "y3", "X1", "X2", "X3"];

impl Repository {
    fn new(files: Added<'_>, init: &[&str]) -> Repository {
        let repository = Repository(Scratch::new());
        for name in NAMES {
            for dir in ["t", "t/sub"] {
                repository.write(&format!("{dir}/{name}"), "");
            }
        }
        for (at, number) in [("home/rules1", 1), ("home/rules2", 2), ("home/.config/git/ignore", 3)]
        {
            repository.write(at, &format!("x{number}\n/y{number}\n"));
        }
        let made = repository.command("git", &[]).args(init).arg("t").output().unwrap();
        assert!(made.status.success(), "{}", stderr(&made));
        for (path, content) in files {
            repository.write(path, content);
        }
        repository
    }

    fn filled(&self, text: &str) -> String {
        text.replace("{}", self.0.path("").to_str().unwrap())
    }

    /// Appends, because git itself has written `.git/config`.
    fn write(&self, path: &str, content: &str) {
        let before = fs::read_to_string(self.0.path(path)).unwrap_or_default();
        self.0.write(path, &(before + &self.filled(content)));
    }

    fn command(&self, program: &str, variables: Added<'_>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.0.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.0.path("home")).env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.envs(variables.iter().map(|(name, value)| (name, self.filled(value))));
        command
    }

    /// The files in a directory that git and brisk list, by their paths in it.
    fn compare(&self, what: &str, variables: Added<'_>, at: &str) {
        let words = ["ls-files", "--others", "--exclude-standard"];
        let mut git = self.command("git", variables);
        let git = git.args(words).current_dir(self.0.path(at)).output().unwrap();
        assert!(git.status.success(), "{what}: {}", stderr(&git));
        for (cwd, root) in [(at, "."), ("", at)] {
            let mut find = self.command(brisk(), variables);
            find.args(["find", "--no-config", "-Htf", "-E.git", ".", root]);
            let found = find.current_dir(self.0.path(cwd)).output().unwrap();
            assert_eq!(stderr(&found), "", "{what}");
            let found = stdout(&found);
            let found = found.lines().map(|line| Path::new(line).strip_prefix(root).unwrap());
            let found: BTreeSet<&Path> = found.collect();
            let wanted = stdout(&git);
            let wanted: BTreeSet<&Path> = wanted.lines().map(Path::new).collect();
            assert_eq!(found, wanted, "{what}: {root} in {cwd:?}");
        }
    }
}

/// (what, variables, files)
const CASES: &[(&str, Added<'_>, Added<'_>)] = &[
    ("the default", &[], &[]),
    ("the user's", &[], &[("home/.gitconfig", "[core]\nexcludesFile = ~/rules1")]),
    (
        "~/.gitconfig beats XDG",
        &[],
        &[
            ("home/.gitconfig", "[core]excludesFile = ~/rules1 # a comment"),
            ("home/.config/git/config", "[core]\nexcludesFile = ~/rules2"),
        ],
    ),
    (
        "the system's",
        &[("GIT_CONFIG_SYSTEM", "{}/system")],
        &[("system", "[core]\nexcludesFile = {}/home/rules1")],
    ),
    (
        "not the system's",
        &[("GIT_CONFIG_SYSTEM", "{}/system"), ("GIT_CONFIG_NOSYSTEM", "yes")],
        &[("system", "[core]\nexcludesFile = {}/home/rules1")],
    ),
    (
        "a global one instead of the user's",
        &[("GIT_CONFIG_GLOBAL", "{}/global")],
        &[("global", "[core]"), ("home/.gitconfig", "[core]\nexcludesFile = ~/rules2")],
    ),
    (
        "none instead of the user's",
        &[("GIT_CONFIG_GLOBAL", "")],
        &[("home/.gitconfig", "[core]\nexcludesFile = ~/rules2")],
    ),
    (
        "includes",
        &[],
        &[
            ("home/.gitconfig", "[core]\nexcludesFile = ~/rules2\n[include]\npath = inc/a"),
            ("home/inc/a", "[include]\npath = ../b\npath = none"),
            ("home/b", "[core]\nexcludesFile = ~/rules1\nignoreCase"),
        ],
    ),
    (
        "the repository's beats the user's",
        &[],
        &[
            ("home/.gitconfig", "[core]\nignorecase = true\nexcludesFile = ~/rules2"),
            ("t/.git/config", "[core]\nignorecase = no\nexcludesFile = \"{}/home/rules1\""),
        ],
    ),
    ("a relative path", &[], &[("t/.git/config", "[core]\nexcludesFile = ../home/rules1")]),
    ("an empty path", &[], &[("home/.gitconfig", "[core]\nexcludesFile = \n")]),
    (
        "the environment beats all",
        &[
            ("GIT_CONFIG_COUNT", "3"),
            ("GIT_CONFIG_KEY_0", "core.excludesFile"),
            ("GIT_CONFIG_VALUE_0", "{}/home/rules1"),
            ("GIT_CONFIG_KEY_1", "Core.ignorecase"),
            ("GIT_CONFIG_VALUE_1", "true"),
            ("GIT_CONFIG_KEY_2", "core.x.excludesFile"),
            ("GIT_CONFIG_VALUE_2", "{}/none"),
        ],
        &[
            ("home/.gitconfig", "[core]\nexcludesFile = ~/rules2"),
            ("t/.git/config", "[core]\nignorecase = false\nexcludesFile = {}/home/rules2"),
        ],
    ),
    ("case", &[], &[("home/.gitconfig", "[core]\nignoreCase = on")]),
    (
        "case in .gitignore",
        &[],
        &[("t/.git/config", "[core]\nignorecase = 1"), ("t/.gitignore", "X1")],
    ),
];

#[test]
fn the_users_rules_are_those_that_git_uses() {
    for (what, variables, files) in CASES {
        let repository = Repository::new(files, &["init", "-q", "--template="]);
        repository.compare(what, variables, "t");
        repository.compare(what, variables, "t/sub");
    }
}

#[test]
fn a_worktrees_configuration_is_its_repositorys() {
    let files = [("git/config", "[core]\nexcludesFile = ~/rules1\nignoreCase = true\n")];
    let init = ["init", "-q", "--template=", "--separate-git-dir=git"];
    let repository = Repository::new(&files, &init);
    repository.compare("a .git file", &[], "t");
}

/// Git refuses such a file.
#[test]
fn a_file_that_includes_itself_is_not_read_for_ever() {
    let files = [("home/.gitconfig", "[include]\npath = .gitconfig\npath = .gitconfig\n")];
    let repository = Repository::new(&files, &["init", "-q", "--template="]);
    let words = ["strace", "-f", "-e", "trace=open,openat", brisk(), "find", "x1"];
    let output = repository
        .command(words[0], &[])
        .args(&words[1..])
        .current_dir(repository.0.path("t"))
        .output();
    let told = stderr(&output.unwrap());
    let reads = told.lines().filter(|line| line.contains(".gitconfig")).count();
    assert!((1..=202).contains(&reads), "{reads}");
}
