//! `brisk bench calls` counts what `strace -c` counts, finds what programs ask in vain, and says what
//! is missing where it cannot trace.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::{Mounted, left_out};

/// A directory `t` with files, directories and a link in it.
fn tree() -> tempfile::TempDir {
    let place = testkit::scratch();
    let t = place.path().join("t");
    for directory in ["d", "d/e"] {
        fs::create_dir_all(t.join(directory)).unwrap();
        fs::write(t.join(directory).join("file"), "contents").unwrap();
    }
    for file in 0..40 {
        fs::write(t.join(format!("file-{file}")), "contents").unwrap();
    }
    std::os::unix::fs::symlink("file-1", t.join("link")).unwrap();
    place
}

/// The program itself, where `python3` is a script that looks for it.
fn python() -> String {
    let told = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    testkit::stdout(&told.unwrap()).trim().to_owned()
}

pub fn is_installed(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", "command -v \"$0\" >/dev/null", program])
        .status()
        .unwrap()
        .success()
}

/// Whether strace can trace here.
pub fn can_trace(test: &str) -> bool {
    let output = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    let works = output.is_ok_and(|output| output.status.success());
    if !works {
        left_out(test, "strace is not installed, or may not trace");
    }
    works
}

fn bench(options: &[&str], program: &[&str], place: &Path) -> Output {
    let mut command = Command::new(testkit::brisk());
    command.args(["bench", "calls"]).args(options).arg("--").args(program).current_dir(place);
    command.stdin(Stdio::null()).output().unwrap()
}

