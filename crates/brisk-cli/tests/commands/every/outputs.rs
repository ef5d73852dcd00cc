//! Every file that brisk writes is written in one way: whole or not at all, where a link leads, and
//! into devices and pipes, which stay what they are. Nothing else is overwritten, removed, waited
//! for or read without a bound.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::{Command, Output, Stdio};

use testkit::{Scratch, brisk, has_tables, is_root, left_out, stderr, stdout};

/// Command lines that write the file OUT.
const WAYS: [&str; 3] = [
    "changed src --state s --stamp OUT",
    "changed src --state s --depfile OUT",
    "du --html OUT src",
];

/// These, and `brisk scan` if it is here.
fn ways() -> impl Iterator<Item = &'static str> {
    let scan = has_tables("brisk scan's file").then_some("scan --as csv -o OUT src");
    WAYS.into_iter().chain(scan)
}

/// Command lines that write the state OUT, and read it in the next run.
const STATES: [&str; 3] = [
    "changed src --state s --save OUT",
    "changed src --state OUT -- true",
    "changed src --state OUT --stamp stamp",
];

/// A scratch directory with a tree, `src`.
fn scratch() -> Scratch {
    let scratch = Scratch::below(&std::env::temp_dir());
    scratch.write("src/a", "alpha");
    scratch
}

/// A shell script that runs in the directory, in which `$B` is brisk.
fn command(scratch: &Scratch, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(scratch.path(""));
    command.env("B", brisk()).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    command
}

fn sh(scratch: &Scratch, script: &str) -> Output {
    command(scratch, script).output().unwrap()
}

/// Runs one of the command lines above with an output, with little memory and for at most twenty
/// seconds.
fn run(scratch: &Scratch, way: &str, out: &str) -> Output {
    let way = way.replace("OUT", out);
    sh(scratch, &format!("ulimit -v 1000000; exec timeout -s KILL 20 \"$B\" {way}"))
}

/// What is in the directory, with the inode numbers.
fn entries(scratch: &Scratch) -> Vec<(String, u64)> {
    let entries = fs::read_dir(scratch.path("")).unwrap().map(|entry| entry.unwrap());
    let name = |entry: &fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut entries: Vec<_> =
        entries.map(|entry| (name(&entry), entry.metadata().unwrap().ino())).collect();
    entries.sort();
    entries
}

fn told(way: &str, output: &Output) -> String {
    format!("{way}: {:?}\n{}{}", output.status, stdout(output), stderr(output))
}

/// One line says why nothing was written.
fn refuses(way: &str, output: &Output, why: &str) {
    assert!(matches!(output.status.code(), Some(1 | 2 | 125)), "{}", told(way, output));
    let lines = stderr(output);
    assert!(lines.contains(why) && !lines.contains("os error"), "{}", told(way, output));
    assert_eq!(lines.lines().count(), 1, "{}", told(way, output));
}

/// Before the mend, a stamp and a depfile were renamed over the device, and /dev/full was read into
/// two gibibytes.
#[test]
fn a_device_is_written_and_stays() {
    if !is_root() {
        return left_out("a_device_is_written_and_stays", "this user cannot make devices");
    }
    let scratch = scratch();
    assert!(sh(&scratch, "mknod null c 1 3; mknod full c 1 7; ln -s null link").status.success());
    let before = entries(&scratch);
    for way in ways() {
        for out in ["null", "link"] {
            let output = run(&scratch, way, out);
            assert!(output.status.success(), "{}", told(way, &output));
        }
        refuses(way, &run(&scratch, way, "full"), "No space left on device");
        sh(&scratch, "rm -f s s.lock");
        assert_eq!(entries(&scratch), before, "{way}");
        assert!(fs::metadata(scratch.path("null")).unwrap().file_type().is_char_device());
    }
    for way in STATES {
        refuses(way, &run(&scratch, way, "null"), "not a regular file");
        refuses(way, &run(&scratch, way, "full"), "not a regular file");
        assert_eq!(entries(&scratch), before, "{way}");
    }
}

