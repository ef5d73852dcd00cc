//! brisk for Windows, run under Wine, against brisk for Linux on the same trees; and the calls that
//! it makes.
//!
//! `BRISK_WINDOWS` is the command that runs it, `tools/wine/run …/brisk.exe`; `scripts/test` sets
//! it, and asks for these tests, which cargo otherwise ignores. The trees hold no links, and no names
//! that one of the systems refuses.

mod background;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

/// brisk for Windows in a directory.
fn windows(dir: &Path) -> Command {
    let command = std::env::var("BRISK_WINDOWS").expect("scripts/test sets BRISK_WINDOWS");
    let mut words = command.split_whitespace();
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).current_dir(dir);
    command
}

fn linux(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brisk"));
    command.current_dir(dir);
    command
}

fn text(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).expect("UTF-8").replace('\r', "")
}

/// Sorted lines.
fn lines(mut command: Command, words: &[&str]) -> Vec<String> {
    let mut output = command.args(words).output().expect("started");
    if !output.status.success() && output.stdout.is_empty() && output.stderr.is_empty() {
        // Wine 8 now and then fails to start a program, without a word.
        eprintln!("{words:?}: {}, and nothing was said: once more", output.status);
        output = command.output().expect("started");
    }
    let mut lines: Vec<String> = text(&output).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The directory of the build, on a disk: Wine 8.0 cannot remove directories from a tmpfs.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a scratch directory")
}

/// A tree of directories and files with sizes and times of their own, deeper than MAX_PATH.
fn tree() -> tempfile::TempDir {
    let place = scratch();
    let mut at = 0_u64;
    let mut file = |path: &Path| {
        at += 1;
        fs::write(path, vec![b'x'; (at * 37 % 5000) as usize]).expect("a file");
        // In whole ticks of 100 ns, the unit of Windows's times.
        let time =
            Duration::new(1_000_000_000 + at * 86_400, (at * 12_345_600 % 1_000_000_000) as u32);
        let opened = fs::File::options().write(true).open(path).expect("opened");
        opened.set_modified(SystemTime::UNIX_EPOCH + time).expect("a time");
    };
    for dir in 0..40 {
        let dir = place.path().join(format!("dir {dir}/inner.d"));
        fs::create_dir_all(&dir).expect("directories");
        for name in 0..12 {
            file(&dir.join(format!("file-{name}.txt")));
        }
        file(&dir.join("größe ✓ 😀"));
        file(&dir.join(".hidden"));
    }
    let mut deep = place.path().to_owned();
    for _ in 0..12 {
        deep.push("a-directory-with-a-rather-long-name");
        fs::create_dir(&deep).expect("one more level");
        file(&deep.join("f"));
    }
    fs::create_dir(place.path().join("empty")).expect("a directory");
    place
}

#[test]
#[ignore = "run by scripts/test under Wine"]
fn find_sees_the_same_set_sizes_and_times() {
    let place = tree();
    let dir = place.path();
    let file = ["find", "-u", "--path-separator", "/", "-t", "f", "--format", "{size} {mtime} {}"];
    let all = ["find", "-u", "--path-separator", "/", "--order", "sorted"];
    let no_hidden = ["find", "--path-separator", "/"];
    for words in [&file[..], &all, &no_hidden, &["find", "-j1", "-S+3k", "--path-separator=/"]] {
        let expected = lines(linux(dir), words);
        assert!(expected.len() > 100, "{words:?} finds {} entries", expected.len());
        let got = lines(windows(dir), words);
        let wrong = expected.iter().zip(&got).find(|(one, other)| one != other);
        assert_eq!(wrong, None, "{words:?}");
        assert_eq!(got.len(), expected.len(), "{words:?}");
    }
}

