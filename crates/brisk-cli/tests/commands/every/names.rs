//! A message is as many lines as it has with a harmless name, whatever name or argument it holds,
//! and no byte of it commands or deceives a terminal.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

use testkit::{Installation, brisk, has_tables, left_out, obedient};

/// Each after a harmless one.
const NAMES: &[&[u8]] = &[
    b"HHHH",
    b"x\nbrisk: forged\nx",
    b"\x1b[2J\x1b]0;title\x07\x08\r\x7f\tx",
    "\u{9b}31m\u{85}\u{90}x".as_bytes(),
    "\u{202e}txt\u{2066}\u{200f}\u{61c}\u{2028}x\u{feff}".as_bytes(),
    b"\xff\nbrisk: forged\xc3",
    b"it's \"so\"\n$(x) `y` {z!",
    b"-rf\nbrisk: forged",
];

/// Failures of every command. `@` stands for the name; in `u` it is a directory that cannot be read,
/// in `l` a link to `.`, in `f` a file that cannot be read, in `w` a directory that cannot be
/// written to. Nothing else has it.
const FAILURES: &[&str] = &[
    "brisk find . u",
    "brisk find --order=sorted . u",
    "brisk find -L . l",
    "brisk find --newer=@",
    "brisk find --ignore-file=@",
    "brisk find --base-directory=@",
    "brisk find -tf . w --delete",
    "brisk find . f -x ./@",
    "brisk find . f -X ./@",
    "brisk find -- . @",
    "brisk find -- [@",
    "brisk find -- @/x",
    "brisk find -g -- {@",
    "brisk find --exclude={@ .",
    "brisk find --exclude-regex=[@ .",
    "brisk find --owner=@:@",
    "brisk find --format={mtime:%!@}",
    "brisk find -mtime @",
    "brisk find -name @",
    "brisk find -type @",
    "brisk find --zz@",
    "brisk find -t @",
    "fd . u --show-errors",
    "fd -- . @",
    "fd -- [@",
    "fd -- @/x",
    "fd --@",
    "fd -t @",
    "fd -S @",
    "fd --base-directory=@",
    "fd --changed-within=@",
    "brisk changed --state s u",
    "brisk changed --state s --content f",
    "brisk changed --state s -- @",
    "brisk changed --state @/s w",
    "brisk changed --state f/@ w",
    "brisk changed --state s @",
    "brisk changed --state s --depfile=@/d w",
    "brisk diff -- @ w",
    "brisk diff f/@ w",
    "brisk diff text/@ w",
    "brisk diff u w",
    "brisk changed --state text/@ w --save=text/@",
    "brisk scan -o - --as=csv u",
    "brisk scan -o - --as=csv --hash f",
    "brisk scan -o @ w",
    "brisk scan -o @/o.csv w",
    "brisk scan -o o.csv -- @",
    "brisk scan -o o.csv --columns=@ w",
    "brisk ls u/@",
    "brisk ls -R u",
    "brisk ls -- @",
    "brisk ls --json -- @",
    "brisk ls --zz@",
    "brisk ls -LR l",
    "ls -R u",
    "ls -- @",
    "ls --@",
    "ls --color=@",
    "ls -l --time-style=@",
    "ls -w @",
    "ls -T @",
    "ls --block-size=@",
    "brisk rm -- @",
    "brisk rm -r w",
    "brisk rm -r u",
    "brisk rm -rv --dry-run w",
    "brisk rm f",
    "brisk rm -r -- l/@/.",
    "brisk rm @",
    "brisk rm --zz@",
    "brisk rm --older-than=@ f",
    "brisk rm --files0-from=@",
    "rm -- @",
    "rm -r w",
    "rm @",
    "rm --interactive=@ f",
    "rm --preserve-root=@ f",
    "brisk du u",
    "brisk du -- @",
    "brisk du --exclude-from=@",
    "brisk du --files0-from=@",
    "brisk du --html=@/x w",
    "du u",
    "du -- @",
    "du -d @",
    "du -B @",
    "du -t 9@",
    "du --time=@",
    "du --@",
    "brisk bench attrs -- @",
    "brisk bench walk -- @",
    "brisk bench rm -- @",
    "brisk bench rm --scratch=@ w",
    "brisk bench attrs w -- @",
    "brisk bench calls -- @",
    "brisk bench -- @",
    "brisk man f/@",
    "brisk completions -- @",
    "brisk -- @",
    "brisk @",
    "brisk --@",
];