fn report(program: &[&str], place: &Path) -> Value {
    let output = bench(&["--json"], program, place);
    assert!(output.status.success(), "{}", testkit::stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn notes(report: &Value) -> Vec<&str> {
    report["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect()
}

/// The calls by kind that brisk counts.
fn ours(program: &[&str], place: &Path) -> BTreeMap<String, u64> {
    let report = report(program, place);
    let lines = report["methods"].as_array().unwrap();
    let kinds = lines.iter().filter(|line| line["group"] == "Calls by kind");
    let kind =
        |line: &Value| Some((line["name"].as_str()?.to_owned(), line["calls"].as_f64()? as u64));
    kinds.map(|line| kind(line).unwrap()).collect()
}

/// Those that strace itself counts.
fn straces(program: &[&str], place: &Path) -> BTreeMap<String, u64> {
    // getcwd asks no file system.
    let kinds = "trace=%file,!getcwd,?getdents,?getdents64,?fstat,?fstatfs,?fchdir,?fchmod,?fchown,\
                 ?ftruncate,?fgetxattr,?fsetxattr,?flistxattr,?fremovexattr,?fsync,?fdatasync";
    let kinds = kinds.replace("!getcwd,", "");
    let counts = place.join("counts");
    let mut command = Command::new("strace");
    command.args(["-f", "-c", "-U", "calls,name", "-e", &kinds, "-o"]).arg(&counts).args(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.current_dir(place).status().unwrap();
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let calls = words.next()?.parse().ok()?;
        Some((words.next()?.to_owned(), calls))
    };
    let text = fs::read_to_string(&counts).unwrap();
    fs::remove_file(&counts).unwrap();
    let rows = text.lines().filter_map(row);
    rows.filter(|(name, _)| name != "total" && name != "getcwd").collect()
}

/// Programs that make the same calls each time. One that does not, because its threads run otherwise
/// beside other work, has two more tries.
#[test]
fn calls_are_those_that_strace_counts() {
    let test = "calls_are_those_that_strace_counts";
    if !can_trace(test) {
        return;
    }
    let place = tree();
    let git = "cd t && git init -q . && touch -d 2020-01-01 file-* && git add file-1 file-2 && \
               git -c user.name=n -c user.email=e commit -q -m m && git status";
    let made = Command::new("sh").args(["-c", git]).current_dir(&place).output().unwrap();
    let python = python();
    let walk = "import os; list(os.walk('t'))";
    let script = "for (const f of fs.readdirSync('t')) fs.statSync('t/' + f); fs.existsSync('no')";
    let programs: [&[&str]; 7] = [
        &["ls", "--color=always", "-l", "t"],
        &["find", "t", "-printf", "%p %s %y\n"],
        &["eza", "-l", "--color=always", "t"],
        &["fd", "--threads=1", ".", "t"],
        &["node", "-e", script],
        &[&python, "-c", walk],
        &["git", "-C", "t", "--no-optional-locks", "status"],
    ];
    for program in programs {
        if !is_installed(program[0]) || program[0] == "git" && !made.status.success() {
            left_out(&format!("{test}: {}", program[0]), "not installed");
            continue;
        }
        let mut tries =
            (0..3).map(|_| (ours(program, place.path()), straces(program, place.path())));
        let (ours, straces) = tries
            .find(|(ours, straces)| ours == straces)
            .unwrap_or_else(|| (ours(program, place.path()), straces(program, place.path())));
        println!("{program:?}: {ours:?}");
        assert_eq!(ours, straces, "{program:?}");
        assert!(ours.values().sum::<u64>() > 20, "{program:?}: {ours:?}");
    }
}

/// The hunt through an enumeration that asks for the full path of each item.
#[test]
fn a_script_that_asks_for_full_paths_is_told_so() {
    if !can_trace("a_script_that_asks_for_full_paths_is_told_so") {
        return;
    }
    let place = tree();
    let whole = place.path().canonicalize().unwrap().join("t");
    // More than Python asks for its own modules.
    for file in 0..300 {
        fs::write(whole.join(format!("more-{file}")), "").unwrap();
    }
    let script = "import os, sys\nfor it in os.listdir(sys.argv[1]): os.path.realpath(os.path.join(sys.argv[1], it))";
    let report = report(&[&python(), "-c", script, whole.to_str().unwrap()], place.path());
    let notes = notes(&report).join("\n");
    let directory = whole.to_str().unwrap();
    assert!(
        notes.contains(&format!("calls gave the same path from /, '{directory}', and a name")),
        "{notes}"
    );
    assert!(notes.contains("asked what the same call had asked before"), "{notes}");
    assert!(notes.contains("types the listing had given"), "{notes}");
    let busiest = |line: &&Value| line["group"] == "The entries with the most calls";
    let lines = report["methods"].as_array().unwrap();
    let root = lines.iter().filter(busiest).find(|line| line["name"] == *directory);
    assert!(root.is_some_and(|line| line["calls"].as_f64() >= Some(342.0)), "{report}");
}

/// The hunt for what the colours and the details of ls cost.
#[test]
fn what_ls_asks_in_vain_is_counted() {
    if !can_trace("what_ls_asks_in_vain_is_counted") {
        return;
    }
    let place = tree();
    // All but the link, whose colour does not depend on its mode.
    let colors = report(&["ls", "--color=always", "t"], place.path());
    let told = notes(&colors).join("\n");
    assert!(
        told.contains("41 statx asked about entries whose types the listing had given"),
        "{told}"
    );
    let plain = report(&["ls", "--color=never", "t"], place.path());
    assert!(!notes(&plain).join("\n").contains("types the listing"), "{plain}");
    let details = report(&["ls", "-l", "t"], place.path());
    assert!(notes(&details).iter().any(|note| note.contains("xattr answered ")), "{details}");
}

#[test]
fn full_buffers_are_counted() {
    if !can_trace("full_buffers_are_counted") {
        return;
    }
    let place = testkit::scratch();
    for file in 0..1500 {
        fs::write(place.path().join(format!("{file}{}", "-".repeat(40))), "").unwrap();
    }
    let report = report(&["ls", "-U"], place.path());
    let told = notes(&report).join("\n");
    assert!(told.contains("reads of directories filled buffers of 32 KiB: "), "{told}");
}

/// The hunt for why a build of small files is slow: what it asks for each file, on storage where each
/// request takes its time.
#[test]
fn a_build_on_slow_storage_makes_thousands_of_requests() {
    let test = "a_build_on_slow_storage_makes_thousands_of_requests";
    if !can_trace(test) {
        return;
    }
    let place = testkit::scratch();
    let flags = format!("--mirror {} --writable --latency 100us", place.path().display());
    let Some(mounted) = Mounted::new(test, &flags) else { return };
    for directory in ["src", "obj", "include", "lib"] {
        fs::create_dir(place.path().join(directory)).unwrap();
    }
    for file in 0..40 {
        fs::write(place.path().join(format!("src/{file}.c")), "int it;").unwrap();
    }
    let build = "for it in src/*; do it=${it#src/}; for in in include lib; do [ -e $in/$it.h ]; done; \
                 while read -r line; do :; done <src/$it; echo object >obj/$it.o; done";
    let report = report(&["sh", "-c", build], mounted.path());
    let first = notes(&report)[0].to_owned();
    let sum: f64 = first.split(['(', ' ']).nth(6).unwrap().parse().unwrap();
    assert!(sum >= 0.16, "4 calls for each of 40 files: {first}");
    let kinds = report["methods"].as_array().unwrap();
    let opens = kinds.iter().find(|line| line["name"] == "openat").unwrap();
    assert!(opens["calls"].as_f64() >= Some(80.0), "{opens}");
    assert!(
        opens["took_seconds"].as_f64() >= Some(0.016),
        "80 requests of 0.1 ms and more: {opens}"
    );
    assert_eq!(fs::read_dir(place.path().join("obj")).unwrap().count(), 40);
}

#[test]
fn the_table_has_each_kind() {
    if !can_trace("the_table_has_each_kind") {
        return;
    }
    let place = tree();
    let output = bench(&[], &["ls", "t"], place.path());
    let text = testkit::stdout(&output);
    for wanted in ["brisk bench calls -- ls t", "Calls by kind", "getdents64", "at 1 ms"] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    let ended = bench(&[], &["sh", "-c", "exit 3"], place.path());
    let text = testkit::stdout(&ended);
    assert!(text.contains("note: sh -c 'exit 3' ended with exit status: 3\n"), "{text}");
    assert_eq!((output.status.code(), ended.status.code()), (Some(0), Some(0)));
}

#[test]
fn what_is_missing_is_said() {
    let place = tree();
    let run = |path: &Path, words: &[&str]| {
        let mut command = Command::new(testkit::brisk());
        command.args(["bench", "calls"]).args(words).current_dir(&place).env("PATH", path);
        let output = command.output().unwrap();
        assert!(output.stdout.is_empty());
        (output.status.code(), testkit::stderr(&output))
    };
    let bin = place.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let script = |name: &str, text: &str| {
        fs::write(bin.join(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    script("program", "exit");
    script("sh", "exec /bin/sh \"$@\"");
    let missing = "brisk: brisk bench calls needs strace (Linux), which is not on PATH\n";
    assert_eq!(run(&bin, &["--", "program"]), (Some(1), missing.to_owned()));
    script(
        "strace",
        "echo 'strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted' >&2; exit 1",
    );
    let refused = "brisk: strace may not trace here: 'strace: ptrace(PTRACE_TRACEME, ...): Operation not \
                   permitted'\n";
    assert_eq!(run(&bin, &["--", "program"]), (Some(1), refused.to_owned()));
    script("strace", "exit 0");
    let silent = "brisk: cannot run program under strace\n".to_owned();
    assert_eq!(run(&bin, &["--", "program"]), (Some(1), silent));
    let usage = |words: &[&str]| run(&bin, words).0;
    assert_eq!(usage(&[]), Some(2));
    assert_eq!(usage(&["--", "no-such-program"]), Some(2));
    assert_eq!(usage(&["--runs=3", "--", "program"]), Some(2));
    assert_eq!(usage(&["--files=3", "--", "program"]), Some(2));
}

/// A signal ends the program that is traced as well, also while a child of it lives on.
#[test]
fn a_signal_ends_strace_and_the_program() {
    if !can_trace("a_signal_ends_strace_and_the_program") {
        return;
    }
    let place = testkit::scratch();
    let mut command = Command::new(testkit::brisk());
    command.args([
        "bench",
        "calls",
        "--",
        "sh",
        "-c",
        "sleep 600 & echo $! >child; echo $$ >pid.new; mv pid.new pid; wait",
    ]);
    let mut child = command.current_dir(&place).stdout(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    let pid = loop {
        if let Ok(pid) = fs::read_to_string(place.path().join("pid")) {
            break pid.trim().to_owned();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "the program did not begin");
        testkit::pause(Duration::from_millis(10));
    };
    testkit::run("kill", &["-TERM", &child.id().to_string()]);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let began = Instant::now();
    while Path::new("/proc").join(&pid).exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "the program is still there");
        testkit::pause(Duration::from_millis(10));
    }
    let left = fs::read_to_string(place.path().join("child")).unwrap();
    testkit::run("kill", &[left.trim()]);
}

/// A program with a descriptor of the pipe could write to the trace, and a child of it would keep the
/// pipe open.
#[test]
fn a_program_does_not_get_the_trace() {
    if !can_trace("a_program_does_not_get_the_trace") {
        return;
    }
    let place = tree();
    let output = bench(&[], &["sh", "-c", "ls -l /proc/self/fd > fds"], place.path());
    assert!(output.status.success(), "{}", testkit::stderr(&output));
    let fds = fs::read_to_string(place.path().join("fds")).unwrap();
    // This test may have been given pipes of its own.
    let own =
        fs::read_dir("/proc/self/fd").unwrap().filter_map(|fd| fd.unwrap().path().read_link().ok());
    let own: Vec<_> = own.map(|to| to.display().to_string()).collect();
    let is_new = |line: &&str| line.contains("pipe:") && !own.iter().any(|own| line.ends_with(own));
    assert_eq!(fds.lines().filter(is_new).collect::<Vec<_>>(), Vec::<&str>::new(), "{fds}");
}
