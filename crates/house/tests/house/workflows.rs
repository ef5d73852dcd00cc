//! What continuous integration runs is there: each script that a workflow calls, with a word that the
//! script's usage lists.

use std::fs;
use std::path::Path;

/// The calls of scripts that do not exist, or with a word that they do not know.
pub fn unknown_calls(top: &Path) -> Vec<String> {
    let mut files = vec![top.join(".ci/run")];
    let workflows = fs::read_dir(top.join(".github/workflows")).expect("the workflows");
    files.extend(workflows.map(|file| file.expect("a workflow").path()));
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| file.exists()) {
        let text = fs::read_to_string(file).expect("a workflow");
        let usage_of = |script: &str| fs::read_to_string(top.join(script)).ok();
        wrong.extend(
            unknown(&text, usage_of).map(|call| format!("{}: {call}", file.to_string_lossy())),
        );
    }
    wrong
}

/// `usage_of` is the text of a script, whose usage has a line for each word.
fn unknown(text: &str, usage_of: impl Fn(&str) -> Option<String>) -> impl Iterator<Item = String> {
    text.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(move |line| {
        let call = &line[line.find("scripts/")?..];
        let mut words = call.split(|byte: char| byte.is_whitespace() || byte == '"');
        let script = words.next()?;
        let word = words.next().unwrap_or_default();
        let is_listed = |line: &str| {
            let mut words = line.trim_start_matches(['#', ' ']).split(' ');
            words.next() == Some(script) && words.next() == Some(word)
        };
        let is_known = |usage: String| usage.lines().any(is_listed);
        (!usage_of(script).is_some_and(is_known)).then(|| call.to_owned())
    })
}

#[test]
fn a_call_of_what_is_not_there_is_found() {
    let usage_of = |script: &str| {
        (script == "scripts/test")
            .then(|| "#   scripts/test      a\n#   scripts/test all  b".to_owned())
    };
    let text =
        "run: scripts/test\nrun: X=1 scripts/test all\nrun: scripts/test quick\nrun: scripts/no";
    let wrong: Vec<_> = unknown(text, usage_of).collect();
    assert_eq!(wrong, ["scripts/test quick", "scripts/no"]);
}
