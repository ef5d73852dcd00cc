//! Every line of JSON of every command fits docs/json.schema.json, and docs/json.md explains each
//! key of the schema.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::Value;
use testkit::{brisk, has_tables};

use crate::bench_calls::can_trace;

/// A name that is not UTF-8.
const RAW: &[u8] = b"n\xff";

fn document(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// The schema's definitions.
struct Schema(Value);

impl Schema {
    fn new() -> Schema {
        let text = fs::read_to_string(document("json.schema.json")).unwrap();
        Schema(serde_json::from_str(&text).unwrap())
    }

    /// Why a value does not fit a definition, if it does not.
    fn refusal(&self, name: &str, value: &Value) -> Option<String> {
        self.check(&self.0["$defs"][name], value).err()
    }

    /// The part of JSON Schema that the file uses. Any other keyword is an error.
    fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let rules = schema.as_object().ok_or("no schema")?;
        for (keyword, rule) in rules {
            let fits = match keyword.as_str() {
                "description" => true,
                "$ref" => {
                    let name = rule.as_str().unwrap().trim_start_matches("#/$defs/");
                    self.check(&self.0["$defs"][name], value)?;
                    true
                }
                "type" => is_of_type(rule.as_str().unwrap(), value),
                "enum" => rule.as_array().unwrap().contains(value),
                "pattern" => {
                    let pattern = Regex::new(rule.as_str().unwrap()).unwrap();
                    value.as_str().is_none_or(|text| pattern.is_match(text))
                }
                "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
                "required" => rule
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|key| !value[key.as_str().unwrap()].is_null()),
                "oneOf" => {
                    let fitting = rule.as_array().unwrap().iter();
                    fitting.filter(|rule| self.check(rule, value).is_ok()).count() == 1
                }
                "not" => self.check(rule, value).is_err(),
                "items" => {
                    let mut elements = value.as_array().into_iter().flatten();
                    elements.try_for_each(|one| self.check(rule, one))?;
                    true
                }
                "properties" => {
                    for (key, value) in value.as_object().into_iter().flatten() {
                        let rule = rule.get(key).ok_or(format!("an unknown key {key}"))?;
                        self.check(rule, value).map_err(|why| format!("{key}: {why}"))?;
                    }
                    true
                }
                // "properties" refuses every other key.
                "additionalProperties" => rule == false && rules.contains_key("properties"),
                _ => return Err(format!("the test does not know the keyword {keyword}")),
            };
            if !fits {
                return Err(format!("{value} does not fit {keyword} {rule}"));
            }
        }
        Ok(())
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// A tree `t`, a copy `u` with differences, and a directory whose name is not UTF-8.
fn place() -> tempfile::TempDir {
    let place = testkit::scratch();
    for top in ["t", "u"].map(OsStr::new).into_iter().chain([OsStr::from_bytes(RAW)]) {
        let top = place.path().join(top);
        fs::create_dir_all(top.join("d")).unwrap();
        fs::write(top.join("d/f.txt"), "12345").unwrap();
        fs::write(top.join("d").join(OsStr::from_bytes(RAW)), "").unwrap();
        symlink(OsStr::from_bytes(RAW), top.join("l")).unwrap();
    }
    testkit::run("mkfifo", &[place.path().join("t/p").to_str().unwrap()]);
    fs::write(place.path().join("u/d/f.txt"), "other").unwrap();
    fs::write(place.path().join("u/new"), "").unwrap();
    fs::create_dir(place.path().join("u/d/e")).unwrap();
    place
}

/// What a command prints, and what it reports; `@` stands for the directory that is not UTF-8.
fn lines(dir: &Path, words: &str) -> Vec<Value> {
    let word = |word: &str| match word {
        "@" => OsStr::from_bytes(RAW).to_owned(),
        word => word.into(),
    };
    let mut command = Command::new(brisk());
    command.args(words.split(' ').map(word)).current_dir(dir);
    let output = command.env("XDG_STATE_HOME", dir.join("state")).output().unwrap();
    let both = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(both).unwrap();
    text.lines()
        .map(|line| {
            serde_json::from_str(line).unwrap_or_else(|why| panic!("{words}: {line}: {why}"))
        })
        .collect()
}

/// Runs commands, and returns the keys of their lines. Behind each command are the definitions that
/// its lines must fit. Of three or more, the second is that of all lines in the middle; of fewer, the
/// first is.
fn keys(dir: &Path, cases: &[(&str, &[&str])]) -> BTreeSet<String> {
    let schema = Schema::new();
    let mut seen = BTreeSet::new();
    for (words, names) in cases {
        let lines = lines(dir, words);
        assert!(lines.len() >= names.len(), "{words}: {lines:?}");
        let middle = usize::from(names.len() > 2);
        for (at, line) in lines.iter().enumerate() {
            let from_end = names.len().saturating_sub(lines.len() - at);
            let name = names[at.min(middle).max(from_end)];
            if let Some(why) = schema.refusal(name, line) {
                panic!("{words}: {line} is no {name}: {why}");
            }
            seen.extend(line.as_object().unwrap().keys().cloned());
        }
    }
    seen
}

#[test]
fn each_line_of_each_command_fits_the_schema() {
    let place = place();
    let seen = keys(
        place.path(),
        &[
            ("find --json -u . t", &["entry"]),
            ("find --json -u --stats=json . t", &["entry", "stats"]),
            ("ls --json t", &["entry"]),
            ("ls --json -lais t t/d/f.txt", &["entry"]),
            ("ls --json -R --stats=json @", &["entry", "stats"]),
            ("du --json -a --time t @", &["usage"]),
            ("du --json -s --stats=json t", &["usage", "stats"]),
            ("du --json -a --frees --time t @", &["freed"]),
            ("du --json --by type t", &["bucket"]),
            ("du --json --by owner t", &["bucket"]),
            ("du --json --by extension t", &["bucket"]),
            ("changed t --state new --json", &["changed_header", "change", "end"]),
            ("changed @ --state s --json --save s", &["changed_header", "change", "end"]),
            ("changed t u --state both --json", &["changed_header", "change", "end"]),
            (
                "changed t --state other --json --stats=json",
                &["changed_header", "change", "end", "stats"],
            ),
            ("diff t u --json", &["diff_header", "change", "end"]),
            ("diff u @ --json --content", &["diff_header", "change", "end"]),
            ("diff t u --summary --json", &["diff_header", "summary", "end"]),
            ("cp -Rv --json u v", &["copied", "copying"]),
            ("cp -RT --delete -v --json t v", &["copied", "copying"]),
            ("cp -R --dry-run --json u w", &["copying"]),
            ("rm -rv --json --dry-run u", &["entry", "removal"]),
            ("rm -rv --json u", &["entry", "removal"]),
            ("rm -r --stats=json @", &["removal"]),
            ("chmod -R --json --dry-run 700 t", &["permissions"]),
            ("chmod -R --json --stats=json u+r t", &["permissions", "permissions"]),
        ],
    );
    for key in ["path_b64", "name_b64", "target_b64", "inode", "device", "newest", "whole", "bytes"]
    {
        assert!(seen.contains(key), "{key} is in no line: {seen:?}");
    }
}

#[test]
fn each_line_of_a_scan_fits_the_schema() {
    if !has_tables("each_line_of_a_scan_fits_the_schema") {
        return;
    }
    let place = place();
    let every = "scan -o - --as jsonl --columns +name,parent --sums --hash blake3";
    let with_stats = format!("{every} --stats=json t");
    let raw = format!("{every} @");
    let few = "scan -o - --as jsonl --columns name,size t";
    let cases: &[(&str, &[&str])] =
        &[(&with_stats, &["entry", "stats"]), (&raw, &["entry"]), (few, &["entry"])];
    let seen = keys(place.path(), cases);
    for key in ["path_b64", "name_b64", "parent_b64", "target_b64", "device", "below_bytes"] {
        assert!(seen.contains(key), "{key} is in no line: {seen:?}");
    }
}

#[test]
fn the_report_of_a_bench_fits_the_schema() {
    let place = place();
    let mut cases = vec!["bench attrs --runs=1 --json t", "bench storage --json t"];
    if can_trace("the_report_of_a_bench_fits_the_schema") {
        cases.push("bench calls --json -- ls t");
    }
    for words in cases {
        let command = &mut Command::new(brisk());
        let output = command.args(words.split(' ')).current_dir(place.path()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(Schema::new().refusal("bench", &report), None, "{words}: {report}");
        assert!(report["methods"].as_array().is_some_and(|methods| methods.len() > 1), "{words}");
    }
}

/// One entry has the same values in all commands.
#[test]
fn all_commands_agree_on_an_entry() {
    let place = place();
    let mut commands = vec!["find --json -u ^l$ t", "ls --json -li t"];
    if has_tables("all_commands_agree_on_an_entry") {
        commands.push("scan -o - --as jsonl --columns +name t");
    }
    let entry = |words: &&str| -> Value {
        let found = lines(place.path(), words);
        found.into_iter().find(|line| line["path"] == "t/l").unwrap_or_else(|| panic!("{words}"))
    };
    let all: Vec<Value> = commands.iter().map(entry).collect();
    assert_eq!(all[0]["type"], "symlink");
    for (command, other) in commands.iter().zip(&all) {
        for (key, value) in other.as_object().unwrap() {
            // The listing by ls reads the link, which may set its time of access.
            assert!(key == "atime" || all[0][key] == *value, "{command}: {key}: {value}");
        }
    }
}

#[test]
fn the_document_explains_each_key_of_the_schema() {
    let text = fs::read_to_string(document("json.md")).unwrap();
    let explained: BTreeSet<&str> = text.split('`').skip(1).step_by(2).collect();
    let schema = Schema::new().0;
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        for key in definition["properties"].as_object().into_iter().flatten().map(|(key, _)| key) {
            let key = key.trim_end_matches("_b64");
            assert!(explained.contains(key), "docs/json.md does not explain {key} of {name}");
        }
    }
}
