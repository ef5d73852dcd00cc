//! Colours against GNU ls: on a tree with every type, mode bit and kind of link, for many values of
//! `LS_COLORS`, the bytes around each name must be those that ls writes.
//!
//! The output of `ls -1U` is compared whole: a walk of brisk lists the tree in the directory's own
//! order and writes each name through a `Painter`. Of `ls -l`, names and targets are compared,
//! without the columns before them. Where no GNU ls 9 is installed the tests say so and pass.

#![cfg(target_os = "linux")]

mod tree;
mod values;

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output};

use brisk::{DirEntry, Fields, FileType, Meta, Walk};
use brisk_colors::{Colors, MetadataColors, Painter, TargetColors};
use brisk_sys::quoting::escape;

/// The variables that decide about colour.
#[derive(Clone, Copy, Debug, Default)]
struct Environment<'a> {
    ls_colors: Option<&'a [u8]>,
    colorterm: Option<&'a str>,
    term: Option<&'a str>,
}

fn ls(dir: &Path, options: &[&str], environment: Environment<'_>) -> Output {
    let mut command = Command::new("ls");
    command.args(["--color=always", "-A", "-U", "-N"]).args(options).current_dir(dir);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
    if let Some(value) = environment.ls_colors {
        command.env("LS_COLORS", std::ffi::OsStr::from_bytes(value));
    }
    for (name, value) in [("COLORTERM", environment.colorterm), ("TERM", environment.term)] {
        command.envs(value.map(|value| (name, value)));
    }
    command.output().expect("ls runs")
}

/// Whether there is a GNU ls to compare with; says so if not.
fn can_compare(test: &str) -> bool {
    let version = Command::new("ls").arg("--version").output();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let is_9 = text.is_ok_and(|text| text.starts_with("ls (GNU coreutils) 9."));
    if !is_9 {
        testkit::left_out(test, "no GNU ls 9");
    }
    is_9
}

/// The entries with exactly the fields that colours need, as `ls` itself would ask for them.
fn listed(dir: &Path, colors: &Colors, besides: Fields) -> Vec<DirEntry> {
    // All types at once would get more fields than they need: one walk for each set of fields.
    let of = |kind: FileType| {
        let fields = colors.fields(kind) | besides;
        let walk = Walk::new(dir).min_depth(1).max_depth(1);
        let entries = walk.iter_with(fields).map(|entry| entry.expect("listed"));
        entries.collect::<Vec<_>>()
    };
    let kinds = [FileType::File, FileType::Directory, FileType::Symlink, FileType::Fifo];
    let mut lists = kinds.map(of).map(Vec::into_iter);
    let mut listed = Vec::new();
    while let Some(row) =
        lists.each_mut().map(Iterator::next).into_iter().collect::<Option<Vec<_>>>()
    {
        let kind = row[0].file_type();
        let at = kinds.iter().position(|&one| one == kind).unwrap_or(3);
        listed.extend(row.into_iter().nth(at));
    }
    listed
}

/// The output of `ls -1U` on a line of this many columns, or of any number.
fn short(dir: &Path, colors: &Colors, columns: Option<usize>) -> Vec<u8> {
    let colors = colors.clone().with_metadata(MetadataColors::On);
    let mut painter = Painter::new(&colors);
    let mut out = Vec::new();
    for entry in listed(dir, &colors, Fields::empty()) {
        let name = entry.file_name().as_bytes();
        let style = colors.indicator_of(name, entry.file_type(), entry.meta());
        painter.normal(&mut out);
        painter.begin(style, &mut out);
        out.extend_from_slice(name);
        let wraps = columns.is_some_and(|columns| name.len() > columns);
        painter.end(style, wraps, &mut out);
        out.push(b'\n');
    }
    painter.finish(&mut out);
    out
}

/// Written before each name in a long line.
const MARK: &str = "@@";

