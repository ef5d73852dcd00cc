//! Rules on real directories, walked by a few lines of `std::fs`: table-driven, without the engine.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};

use brisk_sys::paths::{bytes_to_path, with_slashes};
use brisk_sys::{Buffer, FileType};

use super::step::{RuleSource, RuleSteps, View};
use super::*;

/// A temporary directory with files: `("path", "content")`, or `("path/", "")` for a directory.
struct TempTree(tempfile::TempDir);

impl TempTree {
    fn new(files: &[(&str, &str)]) -> TempTree {
        let tree = TempTree(tempfile::tempdir().expect("a temporary directory"));
        for (path, content) in files {
            let path = tree.path(path);
            let dir = if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                Some(path.as_path())
            } else {
                path.parent()
            };
            fs::create_dir_all(dir.expect("has a parent")).expect("a directory");
            if !path.is_dir() {
                fs::write(&path, content).expect("a file");
            }
        }
        tree
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    /// The files and directories below `root` that the rules leave, relative to it; the errors.
    fn walk(&self, options: Options, root: &str) -> (Vec<String>, Vec<Error>) {
        let rules = Rules::new(options).expect("valid overrides");
        let mut walk =
            RuleWalk { root: self.path(root), kept: BTreeSet::new(), errors: Vec::new() };
        let mut prefix = with_slashes(&walk.root);
        if prefix.last() != Some(&b'/') {
            prefix.push(b'/');
        }
        walk.dir(&rules.top(), &prefix, 0, true);
        (walk.kept.into_iter().collect(), walk.errors)
    }
}

/// Makes a link, on systems where every user may; `false` on others.
#[cfg(unix)]
fn link(target: &Path, place: &Path) -> bool {
    std::os::unix::fs::symlink(target, place).expect("a link");
    true
}

#[cfg(not(unix))]
fn link(_target: &Path, _place: &Path) -> bool {
    false
}

/// The level of a directory in this one, whose listing begins with these names.
fn entered(
    above: &Level,
    prefix: &[u8],
    depth: usize,
    names: &[CString],
    is_complete: bool,
    errors: &mut Vec<Error>,
) -> Level {
    let mut level = if depth == 0 { above.at_root(prefix, None, errors) } else { above.clone() };
    let mut listed = Buffer::with_capacity(1 << 16);
    for name in names {
        assert!(listed.push_remembered(1, FileType::Unknown, name.to_bytes()), "a record");
    }
    let seen = level.0.shared.look_through(listed.entries(), is_complete);
    level.take_in(Here { prefix, handle: None, depth, seen }, errors);
    level
}

struct RuleWalk {
    root: PathBuf,
    kept: BTreeSet<String>,
    errors: Vec<Error>,
}

impl RuleWalk {
    fn dir(&mut self, level: &Level, prefix: &[u8], depth: usize, is_complete: bool) {
        let entries: Vec<fs::DirEntry> =
            fs::read_dir(bytes_to_path(prefix)).expect("listable").map(Result::unwrap).collect();
        let names: Vec<CString> = entries
            .iter()
            .map(|entry| CString::new(entry.file_name().into_encoded_bytes()).expect("no NUL"))
            .collect();
        // An incomplete listing shows no name at all here.
        let shown = if is_complete { &names[..] } else { &[] };
        let level = entered(level, prefix, depth, shown, is_complete, &mut self.errors);
        for (entry, name) in entries.iter().zip(&names) {
            let is_dir = entry.file_type().expect("a type").is_dir();
            let hidden = name.to_bytes().starts_with(b".");
            if level.0.ignores(prefix, name.to_bytes(), is_dir, hidden) {
                continue;
            }
            let relative = entry.path().strip_prefix(&self.root).expect("below").to_owned();
            self.kept.insert(relative.into_os_string().into_string().expect("UTF-8"));
            if is_dir {
                let below = [prefix, name.to_bytes(), b"/"].concat();
                self.dir(&level, &below, depth + 1, is_complete);
            }
        }
    }
}

