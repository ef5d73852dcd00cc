//! What GNU ls does not have: trees, JSON, icons, explanations.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::left_out;

use super::case::{Case, Place};
use super::gnu::Gnu;
use super::run::{self, Outcome, outcome};
use super::tree::Tree;

fn run(tree: &Tree, words: &str) -> Outcome {
    outcome(tree.ls(), tree, &Case::new(words, Place::Pipe))
}

fn printed(tree: &Tree, words: &str) -> String {
    let outcome = run(tree, words);
    assert_eq!((&outcome.messages[..], outcome.code), (&[][..], Some(0)), "{words}");
    String::from_utf8(outcome.printed).unwrap()
}

/// Whether the tree's files got their capabilities: only root may set them.
fn has_capabilities(tree: &Tree) -> bool {
    let output = Command::new("getcap").arg(tree.path().join("types/cap")).output();
    output.is_ok_and(|output| !output.stdout.is_empty())
}

/// Capabilities are painted, even where GNU ls was built without them, as Debian's is.
#[test]
fn capabilities_have_their_colour() {
    let tree = Tree::new();
    if !has_capabilities(&tree) {
        return left_out("the colour of capabilities", "setcap cannot be used here");
    }
    let colors = "ca=30;41:ex=32";
    let case = Case::new("-1 --color types/cap types/capnox types/exec", Place::Pipe);
    let printed = outcome(tree.ls(), &tree, &case.env("LS_COLORS", colors)).printed;
    let expected = "\x1b[0m\x1b[30;41mtypes/cap\x1b[0m\n\x1b[30;41mtypes/capnox\x1b[0m\n\
        \x1b[32mtypes/exec\x1b[0m\n";
    assert_eq!(String::from_utf8(printed).unwrap(), expected);
    if Gnu::find("capabilities").is_some_and(|gnu| !gnu.knows_capabilities()) {
        left_out("GNU's colour of capabilities", "this ls was built without libcap");
    }
}

#[test]
fn a_tree_shows_what_is_in_what() {
    let tree = Tree::new();
    let drawn = |words: &str| {
        let outcome = outcome(tree.ls(), &tree, &Case::new(words, Place::Pipe).utf8());
        assert_eq!(outcome.messages, [""; 0], "{words}");
        String::from_utf8(outcome.printed).unwrap()
    };
    let expected = "deep\n├── a\n│   ├── 1\n│   └── b\n│       ├── 2\n│       └── c\n\
        ├── a x\n│   └── q\n└── z\n    └── up\n";
    assert_eq!(drawn("--tree deep"), expected);
    assert_eq!(drawn("--tree --max-depth 1 -F deep"), "deep\n├── a/\n├── a x/\n└── z/\n");
    let hidden = drawn("--tree -a deep");
    assert!(hidden.contains("├── .h\n│   └── x\n"), "{hidden}");
}

/// The C locale has no lines to draw with.
#[test]
fn a_tree_is_ascii_in_the_c_locale() {
    let tree = Tree::new();
    let expected = "deep\n|-- a\n|   |-- 1\n|   `-- b\n|       |-- 2\n|       `-- c\n\
        |-- a x\n|   `-- q\n`-- z\n    `-- up\n";
    assert_eq!(printed(&tree, "--tree deep"), expected);
}

#[test]
fn depth_0_is_the_path_itself() {
    let tree = Tree::new();
    assert_eq!(printed(&tree, "--tree --max-depth 0 deep"), "deep\n");
    assert_eq!(printed(&tree, "--tree --max-depth=0"), ".\n");
    assert_eq!(printed(&tree, "-R --max-depth=0 deep file"), "deep\nfile\n");
    assert!(printed(&tree, "--tree -l --max-depth=0 deep").starts_with('d'));
}

