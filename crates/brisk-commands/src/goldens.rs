//! Help, man pages and completions as they are published, under `goldens/`. They come from the flag
//! table: a change of the table changes them, and the difference is read in review.
//!
//! `BRISK_REGENERATE=1 cargo test -p brisk-commands --lib goldens` writes them anew.
//!
//! These are unit tests, and the program that they run is the tests' own executable. A test in
//! `tests/` would have the program linked first, which takes most of the time of
//! `scripts/test fast`.

#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Shells, and what files with their completions are called.
const SHELLS: [(&str, &str); 6] = [
    ("bash", "brisk.bash"),
    ("zsh", "_brisk"),
    ("fish", "brisk.fish"),
    ("powershell", "_brisk.ps1"),
    ("elvish", "brisk.elv"),
    ("nushell", "brisk.nu"),
];

fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens")
}

/// The variable with the words for `program`, a line each.
const WORDS: &str = "BRISK_GOLDEN_WORDS";

/// What `program` prints first. The lines above are the test harness's.
const BEGIN: &str = "the program prints:\n";

/// The program, as far as help and pages go. It ends before the harness can print a result.
#[test]
#[ignore = "run by the other tests of this file, in a process of its own"]
fn program() {
    let Some(words) = env::var_os(WORDS) else { return };
    let words: Vec<OsString> = words.to_str().unwrap().lines().map(OsString::from).collect();
    print!("{BEGIN}");
    std::process::exit(crate::command(&words).into());
}

/// The program's output for these words, in lines of 100 columns.
fn printed(words: &[&str]) -> Vec<u8> {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "goldens::program", "--ignored", "--nocapture", "--test-threads=1"])
        .env_clear()
        .env("COLUMNS", "100")
        .env(WORDS, words.join("\n"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let (_, text) = stdout.split_once(BEGIN).expect("the test named program has run");
    text.as_bytes().to_vec()
}

/// Every golden file's name, and its contents now.
static CURRENT: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(current);

fn current() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::from([
        ("brisk.help".to_owned(), printed(&["--help"])),
        ("find.help".to_owned(), printed(&["find", "--help"])),
        ("find.short-help".to_owned(), printed(&["find", "-h"])),
        ("ls.help".to_owned(), printed(&["ls", "--help"])),
        ("rm.help".to_owned(), printed(&["rm", "--help"])),
        ("cp.help".to_owned(), printed(&["cp", "--help"])),
        ("du.help".to_owned(), printed(&["du", "--help"])),
        ("chmod.help".to_owned(), printed(&["chmod", "--help"])),
        ("chown.help".to_owned(), printed(&["chown", "--help"])),
        ("chgrp.help".to_owned(), printed(&["chgrp", "--help"])),
        ("changed.help".to_owned(), printed(&["changed", "--help"])),
        ("changed.short-help".to_owned(), printed(&["changed", "-h"])),
        ("scan.help".to_owned(), printed(&["scan", "--help"])),
        ("scan.short-help".to_owned(), printed(&["scan", "-h"])),
        ("diff.help".to_owned(), printed(&["diff", "--help"])),
        ("diff.short-help".to_owned(), printed(&["diff", "-h"])),
        ("bench.help".to_owned(), printed(&["bench", "--help"])),
        ("bench.short-help".to_owned(), printed(&["bench", "-h"])),
        ("completions.help".to_owned(), printed(&["completions", "--help"])),
        ("man.help".to_owned(), printed(&["man", "--help"])),
        ("rm.short-help".to_owned(), printed(&["rm", "-h"])),
    ]);
    for (shell, name) in SHELLS {
        files.insert(name.to_owned(), printed(&["completions", shell]));
    }
    let dir = tempfile::tempdir().unwrap();
    printed(&["man", dir.path().to_str().unwrap()]);
    for file in fs::read_dir(dir.path()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        files.insert(name, fs::read(&path).unwrap());
    }
    files
}

#[test]
fn help_man_pages_and_completions_are_as_published() {
    let current = &*CURRENT;
    if env::var_os("BRISK_REGENERATE").is_some() {
        fs::create_dir_all(goldens()).unwrap();
        for (name, text) in current {
            fs::write(goldens().join(name), text).unwrap();
        }
    }
    for (name, text) in current {
        let golden = fs::read(goldens().join(name)).unwrap_or_default();
        let differs = golden.split(|b| *b == b'\n').zip(text.split(|b| *b == b'\n'));
        let line = differs.take_while(|(golden, now)| golden == now).count() + 1;
        assert!(
            golden == *text,
            "goldens/{name} differs from line {line} on: see this test's head"
        );
    }
    let published = fs::read_dir(goldens()).unwrap().count();
    assert_eq!(published, current.len(), "goldens/ holds a file that nothing generates");
}

/// The lines of a terminal on which a summary must fit, with a line for the next prompt.
const SCREEN: usize = 41;

#[test]
fn examples_come_first_and_summaries_fit_on_a_screen() {
    for (name, text) in CURRENT.iter().filter(|(name, _)| name.ends_with("help")) {
        let text = String::from_utf8_lossy(text);
        assert!(text.contains("\n\nUsage: brisk "), "{name}");
        let first = text.lines().find(|line| line.ends_with(':'));
        assert_eq!(first, Some("Examples:"), "{name}");
        let lines = text.lines().count();
        assert!(!name.ends_with("short-help") || lines < SCREEN, "{name} has {lines} lines");
    }
}

#[test]
fn every_long_flag_is_in_every_completion_and_man_page() {
    let current = &*CURRENT;
    for (help, page, least) in [
        ("find.help", "brisk-find.1", 50),
        ("ls.help", "brisk-ls.1", 45),
        ("du.help", "brisk-du.1", 40),
        ("changed.help", "brisk-changed.1", 45),
        ("scan.help", "brisk-scan.1", 35),
        ("bench.help", "brisk-bench.1", 5),
    ] {
        let flags = long_flags(&String::from_utf8(current[help].clone()).unwrap());
        assert!(flags.len() > least, "{flags:?}");
        for name in SHELLS.map(|(_, name)| name).into_iter().chain([page]) {
            let text = String::from_utf8(current[name].clone()).unwrap().replace("\\-", "-");
            for flag in &flags {
                assert!(text.contains(flag), "{name} lacks {flag}");
            }
        }
    }
}

/// The long flags that a help text lists.
fn long_flags(help: &str) -> Vec<String> {
    help.lines()
        .filter_map(|line| {
            line.trim_start().split("--").nth(1).filter(|_| line.trim_start().starts_with('-'))
        })
        .filter_map(|rest| rest.split(['=', '[', ' ', ',', '.']).next())
        .filter(|flag| !flag.is_empty())
        .map(str::to_owned)
        .collect()
}
