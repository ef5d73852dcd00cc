//! brisk against fd itself: the same command lines on the same tree must print the same lines and
//! end with the same exit code. Where fd 10 is not installed the comparison is left out, and says
//! so.
//!
//! Lines are compared sorted. For standard error, only whether there are messages is compared.
//! Known and wanted differences: a link to a file has no `--size` here (fd takes the link's own
//! size); without LS_COLORS the colours are GNU's; a dot in a pattern matches bytes that are not
//! UTF-8.

mod lines;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use testkit::Scratch;

/// Whether the line means something else to brisk find than to fd: find's templates have more
/// words, and it paints with the exact codes of LS_COLORS (`01;34`, not `1;34`).
fn is_for_fd_alone(line: &str) -> bool {
    line.contains("{size}") || line.contains("-c always") || line.contains("-E /")
}

/// A scratch directory with the tree, an empty home, and a link named `fd`.
fn scratch() -> Scratch {
    // A temporary directory may itself be reached through links.
    let scratch = Scratch::below(&std::env::temp_dir().canonicalize().unwrap());
    fs::create_dir(scratch.path("home")).unwrap();
    fs::create_dir(scratch.path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_brisk"), scratch.path("bin/fd")).unwrap();
    plant(&scratch.path("tree"));
    scratch
}

fn run(scratch: &Scratch, program: &OsStr, first: &[&str], line: &str) -> Output {
    let tree = scratch.path("tree");
    let tree = tree.to_str().unwrap();
    Command::new(program)
        .args(first)
        .args(line.split_whitespace().map(|word| word.replace("{T}", tree)))
        .current_dir(tree)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", scratch.path("home"))
        .env("LC_ALL", "C.UTF-8")
        .env(
            "LS_COLORS",
            "di=01;34:ln=01;36:ex=00:or=01;36:mi=00:ow=00:st=00:tw=00:su=00:sg=00:*.md=33",
        )
        .output()
        .unwrap()
}

fn write(tree: &Path, name: &str, len: usize) {
    let path = tree.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, vec![b'x'; len]).unwrap();
}

/// Files of the tree and their sizes.
const FILES: &[(&str, usize)] = &[
    ("plain.txt", 1_000),
    ("README.md", 1_024),
    ("a.rs", 0),
    ("b.RS", 1),
    (".rs", 1),
    (".hidden/inside.rs", 1),
    ("archive.tar.gz", 2_000_000),
    ("résumé.é", 1),
    ("x.É", 1),
    ("a b.txt", 999),
    ("-dash", 1),
    ("-dir/file", 1),
    ("[odd", 1),
    ("new\nline", 1),
    ("esc\x1b[31m", 1),
    ("ends.with.dot.", 1),
    ("deep/a/b/c/d/e.rs", 1),
    ("deep/a/c/x.md", 1),
    ("cache/CACHEDIR.TAG", 1),
    ("cache/a.rs", 1),
    ("cache/below/b.rs", 1),
    ("repo/.git/HEAD", 1),
    ("repo/.git/info/exclude", 0),
    ("repo/a.rs", 1),
    ("repo/kept.log", 1),
    ("repo/a.log", 1),
    ("repo/target/out.rs", 1),
    ("repo/sub/b.log", 1),
    ("repo/sub/c.rs", 1),
    ("repo/sub/secret.txt", 1),
    ("norepo/a.log", 1),
    ("norepo/b.tmp", 1),
    ("norepo/ignored.by.fd", 1),
];

/// Files with ignore rules.
const RULES: &[(&str, &str)] = &[
    ("repo/.gitignore", "*.log\n/target/\n!kept.log\n"),
    ("repo/.git/info/exclude", "secret.txt\n"),
    ("norepo/.gitignore", "*.log\n"),
    ("norepo/.ignore", "*.tmp\n"),
    ("norepo/.fdignore", "ignored.*\n"),
    ("extra.ignore", "*.md\n"),
];

