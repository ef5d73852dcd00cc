//! `brisk find --list-details` prints what `ls -l -h -d` prints of each result, and starts no other
//! program.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

use testkit::{brisk, is_root, left_out, stderr, stdout};

/// Lines are held back, aligned and sorted until the search ends, however busy the machine is.
const HELD: &str = "--max-buffer-time=3600000";

/// A tree with every type that this user may make, sizes of all lengths, and names to quote.
fn tree() -> tempfile::TempDir {
    let place = testkit::scratch();
    let top = place.path();
    for dir in ["a/b", "a-b", "empty", "with space"] {
        fs::create_dir_all(top.join(dir)).unwrap();
    }
    for (name, size) in [("a/zero", 0), ("a/b/large", 123_456_789), ("a-b/it's", 1025)] {
        fs::File::create(top.join(name)).unwrap().set_len(size).unwrap();
    }
    for (name, mode) in [("a/run", 0o755), ("a/setuid", 0o4711), ("with space/odd\tname", 0o640)] {
        fs::write(top.join(name), name).unwrap();
        fs::set_permissions(top.join(name), PermissionsExt::from_mode(mode)).unwrap();
    }
    symlink("b", top.join("a/to-directory")).unwrap();
    symlink("../a/run", top.join("a-b/to-file")).unwrap();
    symlink("nowhere", top.join("dangling")).unwrap();
    fs::hard_link(top.join("a/zero"), top.join("a/again")).unwrap();
    testkit::run("mkfifo", &[top.join("pipe").to_str().unwrap()]);
    testkit::run("touch", &["-d", "2001-02-03", top.join("a/run").to_str().unwrap()]);
    if is_root() {
        testkit::run("chown", &["4321:12", top.join("a-b").to_str().unwrap()]);
        testkit::run("mknod", &[top.join("null").to_str().unwrap(), "c", "1", "3"]);
    }
    place
}

fn run(
    place: &tempfile::TempDir,
    program: &str,
    words: &[&str],
    variables: &[(&str, &str)],
) -> Output {
    let mut command = Command::new(program);
    command.args(words).current_dir(place.path());
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", place.path());
    command.envs(variables.iter().copied()).output().unwrap()
}

/// What is found, as `--list-details` spells it.
fn paths(place: &tempfile::TempDir, words: &[&str]) -> Vec<String> {
    let output = stdout(&run(place, brisk(), &[&["find", "-u", "-0"], words].concat(), &[]));
    let paths = output.split_terminator('\0');
    paths.map(|path| path.trim_end_matches('/').to_owned()).collect()
}

fn listed(
    place: &tempfile::TempDir,
    paths: &[String],
    color: &str,
    variables: &[(&str, &str)],
) -> String {
    let color = format!("--color={color}");
    let paths = paths.iter().map(String::as_str);
    let words: Vec<&str> = ["-ldh", &color, "--"].into_iter().chain(paths).collect();
    stdout(&run(place, "ls", &words, variables))
}

#[test]
fn the_bytes_are_those_of_gnu_ls() {
    let place = tree();
    for words in
        [&["."][..], &["-L", "."], &["-e", "none", "."], &["-t", "l", "."], &[".", "a", "empty"]]
    {
        let found = paths(&place, words);
        for variables in [
            &[][..],
            &[("TIME_STYLE", "full-iso"), ("QUOTING_STYLE", "shell-escape")],
            &[("LC_ALL", "C.UTF-8"), ("LS_BLOCK_SIZE", "1"), ("TZ", "Asia/Tokyo")],
            &[("LS_COLORS", "ln=target:or=31:ex=32:no=35:*.e=36")],
        ] {
            for color in ["never", "always"] {
                let expected = if found.is_empty() {
                    String::new()
                } else {
                    listed(&place, &found, color, variables)
                };
                let details = ["find", "-u", "-l", HELD, "--color", color];
                let output = run(&place, brisk(), &[&details, words].concat(), variables);
                assert_eq!(stderr(&output), "");
                assert_eq!(stdout(&output), expected, "{words:?} {color} {variables:?}");
            }
        }
    }
}

/// In an explicit order lines are printed as results come: only the widths of columns differ.
#[test]
fn lines_that_stream_differ_in_nothing_but_the_space_between_columns() {
    let place = tree();
    let squeezed = |text: &str| -> BTreeSet<String> {
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let expected = squeezed(&listed(&place, &paths(&place, &["."]), "never", &[]));
    for order in ["--order=sorted", "--order=depth", "--order=breadth", "--max-buffer-time=0"] {
        for threads in ["-j1", "-j4"] {
            let output = run(&place, brisk(), &["find", "-u", "-l", order, threads], &[]);
            assert_eq!(squeezed(&stdout(&output)), expected, "{order} {threads}");
            assert_eq!(stdout(&output).lines().count(), expected.len(), "{order} {threads}");
        }
    }
}

/// With one worker: where there are more, a result is asked about again if the answer takes longer
/// than 10 ms (crates/brisk/src/read/watchdog.rs), as it may on a busy machine.
#[test]
fn no_program_is_started_and_each_result_is_asked_about_once() {
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("programs that find -l starts", "there is no strace");
    }
    let place = tree();
    for number in 0..3000 {
        fs::write(place.path().join(format!("empty/{number}")), "").unwrap();
    }
    let log = place.path().join(".log");
    let calls = "trace=execve,execveat,fork,vfork,statx,newfstatat";
    let words =
        ["-f", "-qq", "-o", log.to_str().unwrap(), "-e", calls, brisk(), "find", "-l", "-j1"];
    let output = run(&place, "strace", &[&words[..], &[".", "empty"]].concat(), &[]);
    assert_eq!(stdout(&output).lines().count(), 3000);
    let log = fs::read_to_string(log).unwrap();
    let started = log.lines().filter(|line| line.contains("exec") && line.contains("= 0")).count();
    assert_eq!(started, 1, "{log}");
    let by_path =
        log.lines().filter(|line| line.contains("\"./empty/") || line.contains("\"empty/"));
    // Whether the root is a repository is asked before it is open.
    let of_root = |line: &&str| line.contains("empty/.git\"") || line.contains("empty/.jj\"");
    assert_eq!(by_path.filter(|line| !of_root(line)).count(), 0, "{log}");
    let asked =
        log.lines().filter(|line| line.contains("statx(") && line.contains("AT_NO_AUTOMOUNT"));
    // The results, and the names of a repository in their directory.
    assert_eq!(asked.count(), 3000 + 2, "{log}");
}

