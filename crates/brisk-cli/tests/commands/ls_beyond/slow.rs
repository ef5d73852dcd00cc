//! Slow storage (slowfs): the requests of a listing, counted by the file system itself.

use std::path::Path;
use std::process::Command;

use testkit::Mounted;

use super::gnu::Gnu;

/// A program's output on a fresh mount, where a request takes 1 ms, and the numbers of lookups, of
/// other requests about files, of requests about extended attributes, and of reads of directories.
fn listed(
    program: &Path,
    flags: &str,
    arguments: &[&str],
    colors: &str,
) -> Option<(Vec<u8>, [u64; 4])> {
    let mounted = Mounted::new("requests", &format!("--latency 1ms {flags}"))?;
    let output = Command::new(program)
        .args(arguments)
        .arg(mounted.path())
        .env_clear()
        .envs([("LC_ALL", "C"), ("TZ", "UTC"), ("TERM", "xterm"), ("LS_COLORS", colors)])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let counts = mounted.finish();
    let of = |kinds: [&str; 2]| kinds.iter().map(|kind| counts.get(kind)).sum();
    let xattrs = of(["getxattr", "listxattr"]);
    let reads = of(["readdir", "readdirplus"]);
    Some((output.stdout, [counts.get("lookup"), counts.get("getattr"), xattrs, reads]))
}

/// How many requests of a kind may be others than one for each entry. The kernel asks about the
/// mount itself a few times, and a busy machine reads a directory in more pieces. Of 400 entries or
/// more, one in ten is more than this.
const ROOM: u64 = 30;

#[test]
fn requests_are_counted_by_the_file_system() {
    let brisk = Path::new(env!("CARGO_BIN_EXE_brisk"));
    let free = "ex=0:su=0:sg=0:st=0:ow=0:tw=0:or=0:mi=0:ca=0:mh=0";
    // A lookup answers what a statx asks.
    let cases: [(&[&str], &str, u64, u64); 4] = [
        (&["ls", "--color"], free, 0, 0),
        (&["ls", "-CF", "--file-type", "--color"], free, 0, 0),
        (&["ls", "--color"], "", 400, 0),
        (&["ls", "-l"], "", 400, 400),
    ];
    for (arguments, colors, asked, attributes) in cases {
        let flags = "--flat 400";
        let listing = listed(brisk, flags, arguments, colors);
        let Some((printed, [lookups, others, xattrs, _])) = listing else { return };
        assert!(others <= asked + ROOM, "{arguments:?}: {others} of {asked}");
        // A request by path through /proc looks the name up again.
        assert!(lookups <= asked + attributes + ROOM, "{arguments:?}: {lookups} lookups");
        assert!(xattrs <= attributes + ROOM, "{arguments:?}: {xattrs} about attributes");
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
    // The kernel keeps attributes for an hour: a machine may stall for a minute.
    let flags =
        "--flat 4000 --no-xattrs --readdirplus=auto --entry-timeout 3600s --attr-timeout 3600s";
    for arguments in cases {
        let Some((printed, counts)) = listed(brisk, flags, arguments, "") else { return };
        let [lookups, others, xattrs, reads] = counts;
        // find looks for a repository at the root, and for four files of ignore rules.
        assert!(lookups + reads <= ROOM, "{arguments:?}: {lookups} lookups, {reads} reads");
        assert!(others <= ROOM && xattrs <= ROOM, "{arguments:?}: {others}, {xattrs}");
        if let Some(gnu) = Gnu::find("requests").filter(|_| arguments[0] == "ls") {
            let (theirs, _) = listed(gnu.path(), flags, &arguments[1..], "").unwrap();
            assert_eq!(printed, theirs, "{arguments:?}");
        }
    }
}

/// A hundred entries are asked about for each request that a colour needs, though no colour is on,
/// and what all of them would take is said.
#[test]
fn colours_that_are_off_are_measured_by_a_sample() {
    let Some(mounted) = Mounted::new("measured", "--latency 0 --flat 200") else { return };
    let output = Command::new(env!("CARGO_BIN_EXE_brisk"))
        .args(["ls", "--explain=measure"])
        .arg(mounted.path())
        .output()
        .unwrap();
    let counts = mounted.finish();
    let told = testkit::stderr(&output);
    for keys in ["su, sg, ex", "ca"] {
        let line = told.lines().find(|line| line.starts_with(&format!("Measured: {keys}, ")));
        let line = line.unwrap_or_else(|| panic!("{keys} in {told}"));
        assert!(line.contains(", switched off: ") && line.contains(" of files, 200 × "), "{line}");
    }
    // The directory has no link and no directory.
    assert_eq!(told.lines().filter(|line| line.starts_with("Measured: ")).count(), 2, "{told}");
    let lookups = counts.get("lookup");
    assert!((100..=210).contains(&lookups), "{lookups} lookups");
    let attributes = counts.get("getxattr");
    assert!((100..=110).contains(&attributes), "{attributes} requests for attributes");
}
