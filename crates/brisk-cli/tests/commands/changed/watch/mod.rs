//! `brisk changed --watch`. No test asserts a time: each waits for a line, or for an end.

mod batches;
mod commands;
mod ends;
mod site;
mod stopping;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use super::scene::Scene;

/// How long a test waits for a line before it fails.
const HANGS: Duration = Duration::from_secs(60);

/// A watch that runs beside the test.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    /// `brisk changed` with `--watch` and words that spaces separate; `command` is a script for COMMAND,
    /// whose words are the paths.
    fn begin(scene: &Scene, line: &str, command: Option<&str>) -> Watch {
        let mut watch = scene.command();
        watch.arg("--watch").args(line.split_whitespace());
        if let Some(script) = command {
            watch.args(["--", "sh", "-c", script, "sh", "{}"]);
        }
        Watch::of(watch.stdin(Stdio::piped()))
    }

    fn of(command: &mut Command) -> Watch {
        Watch::told_on(command, Stdio::piped())
    }

    fn told_on(command: &mut Command, stderr: impl Into<Stdio>) -> Watch {
        let mut child = command.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        let read = move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        std::thread::Builder::new().spawn(read).unwrap();
        Watch { child, lines }
    }

    /// The next line; `None` at the end.
    fn line(&self) -> Option<String> {
        match self.lines.recv_timeout(HANGS) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(_) => panic!("no line came"),
        }
    }

    /// The next line of a watch that prints `ran` and the paths.
    fn ran(&self) -> String {
        let line = self.line().unwrap();
        line.strip_prefix("ran").unwrap_or_else(|| panic!("{line}")).trim().to_owned()
    }

    /// The next batch of `--json`: its head, and its changes as `M a`.
    fn batch(&self) -> (Value, Vec<String>) {
        let object = || serde_json::from_str::<Value>(&self.line().unwrap()).unwrap();
        let head = object();
        assert_eq!(head["brisk"], 1);
        let mut changes = Vec::new();
        loop {
            let object = object();
            if object["end"] == true {
                assert_eq!(object["count"], changes.len());
                return (head, changes);
            }
            let text = |key: &str| object[key].as_str().map(str::to_owned);
            let words = [text("status"), text("from"), text("path")];
            changes.push(words.into_iter().flatten().collect::<Vec<_>>().join(" "));
        }
    }

    /// The changes of batches, until there are so many.
    fn changes(&self, count: usize) -> Vec<String> {
        let mut changes = Vec::new();
        while changes.len() < count {
            changes.extend(self.batch().1);
        }
        changes
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end; returns the exit code, and what standard error got.
    fn end(mut self) -> (Option<i32>, String) {
        let mut told = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        (self.wait().code(), told)
    }

    fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Interrupts the watch, and waits for its end.
    fn interrupt(self) -> (Option<i32>, String) {
        self.signal(Signal::INT);
        self.end()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // So that the command ends too: whoever reads the output of the tests would wait for it.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        }
        let _ = self.child.wait();
    }
}

/// Whether the process whose number the file has is there.
fn is_alive(scene: &Scene, file: &str) -> bool {
    let pid = Pid::from_raw(scene.read(file).trim().parse().unwrap()).unwrap();
    test_kill_process(pid).is_ok()
}
