//! Where find runs: a scratch directory with the tree `t`, which it is started in, the directory
//! `out` for its files, and the link `find` to brisk.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use brisk_sys::quoting::line;
use libtest_mimic::Failed;
use tempfile::TempDir;

use super::lines::Line;

/// Whose find it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Gnus,
    Ours,
}

/// What a line did.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    printed: Vec<u8>,
    /// Sorted.
    messages: Vec<Vec<u8>>,
    code: Option<i32>,
    /// The files in `out`.
    written: BTreeMap<PathBuf, Vec<u8>>,
    /// The entries of the tree, after a line that may change it.
    left: Vec<Vec<u8>>,
}

fn split(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

impl Outcome {
    /// What differs in another outcome, for a reader: the first lines that do.
    pub fn difference(&self, other: &Outcome) -> String {
        let mut text = String::new();
        let mut compare = |what: &str, theirs: &[Vec<u8>], ours: &[Vec<u8>]| {
            let at = (0..theirs.len().max(ours.len())).find(|at| theirs.get(*at) != ours.get(*at));
            let Some(at) = at else { return };
            text += &format!("  {what}: {} and {} lines\n", theirs.len(), ours.len());
            for (whose, lines) in [("GNU  ", theirs), ("brisk", ours)] {
                let line = lines.get(at).map(|line| line.escape_ascii().to_string());
                text += &format!("    {whose} {}\n", line.as_deref().unwrap_or("(end)"));
            }
        };
        compare("output", &split(&self.printed), &split(&other.printed));
        compare("messages", &self.messages, &other.messages);
        let files = |outcome: &Outcome| -> Vec<Vec<u8>> {
            let file = |(path, bytes): (&PathBuf, &Vec<u8>)| {
                let mut lines = split(bytes);
                lines.insert(0, path.as_os_str().as_encoded_bytes().to_vec());
                lines
            };
            outcome.written.iter().flat_map(file).collect()
        };
        compare("files", &files(self), &files(other));
        compare("left", &self.left, &other.left);
        if self.code != other.code {
            text += &format!("  code: {:?} and {:?}\n", self.code, other.code);
        }
        text
    }
}

/// The scratch directory; removed with this value.
pub struct Place {
    scratch: TempDir,
    /// How many trees were put aside.
    aside: usize,
}

impl Place {
    pub fn new() -> Place {
        let scratch = testkit::scratch();
        let place = Place { scratch, aside: 0 };
        fs::create_dir(place.path("bin")).unwrap();
        symlink(testkit::brisk(), place.path("bin/find")).unwrap();
        // A shell that reads them finds none of these programs.
        let answers = "y\nn\nY\n\nYes\nno\n y\nx\ny\ny\n".repeat(4);
        fs::write(place.path("answers"), answers).unwrap();
        fs::write(place.path("starts"), b"a\0\0gone\0./b.rs\0-print\0a\0").unwrap();
        place
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.scratch.path().join(below)
    }

    /// Puts the tree aside, and has a new one made. Not every user can remove what is closed.
    pub fn replant(&mut self, plant: impl FnOnce(&Path)) {
        let tree = self.path("t");
        if tree.exists() {
            self.aside += 1;
            fs::rename(&tree, self.path(&format!("aside-{}", self.aside))).unwrap();
        }
        plant(&tree);
    }

    /// A program that permission bits bind, for which `find` is one of the two, without this
    /// user's environment.
    pub fn command(&self, whose: Whose, program: &str) -> Command {
        let mut command = testkit::obedient(program).unwrap();
        let bin = self.path("bin");
        let path = match whose {
            Whose::Ours => format!("{}:/usr/bin:/bin", bin.display()),
            Whose::Gnus => "/usr/bin:/bin".to_owned(),
        };
        command
            .current_dir(self.path("t"))
            .env_clear()
            .envs([("PATH", path.as_str()), ("TZ", "UTC"), ("LC_ALL", "C")])
            .stdin(fs::File::open(self.path("answers")).unwrap());
        command
    }

    /// What a command does. A mutating one is asked for the tree that it leaves.
    pub fn outcome(&self, mut command: Command, mutates: bool) -> Outcome {
        let out = self.path("out");
        let _ = fs::remove_dir_all(&out);
        fs::create_dir(&out).unwrap();
        let output = command.output().unwrap();
        let files = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
        let written = files.map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
        // brisk's messages have no control characters, and only whole ones.
        let shown = |message: &[u8]| line(message.trim_ascii_end()).into_bytes();
        let mut messages: Vec<_> =
            output.stderr.split_inclusive(|byte| *byte == b'\n').map(shown).collect();
        messages.sort();
        Outcome {
            printed: output.stdout,
            messages,
            code: output.status.code(),
            written,
            left: if mutates { self.left() } else { Vec::new() },
        }
    }

    fn left(&self) -> Vec<Vec<u8>> {
        let mut find = Command::new("/usr/bin/find");
        let output = find.arg(self.path("t")).args(["-printf", "%P %y %m %l\n"]).output().unwrap();
        let mut left = split(&output.stdout);
        left.sort();
        left
    }

    /// What a line does.
    pub fn run(&self, whose: Whose, line: &Line) -> Outcome {
        let mut command = self.command(whose, "timeout");
        command.args(["-sKILL", "20", "find"]).args(&line.words).envs(line.env.iter().copied());
        self.outcome(command, line.mutates)
    }
}

/// Lines that must differ do differ, so a comparison can fail.
pub fn sees_differences() -> Result<(), Failed> {
    let mut place = Place::new();
    place.replant(|tree| {
        fs::create_dir(tree).unwrap();
        fs::write(tree.join("a"), "").unwrap();
    });
    let outcome = |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let line = Line { words, env: Vec::new(), mutates: true };
        place.run(Whose::Gnus, &line)
    };
    let one = outcome(&["."]);
    for other in [
        &["./a"][..],
        &[".", "gone"],
        &[".", "-fprint", "../out/1"],
        &[".", "-quit", "-false"],
        &[".", "-exec", "false", "{}", "+", "-print"],
        &[".", "-print", "-name", "a", "-delete"],
    ] {
        assert_ne!(outcome(other), one, "{other:?}");
    }
    assert!(!place.path("t/a").exists());
    Ok(())
}