/// A link to the program, under which it is fd.
fn as_fd(place: &tempfile::TempDir) -> String {
    let link = place.path().join("fd");
    symlink(brisk(), &link).unwrap();
    link.to_str().unwrap().to_owned()
}

/// Where fd passes a result to ls, ls reports what it cannot access, and fd's exit code is 1.
#[test]
fn as_fd_a_result_that_cannot_be_listed_changes_the_exit_code() {
    let place = testkit::scratch();
    let closed = place.path().join("t/closed");
    fs::create_dir_all(&closed).unwrap();
    fs::write(closed.join("file"), "").unwrap();
    fs::write(place.path().join("t/seen"), "").unwrap();
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o444)).unwrap();
    let fd = as_fd(&place);
    let run = |words: &[&str]| {
        let mut command = testkit::obedient(&fd)?;
        Some(command.args(words).current_dir(place.path()).output().unwrap())
    };
    let Some(output) = run(&["-l", ".", "t"]) else {
        return left_out("fd -l in a closed directory", "root keeps its capabilities");
    };
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot access 't/closed/file': Permission denied"));
    assert_eq!(stdout(&output).lines().count(), 2, "{}", stdout(&output));
    for words in [&[".", "t"][..], &["-l", "seen", "t"], &["-l", "-S", "+1b", "file", "t"]] {
        let output = run(words).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn as_fd_a_result_that_vanishes_changes_the_exit_code() {
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("fd -l of a result that vanishes", "there is no strace");
    }
    let place = testkit::scratch();
    fs::create_dir(place.path().join("t")).unwrap();
    for name in ["a", "b"] {
        fs::write(place.path().join("t").join(name), "").unwrap();
    }
    let fd = as_fd(&place);
    let gone = place.path().join("t/a");
    let words = ["-f", "-qq", "-o", "/dev/null", "-P", gone.to_str().unwrap()];
    let inject = ["-P", "a", "-P", "t/a", "-e", "inject=statx:error=ENOENT"];
    let words = [&words[..], &inject, &[&fd, "-l", ".", "t"]].concat();
    let output = run(&place, "strace", &words, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stderr(&output).contains("cannot access 't/a': No such file or directory"));
    assert_eq!(stdout(&output).lines().count(), 1, "{}", stdout(&output));
}

/// fd passes all results to one ls. With more than 16,384, lines are printed as results come.
#[test]
fn as_fd_lines_are_sorted_unless_there_are_very_many() {
    let place = testkit::scratch();
    fs::create_dir(place.path().join("t")).unwrap();
    let add = |number: usize| fs::write(place.path().join(format!("t/{number}")), "").unwrap();
    (0..16_384).for_each(add);
    let fd = as_fd(&place);
    let names = |output: &str| -> Vec<String> {
        output.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect()
    };
    let found = || names(&stdout(&run(&place, &fd, &["-l", ".", "t"], &[("LC_ALL", "C")])));
    let few = found();
    assert_eq!(few.len(), 16_384);
    assert!(few.is_sorted());
    add(16_384);
    let many = found();
    assert_eq!(many.iter().collect::<BTreeSet<_>>().len(), 16_385);
    assert!(!many.is_sorted());
}

/// `%i` of the link `find` is what stat(2) gives where directories list no numbers.
#[test]
fn inode_numbers_that_directories_do_not_list() {
    let name = "inode_numbers_that_directories_do_not_list";
    let flags = "--nested 1,3,4 --plain --latency 0 --zero-inodes";
    let Some(mounted) = testkit::Mounted::new(name, flags) else { return };
    let mut command = Command::new(brisk());
    let output = command.arg0("find").args(["-printf", "%i %P\\n"]).current_dir(mounted.path());
    let output = stdout(&output.output().unwrap()).to_owned();
    assert_eq!(output.lines().count(), 20);
    for line in output.lines() {
        let (number, path) = line.split_once(' ').unwrap();
        let there = fs::symlink_metadata(mounted.path().join(path)).unwrap();
        assert_eq!(number, std::os::unix::fs::MetadataExt::ino(&there).to_string(), "{line}");
    }
}
