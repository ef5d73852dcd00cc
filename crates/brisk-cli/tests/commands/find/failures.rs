//! How a search ends that cannot read, cannot write, or is interrupted.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use super::scene::{Scene, TREE, stderr, stdout};

#[test]
fn roots_keep_their_spelling_and_a_bad_one_is_a_failure() {
    let scene = Scene::new(TREE);
    assert_eq!(scene.sorted(&["find", "", "b", "./a"]), ["./a/a", "./a/b/", "./a/b/c", "b/x"]);
    let output = scene.run(&["find", "", "b", "nosuch"]);
    assert_eq!(stdout(&output), ["b/x"]);
    assert_eq!(stderr(&output), "brisk: cannot search 'nosuch': No such file or directory\n");
    assert_eq!(output.status.code(), Some(1));
    let output = scene.run(&["find", "", "nosuch", "c"]);
    assert!(stderr(&output).contains("\nbrisk: cannot search 'c': Not a directory\n"));
    assert!(stderr(&output).ends_with("\nbrisk: No valid search paths given.\n"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(scene.lines(&["find", "x", "b", "b"]), ["b/x", "b/x"]);
}

#[test]
fn full_disks_are_errors_and_readers_that_leave_are_not() {
    let scene = Scene::new(&["a"]);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = scene.command(&["find"]).stdout(full).output().unwrap();
    assert!(stderr(&output).starts_with("brisk: cannot write to standard output: "), "{output:?}");
    assert_eq!(output.status.code(), Some(1));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = scene.command(&["find"]).stdout(writer).output().unwrap();
    assert_eq!((stderr(&output), output.status.code()), (String::new(), Some(0)));
}

#[cfg(target_os = "linux")]
#[test]
fn unreadable_directories_are_told_and_counted() {
    let test = "unreadable_directories_are_told_and_counted";
    if testkit::obedient("true").is_none() {
        return testkit::left_out(test, "root may read everything");
    }
    let scene = Scene::new(&["a/x", "b/x", "c/x"]);
    let set = |mode| {
        for name in ["a", "b"] {
            fs::set_permissions(scene.tree().join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    set(0o000);
    let run = |words: &[&str]| {
        let command = testkit::obedient(env!("CARGO_BIN_EXE_brisk")).unwrap();
        scene.prepared(command, words).output().unwrap()
    };
    let output = run(&["find", "--max-buffer-time=60000"]);
    let limited = run(&["find", "--max-errors", "1"]);
    set(0o755);
    assert_eq!(stdout(&output), ["a/", "b/", "c/", "c/x"]);
    assert_eq!(stderr(&output).matches("brisk: cannot open directory").count(), 2);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&limited).lines().count(), 1);
    assert_eq!(limited.status.code(), Some(1));
}

/// In a directory that may be listed but not searched, as by GNU find.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_asked_about_is_told_once() {
    let test = "what_cannot_be_asked_about_is_told_once";
    if testkit::obedient("true").is_none() {
        return testkit::left_out(test, "root may search everything");
    }
    let scene = Scene::new(&["listed/file", "listed/dir/below"]);
    let set = |mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(scene.tree().join("listed"), mode).unwrap();
    };
    set(0o444);
    let told = |program: &str, words: &str| {
        let command = testkit::obedient(program).unwrap();
        let words: Vec<_> = words.split(' ').collect();
        let output = scene.prepared(command, &words).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let text = stderr(&output);
        let names = text.lines().filter_map(|line| line.split('\'').nth(1));
        let mut names: Vec<_> = names.map(str::to_owned).collect();
        names.sort();
        names
    };
    for (gnu, ours) in [
        ("-xdev", "--one-file-system ."),
        ("-xdev -name other", "--one-file-system other"),
        ("-xdev -maxdepth 1", "--one-file-system --max-depth 1 ."),
        ("-ls", "-l ."),
        ("-newermt 2020-01-01", "--changed-after 2020-01-01 ."),
        ("-xdev -newermt 2020-01-01", "--one-file-system --changed-after 2020-01-01 ."),
    ] {
        let theirs = told("find", &format!("listed {gnu}"));
        let ours = told(env!("CARGO_BIN_EXE_brisk"), &format!("find {ours} listed"));
        assert_eq!(ours, theirs, "{gnu}");
        assert_eq!(theirs.iter().filter(|name| *name == "listed/dir").count(), 1, "{gnu}");
    }
    set(0o755);
}

#[test]
fn an_interrupt_ends_it_as_one_does() {
    let scene = Scene::new(&["a"]);
    // The command waits for its standard input, which stays open, so the search cannot end. A shell
    // that runs the tests in the background may have interrupts ignored, which is inherited; env
    // undoes that.
    let mut child = Command::new("env")
        .arg("--default-signal=INT")
        .arg(env!("CARGO_BIN_EXE_brisk"))
        .args(["find", "-j1", "-x", "cat", "/dev/stdin"])
        .current_dir(scene.tree())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The signal must not come before env has become brisk.
    let name = format!("/proc/{}/comm", child.id());
    while fs::read(&name).is_ok_and(|comm| comm != b"brisk\n") {
        std::thread::yield_now();
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(2), "a shell shows it as 130");
}

/// Commands wait for descriptors while others run: their pipes are more than the limit.
#[test]
fn every_command_runs_with_few_descriptors() {
    let place = testkit::scratch();
    for number in 0..60 {
        fs::write(place.path().join(number.to_string()), "").expect("a file");
    }
    for limit in ["--nofile=16:16", "--nofile=64:64"] {
        let mut command = Command::new("prlimit");
        command.args([limit, env!("CARGO_BIN_EXE_brisk"), "find", "."]).arg(place.path());
        let output = command.args(["-tf", "-j60", "-x", "echo"]).output().expect("prlimit");
        assert_eq!(stderr(&output), "", "{limit}");
        assert_eq!((output.status.code(), stdout(&output).len()), (Some(0), 60), "{limit}");
    }
}
