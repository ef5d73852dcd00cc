//! Files that are read whole, in trees that another user filled: too large, pipes, or unreasonable.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use testkit::{Scratch, brisk, left_out, stderr, stdout};

/// A scratch directory with a tree, `t`, a home, and these files.
fn scratch(files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    for (path, content) in
        [("t/file", ""), ("t/sub/other", ""), ("home/.keep", "")].iter().chain(files)
    {
        scratch.write(path, content);
    }
    scratch
}

/// Runs the program in the tree for at most a minute.
fn run(scratch: &Scratch, words: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "60", brisk()]).args(words).current_dir(scratch.path("t"));
    command.env_clear().env("HOME", scratch.path("home")).stdin(Stdio::null());
    command.output().unwrap()
}

/// The messages of a listing of the tree. `code` is its exit code.
fn listing(scratch: &Scratch, words: &[&str], code: Option<i32>) -> String {
    let output = run(scratch, words);
    let told = stderr(&output);
    assert_eq!(output.status.code(), code, "{words:?}: {told}");
    assert!(stdout(&output).contains("sub/other"), "{words:?}: {told}");
    told
}

/// Makes a sparse file of four tebibytes, if the file system can hold one.
fn sparse(path: &Path) -> bool {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let made = File::create(path).unwrap().set_len(4 << 40).is_ok();
    if !made {
        left_out("hostile_files", "this file system has no sparse file of 4 TiB");
    }
    made
}

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    testkit::run("mkfifo", &[path.to_str().unwrap()]);
}

const TOO_LARGE: &str = "larger than 8 MiB";
const FIND: &[&str] = &["find"];

/// Files that hold rules, with the options and files that make brisk read them.
const PLACES: &[(&str, &[(&str, &str)])] = &[
    ("t/.gitignore", &[("t/.git/HEAD", "")]),
    ("t/sub/.gitignore", &[("t/.git/HEAD", "")]),
    (".gitignore", &[(".git/HEAD", "")]),
    ("t/.ignore", &[]),
    ("t/.fdignore", &[]),
    (".ignore", &[]),
    ("t/.git", &[]),
    ("t/.git/info/exclude", &[]),
    ("t/.git/config", &[]),
    ("included", &[("t/.git/config", "[include]\npath = ../../included\n")]),
    ("rules", &[("t/.git/config", "[core]\nexcludesFile = ../rules\n")]),
    ("git/commondir", &[("t/.git", "gitdir: ../git\n")]),
    ("git/info/exclude", &[("t/.git", "gitdir: ../git\n")]),
    ("git/main/info/exclude", &[("t/.git", "gitdir: ../git\n"), ("git/commondir", "main\n")]),
    ("home/.config/git/ignore", &[("t/.git/HEAD", "")]),
    ("home/.config/git/config", &[("t/.git/HEAD", "")]),
    ("home/.gitconfig", &[("t/.git/HEAD", "")]),
    ("home/.config/fd/ignore", &[]),
];

#[test]
fn a_sparse_file_of_rules_is_refused_and_the_rest_is_listed() {
    for (place, files) in PLACES {
        let scratch = scratch(files);
        if !sparse(&scratch.path(place)) {
            return;
        }
        let name = Path::new(place).file_name().unwrap().to_str().unwrap();
        // For files that are read before the search, the error is a message and no failure (as with
        // fd).
        let told = listing(&scratch, FIND, Some(i32::from(!place.contains("fd/"))));
        let line = told.lines().find(|line| line.contains(name) && line.contains(TOO_LARGE));
        assert!(line.is_some(), "{place}: {told}");
    }
}

#[test]
fn a_pipe_in_the_place_of_rules_is_not_waited_for() {
    for (place, files) in PLACES {
        let scratch = scratch(files);
        pipe(&scratch.path(place));
        let output = run(&scratch, FIND);
        assert!(output.status.code().is_some(), "{place}: it waits");
        assert!(stdout(&output).contains("sub/other"), "{place}: {}", stderr(&output));
    }
}

/// The target of a link is read, but a pipe or a device there is not waited for either.
#[test]
fn a_link_to_a_pipe_or_a_large_file_is_no_way_around() {
    let scratch = scratch(&[]);
    pipe(&scratch.path("pipe"));
    for name in [".ignore", ".git", ".gitignore"] {
        std::os::unix::fs::symlink("../pipe", scratch.path("t").join(name)).unwrap();
    }
    let output = run(&scratch, FIND);
    assert!(stdout(&output).contains("sub/other"), "{:?}", output.status);
    let second = self::scratch(&[]);
    if sparse(&second.path("large")) {
        std::os::unix::fs::symlink("../large", second.path("t/.ignore")).unwrap();
        let told = listing(&second, FIND, Some(1));
        assert!(told.contains("/.ignore': larger than 8 MiB"), "{told}");
    }
}

#[test]
fn what_a_person_names_is_bounded_and_may_be_a_pipe() {
    let scratch = scratch(&[]);
    // As for a file that does not exist: a message and no failure (as with fd).
    for file in ["../large", "/dev/zero"] {
        if file.starts_with('/') || sparse(&scratch.path("large")) {
            let told = listing(&scratch, &["find", &format!("--ignore-file={file}")], Some(0));
            assert!(told.contains(&format!("'{file}': {TOO_LARGE}")), "{told}");
        }
    }
    let command = format!("{} find --order=sorted --ignore-file <(sleep 0.1; echo file)", brisk());
    let output = Command::new("bash")
        .args(["-c", &command])
        .current_dir(scratch.path("t"))
        .output()
        .unwrap();
    assert_eq!(stdout(&output), "sub/\nsub/other\n", "{}", stderr(&output));
    pipe(&scratch.path("pipe"));
    let output = std::thread::scope(|scope| {
        scope.spawn(|| fs::write(scratch.path("pipe"), "other\n").unwrap());
        run(&scratch, &["find", "--order=sorted", "--ignore-file=../pipe"])
    });
    assert_eq!(stdout(&output), "file\nsub/\n", "{}", stderr(&output));
}

