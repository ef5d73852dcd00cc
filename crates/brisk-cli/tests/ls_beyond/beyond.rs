//! What GNU ls does not have: trees, JSON, icons, explanations.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::left_out;

use crate::cases::{Case, Place};
use crate::gnu::Gnu;
use crate::run::{Outcome, outcome};
use crate::tree::Tree;

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
    let expected = "deep\n├── a\n│   ├── 1\n│   └── b\n│       ├── 2\n│       └── c\n\
        ├── a x\n│   └── q\n└── z\n    └── up\n";
    assert_eq!(printed(&tree, "--tree deep"), expected);
    assert_eq!(printed(&tree, "--tree --level 1 -F deep"), "deep\n├── a/\n├── a x/\n└── z/\n");
    let hidden = printed(&tree, "--tree -a deep");
    assert!(hidden.contains("├── .h\n│   └── x\n"), "{hidden}");
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
    assert_eq!((&plain["size"], &plain["mode"]), (&1_234.into(), &0o644.into()));
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
    assert!(text.contains("colours: mode of files, directories, here "), "{text}");
    assert!(text.contains("LS_COLORS=\"$LS_COLORS:su=0:sg=0:ex=0:tw=0:ow=0:st=0\""), "{text}");
    let text = run(&tree, "--explain types").messages.join("\n");
    assert!(text.contains("Nothing else is asked of any entry."), "{text}");
}

#[test]
fn dired_is_refused() {
    let tree = Tree::new();
    let outcome = run(&tree, "--dired types");
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.messages.iter().any(|line| line.contains("--dired is not supported")));
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
