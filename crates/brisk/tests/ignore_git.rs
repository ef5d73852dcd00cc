//! Ignore rules against git itself: in a repository to which nothing was added, a walk keeps the
//! files that `git ls-files --others --exclude-standard` lists.
//!
//! Left out, because versions of git differ: `**` beside other characters in a rule that looks at
//! paths. The module's documentation lists what differs from git.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use brisk::ignore::{GlobalRules, Hidden, Options, Rules};
use brisk::{
    Directory, Entry, Error, Fields, FileType, Flow, Needs, Order, Parallel, Select, Shape,
    Visitor, Walk,
};
use proptest::prelude::*;

const NAMES: &[&str] = &[
    "a", "b", "c", "foo", "bar", "a.rs", "b.log", "foo.txt", ".h", "build", "x y", "é", "A", "Foo",
    "]", "-", "!", "[ab", "{a,b}", "a\t", "foo\r", "foo\r ", "\\a", "z", "^",
];

const DIR_NAMES: &[&str] = &["a", "b", "foo", ".h"];

/// Rules whose meaning does not depend on their directory.
const NAME_RULES: &[&str] = &[
    "a",
    "b",
    "foo",
    "*.rs",
    "*.log",
    "foo/",
    "build/",
    "**/c",
    "*",
    "*o*",
    "f?o",
    "[ab]",
    "[!a]*",
    "[^a]*",
    "[a-c].rs",
    "!a",
    "!foo",
    "!*.rs",
    "!b/",
    "!.h",
    ".*",
    "!.*",
    "# c",
    "",
    "  ",
    "a ",
    "\\!a",
    "foo*",
    "**",
    "!**/",
    "a/",
    "x y",
    "x\\ y",
    "é",
    "\\a",
    "*/",
    "!*/",
    "[ab",
    "a]",
    "[]a]",
    "?",
    "??",
    "\\*",
    "\\#",
    "!#",
    "a\\ ",
    "foo\r",
    "!!a",
    "*.",
    ".",
    "!",
    "! ",
    "a\t",
    "foo\r\r",
    "foo\r ",
    "[[:alpha:]]",
    "[![:lower:]]*",
    "[[:alph:]]",
    "[[:alpha:]",
    "[\\]]",
    "[b-a]",
    "[a-b-z]",
    "[[:digit:]-z]",
    "[!]-]",
    "[!!]",
    "[!^]",
    "[^!]",
    "[[:punct:]]",
    "[\\[-\\]]",
    "{a,b}",
    "f{o,b}o",
    "**//",
    "a//",
    "a\\",
    "a\\\\",
    "a/ ",
    "foo[!x]bar",
    "[é]*",
    "[a-é]",
    "FOO",
    "[A]",
    "[F-G]oo",
    "***",
    "a\\/",
    "[--a]",
    "[a-]",
    "!{a,b}",
];

/// Parts of random rules.
const PARTS: &[&str] = &[
    "a",
    "b",
    "foo",
    "A",
    "o",
    ".",
    "*",
    "?",
    "[",
    "]",
    "!",
    "^",
    "-",
    "\\",
    "{",
    "}",
    ",",
    "#",
    " ",
    "\t",
    "\r",
    "é",
    "[a",
    "[!a-b]",
    "[[:alpha:]",
    "[:alpha:]",
    "[:",
    ":]",
    "[^]-a]",
    "[\\",
    "[b-a",
];

/// Rules that are relative to their directory.
const PATH_RULES: &[&str] = &[
    "/a",
    "/foo",
    "a/b",
    "foo/bar",
    "a/**",
    "**/foo/**",
    "a/**/b",
    "/*",
    "!/a",
    "/a/*",
    "!/a/b",
    "*/b",
    "/**",
    "**/a/b",
    "/foo/bar/",
    "foo/*",
    "!foo/bar",
    "c/**/",
    "//a",
    "a//b",
    "./a",
    "foo/**/",
    "/**/a",
    "**/**/a",
    "a/*/",
    "/",
    "..",
    "[a/]b",
    "**//a",
    "a/**//b",
    "/foo[!x]bar",
    "**/[[:upper:]]",
    "foo/[!a]*",
    "A/b",
    "***/b",
    "a/***",
    "\\a/b",
    "a\\/b",
    "{a,foo}/b",
];