/// The rules that `fd` asks for, without the hidden filter and without the machine's configuration.
fn fd() -> Options {
    Options {
        hidden: Hidden::Kept,
        global: GlobalRules::Off,
        names: vec![".ignore".into(), ".fdignore".into()],
        ..Options::default()
    }
}

/// Of the files called `x…` below `root`, those that are left.
fn left(tree: &TempTree, options: Options, root: &str) -> String {
    let (kept, errors) = tree.walk(options, root);
    assert!(errors.is_empty(), "{errors:?}");
    let is_x = |path: &String| {
        Path::new(path).file_name().is_some_and(|n| n.as_encoded_bytes()[0] == b'x')
    };
    kept.into_iter().filter(is_x).collect::<Vec<_>>().join(" ")
}

/// Each kind of rule, in the order of precedence, at two depths, against each other.
#[test]
fn kind_beats_depth_and_depth_decides_within_a_kind() {
    // Highest rank first. The last two are files named in the options, the later one first.
    let places = [
        "d/.fdignore",
        ".fdignore",
        "d/.ignore",
        ".ignore",
        "d/.gitignore",
        ".gitignore",
        ".git/info/exclude",
        "global",
        "later",
        "earlier",
    ];
    for high in 0..places.len() {
        for low in high + 1..places.len() {
            for (first, second, expected) in [("x", "!x", ""), ("!x", "x", "d/x")] {
                let files =
                    [(".git/", ""), ("d/x", ""), (places[high], first), (places[low], second)];
                let tree = TempTree::new(&files);
                let existing = |name| Some(tree.path(name)).filter(|path| path.exists());
                let options = Options {
                    global: existing("global").map_or(GlobalRules::Off, GlobalRules::File),
                    files: [existing("earlier"), existing("later")].into_iter().flatten().collect(),
                    ..fd()
                };
                assert_eq!(left(&tree, options.clone(), ""), expected, "{files:?}");
                let over = Options { overrides: vec!["!x".into()], ..options };
                assert_eq!(left(&tree, over, ""), "", "an override beats {files:?}");
            }
        }
    }
}

#[test]
fn a_rule_brings_hidden_names_back_and_nothing_else_does() {
    // (rules, what is left of .x and .y)
    let cases = [("", ""), ("!.x", ".x"), ("!.*", ".x .y"), ("!.x\n.x", ""), ("x", "")];
    for (rules, expected) in cases {
        let tree = TempTree::new(&[(".ignore", rules), (".x", ""), (".y", ""), ("z", "")]);
        let (kept, _) = tree.walk(Options { hidden: Hidden::Ignored, ..fd() }, "");
        let kept: Vec<_> = kept.iter().filter(|name| matches!(&***name, ".x" | ".y")).collect();
        let kept: Vec<&str> = kept.into_iter().map(String::as_str).collect();
        assert_eq!(kept.join(" "), expected, "{rules:?}");
    }
}

#[test]
fn hidden_names_are_kept_on_request_and_without_rules_nothing_is_ignored() {
    let tree = TempTree::new(&[(".git/", ""), (".gitignore", "x"), (".xh", ""), ("x", "")]);
    assert_eq!(tree.walk(Options::none(), "").0, [".git", ".gitignore", ".xh", "x"]);
    assert_eq!(tree.walk(fd(), "").0, [".git", ".gitignore", ".xh"]);
    assert_eq!(tree.walk(Options { hidden: Hidden::Ignored, ..fd() }, "").0, [""; 0]);
}