/// Links and their targets.
const LINKS: &[(&str, &str)] = &[
    ("link-to-file", "plain.txt"),
    ("link-to-dir", "deep"),
    ("link-to-run", "bin/run"),
    ("dangling", "nowhere"),
    ("deep/a/up", ".."),
];

/// A tree in which every filter keeps some entries and leaves some out.
fn plant(tree: &Path) {
    for &(name, len) in FILES {
        write(tree, name, len);
    }
    for &(name, rules) in RULES {
        fs::write(tree.join(name), rules).unwrap();
    }
    fs::create_dir_all(tree.join("empty/below")).unwrap();
    write(tree, "bin/run", 5);
    fs::set_permissions(tree.join("bin/run"), fs::Permissions::from_mode(0o755)).unwrap();
    for &(name, target) in LINKS {
        symlink(target, tree.join(name)).unwrap();
    }
    assert!(Command::new("mkfifo").arg(tree.join("pipe")).status().unwrap().success());
    age(tree);
}

/// Gives half of the files old times, in whole seconds.
fn age(tree: &Path) {
    for (name, time) in [
        ("plain.txt", Duration::from_secs(1_000_000_000)),
        ("repo/a.rs", Duration::from_secs(1_000_000_000)),
        ("README.md", Duration::from_secs(900_000_000)),
    ] {
        let file = fs::File::options().append(true).open(tree.join(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + time).unwrap();
    }
    let yesterday = SystemTime::now() - Duration::from_secs(86_400);
    let file = fs::File::options().append(true).open(tree.join("a.rs")).unwrap();
    file.set_modified(yesterday).unwrap();
}

/// The fd of the search path, if its version is 10, or the one that scripts/setup has installed.
pub fn real_fd() -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("fd").join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).chain([installed]).map(|dir| dir.join("fd")).find(|fd| {
        let version = Command::new(fd).arg("--version").output();
        version.is_ok_and(|output| {
            output.stdout.starts_with(b"fd 10.") && !contains(&output.stdout, b"brisk")
        })
    })
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The lines, sorted; for a command that prints many results on one line, its words.
fn lines(output: &Output, line: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let one_line = line.contains("-X echo");
    let is_end = |c: char| c == '\n' || c == '\0' || (one_line && c == ' ');
    let mut lines: Vec<String> = text.split(is_end).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The lines that are only in `a`, and those only in `b`, with their numbers; both sorted.
fn difference(a: &[String], b: &[String]) -> (Vec<String>, Vec<String>) {
    let count =
        |lines: &[String], line: &String| lines.iter().filter(|other| *other == line).count();
    let only = |these: &[String], those: &[String]| {
        let mut lines: Vec<String> =
            these.iter().filter(|line| count(these, line) > count(those, line)).cloned().collect();
        lines.dedup();
        lines
    };
    (only(a, b), only(b, a))
}

/// Compares what fd answers to a line with what brisk does.
fn compare(
    scratch: &Scratch,
    theirs: &Output,
    first: &[&str],
    line: &str,
    failures: &mut Vec<String>,
) {
    let as_fd = first.is_empty();
    let program = if as_fd { scratch.path("bin/fd") } else { env!("CARGO_BIN_EXE_brisk").into() };
    let ours = run(scratch, program.as_os_str(), first, line);
    let name = if as_fd { "fd" } else { "brisk find" };
    let (missing, surplus) = difference(&lines(theirs, line), &lines(&ours, line));
    if !missing.is_empty() || !surplus.is_empty() {
        failures.push(format!(
            "{name} {line}\n  missing: {missing:?}\n  surplus: {surplus:?}\n  {}",
            String::from_utf8_lossy(&ours.stderr),
        ));
    }
    if as_fd && theirs.status.code() != ours.status.code() {
        failures.push(format!(
            "{name} {line}: exit code {:?} instead of {:?}\n  {}",
            ours.status.code(),
            theirs.status.code(),
            String::from_utf8_lossy(&ours.stderr),
        ));
    }
    if as_fd && theirs.stderr.is_empty() != ours.stderr.is_empty() {
        let theirs = &theirs.stderr;
        let ours = &ours.stderr;
        failures.push(format!(
            "{name} {line}: messages\n  fd:    {}\n  brisk: {}",
            String::from_utf8_lossy(theirs),
            String::from_utf8_lossy(ours),
        ));
    }
}

#[test]
fn brisk_answers_as_fd_does() {
    let Some(fd) = real_fd() else { return testkit::left_out("brisk against fd", "no fd 10") };
    let scratch = scratch();
    let mut failures = Vec::new();
    // One holds its results back, as in a short search, and the other prints them as they come.
    let find = ["find", "--max-buffer-time=0"];
    for line in lines::LINES {
        let theirs = run(&scratch, fd.as_os_str(), &[], line);
        compare(&scratch, &theirs, &[], line, &mut failures);
        if !is_for_fd_alone(line) {
            compare(&scratch, &theirs, &find, line, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn short_searches_are_sorted_as_fd_sorts_them() {
    let Some(fd) = real_fd() else { return testkit::left_out("brisk against fd", "no fd 10") };
    let scratch = scratch();
    // Both hold results back for an hour, so that neither streams on a slow machine.
    for line in ["-u --max-buffer-time 3600000", "-u -a --max-buffer-time 3600000"] {
        let theirs = run(&scratch, fd.as_os_str(), &[], line);
        let ours = run(&scratch, scratch.path("bin/fd").as_os_str(), &[], line);
        let (theirs, ours) =
            (String::from_utf8_lossy(&theirs.stdout), String::from_utf8_lossy(&ours.stdout));
        assert_eq!(ours, theirs, "fd {line}");
    }
}

/// On ext4 `.` may be anywhere in a directory's listing: its inode must be found wherever it is.
#[test]
fn a_loop_to_a_directory_of_many_entries_is_found() {
    let scratch = scratch();
    let tree = scratch.path("many");
    (0..200).for_each(|number| write(&tree, &number.to_string(), 0));
    write(&tree, "sub/file", 0);
    symlink("..", tree.join("sub/up")).unwrap();
    let line = format!("-u -L -t d . {}", tree.to_str().unwrap());
    let output = run(&scratch, scratch.path("bin/fd").as_os_str(), &[], &line);
    let found = String::from_utf8(output.stdout).unwrap();
    assert_eq!(found.lines().collect::<Vec<_>>(), [format!("{}/sub/", tree.display())]);
}

/// Refusals, word for word.
#[test]
fn refusals_are_in_fd_s_words() {
    let Some(fd) = real_fd() else { return testkit::left_out("brisk against fd", "no fd 10") };
    let scratch = scratch();
    for line in [
        "-X echo {} {}",
        "-X {}",
        "-d x",
        "-S 1z",
        "-j 0",
        "--owner nosuchuser",
        "--owner a:b:c",
        "--owner !:",
        "--older x",
        "-t q",
        "--hiddn",
        "--zzz",
        "-z",
        "--hidden=3",
        "-t",
        "--color",
        "--batch-size 3",
        "-x",
        "-x ;",
        "-q --max-results 3",
        "a b --search-path c",
        "-l -a",
        "-g **/*.rs",
        "-C nosuch",
        ". nosuch",
        "-E [",
    ] {
        let theirs = run(&scratch, fd.as_os_str(), &[], line);
        let ours = run(&scratch, scratch.path("bin/fd").as_os_str(), &[], line);
        let (theirs, ours) =
            (String::from_utf8_lossy(&theirs.stderr), String::from_utf8_lossy(&ours.stderr));
        assert_eq!(ours, theirs, "fd {line}");
    }
}