/// The output of `ls -l` without the columns before a name, and with a NUL for the end of a line.
fn long(dir: &Path, colors: &Colors) -> Vec<u8> {
    let colors = colors.clone().with_metadata(MetadataColors::On).with_targets(TargetColors::Shown);
    let besides = Fields::LINK_TARGET | Fields::MODE | Fields::NLINK;
    let mut painter = Painter::new(&colors);
    let mut out = Vec::new();
    for entry in listed(dir, &colors, besides) {
        let name = entry.file_name().as_bytes();
        let style = colors.indicator_of(name, entry.file_type(), entry.meta());
        painter.normal(&mut out);
        out.extend_from_slice(MARK.as_bytes());
        painter.begin(style, &mut out);
        out.extend_from_slice(name);
        painter.end(style, false, &mut out);
        if let Some(text) = entry.meta().and_then(Meta::link_target) {
            out.extend_from_slice(b" -> ");
            let style = colors.target_indicator(text, entry.meta());
            painter.begin(style, &mut out);
            out.extend_from_slice(text);
            painter.end(style, false, &mut out);
        }
        out.push(b'\n');
    }
    painter.finish(&mut out);
    out
}

/// Removes from long lines the text between the code of ordinary text and the name: it begins with
/// a type's letter and nine permissions, and ends in a mark.
fn without_columns(text: &[u8]) -> Vec<u8> {
    let mark = format!(" {MARK} ");
    let mut out = Vec::new();
    let mut rest = text;
    // The total stands before the first file.
    if let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        rest = &rest[end + 1..];
    }
    while let Some(at) = find(rest, mark.as_bytes()) {
        let begins = (0..at).find(|&start| is_mode(&rest[start..])).expect("a mode");
        out.extend_from_slice(&rest[..begins]);
        out.extend_from_slice(MARK.as_bytes());
        rest = &rest[at + mark.len()..];
    }
    out.extend_from_slice(rest);
    out
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn is_mode(text: &[u8]) -> bool {
    let Some((&kind, rest)) = text.split_first() else { return false };
    b"-dlpscb".contains(&kind)
        && rest.len() > 9
        && rest[..9].iter().all(|byte| b"-rwxsStT".contains(byte))
        && b" .+".contains(&rest[9])
}

fn compare(dir: &Path, value: &[u8], failures: &mut Vec<String>) {
    let (colors, refusal) = Colors::from_env_value(Some(value));
    assert_eq!(refusal, None, "{}", value.escape_ascii());
    // An unset value and an empty one leave the decision to the terminal, which has colours here.
    let environment =
        Environment { ls_colors: Some(value), term: Some("xterm"), ..Environment::default() };
    let theirs = ls(dir, &["-1"], environment);
    let ours = short(dir, &colors, None);
    note(value, "-1", &theirs.stdout, &ours, failures);
    let theirs = ls(dir, &["-1", "-w", "6"], environment);
    let ours = short(dir, &colors, Some(6));
    note(value, "-1 -w 6", &theirs.stdout, &ours, failures);
    let options = ["-l", "-g", "-o", &format!("--time-style=+{MARK}")];
    let theirs = ls(dir, &options, environment);
    let ours = long(dir, &colors);
    note(value, "-l", &without_columns(&theirs.stdout), &ours, failures);
}

/// The first line that differs.
fn note(value: &[u8], form: &str, theirs: &[u8], ours: &[u8], failures: &mut Vec<String>) {
    if theirs == ours {
        return;
    }
    let lines = |text: &'_ [u8]| -> Vec<String> {
        text.split(|&byte| byte == b'\n').map(|line| line.escape_ascii().to_string()).collect()
    };
    let theirs = lines(theirs);
    let ours = lines(ours);
    let at = theirs.iter().zip(&ours).position(|(a, b)| a != b).unwrap_or(0);
    let line = |lines: &[String]| lines.get(at).cloned();
    let theirs = line(&theirs);
    let ours = line(&ours);
    failures.push(format!(
        "{form} LS_COLORS='{}'\n  ls:    {theirs:?}\n  brisk: {ours:?}",
        value.escape_ascii()
    ));
}

/// Abilities of the installed ls, which depend on its version and build.
#[derive(Clone, Copy, Debug)]
struct Abilities {
    /// Built with libcap: `ca` has a meaning.
    capabilities: bool,
    /// Suffixes of different case may have different sequences (since 9.2).
    cases: bool,
}