#[test]
fn a_configuration_file_is_bounded_and_not_waited_for() {
    for command in [["find"], ["ls"]] {
        let scratch = scratch(&[]);
        let config = scratch.path("home/.config/brisk/config.toml");
        pipe(&config);
        let output = run(&scratch, &command);
        assert!(output.status.code().is_some(), "{command:?}: it waits");
        assert!(stderr(&output).contains("config.toml"), "{command:?}: {}", stderr(&output));
        fs::remove_file(&config).unwrap();
        if sparse(&config) {
            let output = run(&scratch, &command);
            assert!(stderr(&output).contains(TOO_LARGE), "{command:?}: {}", stderr(&output));
        }
        fs::remove_file(&config).unwrap();
        std::os::unix::fs::symlink("/dev/null", &config).unwrap();
        assert_eq!(stderr(&run(&scratch, &command)), "", "{command:?}");
    }
}

/// Rules are compiled: the memory and stack that a few megabytes of rules take are bounded too.
/// A zone is a regular file of bounded size, wherever TZ and TZDIR lead: nothing else is opened. A
/// limit on the address space keeps the machine safe from a program that reads more.
#[test]
fn a_time_zone_without_an_end_is_not_read() {
    let scratch = scratch(&[]);
    std::os::unix::fs::symlink("/dev/zero", scratch.path("zone")).unwrap();
    pipe(&scratch.path("pipe"));
    let to_root = "../".repeat(scratch.path("t").components().count() + 9);
    let relative = to_root + "dev/zero";
    let place = scratch.path("").into_os_string();
    let log = scratch.path("log");
    for (name, dir) in [
        ("/dev/zero", None),
        (&*relative, None),
        ("../zone", None),
        ("zone", Some(&place)),
        ("pipe", Some(&place)),
        ("nowhere", Some(&place)),
    ] {
        let mut command = Command::new("timeout");
        command.args([
            "-s",
            "KILL",
            "60",
            "prlimit",
            "--as=600000000",
            "strace",
            "-qqfe",
            "openat",
        ]);
        command.arg("-o").arg(&log).args([brisk(), "ls", "-d", "--full-time", "."]);
        command.env_clear().env("HOME", scratch.path("home")).env("TZ", name);
        command.env("PATH", "/usr/bin:/bin").envs(dir.map(|dir| ("TZDIR", dir)));
        let output = command.current_dir(scratch.path("t")).output().unwrap();
        if output.status.code() == Some(127) {
            return left_out("a_time_zone_without_an_end_is_not_read", "there is no strace");
        }
        assert!(output.status.success(), "{name}: {:?} {}", output.status, stderr(&output));
        assert!(stdout(&output).contains(" +0000 ."), "{name}: {}", stdout(&output));
        let opened = fs::read_to_string(&log).unwrap();
        let is_wrong =
            |line: &&str| ["zero\"", "zone\"", "pipe\""].iter().any(|it| line.contains(it));
        assert_eq!(opened.lines().find(is_wrong), None, "{name}");
    }
}

#[test]
fn rules_beyond_reason_cost_neither_the_stack_nor_the_memory() {
    let many = 1 << 18;
    // A message says what costs the rest of the file its effect; a line that is not a rule is not
    // reported.
    for (name, is_said, content) in [
        ("nested braces", false, "{a,".repeat(many) + &"}".repeat(many)),
        ("nested braces of the longest line", false, "{".repeat(2040) + &"}".repeat(2040)),
        ("stars", false, "*?".repeat(2 * many)),
        ("short lines of stars", true, "*?*?*?*?*?*?*?*\n".repeat(many / 4)),
        ("classes", false, "[a-z]".repeat(many)),
        ("lines that are no rules", true, "{\n".repeat(2 * many)),
        ("many rules", true, (0..many).map(|n| format!("{n:x}\n")).collect()),
    ] {
        let scratch = scratch(&[("t/.ignore", &content)]);
        let mut command = Command::new("prlimit");
        let words = ["--as=1000000000", "timeout", "-s", "KILL", "60", brisk(), "find"];
        let output = command.args(words).current_dir(scratch.path("t")).output().unwrap();
        let told = stderr(&output);
        assert!(stdout(&output).contains("sub/other"), "{name}: {:?} {told}", output.status);
        assert_eq!(told.lines().count(), usize::from(is_said), "{name}: {told}");
    }
}

/// The earliest time has no positive counterpart, and half a year before it does not exist.
#[test]
fn the_earliest_file_time_is_listed_and_measured() {
    let Some(place) = tempfile::tempdir_in("/dev/shm").ok() else {
        return left_out("hostile_files", "there is no /dev/shm");
    };
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    let touched = Command::new("touch").args(["-d", "@-9223372036854775808"]).arg(&file).output();
    if !touched.unwrap().status.success() {
        return left_out("hostile_files", "this file system has no such times");
    }
    for words in
        [&["ls", "-l"][..], &["ls", "-ltu"], &["find", "-l", "."], &["bench", "attrs", "--runs=1"]]
    {
        let output = Command::new(brisk()).args(words).arg(place.path()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    }
}
