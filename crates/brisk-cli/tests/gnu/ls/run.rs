//! Runs one case, into a pipe or on a terminal of its own.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use testkit::terminal;

use super::case::{Case, Place};
use super::tree::Tree;

/// The outcome of a case.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub printed: Vec<u8>,
    /// With -L in sorted lines, because GNU asks about entries in the directory's own order.
    pub messages: Vec<String>,
    pub code: Option<i32>,
}

impl Outcome {
    /// The parts of another outcome that differ from this one.
    pub fn difference(&self, other: &Outcome) -> String {
        let mut text = String::new();
        if self.printed != other.printed {
            let lines = |bytes: &[u8]| -> Vec<String> {
                bytes.split(|b| *b == b'\n').map(|line| line.escape_ascii().to_string()).collect()
            };
            let theirs = lines(&self.printed);
            let ours = lines(&other.printed);
            let length = theirs.len().max(ours.len());
            let differ = (0..length).filter(|at| theirs.get(*at) != ours.get(*at));
            for at in differ.take(3) {
                text += &format!("  theirs {:?}\n  ours   {:?}\n", theirs.get(at), ours.get(at));
            }
        }
        if self.messages != other.messages {
            text += &format!("  theirs {:#?}\n  ours   {:#?}\n", self.messages, other.messages);
        }
        if self.code != other.code {
            text += &format!("  code {:?}, ours {:?}\n", self.code, other.code);
        }
        text
    }
}

/// Runs a program, under the name `ls`, in the tree.
pub fn outcome(program: &Path, tree: &Tree, case: &Case) -> Outcome {
    let mut command = Command::new(program);
    command.arg0("ls");
    run(command, tree, case)
}

/// Runs a command in the tree, without this user's environment.
pub fn run(mut command: Command, tree: &Tree, case: &Case) -> Outcome {
    command
        .args(&case.words)
        .current_dir(tree.path())
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("TZ", "UTC"), ("LC_ALL", "C"), ("TERM", "xterm")])
        .envs(case.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    case.unset.iter().for_each(|name| {
        command.env_remove(name);
    });
    let (printed, output) = match case.place {
        Place::Pipe => {
            let output = command.stdout(Stdio::piped()).output().unwrap();
            (output.stdout.clone(), output)
        }
        Place::Terminal(columns) => on_terminal(command, columns),
    };
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut messages: Vec<String> = messages.lines().map(str::to_owned).collect();
    if case.words.iter().any(|word| word.starts_with('-') && word.contains('L')) {
        messages.sort();
    }
    Outcome { printed, messages, code: output.status.code() }
}

fn on_terminal(mut command: Command, columns: u16) -> (Vec<u8>, std::process::Output) {
    let (ours, theirs) = terminal(columns);
    let child = command.stdout(theirs).spawn().unwrap();
    // The command value holds the other end. The read ends only when that is closed.
    drop(command);
    let mut printed = Vec::new();
    // A terminal whose other end is closed reports an error at the end.
    let _ = File::from(ours).read_to_end(&mut printed);
    (printed, child.wait_with_output().unwrap())
}
