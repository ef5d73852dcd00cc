//! File systems of every kind that the test can make.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{LoopMount, is_root, left_out, run, stderr};

/// A place for a tree, on a file system of its own.
pub enum Place {
    Directory(tempfile::TempDir),
    Loop(LoopMount),
    Mounted(Mounted),
    /// A place, and a slowfs that something at the place stands on.
    Slow(Box<Place>, #[expect(dead_code, reason = "dropped with the place")] testkit::Mounted),
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
        let lower = below.path().join("lower");
        std::fs::create_dir(&lower).unwrap();
        fill(&lower);
        Place::layered(test, below, &lower)
    }

    /// An overlay whose lower layer is a slowfs, which cannot be written to itself.
    pub fn on_slowfs(test: &str, flags: &str) -> Option<Place> {
        let below = Place::tmpfs(test)?;
        let slow = testkit::Mounted::new(test, flags)?;
        let lower = slow.path().to_owned();
        Place::layered(test, Place::Slow(Box::new(below), slow), &lower)
    }

    fn layered(test: &str, below: Place, lower: &Path) -> Option<Place> {
        let path = |name: &str| below.path().join(name);
        let names = ["upper", "work", "merged"];
        names.iter().for_each(|name| std::fs::create_dir(path(name)).unwrap());
        let lower = lower.display();
        let upper = path("upper");
        let work = path("work");
        let upper = upper.display();
        let work = work.display();
        let layers = format!("lowerdir={lower},upperdir={upper},workdir={work}");
        let at = path("merged");
        Place::mounted(test, below, at, &["-t", "overlay", "none", "-o", &layers])
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

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        match self {
            Place::Directory(dir) => dir.path().to_owned(),
            Place::Loop(mount) => mount.path(),
            Place::Mounted(mounted) => mounted.at.clone(),
            Place::Slow(place, _) => place.path(),
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