/// A directory with what fails, named `name`.
fn scene(name: &[u8]) -> Installation {
    let place = Installation::new();
    let name = OsStr::from_bytes(name);
    let at = |dir: &str| place.path("t").join(dir);
    for dir in ["u", "l", "f", "w", "text"] {
        fs::create_dir(at(dir)).unwrap();
    }
    for dir in ["u", "w"] {
        fs::create_dir(at(dir).join(name)).unwrap();
        fs::write(at(dir).join(name).join(name), "").unwrap();
    }
    fs::write(at("f").join(name), "private").unwrap();
    fs::write(at("text").join(name), "another").unwrap();
    symlink(".", at("l").join(name)).unwrap();
    for (file, mode) in [("u", 0), ("f", 0), ("w", 0o555)] {
        fs::set_permissions(at(file).join(name), Permissions::from_mode(mode)).unwrap();
    }
    for program in ["fd", "ls", "du"] {
        symlink("brisk", place.path("bin").join(program)).unwrap();
    }
    let tables = Path::new(brisk()).with_file_name("brisk-scan");
    symlink(tables, place.path("bin/brisk-scan")).unwrap();
    place
}

/// The name in place of each `@`.
fn filled(word: &str, name: &[u8]) -> OsString {
    let parts: Vec<&[u8]> = word.split('@').map(str::as_bytes).collect();
    OsString::from_vec(parts.join(name))
}

/// What the command line says on standard error.
fn told(at: &Path, line: &str, name: &[u8], locale: &str) -> Option<String> {
    let mut words = line.split(' ');
    let program = words.next().unwrap();
    // By its name alone: messages repeat how the program was called.
    let mut command = obedient(program)?;
    command.args(words.map(|word| filled(word, name))).current_dir(at.join("t"));
    command.env_clear().env("LC_ALL", locale).env("HOME", at).stdin(Stdio::null());
    command.env("PATH", format!("{}:/usr/bin:/bin", at.join("bin").display()));
    let told = String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned();
    Some(told.replace(at.to_str().unwrap(), ""))
}

/// What is wrong with a message, if `other` is the one about the harmless name.
fn wrong(told: &str, other: &str, name: &[u8]) -> Option<&'static str> {
    if told.is_empty() {
        return Some("no message");
    }
    if told.contains(is_dangerous) {
        return Some("a dangerous character");
    }
    // Quotes may stand elsewhere.
    let bare = |line: &str| line.replace(['\'', '"', '‘', '’'], "");
    let lines: Vec<String> = told.lines().map(bare).collect();
    if lines.iter().any(|line| line.starts_with("brisk: forged") || line.starts_with("x")) {
        return Some("a line of the name's");
    }
    // Words that are options or no UTF-8 have other messages.
    if str::from_utf8(name).is_err() || name.starts_with(b"-") {
        return None;
    }
    let before = |line: &str| bare(line.split("HHHH").next().unwrap_or_default());
    let same =
        lines.iter().zip(other.lines()).all(|(line, other)| line.starts_with(&before(other)));
    let count = lines.len() == other.lines().count();
    if same && count { None } else { Some("another line") }
}

fn is_dangerous(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Tries each command line with each name.
fn hold(lines: &[String]) {
    let mut findings = BTreeSet::new();
    for (locale, names) in [("C.UTF-8", NAMES), ("C", &NAMES[..2])] {
        let mut harmless = Vec::new();
        for name in names {
            let place = scene(name);
            for (at, line) in lines.iter().enumerate() {
                let Some(text) = told(place.dir.path(), line, name, locale) else {
                    return left_out("names", "root cannot give up its capabilities");
                };
                if *name == b"HHHH" {
                    harmless.push(text.clone());
                }
                if let Some(what) = wrong(&text, &harmless[at], name) {
                    findings.insert(format!("{line}: {what}: {text:?}"));
                }
            }
        }
    }
    let all: Vec<_> = findings.iter().map(String::as_str).collect();
    assert!(all.is_empty(), "{} findings:\n{}", all.len(), all.join("\n"));
}

#[test]
fn a_name_in_a_failure_is_one_harmless_word() {
    let has_tables = has_tables("names in failures of brisk scan");
    let lines = FAILURES.iter().filter(|line| has_tables || !line.starts_with("brisk scan"));
    hold(&lines.map(|line| (*line).to_owned()).collect::<Vec<_>>());
}