/// How the repository's configuration names the user's own rules, which are in `glo bal` beside it.
/// `{}` is the directory of both.
const CONFIGURATIONS: &[&str] = &[
    "[core]\n\texcludesFile = {}/glo bal\n",
    "[Core]excludesfile={}/glo bal ; a comment\r\n",
    "[core]\nexcludesFile = {}/none\nEXCLUDESFILE = \"{}/glo bal\" # a comment\n",
    "[core \"x]\"]\nexcludesFile = {}/none\n[core]\n\texcludesFile = \\\n {}/\"glo\" bal\t\n",
    "[core]\n\texcludesFile = {}/glo bal\n[include]\n\tpath = none\n[core \"x\"] excludesFile = {}/none",
    "[core]\nexcludesFile = {}/none\n[include]\npath = \"../../included\"\n",
    "[core]\nexcludesFile = ../glo bal",
    "[core]\nexcludesFile =\n",
    "[core]\nexcludesFile = {}/glo\\bal\n",
];

/// The file that a configuration may include.
const INCLUDED: &str = "# a comment\n[core]\n\texcludesFile = {}/glo bal\n";

const CASES: &[&str] =
    &["", "ignorecase = false", "ignoreCase", "IgnoreCase = yes", "ignorecase = 1"];

/// A tree and its rules, by path relative to the repository's top.
#[derive(Clone, Debug)]
struct Case {
    files: Vec<PathBuf>,
    links: Vec<(PathBuf, &'static str)>,
    /// The contents of `.gitignore`, by directory.
    rules: Vec<(PathBuf, String)>,
    exclude: String,
    global: String,
    configuration: String,
}

fn any_case() -> impl Strategy<Value = Case> {
    let any_rules = |count| {
        prop::collection::vec(any_rule(), count).prop_map(|rules: Vec<String>| rules.join("\n"))
    };
    let ignore_case = prop::sample::select(CASES);
    let configuration = (ignore_case, prop::sample::select(CONFIGURATIONS))
        .prop_map(|(ignore_case, rest)| format!("[core]\n{ignore_case}\n{rest}"));
    (
        prop::collection::vec(any_path(), 10..60),
        prop::collection::vec((any_path(), prop::sample::select(NAMES)), 0..3),
        prop::collection::vec((any_dir(), any_rules(1..6)), 1..8),
        any_rules(0..4),
        any_rules(0..4),
        configuration,
    )
        .prop_map(|(files, links, rules, exclude, global, configuration)| Case {
            files,
            links,
            rules,
            exclude,
            global,
            configuration,
        })
}

/// A rule of the lists, or one of random parts.
fn any_rule() -> impl Strategy<Value = String> {
    let listed = prop::sample::select([NAME_RULES, PATH_RULES].concat()).prop_map(str::to_owned);
    let component = prop_oneof![
        4 => prop::collection::vec(prop::sample::select(PARTS), 1..5).prop_map(|parts| parts.concat()),
        1 => Just("**".to_owned()),
    ];
    let random = prop::collection::vec(component, 1..4).prop_map(|components| components.join("/"));
    let is_plain = |rule: &String| rule.split('/').all(|part| part == "**" || !part.contains("**"));
    prop_oneof![1 => listed, 1 => random.prop_filter("`**` beside others", is_plain)]
}

/// One of few directories, so that rules and files meet in them.
fn any_dir() -> impl Strategy<Value = PathBuf> {
    let name = prop::sample::select(DIR_NAMES);
    prop::collection::vec(name, 0..4).prop_map(|names| names.into_iter().collect())
}

fn any_path() -> impl Strategy<Value = PathBuf> {
    (any_dir(), prop::sample::select(NAMES)).prop_map(|(dir, name)| dir.join(name))
}

/// A repository in a temporary directory, with a home directory beside it.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Repository {
        let repository = Repository(tempfile::tempdir().expect("a temporary directory"));
        fs::create_dir_all(repository.top()).expect("a directory");
        repository.git(&repository.top(), &["init", "-q", "--template="]);
        repository
    }

    fn top(&self) -> PathBuf {
        self.0.path().join("top")
    }

    fn global(&self) -> PathBuf {
        self.0.path().join("glo bal")
    }

    /// Writes a file and the directories above it, unless another entry is in the way.
    fn write(&self, path: impl AsRef<Path>, content: &str) {
        let path = self.top().join(path);
        let parent = path.parent().expect("has a parent");
        if fs::create_dir_all(parent).is_ok() && !path.is_dir() {
            fs::write(&path, content).expect("a file");
        }
    }

    fn fill(&self, case: &Case) {
        for path in &case.files {
            self.write(path, "");
        }
        for (path, target) in &case.links {
            // A link whose place is taken is left out.
            let _ = std::os::unix::fs::symlink(target, self.top().join(path));
        }
        for (dir, rules) in &case.rules {
            if !self.top().join(dir).is_symlink() {
                self.write(dir.join(".gitignore"), rules);
            }
        }
        self.write(".git/info/exclude", &case.exclude);
        fs::write(self.global(), &case.global).expect("a file");
        let place = self.0.path();
        let filled = |text: &str| text.replace("{}", place.to_str().expect("UTF-8"));
        fs::write(place.join("included"), filled(INCLUDED)).expect("a file");
        let config = self.top().join(".git/config");
        let made = fs::read_to_string(&config).expect("git made the file");
        fs::write(config, made + &filled(&case.configuration)).expect("a file");
    }

    /// Runs git without any configuration of the machine.
    fn git(&self, dir: &Path, arguments: &[&str]) -> Vec<u8> {
        let output = Command::new("git")
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(arguments)
            .current_dir(dir)
            .output()
            .expect("git is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// The files that git does not ignore, relative to `dir`.
    fn listed_by_git(&self, dir: &Path) -> BTreeSet<PathBuf> {
        self.git(dir, &["ls-files", "--others", "--exclude-standard", "-z"])
            .split(|&byte| byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| PathBuf::from(OsStr::from_bytes(path)))
            .collect()
    }

    fn rules(&self, global: GlobalRules) -> Rules {
        let options =
            Options { hidden: Hidden::Kept, global, names: Vec::new(), ..Options::default() };
        Rules::new(options).expect("no overrides")
    }
}

/// Gathers the entries that the rules keep, without those in `.git`.
#[derive(Default)]
struct Kept {
    files: BTreeSet<PathBuf>,
    dirs: BTreeSet<PathBuf>,
    errors: Vec<Error>,
}

impl Kept {
    /// The files below `root` that are kept, relative to it: the same with one worker and with two.
    fn below(root: &Path, rules: &Rules) -> Kept {
        let walk = Walk::new(root).rules(rules.clone());
        let (kept, _) = walk.clone().order(Order::Sorted(Shape::Pre)).visit(Kept::default());
        let (parallel, _) = walk.threads(NonZeroUsize::new(2)).visit_parallel(Kept::default());
        assert_eq!(kept.files, parallel.files);
        assert!(kept.errors.is_empty(), "{:?}", kept.errors);
        let relative = |paths: BTreeSet<PathBuf>| {
            paths.iter().map(|path| path.strip_prefix(root).expect("below").to_owned()).collect()
        };
        Kept { files: relative(kept.files), dirs: relative(kept.dirs), ..parallel }
    }
}

impl Visitor for Kept {
    type State = ();

    fn needs(&self) -> Needs {
        Needs { malformed_rules: true, ..Needs::default() }
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        if entry.name() == b".git" { Select::Drop } else { Select::Take(Fields::empty()) }
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            match entry.file_type() {
                FileType::Directory => self.dirs.insert(entry.path()),
                _ => self.files.insert(entry.path()),
            };
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error);
        Flow::Continue
    }
}