#[test]
#[ignore = "run by scripts/test under Wine"]
fn paths_are_spelled_as_windows_does() {
    let place = tree();
    let dir = place.path();
    let mut command = windows(dir);
    let found = command.args(["find", "-u", "file-3", "dir 7"]).output().expect("started");
    assert_eq!(text(&found), "dir 7\\inner.d\\file-3.txt\n");
    // The drive's root, a path from it, a verbatim path, and a path relative to the drive's current
    // directory.
    let native = dir.join("dir 7").display().to_string().replace('/', "\\");
    for root in
        [format!("Z:{native}"), native.clone(), format!("\\\\?\\Z:{native}"), "Z:dir 7".into()]
    {
        let mut command = windows(dir);
        let found = command.args(["find", "-u", "file-3", &root]).output().expect("started");
        assert_eq!(text(&found), format!("{root}\\inner.d\\file-3.txt\n"));
    }
    let mut command = windows(dir);
    let found = command.args(["find", "-u", "-a", "file-3", "dir 7"]).output().expect("started");
    assert_eq!(text(&found), format!("Z:{native}\\inner.d\\file-3.txt\n"));
}

/// How often the program called each function that reads a directory or asks about a file. What a
/// process does that it leaves behind does not count.
fn file_calls(dir: &Path, words: &[&str]) -> BTreeMap<String, usize> {
    let mut command = windows(dir);
    let output = command.args(words).env("WINEDEBUG", "+relay,+pid").output().expect("started");
    let log = String::from_utf8_lossy(&output.stderr);
    let said = || log.lines().filter(|line| !line.contains(":Call ") && !line.contains(":Ret "));
    assert!(output.status.success(), "{}: {:?}", output.status, said().collect::<Vec<_>>());
    let mut calls = BTreeMap::new();
    let process = |line: &str| line.split_once(':').map(|(process, _)| process.to_owned());
    let first = log.lines().find(|line| line.contains(":Call ")).and_then(process);
    for line in log.lines().filter(|line| process(line) == first) {
        let Some(name) = line.split("Call ").nth(1).and_then(|call| call.split('(').next()) else {
            continue;
        };
        let about_files = ["File", "Find", "Path", "Attributes", "NtOpen", "NtCreate"]
            .iter()
            .any(|word| name.contains(word));
        if about_files {
            *calls.entry(name.to_owned()).or_insert(0) += 1;
        }
    }
    calls
}

/// The purpose of it all: what an enumeration brings is not asked for again, file by file.
#[test]
#[ignore = "run by scripts/test under Wine"]
fn five_thousand_files_cost_no_call_each() {
    let place = scratch();
    let many = place.path().join("many");
    let none = place.path().join("none");
    fs::create_dir(&many).expect("a directory");
    fs::create_dir(&none).expect("a directory");
    for at in 0..5000 {
        fs::write(many.join(format!("file{at}")), "x").expect("a file");
    }
    let words = ["find", "-u", "-t", "f", "--format", "{type} {size} {mtime} {}"];
    let calls = file_calls(&many, &words);
    let before = file_calls(&none, &words);
    assert!(calls.contains_key("ntdll.NtQueryDirectoryFile"), "tracing works: {calls:?}");
    for (name, count) in calls {
        let more = count.saturating_sub(before.get(&name).copied().unwrap_or(0));
        // Enumerations and writes come by the buffer. While calls are traced each buffer takes
        // long, so more of them are written before they are full.
        let allowed = 500;
        assert!(more < allowed, "{name} was called {more} times more than for no files");
        println!("{name}: {more} more for 5,000 files");
    }
}

/// The lines of a long listing: size, time and name of each, without the columns before them.
fn details(command: Command, words: &[&str], columns: usize) -> Vec<String> {
    let lines = lines(command, words);
    let entries = lines.iter().filter(|line| !line.starts_with("total "));
    let rest = |line: &String| {
        let mut rest = line.as_str();
        for _ in 0..columns {
            rest = rest.split_once(' ').expect("a column").1.trim_start();
        }
        rest.to_owned()
    };
    let mut entries: Vec<String> = entries.map(rest).collect();
    entries.sort();
    entries
}

#[test]
#[ignore = "run by scripts/test under Wine"]
fn ls_sees_the_same_names_sizes_and_times() {
    let place = tree();
    let dir = place.path();
    let names = ["ls", "-1", "-A", "dir 3/inner.d"];
    assert_eq!(lines(windows(dir), &names), lines(linux(dir), &names));
    let words = ["ls", "-lA", "--time-style=+%s.%N", "-g", "-o", "dir 3/inner.d"];
    let expected = details(linux(dir), &words, 2);
    assert_eq!(expected.len(), 14);
    assert!(expected.iter().any(|line| line.ends_with(" .hidden")));
    assert_eq!(details(windows(dir), &words, 1), expected);
}

