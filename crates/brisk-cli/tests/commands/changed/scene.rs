//! A small tree, and brisk run beside it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use testkit::{brisk, pause, stderr, stdout};

/// How long a test waits for a program before it fails: long enough where many others run.
pub const HANGS: Duration = Duration::from_secs(120);

/// A scratch directory with a tree `src`: the files a, b and d/c.
pub struct Scene(tempfile::TempDir);

impl Scene {
    pub fn new() -> Scene {
        let scene = Scene(tempfile::tempdir().unwrap());
        fs::create_dir_all(scene.path("src/d")).unwrap();
        for (name, text) in [("a", "alpha"), ("b", "beta"), ("d/c", "gamma")] {
            scene.write(&format!("src/{name}"), text);
        }
        scene
    }

    /// A new one whose state is accepted.
    pub fn accepted() -> Scene {
        let scene = Scene::new();
        scene.lines("src --state s --save s");
        scene
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    pub fn write(&self, below: &str, text: &str) {
        fs::write(self.path(below), text).unwrap();
    }

    pub fn read(&self, below: &str) -> String {
        String::from_utf8(fs::read(self.path(below)).unwrap()).unwrap()
    }

    pub fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    pub fn exists(&self, below: &str) -> bool {
        self.path(below).exists()
    }

    /// `brisk changed` in the scratch directory.
    pub fn command(&self) -> Command {
        self.prepared(Command::new(brisk()), &["changed"])
    }

    /// The same, which signals end: a shell starts what it runs in the background, perhaps these
    /// tests, with SIGINT ignored, and brisk leaves ignored signals ignored.
    pub fn signalled(&self) -> Command {
        let words = ["--default-signal=INT,QUIT,TERM", brisk(), "changed"];
        self.prepared(Command::new("env"), &words)
    }

    /// Another program there; it finds brisk as `$B`.
    pub fn prepared(&self, mut command: Command, words: &[impl AsRef<OsStr>]) -> Command {
        command
            .args(words)
            .current_dir(self.0.path())
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", self.0.path())
            .env("LC_ALL", "C.UTF-8")
            .env("B", brisk())
            .stdin(Stdio::null());
        command
    }

    /// Runs `brisk changed` with words that spaces separate.
    pub fn changed(&self, line: &str) -> Output {
        output(self.command().args(line.split_whitespace()))
    }

    /// What a run that succeeds prints, as lines.
    pub fn lines(&self, line: &str) -> Vec<String> {
        let output = self.changed(line);
        assert!(output.status.success(), "{line}: {:?} {}", output.status, stderr(&output));
        assert_eq!(stderr(&output), "", "{line}");
        stdout(&output).lines().map(str::to_owned).collect()
    }

    /// What changed since the accepted state, which stays.
    pub fn told(&self) -> Vec<String> {
        self.lines("src --state s")
    }

    /// Runs a shell script that must succeed; returns what it prints.
    pub fn script(&self, script: &str) -> String {
        let output = self.sh(script);
        let told = format!("{}{}", stdout(&output), stderr(&output));
        assert!(output.status.success(), "{script}\n{:?}\n{told}", output.status);
        stdout(&output)
    }

    /// Runs a shell script.
    pub fn sh(&self, script: &str) -> Output {
        let script = format!("set -eu\nb() {{ \"$B\" changed \"$@\"; }}\n{script}");
        output(&mut self.prepared(Command::new("sh"), &["-c", &script]))
    }
}

/// Runs a program to its end. If it hangs, it is ended with its group, and the test fails.
pub fn output(command: &mut Command) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.process_group(0).spawn().unwrap();
    let group = Pid::from_child(&child);
    let (done, end) = channel::<()>();
    let is_hanging = move || {
        let ends_within = |time| end.recv_timeout(time) != Err(RecvTimeoutError::Timeout);
        if ends_within(HANGS) {
            return false;
        }
        // A watch ends its command too, unless it is killed.
        let _ = kill_process_group(group, Signal::TERM);
        if !ends_within(HANGS / 4) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        true
    };
    let hangs = std::thread::Builder::new().spawn(is_hanging).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(done);
    let told = stderr(&output);
    assert!(!hangs.join().unwrap(), "{command:?} did not end within {HANGS:?}: {told}");
    output
}

/// Waits for a program; `None` if it does not end.
pub fn end_of(child: &mut Child) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < HANGS {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        pause(Duration::from_millis(1));
    }
    None
}

/// The exit code.
pub fn code(output: &Output) -> Option<i32> {
    output.status.code()
}
