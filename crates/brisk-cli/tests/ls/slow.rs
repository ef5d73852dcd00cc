//! Slow storage (slowfs): the requests of a listing, counted by the file system itself.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::gnu::Gnu;

/// The slowfs binary: `$SLOWFS`, or the one that was built beside this test, if there is one.
fn binary() -> Option<PathBuf> {
    let built = || {
        let own = std::env::current_exe().ok()?;
        Some(own.ancestors().nth(2)?.join("slowfs"))
    };
    std::env::var_os("SLOWFS").map(PathBuf::from).or_else(built).filter(|path| path.exists())
}

/// A tree behind 1 ms a request; unmounted when dropped.
struct Mounted {
    server: Child,
    place: TempDir,
    report: PathBuf,
    _scratch: TempDir,
}

impl Mounted {
    fn new(flags: &str) -> Option<Mounted> {
        let (place, scratch) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let report = scratch.path().join("counters");
        let mut server = Command::new(binary()?)
            .args(flags.split_whitespace())
            .args(["--latency", "1ms", "--counters"])
            .args([report.as_path(), place.path()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line.trim() != "ready" {
            let _ = server.wait();
            return None;
        }
        Some(Mounted { server, place, report, _scratch: scratch })
    }

    /// Unmounts. Returns the numbers of lookups, of other requests about files, of requests about
    /// extended attributes, and of reads of directories.
    fn counts(mut self) -> [u64; 4] {
        self.unmount();
        let counts: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&self.report).unwrap()).unwrap();
        let count = |kind: &str| counts[kind].as_u64().unwrap();
        let xattrs = count("getxattr") + count("listxattr");
        [count("lookup"), count("getattr"), xattrs, count("readdir") + count("readdirplus")]
    }

    fn unmount(&mut self) {
        let _ = Command::new("fusermount3").arg("-u").arg(self.place.path()).status();
        let _ = self.server.wait();
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if self.server.try_wait().is_ok_and(|status| status.is_none()) {
            self.unmount();
        }
    }
}

/// A program's output on a fresh mount, and the requests that it took.
fn listed(
    program: &Path,
    flags: &str,
    arguments: &[&str],
    colors: &str,
) -> Option<(Vec<u8>, [u64; 4])> {
    let mounted = Mounted::new(flags)?;
    let output = Command::new(program)
        .args(arguments)
        .arg(mounted.place.path())
        .env_clear()
        .envs([("LC_ALL", "C"), ("TZ", "UTC"), ("TERM", "xterm"), ("LS_COLORS", colors)])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    Some((output.stdout, mounted.counts()))
}

#[test]
fn requests_are_counted_by_the_file_system() {
    let brisk = Path::new(env!("CARGO_BIN_EXE_brisk"));
    let free = "ex=0:su=0:sg=0:st=0:ow=0:tw=0:or=0:mi=0:ca=0:mh=0";
    // A lookup answers what a statx asks; the kernel asks about the mount itself a few times.
    let cases: [(&[&str], &str, u64, u64); 4] = [
        (&["ls", "--color"], free, 0, 0),
        (&["ls", "-CF", "--file-type", "--color"], free, 0, 0),
        (&["ls", "--color"], "", 200, 0),
        (&["ls", "-l"], "", 200, 200),
    ];
    for (arguments, colors, asked, attributes) in cases {
        let flags = "--flat 200";
        let listing = listed(brisk, flags, arguments, colors);
        let Some((printed, [lookups, others, xattrs, _])) = listing else {
            eprintln!("requests left out: there is no slowfs, or it cannot mount");
            return;
        };
        let room = 10;
        assert!(others <= asked + room, "{arguments:?}: {others} of {asked}");
        // A request by path through /proc looks the name up again.
        assert!(lookups <= asked + attributes + room, "{arguments:?}: {lookups} lookups");
        assert!(xattrs <= attributes + room, "{arguments:?}: {xattrs} about attributes");
        if let Some(gnu) = Gnu::find("requests") {
            let (theirs, _) = listed(gnu.path(), flags, &arguments[1..], colors).unwrap();
            assert_eq!(printed, theirs, "{arguments:?}");
        }
    }
}

#[test]
fn attributes_that_come_with_the_listing_are_not_asked_for() {
    let brisk = Path::new(env!("CARGO_BIN_EXE_brisk"));
    let cases: [&[&str]; 3] =
        [&["ls", "--color"], &["ls", "-l"], &["find", "--format", "{size} {}", ""]];
    for lifetime in ["1s", "60s"] {
        let flags = format!(
            "--flat 4000 --no-xattrs --readdirplus=auto --entry-timeout {lifetime} \
             --attr-timeout {lifetime}"
        );
        for arguments in cases {
            let Some((printed, counts)) = listed(brisk, &flags, arguments, "") else {
                eprintln!("requests left out: there is no slowfs, or it cannot mount");
                return;
            };
            let [lookups, others, xattrs, reads] = counts;
            // find looks for four files of ignore rules.
            assert!(lookups + reads <= 8, "{arguments:?}: {lookups} lookups, {reads} reads");
            assert!(others <= 10 && xattrs <= 10, "{arguments:?}: {others}, {xattrs}");
            if let Some(gnu) = Gnu::find("requests").filter(|_| arguments[0] == "ls") {
                let (theirs, _) = listed(gnu.path(), &flags, &arguments[1..], "").unwrap();
                assert_eq!(printed, theirs, "{arguments:?}");
            }
        }
    }
}
