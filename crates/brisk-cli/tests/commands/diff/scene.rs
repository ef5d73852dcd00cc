//! A tree in a scratch directory, and brisk run beside it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::{brisk, stderr, stdout};

/// A scratch directory for a tree `t`.
pub struct Scene(tempfile::TempDir);

impl Scene {
    pub fn empty() -> Scene {
        Scene(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    pub fn sh(&self, script: &str) {
        let output = Command::new("sh").args(["-ec", script]).current_dir(self.0.path()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{script}: {}", stderr(&output));
    }

    /// Runs a program with words that spaces separate.
    pub fn command(&self, program: &Path, words: &str) -> Output {
        let mut command = Command::new(program);
        command.args(words.split_whitespace()).current_dir(self.0.path());
        command.env("HOME", self.0.path()).env_remove("XDG_CONFIG_HOME").output().unwrap()
    }

    pub fn run(&self, words: &str) -> Output {
        self.command(brisk().as_ref(), words)
    }

    /// What is printed, without trouble.
    pub fn shown(&self, words: &str) -> String {
        let output = self.run(&format!("diff {words}"));
        assert_eq!((stderr(&output), output.status.code()), (String::new(), Some(0)), "{words}");
        stdout(&output)
    }
}