/// Neither mode nor owner is invented; attributes are those that Wine gives a file.
#[test]
#[ignore = "run by scripts/test under Wine"]
fn ls_shows_attributes_and_owners_on_request() {
    let place = tree();
    let dir = place.path();
    let mut command = windows(dir);
    let words = ["ls", "-ld", "--time-style=+T", "dir 3", "dir 3/inner.d/file-3.txt"];
    let listed = text(&command.args(words).output().expect("started"));
    let columns: Vec<Vec<&str>> =
        listed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(columns[0][0], "d-------", "{listed}");
    assert_eq!(columns[1][0], "-a------", "{listed}");
    assert_eq!(columns[1][2..], ["T", "dir", "3/inner.d/file-3.txt"], "{listed}");
    let mut command = windows(dir);
    let words = ["ls", "-ld", "--author", "--time-style=+T", "dir 3/inner.d/file-3.txt"];
    let with_owner = text(&command.args(words).output().expect("started"));
    let owner = with_owner.split_whitespace().nth(1).expect("a column");
    assert!(owner.contains('\\') || owner.starts_with("S-1-"), "{with_owner}");
}

#[test]
#[ignore = "run by scripts/test under Wine"]
fn find_shows_details_by_brisk_s_own_ls() {
    let place = tree();
    let dir = place.path();
    let mut command = windows(dir);
    let found = command.args(["find", "-u", "-l", "--path-separator=/", "file-3.txt", "dir 7"]);
    let listed = text(&found.output().expect("started"));
    assert!(listed.starts_with("-a------ "), "{listed}");
    assert!(listed.ends_with(" dir 7/inner.d/file-3.txt\n"), "{listed}");
}

#[test]
#[ignore = "run by scripts/test under Wine"]
fn links_in_terminals_are_addresses() {
    let place = tree();
    let dir = place.path();
    let mut command = windows(dir);
    let output = command.args(["ls", "--hyperlink=always", "dir 7/inner.d"]).output();
    let listed = text(&output.expect("started"));
    let dir = dir.canonicalize().expect("there");
    let wanted = format!("\x1b]8;;file:///Z:{}/dir%207/inner.d/file-3.txt\x07", dir.display());
    assert!(listed.contains(&wanted), "{wanted} in {listed:?}");
    let mut command = windows(&dir);
    let output = command.args(["find", "--hyperlink=always", "file-3", "dir 7"]).output();
    let listed = text(&output.expect("started"));
    let wanted = wanted.replace('\x07', "\x1b\\");
    assert!(listed.contains(&wanted), "{wanted} in {listed:?}");
}

