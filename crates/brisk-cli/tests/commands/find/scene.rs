//! A tree to search, and what every test of a search does.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use testkit::Scratch;

/// A scratch directory with an empty home beside a tree.
pub struct Scene(Scratch);

impl Scene {
    pub fn new(files: &[&str]) -> Scene {
        let scene = Scene(Scratch::new());
        fs::create_dir_all(scene.tree()).unwrap();
        fs::create_dir_all(scene.home().join("brisk")).unwrap();
        scene.0.fill("tree", files.iter().copied(), "");
        scene
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.0.path(below)
    }

    pub fn tree(&self) -> PathBuf {
        self.path("tree")
    }

    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub fn command(&self, words: &[&str]) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_brisk")), words)
    }

    /// A command with these words in the tree, without this user's environment.
    pub fn prepared(&self, mut command: Command, words: &[&str]) -> Command {
        command
            .args(words)
            .current_dir(self.tree())
            .env_clear()
            .env("TMPDIR", std::env::temp_dir())
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home());
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    pub fn lines(&self, words: &[&str]) -> Vec<String> {
        let output = self.run(words);
        assert_eq!(stderr(&output), "", "{words:?}");
        stdout(&output)
    }

    /// The lines, sorted here: a search prints results as they come once it has lasted 100 ms.
    pub fn sorted(&self, words: &[&str]) -> Vec<String> {
        let mut lines = self.lines(words);
        lines.sort();
        lines
    }
}

pub fn stdout(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub const TREE: &[&str] = &["b/x", "a/b/c", "a-b", "a/a", "c"];
