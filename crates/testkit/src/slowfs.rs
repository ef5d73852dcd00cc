//! A mounted slowfs: a file system with a set latency, and with faults.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::{left_out, slowfs_program};

/// Slowfs's exit code for flags that it does not understand.
const USAGE: i32 = 2;

/// A slowfs at a scratch directory, unmounted when this value is dropped.
pub struct Mounted {
    child: Child,
    place: tempfile::TempDir,
    /// What slowfs writes to standard error: its message, or its counters.
    told: File,
}

/// Whether the device of FUSE can be opened. If not, says that `test` is left out.
pub fn can_mount(test: &str) -> bool {
    let device = OpenOptions::new().read(true).write(true).open("/dev/fuse");
    if let Err(error) = &device {
        left_out(test, &format!("/dev/fuse: {error}"));
    }
    device.is_ok()
}

impl Mounted {
    /// Mounts a slowfs with these flags. `None`, and a line that says why, where that is
    /// impossible.
    ///
    /// # Panics
    ///
    /// If slowfs does not understand the flags.
    pub fn new(test: &str, flags: &str) -> Option<Mounted> {
        if !can_mount(test) {
            return None;
        }
        let place = tempfile::tempdir().unwrap();
        let told = tempfile::tempfile().unwrap();
        let mut child = Command::new(slowfs_program())
            .args(flags.split_whitespace())
            .arg(place.path())
            .stdout(Stdio::piped())
            .stderr(told.try_clone().unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mounted = Mounted { child, place, told };
        if line.trim() != "ready" {
            let output = mounted.wait();
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            assert_ne!(output.status.code(), Some(USAGE), "{flags}: {why}");
            left_out(test, &format!("slowfs cannot mount here: {why}"));
            return None;
        }
        Some(mounted)
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Sends slowfs a signal by name.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(status.unwrap().success());
    }

    /// Waits for the end of slowfs. Returns its exit status and what it wrote to standard error.
    pub fn wait(mut self) -> Output {
        let status = self.child.wait().unwrap();
        let mut stderr = Vec::new();
        self.told.rewind().and_then(|()| self.told.read_to_end(&mut stderr)).unwrap();
        Output { status, stdout: Vec::new(), stderr }
    }

    /// Unmounts. Returns the counters that slowfs wrote to standard error.
    pub fn finish(self) -> Counts {
        self.signal("TERM");
        let output = self.wait();
        assert!(output.status.success(), "{output:?}");
        Counts(String::from_utf8(output.stderr).unwrap())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if !self.child.try_wait().is_ok_and(|status| status.is_none()) {
            return;
        }
        // Detached first, so that no other process can enter. Then the server is killed: this
        // answers the requests that were left to hang, and so ends the processes that wait for
        // them.
        let _ = Command::new("fusermount3").args(["-u", "-z"]).arg(self.place.path()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The line of JSON with slowfs's counters of requests.
#[derive(Debug)]
pub struct Counts(pub String);

impl Counts {
    /// The number of requests of a kind.
    pub fn get(&self, kind: &str) -> u64 {
        let rest = self.0.split_once(&format!("\"{kind}\":")).unwrap().1;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        digits.parse().unwrap()
    }
}