#[test]
fn a_pipe_is_written_and_stays() {
    for way in ways() {
        let scratch = scratch();
        let way = way.replace("OUT", "pipe");
        let script = format!(
            "mkfifo pipe; timeout 20 cat pipe >got & timeout -s KILL 20 \"$B\" {way}; wait"
        );
        let output = sh(&scratch, &script);
        assert!(output.status.success(), "{}", told(&way, &output));
        assert_ne!(scratch.read("got"), "", "{}", told(&way, &output));
        assert!(fs::metadata(scratch.path("pipe")).unwrap().file_type().is_fifo(), "{way}");
    }
    for way in STATES {
        let scratch = scratch();
        sh(&scratch, "mkfifo pipe");
        refuses(way, &run(&scratch, way, "pipe"), "not a regular file");
        sh(&scratch, "mkfifo pipe.lock s.lock");
        if !way.contains("--save") {
            refuses(way, &run(&scratch, way, "s"), "not a regular file");
        }
    }
}

/// Before the mend, du and scan noticed the signal and went on waiting, and changed waited for the
/// writer of its stamp.
#[test]
fn one_signal_ends_the_wait_for_the_reader_of_a_pipe() {
    let with_command = "changed src --state s --stamp OUT -- true";
    // timeout(1) ends with 124 if SIGTERM ends the program, and with 137 if SIGKILL has to. After a
    // second a program has long been waiting.
    let start = |way: &str| {
        let scratch = scratch();
        let way = way.replace("OUT", "pipe");
        let script = format!("mkfifo pipe; exec timeout -k 10 1 \"$B\" {way}");
        (command(&scratch, &script).stderr(Stdio::piped()).spawn().unwrap(), scratch, way)
    };
    let all: Vec<_> = ways().chain([with_command]).map(start).collect();
    for (child, scratch, way) in all {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(124), "{}", told(&way, &output));
        let names = entries(&scratch).into_iter().map(|(name, _)| name);
        assert!(!names.into_iter().any(|name| name.contains("tmp")), "{way}");
    }
}

#[test]
fn a_directory_and_a_socket_are_refused_in_one_line() {
    for way in ways().chain(STATES) {
        let scratch = scratch();
        fs::create_dir(scratch.path("dir")).unwrap();
        let _socket = UnixListener::bind(scratch.path("socket")).unwrap();
        let before = entries(&scratch);
        for (out, why) in [("dir", "s a directory"), ("socket", "s a socket")] {
            let output = run(&scratch, way, out);
            refuses(way, &output, why);
            sh(&scratch, "rm -f s s.lock");
            assert_eq!(entries(&scratch), before, "{way} {out}");
        }
    }
}

/// Before the mend, a state, a stamp and a depfile took the place of the link, and what it led to
/// stayed as it was.
#[test]
fn a_link_stays_and_what_it_leads_to_is_written() {
    for way in ways().chain(STATES) {
        let scratch = scratch();
        fs::create_dir(scratch.path("d")).unwrap();
        symlink("d/second", scratch.path("first")).unwrap();
        symlink("../file", scratch.path("d/second")).unwrap();
        for round in ["missing", "there"] {
            fs::write(scratch.path("src/a"), round).unwrap();
            let before = fs::metadata(scratch.path("file")).ok().map(|meta| meta.ino());
            let output = run(&scratch, way, "first");
            assert!(output.status.success(), "{round}: {}", told(way, &output));
            assert!(scratch.path("first").is_symlink(), "{way} {round}");
            let after = fs::symlink_metadata(scratch.path("file")).unwrap();
            assert!(after.is_file() && after.len() > 0, "{way} {round}");
            // Not every report differs in the second round, but each file is replaced that does.
            let may_stay = way.contains("--depfile");
            assert!(may_stay || before != Some(after.ino()), "{way} {round}");
        }
        if way.contains("--state OUT") {
            let output = run(&scratch, "changed src --state OUT", "file");
            assert_eq!(stdout(&output), "", "{}", told(way, &output));
        }
    }
}

