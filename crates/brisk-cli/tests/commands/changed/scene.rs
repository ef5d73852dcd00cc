//! A small tree, and brisk run beside it.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use testkit::{brisk, stderr, stdout};

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
        self.command().args(line.split_whitespace()).output().unwrap()
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
        self.prepared(Command::new("sh"), &["-c", &script]).output().unwrap()
    }
}

/// The exit code.
pub fn code(output: &Output) -> Option<i32> {
    output.status.code()
}