impl Abilities {
    fn probe() -> Abilities {
        let place = tempfile::tempdir().expect("a scratch directory");
        std::fs::write(place.path().join("x.a"), "").expect("a file");
        tree::capable(place.path());
        let names = |value: &[u8]| {
            let environment = Environment { ls_colors: Some(value), ..Environment::default() };
            ls(place.path(), &["-1"], environment).stdout
        };
        Abilities {
            capabilities: find(&names(b"ca=99"), b"99m").is_some(),
            cases: find(&names(b"*.a=99:*.A=98"), b"99m").is_some(),
        }
    }
}

#[test]
fn every_name_is_painted_as_gnu_ls_paints_it() {
    if !can_compare("every_name_is_painted_as_gnu_ls_paints_it") {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    tree::plant(scratch.path());
    let abilities = Abilities::probe();
    eprintln!("{abilities:?}");
    if abilities.capabilities {
        tree::capable(scratch.path());
    }
    let mut failures = Vec::new();
    let mut compare = |dir: &Path, value: &str| {
        let lower = value.to_ascii_lowercase();
        let value = if abilities.cases { value } else { &lower };
        compare(dir, value.as_bytes(), &mut failures);
    };
    for value in values::CHOSEN {
        compare(scratch.path(), value);
    }
    if let Ok(database) = Command::new("dircolors").arg("-b").env("TERM", "xterm").output() {
        let text = String::from_utf8(database.stdout).expect("UTF-8");
        let value = text.split('\'').nth(1).expect("a quoted value");
        compare(scratch.path(), value);
    }
    let seeds = std::env::var("BRISK_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    for seed in 0..seeds {
        compare(scratch.path(), &values::random(seed));
    }
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn without_a_value_the_terminal_decides_as_it_does_for_gnu_ls() {
    if !can_compare("without_a_value_the_terminal_decides_as_it_does_for_gnu_ls") {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    std::fs::create_dir(scratch.path().join("d")).expect("a directory");
    for ls_colors in [None, Some(&b""[..]), Some(b"di=01;34")] {
        for colorterm in [None, Some(""), Some("truecolor")] {
            for term in values::TERMS {
                let environment = Environment { ls_colors, colorterm, term };
                let theirs = ls(scratch.path(), &["-1"], environment).stdout;
                let bytes = |text: Option<&'static str>| text.map(str::as_bytes);
                let (colors, _) = Colors::for_terminal(ls_colors, bytes(colorterm), bytes(term));
                let ours = short(scratch.path(), &colors, None);
                assert_eq!(
                    ours.escape_ascii().to_string(),
                    theirs.escape_ascii().to_string(),
                    "{environment:?}"
                );
                assert_eq!(colors.is_on(), theirs.contains(&0x1b), "{environment:?}");
            }
        }
    }
}

/// A key in C's spelling, as `ls` quotes it in the C locale.
fn quote(key: &[u8]) -> String {
    let mut out = Vec::new();
    for byte in key {
        match byte {
            b'\'' => out.extend_from_slice(b"\\'"),
            b' '..=b'~' if *byte != b'\\' => out.push(*byte),
            _ => escape(&[*byte], &mut out),
        }
    }
    format!("'{}'", String::from_utf8(out).expect("ASCII"))
}

#[test]
fn what_gnu_ls_refuses_is_refused_in_its_words() {
    if !can_compare("what_gnu_ls_refuses_is_refused_in_its_words") {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    std::fs::create_dir(scratch.path().join("d")).expect("a directory");
    for value in values::REFUSED.iter().chain(values::ODD_BUT_FINE) {
        let environment =
            Environment { ls_colors: Some(value.as_bytes()), ..Environment::default() };
        let theirs = ls(scratch.path(), &["-1"], environment);
        let (colors, refusal) = Colors::from_env_value(Some(value.as_bytes()));
        let messages = refusal.map_or_else(Vec::new, |refusal| refusal.messages(quote));
        let messages: String = messages.iter().map(|line| format!("ls: {line}\n")).collect();
        assert_eq!(messages, String::from_utf8_lossy(&theirs.stderr), "{value}");
        assert_eq!(values::REFUSED.contains(value), refusal.is_some(), "{value}");
        let ours = short(scratch.path(), &colors, None);
        assert_eq!(
            ours.escape_ascii().to_string(),
            theirs.stdout.escape_ascii().to_string(),
            "{value}"
        );
    }
}
