//! File systems of every kind that the test can make.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{LoopMount, is_root, left_out, run, stderr};

/// A place for a tree, on a file system of its own.
pub enum Place {
    Directory(tempfile::TempDir),
    Loop(LoopMount),
    Mounted(Mounted),
    /// A slowfs that shows the directory. Unmounted before the directory goes.
    Mirrored(testkit::Mounted, tempfile::TempDir),
}

/// What mount(8) mounted, until this is dropped.
pub struct Mounted {
    at: PathBuf,
    /// What the mount stands on; dropped after the unmounting.
    _below: Box<Place>,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}

impl Place {
    /// A directory among all other temporary files.
    pub fn here() -> Place {
        Place::Directory(tempfile::tempdir().unwrap())
    }

    /// What `mkfs.KIND` makes. `None`, and a line that says why, where that is impossible.
    pub fn made(test: &str, kind: &str, options: &str) -> Option<Place> {
        LoopMount::new(test, kind, options).map(Place::Loop)
    }

    /// A tmpfs.
    pub fn tmpfs(test: &str) -> Option<Place> {
        let below = Place::here();
        let at = below.path();
        Place::mounted(test, below, at, &["-t", "tmpfs", "none"])
    }

    /// An overlay; `fill` makes what its lower layer holds.
    pub fn overlay(test: &str, fill: impl FnOnce(&Path)) -> Option<Place> {
        let below = Place::tmpfs(test)?;
        let path = |name: &str| below.path().join(name);
        let names = ["lower", "upper", "work", "merged"];
        names.iter().for_each(|name| std::fs::create_dir(path(name)).unwrap());
        fill(&path("lower"));
        let layers =
            ["lower", "upper", "work"].map(|name| format!("{name}dir={}", path(name).display()));
        let at = path("merged");
        Place::mounted(test, below, at, &["-t", "overlay", "none", "-o", &layers.join(",")])
    }

    /// A directory that is edited itself, and looked at through a slowfs with times of 10 ms.
    pub fn mirrored(test: &str) -> Option<Place> {
        let dir = tempfile::tempdir().unwrap();
        let flags = format!("--mirror {} --latency 0 --timestamps 10ms", dir.path().display());
        Some(Place::Mirrored(testkit::Mounted::new(test, &flags)?, dir))
    }

    fn mounted(test: &str, below: Place, at: PathBuf, words: &[&str]) -> Option<Place> {
        if !is_root() {
            left_out(test, "this user cannot mount");
            return None;
        }
        let output = Command::new("mount").args(words).arg(&at).output().unwrap();
        if !output.status.success() {
            left_out(test, &format!("{}: {}", words[1], stderr(&output).trim()));
            return None;
        }
        Some(Place::Mounted(Mounted { at, _below: Box::new(below) }))
    }

    /// Where it is edited.
    pub fn path(&self) -> PathBuf {
        match self {
            Place::Directory(dir) => dir.path().to_owned(),
            Place::Loop(mount) => mount.path(),
            Place::Mounted(mounted) => mounted.at.clone(),
            Place::Mirrored(_, dir) => dir.path().to_owned(),
        }
    }

    /// Where it is looked at.
    pub fn seen(&self) -> PathBuf {
        match self {
            Place::Mirrored(mount, _) => mount.path().to_owned(),
            _ => self.path(),
        }
    }
}

/// A tmpfs over a directory, until this is dropped.
pub struct Over(PathBuf);

impl Over {
    pub fn new(path: &Path) -> Over {
        run("mount", &["-t", "tmpfs", "-o", "mode=755", "none", path.to_str().unwrap()]);
        Over(path.to_owned())
    }
}

impl Drop for Over {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
