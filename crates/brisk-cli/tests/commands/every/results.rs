//! How results are shown, and how commands receive them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use testkit::{brisk, has_tables, run, stderr, stdout};

fn place(names: &[&str]) -> tempfile::TempDir {
    let place = testkit::scratch();
    for name in names {
        let path = place.path().join(OsStr::from_bytes(name.as_bytes()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    place
}

fn command(place: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(brisk());
    command.args(words).current_dir(place).env("XDG_CONFIG_HOME", place);
    command.env("TZ", "UTC").env("LC_ALL", "C").stdin(Stdio::null());
    command
}

fn find(place: &Path, words: &[&str]) -> Output {
    command(place, &[&["find", "--no-config"], words].concat()).output().unwrap()
}

/// U+009B begins an escape sequence, U+202E turns text around.
#[test]
fn json_spells_out_what_a_terminal_obeys() {
    let name = "a\u{9b}31mb\u{202e}c\u{7f}d\u{2066}e\u{e0041}é";
    let place = place(&[&format!("t/{name}/file"), "empty/x"]);
    for words in [
        &["find", "--json", ".", "t"][..],
        &["ls", "--json", "t"],
        &["du", "--json", "t"],
        &["scan", "-o", "-", "--as=jsonl", "t"],
        &["changed", "--json", "--state", "s", "t"],
        &["diff", "--json", "empty", "t"],
        &["rm", "-rv", "--json", "t"],
    ] {
        if words[0] == "scan" && !has_tables("brisk scan's JSON") {
            continue;
        }
        let shown = stdout(&command(place.path(), words).output().unwrap());
        for c in ['\u{9b}', '\u{202e}', '\u{7f}', '\u{2066}', '\u{e0041}'] {
            assert!(!shown.contains(c), "{words:?}: {}", shown.escape_unicode());
        }
        let whole = r"a\u009b31mb\u202ec\u007fd\u2066e\udb40\udc41é";
        assert!(shown.contains(whole), "{words:?}: {shown}");
    }
}

#[test]
fn no_placeholder_gives_a_command_a_name_that_is_an_option() {
    let place = place(&["-rf", "-d/-x.y", "-d/z"]);
    let given = |placeholder: &str, roots: &[&str]| {
        let mut words = vec!["-t", "f", "-j1"];
        words.extend(["-x", "printf", "%s\n", placeholder, ";"]);
        words.extend(["--", "."]);
        words.extend(roots);
        let output = find(place.path(), &words);
        assert!(output.status.success(), "{}", stderr(&output));
        let mut lines: Vec<String> = stdout(&output).lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    for (placeholder, roots, expected) in [
        ("{/}", &[][..], ["./-rf", "./-x.y", "z"].as_slice()),
        ("{/.}", &[], &["./-rf", "./-x", "z"]),
        ("{.}", &[], &["./-d/-x", "./-d/z", "./-rf"]),
        ("{//}", &[], &[".", "./-d", "./-d"]),
        ("{//}", &["-d"], &["./-d", "./-d"]),
        ("{}", &["-d"], &["./-d/-x.y", "./-d/z"]),
        ("{/}{.}", &["-d"], &["./-x.y-d/-x", "z-d/z"]),
        // A dash that the user typed stays.
        ("-{/}", &[], &["--rf", "--x.y", "-z"]),
        ("a{/}", &[], &["a-rf", "a-x.y", "az"]),
    ] {
        assert_eq!(given(placeholder, roots), expected, "{placeholder} {roots:?}");
    }
    let output = find(place.path(), &["-t", "f", "-X", "echo", "{/}"]);
    assert!(
        !stdout(&output).contains(" -") && !stdout(&output).starts_with('-'),
        "{}",
        stdout(&output)
    );
    let output = find(place.path(), &["^-rf$", "--format", "{/} {.}"]);
    assert_eq!(stdout(&output), "-rf -rf\n", "what is printed is the name alone");
}

/// Before the mend, each worker of the requested number was a thread.
#[test]
fn a_number_of_workers_that_no_machine_has_is_no_number_of_threads() {
    let place = place(&["a", "b"]);
    for words in [
        &["find", "-j4294967296", "-x", "true"][..],
        &["find", "-j18446744073709551615", "-x", "true"],
        &["find", "-j18446744073709551615"],
        &["ls", "--threads=18446744073709551615"],
        &["rm", "-f", "--threads=18446744073709551615", "c"],
    ] {
        let limited = &mut Command::new("timeout");
        // The stacks of a hundred thousand threads do not fit below this limit.
        let script = "ulimit -v 20000000; exec \"$@\"";
        limited.args(["60", "sh", "-c", script, "sh", brisk()]).args(words);
        let output = limited.current_dir(place.path()).env("BRISK_FIND_OPTS", "").output().unwrap();
        assert!(output.status.success(), "{words:?}: {:?} {}", output.status, stderr(&output));
    }
}

/// Seconds since the epoch, and GNU find's text for them. tmpfs keeps 64 bits.
const TIMES: &[(&str, &str, &str)] = &[
    ("253402300800", "10000-01-01 00:00", "+010000-01-01T00:00:00.000000000"),
    ("316516345200", "12000-01-02 15:00", "+012000-01-02T15:00:00.000000000"),
    ("-400000000000", "-10706-07-03 08:53", "-010706-07-03T08:53:20.000000000"),
    ("67767976233532799", "2147483647-12-31 23:59", "+2147483647-12-31T23:59:59.000000000"),
];

#[test]
fn years_beyond_four_digits_are_shown_and_compared() {
    let memory = Path::new("/dev/shm");
    for (seconds, minutes, whole) in TIMES {
        let dir = if memory.is_dir() { memory } else { Path::new("/tmp") };
        let place = tempfile::tempdir_in(dir).unwrap();
        let file = place.path().join("f");
        run("touch", &["-d", &format!("@{seconds}"), file.to_str().unwrap()]);
        if stdout(&run("stat", &["-c", "%Y", file.to_str().unwrap()])).trim() != *seconds {
            testkit::left_out("years_beyond_four_digits", "this file system keeps no such time");
            continue;
        }
        let printed = |words: &[&str]| {
            let output = find(place.path(), words);
            assert!(output.status.success(), "{words:?}: {}", stderr(&output));
            stdout(&output)
        };
        assert_eq!(printed(&["--format", "{mtime:%Y-%m-%d %H:%M}"]), format!("{minutes}\n"));
        assert_eq!(printed(&["--format", "{mtime}"]), format!("{whole}+00:00\n"));
        assert_eq!(printed(&["--format", "{mtime:%s}"]), format!("{seconds}\n"));
        assert!(printed(&["--json"]).contains(&format!("\"mtime\":\"{whole}Z\"")), "{seconds}");
        let is_past = seconds.starts_with('-');
        let newer = printed(&["--newer", "1d"]);
        let older = printed(&["--older", "1d"]);
        assert_eq!((newer.is_empty(), older.is_empty()), (is_past, !is_past), "{seconds}");
    }
}

#[test]
fn ls_shows_every_year_as_gnu_ls_does() {
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { memory } else { Path::new("/tmp") };
    let place = tempfile::tempdir_in(dir).unwrap();
    let more = [
        ("67767976233532800", "", ""),
        ("9223372036854775807", "", ""),
        ("-9223372036854775808", "", ""),
    ];
    for (at, (seconds, ..)) in TIMES.iter().chain(&more).enumerate() {
        let file = place.path().join(format!("f{at}"));
        run("touch", &["-d", &format!("@{seconds}"), file.to_str().unwrap()]);
    }
    for words in [
        &["-l"][..],
        &["-l", "--full-time"],
        &["-l", "--time-style=long-iso"],
        &["-l", "--time-style=+%G %V %C %y %a"],
    ] {
        let brisk = command(place.path(), &[&["ls"], words].concat()).output().unwrap();
        let gnu = Command::new("/bin/ls")
            .args(words)
            .current_dir(place.path())
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .output();
        assert_eq!(stdout(&brisk), stdout(&gnu.unwrap()), "{words:?}");
    }
}
