//! The comparison: one test for each call.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};

use super::calls::{self, Call};
use super::tree::Tree;
use super::{huge, many, reflinks};

/// What a call printed, the lines of its messages, and its exit code.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    printed: String,
    messages: Vec<String>,
    code: Option<i32>,
}

/// Runs a program called `du`, without this user's environment, and without the privilege to read
/// what is closed.
fn outcome(program: &Path, tree: &Tree, (variable, words): &Call) -> Outcome {
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let output = testkit::obedient("du")
        .unwrap_or_else(|| Command::new("du"))
        .args(words)
        .current_dir(tree.path())
        .env_clear()
        .envs([("PATH", &*path), ("TZ", "UTC"), ("LC_ALL", "C")])
        .envs(*variable)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let messages: Vec<String> = text.lines().map(str::to_owned).collect();
    let printed = output.stdout.escape_ascii().to_string().replace("\\n", "\n");
    Outcome { printed, messages, code: output.status.code() }
}

fn check(gnu: &Path, tree: &Tree, call: &Call) -> Result<(), Failed> {
    let theirs = outcome(gnu, tree, call);
    let ours = outcome(&tree.du(), tree, call);
    if theirs == ours {
        return Ok(());
    }
    let differ: Vec<_> = theirs.printed.lines().zip(ours.printed.lines()).collect();
    let first = differ.iter().find(|(theirs, ours)| theirs != ours);
    Err(format!(
        "first line {first:?}, {} and {} lines\n{:?} {:?}\n{:?} {:?}",
        theirs.printed.lines().count(),
        ours.printed.lines().count(),
        theirs.messages,
        theirs.code,
        ours.messages,
        ours.code
    )
    .into())
}

/// A call that must differ does differ, so the comparison can fail.
fn sees_a_difference(gnu: &Path, tree: &Tree) -> Result<(), Failed> {
    let theirs = outcome(gnu, tree, &(None, vec!["-a".into(), "links".into()]));
    let ours = outcome(&tree.du(), tree, &(None, vec!["links".into()]));
    assert_ne!(theirs, ours);
    Ok(())
}

/// GNU du 9.1: later versions count apparent sizes of directories otherwise.
fn find() -> Option<PathBuf> {
    let path = PathBuf::from("/usr/bin/du");
    let version = Command::new(&path).arg("--version").output().ok()?.stdout;
    version.starts_with(b"du (GNU coreutils) 9.1\n").then_some(path)
}

/// GNU du, and the trees.
pub type Scene = Arc<(PathBuf, Tree)>;

/// A test for each call, if there is a GNU du. The trees are there until the scene is dropped.
pub fn trials() -> (Vec<Trial>, Option<Scene>) {
    let Some(gnu) = find() else {
        testkit::left_out("du", "there is no GNU du 9.1");
        return (Vec::new(), None);
    };
    let shared = Arc::new((gnu, Tree::new()));
    let both = Arc::clone(&shared);
    let seen = move || sees_a_difference(&both.0, &both.1);
    let mut trials = vec![Trial::test("a difference of du is seen", seen)];
    let mut names = HashSet::new();
    for call in calls::all() {
        let variable = call.0.map(|(name, value)| format!("{name}={value:?} ")).unwrap_or_default();
        let words = shlex::try_join(call.1.iter().map(String::as_str)).unwrap();
        let name = format!("{variable}du {words}");
        if names.insert(name.clone()) {
            let shared = Arc::clone(&shared);
            trials.push(Trial::test(name, move || check(&shared.0, &shared.1, &call)));
        }
    }
    trials.push(huge::trial(&shared.0, &shared.1.du()));
    trials.extend(many::trials(&shared.0, &shared.1.du()));
    trials.extend(reflinks::trials(&shared.1.du()));
    (trials, Some(shared))
}
