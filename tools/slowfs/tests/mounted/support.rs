//! A mounted slowfs for one test, and the reasons to leave a test out.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// The program under test.
pub fn slowfs() -> Command {
    Command::new(env!("CARGO_BIN_EXE_slowfs"))
}

/// Whether this machine can mount; says so when it cannot.
pub fn can_mount(test: &str) -> bool {
    let device = OpenOptions::new().read(true).write(true).open("/dev/fuse");
    if let Err(error) = &device {
        eprintln!("{test} left out: /dev/fuse: {error}");
    }
    device.is_ok()
}

/// A mount that ends with the value.
pub struct Mount {
    child: Option<Child>,
    dir: TempDir,
}

impl Mount {
    /// Mounts with these flags, separated by spaces, and waits for `ready`.
    pub fn new(flags: &str) -> Mount {
        let dir = TempDir::new().expect("a temporary directory");
        let mut child = slowfs()
            .args(flags.split_whitespace())
            .arg(dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("slowfs starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line or the end");
        if line != "ready\n" {
            let output = child.wait_with_output().expect("slowfs ends");
            panic!("{flags}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Mount { child: Some(child), dir }
    }

    /// A path below the mount point.
    pub fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// Sends a signal by name.
    pub fn signal(&self, name: &str) {
        let pid = self.child.as_ref().expect("BUG: still running").id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &pid]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for the end of the process.
    pub fn wait(mut self) -> Output {
        let child = self.child.take().expect("BUG: still running");
        child.wait_with_output().expect("slowfs ends")
    }

    /// Unmounts and returns the counters.
    pub fn finish(self) -> Counts {
        self.signal("TERM");
        let output = self.wait();
        assert!(output.status.success(), "{output:?}");
        Counts(String::from_utf8(output.stderr).expect("JSON is UTF-8"))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // After a failed assertion: the mount must not outlive the test.
        if let Some(mut child) = self.child.take() {
            let pid = child.id().to_string();
            let _ = Command::new("kill").args(["-TERM", &pid]).status();
            let _ = child.wait();
        }
    }
}

/// The JSON line of counters.
#[derive(Debug)]
pub struct Counts(pub String);

impl Counts {
    /// The number behind a key.
    pub fn get(&self, key: &str) -> u64 {
        let rest = self.0.split_once(&format!("\"{key}\":")).expect("the key is there").1;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().expect("a number");
        digits.parse().expect("a number")
    }
}

/// All names in a directory, in the order they are listed.
pub fn names(dir: &Path) -> Vec<String> {
    let entries = dir.read_dir().expect("a directory");
    entries.map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
}