impl Parallel for Kept {
    fn fork(&self, _: usize) -> Kept {
        Kept::default()
    }

    fn merge(&mut self, other: Kept) {
        self.files.extend(other.files);
        self.dirs.extend(other.dirs);
        self.errors.extend(other.errors);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_walk_keeps_what_git_lists(case in any_case()) {
        let repository = Repository::new();
        repository.fill(&case);
        let top = repository.top();
        let kept = Kept::below(&top, &repository.rules(GlobalRules::Configured));
        prop_assert_eq!(&kept.files, &repository.listed_by_git(&top));
        // From a directory that is kept (the first is the top), the walk sees the same part of the
        // tree as from above.
        for dir in kept.dirs.iter().skip(1).step_by(3) {
            let inner = Kept::below(&top.join(dir), &repository.rules(GlobalRules::Configured));
            let part = kept.files.iter().filter_map(|path| Some(path.strip_prefix(dir).ok()?.to_owned()));
            prop_assert_eq!(inner.files, part.collect());
        }
    }
}

#[test]
fn an_inner_repository_has_its_own_rules_alone() {
    let repository = Repository::new();
    let inner = repository.top().join("inner");
    for (path, content) in [
        (".gitignore", "outer\n"),
        (".git/info/exclude", "excluded\n"),
        ("outer", ""),
        ("inner/.gitignore", "own\n"),
        ("inner/outer", ""),
        ("inner/own", ""),
        ("inner/excluded", ""),
    ] {
        repository.write(path, content);
    }
    repository.git(&inner, &["init", "-q", "--template="]);
    let expected = repository.listed_by_git(&inner);
    assert_eq!(expected.len(), 3, "{expected:?}");
    assert_eq!(Kept::below(&inner, &repository.rules(GlobalRules::Off)).files, expected);
    let from_above = Kept::below(&repository.top(), &repository.rules(GlobalRules::Off)).files;
    let expected: BTreeSet<PathBuf> =
        expected.iter().map(|path| Path::new("inner").join(path)).collect();
    let part: BTreeSet<PathBuf> =
        from_above.into_iter().filter(|path| path.starts_with("inner")).collect();
    assert_eq!(part, expected);
}

/// A listing that does not fit into one buffer may show `.gitignore` last, after other entries were
/// delivered.
#[test]
fn rules_of_a_huge_directory_hold_for_all_its_entries() {
    let repository = Repository::new();
    for index in 0..4_000 {
        let name = format!(
            "{index:04}-a-name-that-is-long-enough-to-fill-the-buffer-with-few-of-its-kind"
        );
        repository.write(name, "");
    }
    repository.write(".gitignore", "*[13579]-a-name*\n");
    let kept = Kept::below(&repository.top(), &repository.rules(GlobalRules::Off)).files;
    assert_eq!(kept.len(), 2_001);
    assert_eq!(kept, repository.listed_by_git(&repository.top()));
}

#[test]
fn a_directory_that_contains_a_marker_is_ignored_itself_and_as_a_root() {
    let repository = Repository::new();
    for path in ["a/CACHEDIR.TAG", "a/x", "b/c/CACHEDIR.TAG", "b/c/x", "b/x", "CACHEDIR.TAGGED"] {
        repository.write(path, "");
    }
    let options = Options { contain: vec!["CACHEDIR.TAG".into()], ..Options::none() };
    let rules = Rules::new(options).expect("no overrides");
    let kept = Kept::below(&repository.top(), &rules);
    let expected = ["b/x", "CACHEDIR.TAGGED"].map(PathBuf::from);
    assert_eq!(kept.files, expected.into_iter().collect());
    assert!(!kept.dirs.contains(Path::new("b/c")));
    assert_eq!(Kept::below(&repository.top().join("a"), &rules).files, BTreeSet::new());
}