/// As Linux does by default for every open: otherwise root would write where another user likes.
#[test]
fn no_link_of_another_user_in_a_shared_directory_is_followed() {
    let test = "no_link_of_another_user_in_a_shared_directory_is_followed";
    if !is_root() {
        return left_out(test, "this user cannot make another's link");
    }
    for way in ways().chain(STATES) {
        let scratch = scratch();
        sh(&scratch, "mkdir tmp; chmod 1777 tmp; echo precious >precious");
        sh(&scratch, "ln -s ../precious tmp/link; ln -s ../none tmp/new; chown -h 12345 tmp/*");
        for link in ["tmp/link", "tmp/new"] {
            let output = run(&scratch, way, link);
            refuses(way, &output, "Permission denied");
        }
        assert_eq!(scratch.read("precious"), "precious\n", "{way}");
        assert!(!scratch.path("none").exists(), "{way}");
        sh(&scratch, "chown -h 0 tmp/link");
        let output = run(&scratch, way, "tmp/link");
        let expected = if way.contains("--stamp OUT") { 2 } else { 0 };
        assert!(output.status.code() == Some(expected), "{}", told(way, &output));
    }
}

/// Before the mend, a stamp took the place of the link, and a table that of the file. The link is
/// what /dev/stdout is: a program without the mend replaces that one for the whole machine.
#[test]
fn what_standard_output_has_is_continued() {
    for way in ways() {
        for out in ["stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            let scratch = scratch();
            symlink("/proc/self/fd/1", scratch.path("stdout")).unwrap();
            let way = way.replace("OUT", out);
            let output = sh(&scratch, &format!("{{ echo head; \"$B\" {way}; echo tail; }} >got"));
            assert!(output.status.success(), "{}", told(&way, &output));
            let got = scratch.read("got");
            assert!(got.starts_with("head\n") && got.ends_with("tail\n"), "{way}: {got}");
            assert!(got.lines().count() > 3, "{way}: {got}");
            let piped = sh(&scratch, &format!("\"$B\" {way} | wc -c"));
            assert_ne!(stdout(&piped), "0\n", "{}", told(&way, &piped));
        }
    }
}

/// Before the mend, files with these names were removed.
#[test]
fn no_file_of_the_user_s_is_taken_for_a_scratch_file() {
    let scratch = scratch();
    let names = ["s.changed", "s.paths", "s.pending", "t.pending", "d.pending", "n.pending"];
    let all = || names.map(|name| scratch.read(name));
    names.iter().for_each(|name| fs::write(scratch.path(name), name).unwrap());
    for way in [
        "changed src --state s --save n",
        "changed src --state s --stamp t --depfile d",
        "changed src --state s --save n --stamp t --depfile d --stdin0 -- cat",
        "changed src --state s -- false",
    ] {
        sh(&scratch, "echo more >>src/a");
        let output = run(&scratch, way, "");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", told(way, &output));
        assert_eq!(all(), names, "{way}");
    }
    let left = entries(&scratch).into_iter().map(|(name, _)| name);
    let left: Vec<String> = left.filter(|name| !names.contains(&name.as_str())).collect();
    assert_eq!(left, ["d", "n", "s", "s.lock", "src", "t"]);
}