/// brisk against itself, and Wine's own `dir`, `rd` and `del`.
#[test]
#[ignore = "run by scripts/test under Wine"]
fn programs_are_measured_on_windows_too() {
    let place = tree();
    let dir = place.path();
    let measured = |kind: &str, tree: &str| {
        let mut command = windows(dir);
        let output = command.args(["bench", kind, "--runs=1", tree]).output().expect("started");
        assert!(!String::from_utf8_lossy(&output.stdout).is_empty(), "{output:?}");
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(listed) = measured("ls", "dir 7/inner.d") else { return };
    for wanted in ["brisk ls -lA", "cmd /d /c dir /a /on DIR"] {
        assert!(listed.contains(wanted), "{wanted} in {listed}");
    }
    let before = fs::read_dir(dir).expect("readable").count();
    let removed = measured("rm", "dir 8").expect("as before");
    for wanted in ["brisk rm -rf", "cmd /d /c rd /s /q DIR", "15 entries"] {
        assert!(removed.contains(wanted), "{wanted} in {removed}");
    }
    assert!(!removed.contains("not measured: brisk"), "{removed}");
    assert!(dir.join("dir 8/inner.d/file-3.txt").exists());
    assert_eq!(fs::read_dir(dir).expect("readable").count(), before, "no copy stays");
}

#[test]
#[ignore = "run by scripts/test under Wine"]
fn rm_empties_a_tree() {
    let place = tree();
    let dir = place.path();
    let mut command = windows(dir);
    let removed = command.args(["rm", "-r", "dir 3", "dir 4"]).output().expect("started");
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    assert!(!dir.join("dir 3").exists() && !dir.join("dir 4").exists());
    assert!(dir.join("dir 5").exists());
}

/// Windows drops dots and blanks at the end of a path. `rm -r dir.` emptied `dir`, and `rm file.`
/// claimed to have removed something.
#[test]
#[ignore = "run by scripts/test under Wine"]
fn rm_takes_a_name_as_it_is() {
    let place = scratch();
    let kept = place.path().join("dir/file");
    fs::create_dir(place.path().join("dir")).expect("a directory");
    fs::write(&kept, "").expect("a file");
    fs::write(place.path().join("file"), "").expect("a file");
    for name in ["dir.", "dir ", "dir..", "dir. .", "...", ".. ", "file.", "file ", "..", "."] {
        let removed = windows(place.path()).args(["rm", "-r", name]).output().expect("started");
        let told = String::from_utf8_lossy(&removed.stderr);
        assert!(kept.exists() && place.path().join("file").exists(), "{name:?}: {told}");
        assert_eq!(removed.status.code(), Some(1), "{name:?}: {told}");
        assert_eq!(told.contains("refusing to remove"), matches!(name, "." | ".."), "{told}");
    }
    for name in ["dir", "Z:file"] {
        let mut command = windows(place.path());
        let removed = command.args(["rm", "-r", name]).output().expect("started");
        assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    }
    assert_eq!(fs::read_dir(place.path()).expect("readable").count(), 0);
}

#[test]
#[ignore = "run by scripts/test under Wine"]
fn every_way_of_asking_agrees() {
    let place = tree();
    let dir = place.path().join("dir 3/inner.d");
    let mut command = windows(&dir);
    let output = command.args(["bench", "attrs", "--runs=1", "."]).output().expect("started");
    let text = text(&output);
    for method in
        ["FindFirstFileEx, basic", "GetFileInformationByHandleEx", "GetLongPathName", "brisk "]
    {
        assert!(text.contains(method), "{text}");
    }
    assert!(!text.contains("DISAGREEMENT"), "{text}");
}

/// Where requests take long, more workers are tried than there are processors. Wine itself makes one
/// request at a time (tools/wine/README.md), so no more of them pay off there.
#[test]
#[ignore = "run by scripts/test under Wine"]
fn slow_requests_bring_more_workers() {
    let mount = testkit::Mounted::new("wine", "--dirs 60 --files 2 --latency 1ms");
    let Some(mount) = mount else { return };
    let mut command = windows(mount.path());
    let found = command.args(["find", "-u", "--stats", "."]).output().expect("started");
    assert_eq!(text(&found).lines().count(), 180);
    let stats = String::from_utf8_lossy(&found.stderr);
    let before = stats.split(" workers").next().expect("a number");
    let workers: usize = before.rsplit(' ').next().expect("a word").parse().expect("a number");
    let cores = std::thread::available_parallelism().expect("a number").get();
    assert!(workers > cores, "{stats}");
    println!("{stats}");
}

/// The file of a running program cannot be removed.
#[test]
#[ignore = "run by scripts/test under Wine"]
fn rm_waits_for_a_program_that_runs() {
    let place = scratch();
    let dir = place.path();
    let command = std::env::var("BRISK_WINDOWS").expect("scripts/test sets it");
    let (runner, program) = command.split_once(' ').expect("a runner and a program");
    fs::copy(program, dir.join("held.exe")).expect("copied");
    fs::write(dir.join("file"), "").expect("a file");
    let mut user = Command::new(runner);
    // It runs until its question is answered.
    user.args(["held.exe", "rm", "-i", "file"]).current_dir(dir);
    let mut user = user.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    let mut question = [0];
    user.stderr.as_mut().expect("piped").read_exact(&mut question).expect("a question");
    let refused = windows(dir).args(["rm", "--wait=100ms", "held.exe"]).output().expect("started");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(dir.join("held.exe").exists(), "{refused:?}");
    let mut waiting = windows(dir);
    let waiting = waiting.args(["rm", "--wait=1h", "held.exe"]).spawn().expect("started");
    drop(user.stdin.take());
    let waited = waiting.wait_with_output().expect("ended");
    assert!(waited.status.success() && !dir.join("held.exe").exists(), "{waited:?}");
    user.wait().expect("ended");
}