#[test]
fn each_name_of_a_tree_links_to_its_own_file() {
    let tree = Tree::new();
    let text = printed(&tree, "--tree --hyperlink deep types");
    let links: Vec<(&str, &str)> = text
        .split("\x1b]8;;file://")
        .skip(1)
        .map(|link| link.split_once('\x07').unwrap())
        .map(|(address, rest)| (address, rest.split('\x1b').next().unwrap()))
        .collect();
    let root = tree.path().canonicalize().unwrap();
    let leads = |name: &str, path: &str| {
        let path = root.join(path).to_str().unwrap().replace(' ', "%20");
        let found = |(address, shown): &&(&str, &str)| *shown == name && address.ends_with(&path);
        assert!(links.iter().any(|link| found(&link)), "{name}: {path} in {links:#?}");
    };
    let paths = ["deep/a", "deep/a/1", "deep/a/b/2", "deep/a/b/c", "deep/a x/q"];
    for path in paths.into_iter().chain(["types/plain"]) {
        leads(path.rsplit('/').next().unwrap(), path);
    }
}

#[test]
fn json_has_an_object_a_line() {
    let tree = Tree::new();
    let lines = printed(&tree, "--json types");
    let objects: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let plain = objects.iter().find(|object| object["name"] == "plain").unwrap();
    assert_eq!((&plain["path"], &plain["type"]), (&"types/plain".into(), &"file".into()));
    assert!(plain.get("size").is_none(), "{plain}");
    let lines = printed(&tree, "--json -l types");
    let plain = lines.lines().find(|line| line.contains("types/plain")).unwrap();
    let plain: serde_json::Value = serde_json::from_str(plain).unwrap();
    assert_eq!((&plain["size"], &plain["mode"]), (&1_234.into(), &"644".into()));
    assert!(printed(&tree, "--json odd").contains("\"name_b64\":\"/w==\""));
    let deep = printed(&tree, "--json -R deep");
    assert!(deep.contains("\"path\":\"deep/a/b/2\""), "{deep}");
}

#[test]
fn icons_stand_in_front_of_names() {
    let tree = Tree::new();
    let text = printed(&tree, "--icons deep");
    let (lines, icons) = (text.lines(), text.lines().filter(|l| l.starts_with("\u{f07b} ")));
    assert_eq!((lines.count(), icons.count()), (3, 3), "{text}");
}

#[test]
fn an_explanation_names_what_costs_and_what_would_not() {
    let tree = Tree::new();
    let outcome = run(&tree, "--color --explain types");
    let text = outcome.messages.join("\n");
    assert!(text.contains("LS_COLORS needs mode of files, directories, here "), "{text}");
    assert!(text.contains("LS_COLORS=\"$LS_COLORS:su=0:sg=0:ex=0:tw=0:ow=0:st=0\""), "{text}");
    // Messages are sorted. Under dircolors's words, each key has its code.
    let file = tree.path().join("free-colours");
    fs::write(
        &file,
        text.lines().filter(|line| line.starts_with("  ")).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    let shown = Command::new("dircolors").arg("-b").arg(&file).output().unwrap();
    fs::remove_file(&file).unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout);
    for key in ["su=0", "sg=0", "ex=0", "tw=0", "ow=0", "st=0"] {
        assert!(shown.contains(&format!("{key}:")), "{key}: {shown}");
    }
    let text = run(&tree, "--explain types").messages.join("\n");
    assert!(text.contains("Nothing else is requested for any entry."), "{text}");
}

/// Options in all of their forms, of which a pair is tried.
const OPTIONS: &[&str] = &[
    "-a",
    "-A",
    "-B",
    "-1",
    "-C",
    "-x",
    "-m",
    "-l",
    "-o",
    "-n",
    "-h",
    "-s",
    "-i",
    "-R",
    "-d",
    "-H",
    "-L",
    "-t",
    "-S",
    "-v",
    "-U",
    "-f",
    "-r",
    "-F",
    "-p",
    "-Z",
    "-Q",
    "-b",
    "-q",
    "--zero",
    "--author",
    "--full-time",
    "--color",
    "--hyperlink",
    "--dired",
    "--group-directories-first",
    "--tree",
    "--max-depth=0",
    "-R --max-depth=2",
    "--icons",
    "--explain",
    "--stats=json",
    "--cached",
    "-w0",
    "--sort=width",
    "--time=birth",
    "--threads=1",
];

