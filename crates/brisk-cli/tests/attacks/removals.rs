//! The ways to remove a tree that attackers choose from.

use std::path::Path;
use std::process::Command;

use testkit::brisk;

use crate::round::Round;
use crate::seed::Seed;
use crate::watched::Ended;

/// One way to remove a tree.
#[derive(Clone, Debug)]
pub struct Removal {
    before: Vec<String>,
    words: Vec<&'static str>,
    threads: String,
    /// The option that sets the number of workers.
    option: &'static str,
}

/// Each of these removes everything in the tree; some of the last leave directories.
const WORDS: [&[&str]; 8] = [
    // Through a link named find.
    &["-delete"],
    &["rm", "-rf"],
    &["rm", "-rf"],
    &["rm", "-r", "--force", "--verbose"],
    &["find", "-u", "--delete", "."],
    &["find", "-u", "--delete", "--order", "breadth", "."],
    &["find", "-u", "--delete", "--order", "sorted", "."],
    &["find", "-u", "--delete", "-t", "f", "."],
];

impl Removal {
    /// Any way, with any number of workers; every other one with few descriptors.
    pub fn any(seed: &mut Seed) -> Removal {
        let words = seed.pick(&WORDS).to_vec();
        let before = if seed.one_in(2) { few_descriptors(seed) } else { Vec::new() };
        let threads = seed.pick(&["1", "2", "4", "7"]).to_owned();
        let option = if words[0] == "rm" { "--threads" } else { "-j" };
        Removal { before, words, threads, option }
    }

    /// Removes a tree, which is named relative to `t`.
    pub fn run(&self, round: &mut Round, tree: &str) -> Ended {
        let mut command = self.command(round, tree);
        round.run(&mut command)
    }

    /// The command that removes a tree.
    pub fn command(&self, round: &Round, tree: &str) -> Command {
        let before: Vec<_> = self.before.iter().map(String::as_str).collect();
        if self.words == ["-delete"] {
            let linked = ["bash", "-c", r#"exec -a find "$0" "$@""#, brisk(), tree, "-delete"];
            return round.command(&[&before[..], &linked].concat());
        }
        let name = self.words[0];
        let rest = &self.words[1..];
        let words = [&[name, self.option, &self.threads], rest, &[tree]].concat();
        round.brisk(&before, &words)
    }
}

/// A limit on open files between the number that a process needs to start and the number that it
/// would use.
pub fn few_descriptors(seed: &mut Seed) -> Vec<String> {
    let few = seed.between(6, 16);
    vec!["prlimit".to_owned(), format!("--nofile={few}:{few}")]
}

/// Removes the rest with GNU rm.
pub fn clear(dir: &Path) {
    let mut find = Command::new("find");
    find.arg(dir).args(["-mindepth", "1", "-maxdepth", "1", "-exec", "/bin/rm", "-rf", "{}", "+"]);
    assert!(find.status().unwrap().success(), "{} cannot be emptied", dir.display());
}
