//! `brisk changed --watch`. No test asserts a time: each waits for a line, or for an end.

mod batches;
mod commands;
mod ends;
mod site;
mod stopping;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process};
use serde_json::Value;

use super::scene::{HANGS, Scene, end_of};

/// A watch that runs beside the test.
struct Watch {
    child: Child,
    lines: Lines,
    /// What it says on standard error.
    messages: Lines,
}

/// The lines that a program prints. A wait for one ends.
struct Lines(Receiver<String>);

impl Lines {
    fn of(output: Option<impl Read + Send + 'static>) -> Lines {
        let (sender, lines) = channel();
        let lines_of = |output| BufReader::new(output).lines().map_while(Result::ok);
        let read =
            move || output.into_iter().flat_map(lines_of).try_for_each(|line| sender.send(line));
        std::thread::Builder::new().spawn(read).unwrap();
        Lines(lines)
    }

    /// The next line; `None` at the end.
    fn next(&self) -> Option<String> {
        match self.0.recv_timeout(HANGS) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("neither a line nor the end came"),
        }
    }
}

impl Watch {
    /// `brisk changed` with `--watch` and words that spaces separate; `command` is a script for COMMAND,
    /// whose words are the paths.
    fn begin(scene: &Scene, line: &str, command: Option<&str>) -> Watch {
        let mut watch = scene.signalled();
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
        let (mut watch, output) = Watch::unread(command.stderr(stderr));
        watch.lines = Lines::of(Some(output));
        watch
    }

    /// A watch whose output the test reads.
    fn unread(command: &mut Command) -> (Watch, ChildStdout) {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let messages = Lines::of(child.stderr.take());
        (Watch { child, lines: Lines::of(None::<ChildStdout>), messages }, output)
    }

    /// The next line; `None` at the end.
    fn line(&self) -> Option<String> {
        self.lines.next()
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
        let told = std::iter::from_fn(|| self.messages.next()).map(|line| line + "\n").collect();
        (self.wait().code(), told)
    }

    fn wait(&mut self) -> ExitStatus {
        end_of(&mut self.child).expect("the watch ends")
    }

    /// Interrupts the watch, and waits for its end.
    fn interrupt(self) -> (Option<i32>, String) {
        self.signal(Signal::INT);
        self.end()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        // So that the command ends too: a pipe that reads the output of the tests would wait for it.
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
        if end_of(&mut self.child).is_none() {
            let process = self.child.id();
            let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
            let _ = self.child.kill();
            let children = children.unwrap_or_default();
            for group in
                children.split(' ').filter_map(|number| Pid::from_raw(number.parse().ok()?))
            {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = self.child.wait();
        }
    }
}

/// Whether the process whose number the file has is there.
fn is_alive(scene: &Scene, file: &str) -> bool {
    let pid = Pid::from_raw(scene.read(file).trim().parse().unwrap()).unwrap();
    test_kill_process(pid).is_ok()
}