/// What `--json` prints for these words: an object a line and nothing else.
fn objects(tree: &Tree, words: &str) -> Vec<serde_json::Value> {
    let outcome = run(tree, &format!("--json {words}"));
    assert!(outcome.code <= Some(2), "{words}");
    let text = String::from_utf8(outcome.printed).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{words}: {text}");
    let parse = |line: &str| {
        let object: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("{words}: {line}"));
        for key in ["path", "name"] {
            let encoded = format!("{key}_b64");
            assert!(object[key].is_string() || object[encoded].is_string(), "{words}: {line}");
        }
        object
    };
    text.lines().map(parse).collect()
}

#[test]
fn json_is_whole_with_every_pair_of_options() {
    let tree = Tree::new();
    let is_whole = |options: &str| {
        let words = format!("{options} file nope empty ldang odd ldir");
        assert!(objects(&tree, &words).len() > 1, "{words}");
    };
    // For each push, halves of the options: any two but a few are in the same half once.
    let bits = OPTIONS.len().ilog2() + 1;
    for (bit, half) in (0..bits).flat_map(|bit| [(bit, 0), (bit, 1)]) {
        let chosen = OPTIONS.iter().enumerate().filter(|(at, _)| at >> bit & 1 == half);
        is_whole(&chosen.map(|(_, option)| *option).collect::<Vec<_>>().join(" "));
    }
    let pairs = OPTIONS.iter().enumerate();
    for (at, first) in pairs.filter(|_| testkit::has_products()) {
        OPTIONS[at + 1..].iter().for_each(|second| is_whole(&format!("{first} {second}")));
    }
}

#[test]
fn json_has_an_object_for_every_operand() {
    let tree = Tree::new();
    let paths = |words: &str| -> Vec<(String, u64)> {
        let text = |object: &serde_json::Value| object["path"].as_str().unwrap().to_owned();
        let depth = |object: &serde_json::Value| object["depth"].as_u64().unwrap();
        objects(&tree, words).iter().map(|object| (text(object), depth(object))).collect()
    };
    let owned = |paths: &[(&str, u64)]| -> Vec<(String, u64)> {
        paths.iter().map(|(path, depth)| ((*path).to_owned(), *depth)).collect()
    };
    assert_eq!(paths("file"), owned(&[("file", 0)]));
    assert_eq!(paths("-d deep/ ."), owned(&[(".", 0), ("deep/", 0)]));
    assert_eq!(paths("-d"), owned(&[(".", 0)]));
    assert_eq!(paths("empty"), owned(&[]));
    let mixed = [("file", 0), ("deep/a", 1), ("deep/a x", 1), ("deep/z", 1)];
    assert_eq!(paths("deep nope empty file"), owned(&mixed));
    let name = |words: &str| objects(&tree, words)[0]["name"].clone();
    assert_eq!(
        (name("types/plain"), name("-d types/"), name("-d .")),
        ("plain".into(), "types".into(), ".".into())
    );
    let long = &objects(&tree, "-l types/plain")[0];
    assert_eq!((&long["type"], &long["size"]), (&"file".into(), &1_234.into()));
    let types: Vec<String> = objects(&tree, "types")
        .iter()
        .map(|object| object["type"].as_str().unwrap().to_owned())
        .collect();
    for word in ["file", "directory", "symlink", "socket", "pipe"] {
        assert!(types.iter().any(|found| found == word), "{word} in {types:?}");
    }
}