/// In two containers, two runs may have one process id. Before the mend, each removed and wrote the
/// other's temporary.
#[test]
fn runs_with_one_process_id_use_different_files() {
    let scratch = scratch();
    let container = "unshare --pid --fork --kill-child";
    if !sh(&scratch, &format!("{container} true")).status.success() {
        let test = "runs_with_one_process_id_use_different_files";
        return left_out(test, "this user cannot make a PID namespace");
    }
    fs::write(scratch.path("s.tmp-1"), "another's").unwrap();
    fs::write(scratch.path(".t.csv.brisk-1-0"), "another's").unwrap();
    let in_container = |way: &str| sh(&scratch, &format!("{container} \"$B\" {way}"));
    let output = in_container("changed src --state s --save s");
    assert!(output.status.success(), "{}", told("changed", &output));
    assert_eq!(scratch.read("s.tmp-1"), "another's");
    // The first run stops while it writes, until the second has ended.
    let script = format!(
        "{container} strace -o /dev/null -e trace=/^rename -e inject=/^rename:delay_enter=2s \
         \"$B\" changed src --state s --save s & \
         sleep 1; echo more >>src/a; {container} \"$B\" changed src --state s --save s; wait $!"
    );
    sh(&scratch, "echo more >>src/a");
    let output = sh(&scratch, &script);
    assert!(output.status.success(), "{}", told("two at once", &output));
    let output = in_container("changed src --state s");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

/// Before the mend, a file that other users may write to was read into memory whole, whatever it
/// was.
#[test]
fn what_is_no_state_is_not_read() {
    let scratch = scratch();
    let script = "head -c 64 /dev/urandom >s; truncate -s 1T s; chmod 666 s";
    if !sh(&scratch, script).status.success() {
        return left_out("what_is_no_state_is_not_read", "there is no sparse file of 1 TiB");
    }
    let output = run(&scratch, "changed src --state OUT", "s");
    assert!(stderr(&output).contains("is not a state of brisk"), "{}", told("s", &output));
    fs::write(scratch.path("stamp"), "").unwrap();
    sh(&scratch, "truncate -s 1T stamp");
    let output = run(&scratch, "changed src --state t --stamp OUT", "stamp");
    assert!(stderr(&output).contains("is not a stamp of brisk"), "{}", told("stamp", &output));
}

/// Before the mend, SIGXFSZ ended the program without a word, and its temporaries stayed.
#[test]
fn a_limit_of_a_file_s_size_is_a_full_disk() {
    for way in ways().chain(STATES) {
        let scratch = scratch();
        let before = entries(&scratch);
        let way = way.replace("OUT", "out");
        // Messages go through a pipe, which has no such limit.
        let script = format!("(ulimit -f 0; \"$B\" {way} 3>&1 1>&2 2>&3 | cat >&2) 2>&1");
        let output = sh(&scratch, &script);
        let text = stdout(&output);
        assert_eq!(text.matches("File too large\n").count(), 1, "{}", told(&way, &output));
        sh(&scratch, "rm -f s.lock out.lock");
        assert_eq!(entries(&scratch), before, "{way}");
    }
}

/// The programs that brisk starts get the signal's default action, unless the parent ignored it.
#[test]
fn programs_that_brisk_starts_are_ended_by_the_limit() {
    let scratch = scratch();
    let kill = "sh -c 'kill -XFSZ $$; echo survived'";
    for (before, expected) in [("", ""), ("trap '' XFSZ; ", "survived\n")] {
        for way in ["find a src -x", "find a src -X", "changed src --state s --"] {
            let output = sh(&scratch, &format!("{before}\"$B\" {way} {kill}; true"));
            assert_eq!(stdout(&output), expected, "{before}{}", told(way, &output));
        }
        sh(&scratch, "rm s");
    }
}

/// Before the mend, the commands ran, and were reported as failed.
#[test]
fn commands_succeed_if_the_parent_ignores_the_end_of_children() {
    let scratch = scratch();
    for (way, expected) in [
        ("find a src -x echo", "src/a\n"),
        ("find a src -j1 -x echo", "src/a\n"),
        ("find a src -X echo", "src/a\n"),
        ("changed src --state s -- echo ran", "ran\n"),
        ("changed src --state s -- echo ran", ""),
    ] {
        let output = sh(&scratch, &format!("exec env --ignore-signal=CHLD \"$B\" {way}"));
        assert_eq!(output.status.code(), Some(0), "{}", told(way, &output));
        assert_eq!(stdout(&output), expected, "{}", told(way, &output));
    }
    let bench = "bench ls --runs=1 . >/dev/null";
    let output = sh(&scratch, &format!("exec env --ignore-signal=CHLD \"$B\" {bench}"));
    assert_eq!(output.status.code(), Some(0), "{}", told(bench, &output));
    let code = "changed src --state t -- sh -c 'exit 7'";
    let output = sh(&scratch, &format!("exec env --ignore-signal=CHLD \"$B\" {code}"));
    assert_eq!(output.status.code(), Some(7), "{}", told(code, &output));
}
