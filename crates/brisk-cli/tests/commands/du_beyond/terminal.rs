//! The tree with bars on a terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::{brisk, left_out, stdout};

use super::tree;

/// What a script prints on a terminal without colours; `None` if there is none.
fn on_terminal(dir: &Path, script: &str) -> Option<String> {
    let command = ["-qec", script, "/dev/null"];
    let output =
        Command::new("script").args(command).env("NO_COLOR", "1").current_dir(dir).output();
    if output.is_err() {
        left_out("a terminal", "there is no script");
    }
    Some(stdout(&output.ok()?).replace('\r', ""))
}

#[test]
fn a_terminal_shows_a_tree_with_bars() {
    let place = tree();
    fs::write(place.path().join("t/large/notes"), vec![1; 2_000_000]).unwrap();
    let shown = |columns: u16, lines: u16, locale: &str| {
        let script = format!("stty cols {columns} rows {lines}; {} du -b t", brisk());
        let output = Command::new("script")
            .args(["-qec", &script, "/dev/null"])
            .env("LC_ALL", locale)
            .env("NO_COLOR", "1")
            .current_dir(place.path())
            .output();
        let shown = stdout(&output.ok()?).replace('\r', "");
        Some(shown.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let Some(wide) = shown(50, 7, "C.UTF-8") else {
        return left_out("a terminal", "there is no script");
    };
    assert_eq!(wide.len(), 5, "two lines are left for the prompt: {wide:?}");
    assert!(wide[0].ends_with(" 100% ██████████ t/"), "{wide:?}");
    assert!(wide[1].ends_with("└── large/") && wide[2].ends_with("    ├── (files)"), "{wide:?}");
    assert!(wide[3].ends_with("    └── in/"), "{wide:?}");
    let all: usize = wide[4].split_whitespace().nth(4).unwrap().parse().unwrap();
    assert_eq!(wide[4], format!("and {} smaller: --top {all} shows all", all - 4), "{wide:?}");
    let script = format!("stty cols 80 rows 7; {} du -b --top {all} t", brisk());
    let whole = on_terminal(place.path(), &script).unwrap();
    assert_eq!(whole.lines().count(), all, "{whole}");
    assert!(!whole.contains("smaller:"), "{whole}");
    let narrow = shown(30, 7, "C").unwrap();
    assert!(
        narrow[2].ends_with("%     |-- (files)"),
        "no bar, no strokes beyond ASCII: {narrow:?}"
    );
    let plain = shown(80, 6, "C").unwrap();
    assert!(plain[0].ends_with(" 100% ########## t/"), "{plain:?}");
}

#[test]
fn shares_in_a_directory_add_up_to_its_own() {
    let place = tree();
    let script = format!("stty cols 80 rows 24; {} du -b t", brisk());
    let Some(shown) = on_terminal(place.path(), &script) else { return };
    let shown: Vec<&str> = shown.lines().collect();
    let number = |name: &str| {
        let line = shown.iter().find(|line| line.ends_with(name)).expect("a line");
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(number(" large/"), number(" (files)") + number(" in/"), "{shown:?}");
    let files = shown.iter().filter(|line| line.contains("(files)")).count();
    assert_eq!(files, 1, "no directory is named twice: {shown:?}");
    // 900,000 of 1,316,000 bytes are 68.4 %, 409,000 are 31.1 %, and 9,000 are 0.7 %.
    for share in [" 68% ", " 99% ", "  1% "] {
        assert!(shown.iter().any(|line| line.contains(share)), "{share}: {shown:?}");
    }
}

#[test]
fn where_nothing_matches_a_terminal_is_told() {
    let place = tree();
    let script = format!("stty cols 80 rows 40; {} du -b --extension nope t", brisk());
    let Some(told) = on_terminal(place.path(), &script) else { return };
    assert!(told.contains("brisk: nothing matches\n"), "{told}");
    let script = format!("stty cols 80 rows 40; {} du -b --extension rs t", brisk());
    let Some(told) = on_terminal(place.path(), &script) else { return };
    assert!(!told.contains("nothing matches"), "{told}");
}

#[test]
fn what_takes_up_nothing_is_no_part_of_the_picture() {
    let place = tree();
    fs::create_dir_all(place.path().join("nothing/in")).unwrap();
    let script = format!("stty cols 80 rows 40; {} du -b t nothing", brisk());
    let Some(shown) = on_terminal(place.path(), &script) else { return };
    assert!(shown.contains(" nothing/"), "the user named it: {shown}");
    let rest: Vec<&str> = shown.lines().filter(|line| !line.ends_with(" nothing/")).collect();
    assert!(rest.iter().all(|line| !line.trim_start().starts_with("0 ")), "{shown}");
}

/// In a pipe with all rows, and whole names.
#[test]
fn the_tree_is_shown_in_a_pipe_too() {
    let place = tree();
    let long = "n".repeat(200);
    fs::create_dir(place.path().join("t").join(&long)).unwrap();
    fs::write(place.path().join("t").join(&long).join("file"), vec![1; 3000]).unwrap();
    let du = |words: &str| {
        let mut command = Command::new(brisk());
        command.arg("du").args(words.split(' ')).env("LC_ALL", "C.UTF-8");
        stdout(&command.current_dir(place.path()).output().unwrap())
    };
    for words in ["-b t", "-b --top 3 t", "-b --by extension t"] {
        let tree = du(&format!("--tree {words}"));
        assert!(tree.contains(" 100% ██████████ t/\n") || words.contains("--by"), "{tree}");
        assert!(!tree.contains('\x1b') && !tree.contains("smaller:"), "{tree}");
        let script = format!("stty cols 300 rows 40; {} du {words}", brisk());
        let Some(shown) = on_terminal(place.path(), &script) else { continue };
        assert_eq!(tree, shown, "{words}");
        assert_ne!(du(words), tree, "lines without --tree");
    }
    assert!(du("-b --tree t").contains(&format!("─ {long}/\n")));
    assert!(du("-b --tree --color=always t").contains("\x1b["));
    let Some(timed) = on_terminal(place.path(), &format!("{} du -b --time t", brisk())) else {
        return;
    };
    assert_eq!(timed, du("-b --time t"), "a tree has no column for times");
}