/// (files, root, with the default, rules of git everywhere, parents off)
type RepositoryCase<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, [&'a str; 3]);

#[test]
fn git_rules_count_in_repositories_only_and_end_at_the_next() {
    let cases: &[RepositoryCase<'_>] = &[
        ("no repository", &[(".gitignore", "x"), ("x", "")], "", ["x", "", "x"]),
        ("a repository", &[(".git/", ""), (".gitignore", "x"), ("x", "")], "", ["", "", ""]),
        ("a worktree", &[(".git", "gitdir: a"), (".gitignore", "x"), ("x", "")], "", ["", "", ""]),
        ("jj", &[(".jj/", ""), (".gitignore", "x"), ("x", "")], "", ["", "", ""]),
        (
            "rules below the top",
            &[(".git/", ""), ("d/.gitignore", "x"), ("d/e/x", ""), ("x", "")],
            "",
            ["x", "x", "x"],
        ),
        (
            "an inner repository",
            &[(".git/", ""), (".gitignore", "x"), ("d/.git/", ""), ("d/x", ""), ("e/x", "")],
            "",
            ["d/x", "", "d/x"],
        ),
        (
            "a repository inside a tree without one",
            &[
                (".gitignore", "x"),
                ("d/.git/", ""),
                ("d/.gitignore", "x1"),
                ("d/x", ""),
                ("d/x1", ""),
            ],
            "",
            ["d/x", "", "d/x"],
        ),
        (
            "a root inside a repository",
            &[(".git/", ""), (".gitignore", "x\n/d/e/xa"), ("d/e/x", ""), ("d/e/xa", "")],
            "d",
            ["", "", "e/x e/xa"],
        ),
        (
            "a root inside a repository, rules below the root",
            &[(".git/", ""), ("d/e/.gitignore", "x"), ("d/e/x", "")],
            "d",
            ["", "", ""],
        ),
        (
            "a root that is a repository in a repository",
            &[(".git/", ""), (".gitignore", "x"), ("d/.git/", ""), ("d/x", "")],
            "d",
            ["x", "", "x"],
        ),
        (
            "a repository between the root and the rules",
            &[(".gitignore", "x"), ("d/.git/", ""), ("d/e/x", "")],
            "d/e",
            ["x", "", "x"],
        ),
        (
            "info/exclude",
            &[(".git/info/exclude", "x\n/d/xa"), ("d/x", ""), ("d/xa", ""), ("e/xa", "")],
            "",
            ["e/xa", "e/xa", "e/xa"],
        ),
        (
            "info/exclude above the root",
            &[(".git/info/exclude", "/d/xa"), ("d/xa", ""), ("d/e/xa", "")],
            "d",
            ["e/xa", "e/xa", "e/xa xa"],
        ),
        (
            "info/exclude ends at an inner repository",
            &[(".git/info/exclude", "x"), ("d/.git/", ""), ("d/x", "")],
            "",
            ["d/x", "", "d/x"],
        ),
        (
            "a root inside an ignored directory is walked",
            &[(".git/", ""), (".gitignore", "d/"), ("d/x", "")],
            "d",
            ["x", "x", "x"],
        ),
    ];
    for (what, files, root, expected) in cases {
        let tree = TempTree::new(files);
        let everywhere = Options { git: GitRules::Everywhere, ..fd() };
        let parents_off = Options { parents: Parents::Off, ..fd() };
        let options = [fd(), everywhere, parents_off];
        let got = options.map(|options| left(&tree, options, root));
        assert_eq!(got, *expected, "{what}: default, everywhere, without parents");
        let off = Options { git: GitRules::Off, ..fd() };
        assert_ne!(left(&tree, off, root), "", "{what}: switched off");
    }
}

#[test]
fn a_worktree_shares_its_repositorys_exclude_and_a_submodule_has_its_own() {
    let tree = TempTree::new(&[
        ("main/.git/info/exclude", "x1"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("main/.git/modules/s/info/exclude", "x2"),
        ("main/s/.git", "gitdir: ../.git/modules/s\n"),
        ("main/s/x1", ""),
        ("main/s/x2", ""),
        ("w/x1", ""),
        ("w/x2", ""),
    ]);
    let link = format!("gitdir: {}\n", tree.path("main/.git/worktrees/w").display());
    fs::write(tree.path("w/.git"), link).expect("a .git file");
    assert_eq!(left(&tree, fd(), "w"), "x2");
    assert_eq!(left(&tree, fd(), "main/s"), "x1");
}

#[test]
fn rules_above_a_root_are_matched_relative_to_their_own_directory() {
    let tree = TempTree::new(&[
        (".ignore", "/d/x1\n/x2\nd/e/x3\nx4"),
        ("d/.fdignore", "!x4\n/e/x5"),
        ("d/x1", ""),
        ("d/x2", ""),
        ("d/e/x1", ""),
        ("d/e/x3", ""),
        ("d/e/x4", ""),
        ("d/e/x5", ""),
    ]);
    assert_eq!(left(&tree, fd(), "d"), "e/x1 e/x4 x2");
    assert_eq!(left(&tree, fd(), "d/e"), "x1 x4");
    assert_eq!(left(&tree, fd(), "d/e/"), "x1 x4");
    assert_eq!(left(&tree, fd(), "d/../d/e/."), "x1 x4");
    if link(&tree.path("d/e"), &tree.path("l")) {
        assert_eq!(left(&tree, fd(), "l"), "x1 x4", "a linked root has its target's parents");
    }
    let parents_off = Options { parents: Parents::Off, ..fd() };
    assert_eq!(left(&tree, parents_off, "d/e"), "x1 x3 x4 x5");
}

#[test]
fn roots_of_one_walk_share_what_lies_above_them() {
    let tree = TempTree::new(&[(".ignore", "x\n{"), ("a/x", ""), ("b/x", ""), ("b/y", "")]);
    let rules = Rules::new(fd()).expect("no overrides");
    let mut errors = Vec::new();
    for root in ["a", "b", "a"] {
        let mut walk =
            RuleWalk { root: tree.path(root), kept: BTreeSet::new(), errors: Vec::new() };
        let prefix = [tree.path(root).as_os_str().as_encoded_bytes(), b"/"].concat();
        walk.dir(&rules.top(), &prefix, 0, true);
        assert!(!walk.kept.contains("x"));
        errors.extend(walk.errors);
    }
    assert_eq!(errors.len(), 1, "reported once, not for each root: {errors:?}");
}

#[test]
fn overrides_are_relative_to_each_root_and_absolute() {
    let tree = TempTree::new(&[("a/x", ""), ("a/b/x", ""), ("b/x", "")]);
    let absolute = String::from_utf8(with_slashes(&tree.path("a/b")));
    let absolute = format!("!/{}", absolute.expect("UTF-8").trim_start_matches('/'));
    // (override, root, left)
    let cases = [
        ("!x", "", ""),
        ("!/a", "", "b/x"),
        ("!/b/x", "", "a/b/x a/x"),
        ("!/b/x", "a", "x"),
        ("!b/x", "a", "x"),
        ("!/x", "a", "b/x"),
        ("!a/", "", "b/x"),
        ("b/", "", ""),
        (&absolute, "", "a/x b/x"),
        (&absolute, "a", "x"),
        (&absolute, "a/../a", "x"),
        (&absolute, "b", "x"),
    ];
    for (glob, root, expected) in cases {
        let options = Options { overrides: vec![glob.to_owned()], ..Options::none() };
        assert_eq!(left(&tree, options, root), expected, "{glob:?} below {root:?}");
    }
    let bad = Options { overrides: vec!["![".into()], ..Options::none() };
    let error = Rules::new(bad).expect_err("not a glob");
    assert!(error.to_string().starts_with("error parsing glob '![':"), "{error}");
}

#[test]
fn bad_lines_and_unreadable_files_are_reported_and_the_rest_holds() {
    let tree = TempTree::new(&[
        (".ignore", "x1\n{\nx2"),
        ("d/.ignore", "x3"),
        ("x1", ""),
        ("x2", ""),
        ("d/x3", ""),
        ("d/x4", ""),
        ("extra", "x4\n{"),
    ]);
    let missing = tree.path("missing");
    let options = Options { files: vec![missing.clone(), tree.path("extra")], ..fd() };
    let rules = Rules::new(options.clone()).expect("no overrides");
    let paths: Vec<_> = rules.errors().iter().map(Error::path).collect();
    assert_eq!(paths, [missing, tree.path("extra")]);
    assert_eq!(rules.errors()[0].io().kind(), std::io::ErrorKind::NotFound);
    assert_eq!(rules.errors()[1].io().kind(), std::io::ErrorKind::InvalidData);
    let (kept, errors) = tree.walk(options, "");
    assert!(kept.iter().all(|path| !path.contains('x') || path == "extra"), "{kept:?}");
    let [error] = &errors[..] else { panic!("{errors:?}") };
    assert_eq!(error.operation(), crate::Operation::ReadIgnoreFile);
    assert_eq!(error.path(), tree.path(".ignore"));
    assert_eq!(error.depth(), 1);
    assert!(error.to_string().contains(": line 2: "), "{error}");
}

#[test]
fn what_is_no_file_holds_no_rules_and_a_link_is_followed() {
    let tree = TempTree::new(&[("rules", "x1"), (".fdignore/", ""), ("x1", ""), ("x2", "")]);
    if !link(Path::new("rules"), &tree.path(".ignore")) {
        return;
    }
    assert_eq!(left(&tree, fd(), ""), "x2");
    fs::remove_file(tree.path("rules")).expect("removed");
    assert_eq!(left(&tree, fd(), ""), "x1 x2");
}

/// A directory too large for one buffer: no name is seen before entries are matched.
#[test]
fn rule_files_are_probed_for_when_the_listing_is_incomplete() {
    let tree = TempTree::new(&[
        (".git/info/exclude", "x1"),
        (".gitignore", "x2"),
        (".ignore", "x3"),
        ("d/.fdignore", "x4"),
        ("d/x1", ""),
        ("d/x2", ""),
        ("d/x3", ""),
        ("d/x4", ""),
        ("d/x5", ""),
    ]);
    let rules = Rules::new(fd()).expect("no overrides");
    let mut walk = RuleWalk { root: tree.path(""), kept: BTreeSet::new(), errors: Vec::new() };
    let prefix = tree.path("").into_os_string().into_encoded_bytes();
    walk.dir(&rules.top(), &prefix, 0, false);
    let left: Vec<_> = walk.kept.iter().filter(|path| path.starts_with("d/x")).collect();
    assert_eq!(left, ["d/x5"]);
    assert!(walk.errors.is_empty(), "{:?}", walk.errors);
}

/// The level of a directory below the one of `above`, and the number of errors.
fn level(tree: &TempTree, name: &str, above: &Level, depth: usize) -> (Level, usize) {
    let path = tree.path(name);
    let names: Vec<CString> = fs::read_dir(&path)
        .expect("listable")
        .map(|entry| {
            CString::new(entry.expect("read").file_name().into_encoded_bytes()).expect("no NUL")
        })
        .collect();
    let prefix = [path.as_os_str().as_encoded_bytes(), b"/"].concat();
    let mut errors = Vec::new();
    let level = entered(above, &prefix, depth, &names, true, &mut errors);
    (level, errors.len())
}

#[test]
fn a_directory_without_rules_of_its_own_shares_its_parents_level() {
    let tree = TempTree::new(&[(".ignore", "x"), ("d/y", ""), ("e/.ignore", "z")]);
    let rules = Rules::new(fd()).expect("no overrides");
    let (root, _) = level(&tree, "", &rules.top(), 0);
    assert!(Arc::ptr_eq(&root.0, &level(&tree, "d", &root, 1).0.0));
    assert!(!Arc::ptr_eq(&root.0, &level(&tree, "e", &root, 1).0.0));
}

/// Before the mend each directory with a rule file had a copy of all rules above it.
#[test]
fn a_directory_with_rules_of_its_own_shares_those_above_it() {
    const DEEP: usize = 40;
    let below = |depth: usize| "d/".repeat(depth);
    let files: Vec<String> = (0..DEEP)
        .flat_map(|depth| [".ignore", ".fdignore"].map(|name| below(depth) + name))
        .collect();
    let tree = TempTree::new(&files.iter().map(|file| (&**file, "x")).collect::<Vec<_>>());
    let mut above = level(&tree, "", &Rules::new(fd()).expect("no overrides").top(), 0).0;
    for depth in 1..DEEP {
        let (here, _) = level(&tree, &below(depth), &above, depth);
        assert_eq!(here.0.steps.iter().count(), 2 * (depth + 1));
        let [own, old] = [&here, &above].map(|level| &level.0.steps.0);
        assert_eq!(own.len(), 2, "one chain for each kind");
        for (own, old) in own.iter().zip(old) {
            assert!(own.above.as_ref().is_some_and(|above| Arc::ptr_eq(above, old)), "{depth}");
        }
        above = here;
    }
}

#[test]
fn a_long_chain_of_rules_is_dropped_without_recursion() {
    let matcher = Arc::default();
    let mut steps = RuleSteps::default();
    for depth in 0..200_000 {
        steps.push(RuleSource::Git, Arc::clone(&matcher), View::Below(depth));
    }
    drop(steps);
    assert_eq!(Arc::strong_count(&matcher), 1);
}

#[test]
fn rules_that_could_not_be_read_are_known_to_be_missing_below_their_directory() {
    let tree = TempTree::new(&[
        ("bad/.ignore", "a\n{"),
        ("bad/in/.ignore", "a"),
        ("large/.fdignore", &"x".repeat(5000)),
        ("good/.ignore", "# a comment\n\na"),
        ("good/.fdignore/", ""),
        ("bad/repo/.git/info/exclude", "a"),
        ("repo/.git/config", "[core\nexcludesFile = x"),
        ("repo/.git/inner/.git/config", "[core]\nignoreCase = false"),
        ("others/.git", "gitdir: x\n"),
        ("others/x/commondir/", ""),
    ]);
    let rules = Rules::new(fd()).expect("no overrides");
    let (top, _) = level(&tree, "", &rules.top(), 0);
    // (directory, its parent, the number of errors, whether all rules are known)
    for (name, parent, errors, is_complete) in [
        ("good", "", 0, true),
        ("bad", "", 1, false),
        ("bad/in", "bad", 0, false),
        ("bad/repo", "bad", 0, false),
        ("large", "", 1, false),
        ("repo", "", 1, false),
        ("repo/.git/inner", "repo", 0, true),
        ("others", "", 0, true),
    ] {
        let (above, _) =
            if parent.is_empty() { (top.clone(), 0) } else { level(&tree, parent, &top, 1) };
        let (here, told) = level(&tree, name, &above, 2);
        assert_eq!((told, here.is_complete()), (errors, is_complete), "{name}");
    }
    // Each root below the same directory: only the first one reports it.
    for (root, errors) in [("bad/in", 1), ("bad/in", 0)] {
        let (here, told) = level(&tree, root, &rules.top(), 0);
        assert_eq!((told, here.is_complete()), (errors, false));
    }
    for (file, is_complete) in [("missing", false), ("bad/.ignore", false), ("good/.ignore", true)]
    {
        let options = Options { files: vec![tree.path(file)], ..Options::none() };
        let rules = Rules::new(options).expect("no overrides");
        assert_eq!(level(&tree, "", &rules.top(), 0).0.is_complete(), is_complete, "{file}");
    }
}

#[test]
fn levels_and_rules_cross_threads_and_are_one_pointer_wide() {
    fn shared<T: Send + Sync>() {}
    shared::<Rules>();
    shared::<Level>();
    assert_eq!(size_of::<Level>(), size_of::<usize>());
}