/// Under brisk's name a terminal gets colours, unless NO_COLOR says no. As `ls` it gets none.
#[test]
fn brisk_paints_on_a_terminal_by_itself() {
    let tree = Tree::new();
    let shown = |words: &str, place, env: &[(&str, &str)]| {
        let case = Case::new(words, place).env("LS_COLORS", "di=35");
        let case = env.iter().fold(case, |case, (name, value)| case.env(name, value));
        let brisk = Path::new(env!("CARGO_BIN_EXE_brisk"));
        let program = if words.starts_with("ls ") { brisk } else { tree.ls() };
        String::from_utf8(run::run(Command::new(program), &tree, &case).printed).unwrap()
    };
    let there = Place::Terminal(80);
    let painted = "\x1b[35m";
    assert!(shown("ls deep", there, &[]).contains(painted));
    assert!(!shown("ls deep", Place::Pipe, &[]).contains(painted));
    assert!(!shown("ls deep", there, &[("NO_COLOR", "1")]).contains(painted));
    for off in ["ls --color=never deep", "ls -f deep", "ls --zero deep", "deep"] {
        assert!(!shown(off, there, &[]).contains(painted), "{off}");
    }
}

/// Letters that GNU ls does not have, and the question after a misspelt name.
#[test]
fn brisk_s_own_name_has_letters_and_suggestions() {
    let tree = Tree::new();
    let brisk = |words: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_brisk"));
        run::run(Command::new(program), &tree, &Case::new(words, Place::Pipe))
    };
    assert_eq!(brisk("ls -j1 deep").printed, b"a\na x\nz\n");
    assert_eq!(brisk("ls -V").printed, brisk("ls --version").printed);
    let asked = brisk("ls --colr").messages;
    assert!(asked.iter().any(|line| line == "Did you mean --color?"), "{asked:?}");
    for letter in ["-j1", "-V"] {
        assert_eq!(run(&tree, letter).code, Some(2));
    }
    let help = String::from_utf8(run(&tree, "--help").printed).unwrap();
    assert!(!help.contains("-j,") && !help.contains("-V,"), "{help}");
}

/// The configuration holds for `brisk ls`, and for nothing that is called `ls`.
#[test]
fn a_configuration_is_for_brisk_alone() {
    let tree = Tree::new();
    let home = tree.path().parent().unwrap().join("home");
    fs::create_dir_all(home.join("brisk")).unwrap();
    fs::write(
        home.join("brisk/config.toml"),
        "[ls]\noptions = ['-p', '--sort=version', 'empty']\n",
    )
    .unwrap();
    let printed = |program: &Path, words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).current_dir(tree.path()).env("XDG_CONFIG_HOME", &home);
        let output = command.env("LC_ALL", "C").output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let brisk = Path::new(env!("CARGO_BIN_EXE_brisk"));
    assert_eq!(printed(brisk, &["ls", "deep"]).0, "a/\na x/\nz/\n");
    assert_eq!(printed(brisk, &["ls", "--no-config", "deep"]).0, "a\na x\nz\n");
    assert_eq!(printed(tree.ls(), &["deep"]).0, "a\na x\nz\n");
    let refused = printed(brisk, &["ls", "-y"]).1;
    let expected = "brisk: invalid option -- 'y'\nTry 'brisk ls --help' for more information.\n";
    assert_eq!(refused, expected);
}

#[test]
fn rules_of_git_leave_out_what_git_ignores() {
    let tree = Tree::new();
    let top = tree.path().join("repository");
    fs::create_dir_all(top.join(".git")).unwrap();
    fs::create_dir_all(top.join("target/deep")).unwrap();
    fs::create_dir_all(top.join("src")).unwrap();
    fs::write(top.join(".gitignore"), "/target/\n*.o\n").unwrap();
    for name in ["src/a.rs", "src/a.o", "target/deep/x"] {
        fs::write(top.join(name), "").unwrap();
    }
    let drawn = printed(&tree, "--tree --git-ignore repository");
    assert_eq!(drawn, "repository\n`-- src\n    `-- a.rs\n");
    assert!(printed(&tree, "--tree repository").contains("target"));
    assert_eq!(printed(&tree, "-A --git-ignore repository"), ".git\n.gitignore\nsrc\n");
    assert_eq!(printed(&tree, "--git-ignore repository/target"), "deep\n", "it is named");
}
