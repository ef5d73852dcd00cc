//! A mounted slowfs: a file system with a set latency, and with faults.

use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{left_out, slowfs_program};

/// A slowfs at a scratch directory, unmounted when this value is dropped.
pub struct Mounted {
    child: Child,
    place: tempfile::TempDir,
}

impl Mounted {
    /// Mounts a slowfs with these flags. `None`, and a line that says why, where that is
    /// impossible.
    pub fn new(test: &str, flags: &str) -> Option<Mounted> {
        if !Path::new("/dev/fuse").exists() {
            left_out(test, "there is no /dev/fuse");
            return None;
        }
        let place = tempfile::tempdir().unwrap();
        let mut told = tempfile::tempfile().unwrap();
        let mut child = Command::new(slowfs_program())
            .args(flags.split_whitespace())
            .arg(place.path())
            .stdout(Stdio::piped())
            .stderr(told.try_clone().unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line.trim() != "ready" {
            let _ = child.wait();
            let mut why = String::new();
            let _ = told.rewind().and_then(|()| told.read_to_string(&mut why));
            left_out(test, &format!("slowfs cannot mount here: {}", why.trim()));
            return None;
        }
        Some(Mounted { child, place })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.place.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Detached first, so that no other process can enter. Then the server is killed: this
        // answers the requests that were left to hang, and so ends the processes that wait for
        // them.
        let _ = Command::new("fusermount3").args(["-u", "-z"]).arg(self.place.path()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
