//! `brisk bench rm` removes copies, and nothing else: the tree stays as it was, and no copy is
//! left.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A directory that holds `tree` and nothing else.
fn place() -> tempfile::TempDir {
    let place = testkit::scratch();
    let tree = place.path().join("tree");
    for dir in 0..5 {
        let dir = tree.join(format!("d{dir}/e"));
        fs::create_dir_all(&dir).expect("directories");
        for file in 0..20 {
            fs::write(dir.join(format!("f{file}")), "content").expect("a file");
        }
    }
    std::os::unix::fs::symlink("d1/e/f1", tree.join("link")).expect("a link");
    std::os::unix::fs::symlink("/", tree.join("root")).expect("a link");
    std::os::unix::fs::symlink("nowhere", tree.join("dangling")).expect("a link");
    let fifo = Command::new("mkfifo").arg(tree.join("fifo")).status().expect("started");
    assert!(fifo.success());
    place
}

/// Path, inode, mode, size and times of everything below a directory, itself included.
fn everything(dir: &Path) -> BTreeMap<PathBuf, (u64, u32, u64, i64, i64)> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(path) = waiting.pop() {
        let meta = path.symlink_metadata().expect("there");
        if meta.is_dir() {
            waiting.extend(fs::read_dir(&path).expect("readable").map(|it| it.expect("it").path()));
        }
        let times = (meta.mtime_nsec(), meta.ctime_nsec());
        found.insert(path, (meta.ino(), meta.mode(), meta.size(), times.0, times.1));
    }
    found
}

/// A directory of programs; each is a shell script.
fn programs(place: &Path, scripts: &[(&str, &str)]) -> PathBuf {
    let bin = place.join("bin");
    fs::create_dir(&bin).expect("a directory");
    for (name, script) in scripts {
        fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(bin.join(name), Permissions::from_mode(0o755)).expect("a mode");
    }
    bin
}

fn bench(words: &[&str], tree: &Path, path: Option<&Path>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brisk"));
    command.args(["bench", "rm", "--runs=2"]).args(words).arg(tree);
    if let Some(path) = path {
        command.env("PATH", path);
    }
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The entries beside the tree.
fn beside(place: &Path) -> Vec<String> {
    let names = fs::read_dir(place).expect("readable");
    let mut names: Vec<String> =
        names.map(|it| it.expect("it").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn copies_go_and_the_tree_stays() {
    let place = place();
    let tree = place.path().join("tree");
    let elsewhere = testkit::scratch();
    // Each script reports where it ran, and how many entries of each kind there were to remove.
    let script = |remove: &str| {
        format!(
            "PATH=/usr/bin:/bin; {{ pwd; stat -c %a .; find tree -type d | wc -l; find tree -type l | wc -l; \
             find tree -type f -empty | wc -l; }} | tr '\\n' ' ' >>{0}/log; echo >>{0}/log; {remove}",
            elsewhere.path().display()
        )
    };
    let rm = script("exec rm \"$@\"");
    let find = script("exec find \"$@\"");
    let other = script("exec rm -rf tree");
    let bin = programs(
        elsewhere.path(),
        &[("rm", &rm), ("find", &find), ("bfs", &other), ("rmz", &other), ("rimraf", &other)],
    );
    let before = everything(&tree);
    let output = bench(&["--json"], &tree, Some(&bin)).output();
    let output = output.expect("started");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(everything(&tree), before);
    assert_eq!(beside(place.path()), ["tree"]);

    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    check_report(&report);
    // Three runs of five programs. Each ran on a whole copy in a directory of its own beside the tree.
    let log = fs::read_to_string(elsewhere.path().join("log")).expect("written");
    assert_eq!(log.lines().count(), 15, "{log}");
    let scratch = place.path().canonicalize().expect("there").join(".brisk-bench-");
    for line in log.lines() {
        let counts = line.split_once(' ').expect("words").1.split_whitespace();
        assert_eq!(counts.collect::<Vec<_>>(), ["700", "11", "3", "101"], "{line}");
        assert!(line.starts_with(scratch.to_str().expect("UTF-8")), "{line}");
    }
}

/// Every program was measured.
fn check_report(report: &serde_json::Value) {
    assert_eq!(report["entries"], 114);
    assert_eq!(report["disagreements"], serde_json::json!([]));
    assert!(report["machine"]["file system"].is_string(), "{report}");
    let methods = report["methods"].as_array().expect("a list");
    let names: Vec<&str> = methods.iter().filter_map(|method| method["name"].as_str()).collect();
    for name in
        ["brisk rm -rf DIR", "rm -rf DIR", "find DIR -delete", "bfs DIR -delete", "rimraf DIR"]
    {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let missing = "programs that are not on PATH: node, python3";
    assert!(report["notes"].as_array().is_some_and(|notes| notes.iter().any(|it| it == missing)));
    for method in methods {
        assert_eq!(method["failure"], serde_json::Value::Null, "{method}");
        assert_eq!(method["seconds"].as_array().map(Vec::len), Some(3), "{method}");
        for figure in ["first_seconds", "median_seconds"] {
            assert!(method[figure].as_f64().is_some_and(|time| time > 0.0), "{method}");
        }
    }
}

#[test]
fn the_programs_that_are_installed_remove_all_of_it() {
    let place = place();
    let tree = place.path().join("tree");
    let before = everything(&tree);
    let output = bench(&[], &tree, None).output().expect("started");
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    for wanted in ["brisk rm -rf", "rm -rf DIR", "find DIR -delete", "114 entries"] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    assert!(!text.contains("not measured"), "{text}");
    assert_eq!(everything(&tree), before);
    assert_eq!(beside(place.path()), ["tree"]);
}

#[test]
fn what_leaves_something_behind_or_fails_is_said_and_cleared_away() {
    let place = place();
    let tree = place.path().join("tree");
    let elsewhere = testkit::scratch();
    let bin = programs(elsewhere.path(), &[("rm", "exit 0"), ("find", "exit 3")]);
    let output = bench(&[], &tree, Some(&bin)).output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("not measured: rm -rf DIR: left 114 entries behind"), "{text}");
    assert!(text.contains("not measured: find DIR -delete: ended with exit status: 3"), "{text}");
    assert_eq!(beside(place.path()), ["tree"]);
}

#[test]
fn an_interrupt_leaves_no_copy() {
    let place = place();
    let tree = place.path().join("tree");
    let before = everything(&tree);
    let elsewhere = testkit::scratch();
    let started = elsewhere.path().join("started");
    let script = format!("echo >{}; exec /bin/sleep 600", started.display());
    let bin = programs(elsewhere.path(), &[("rm", &script)]);
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)] {
        // A shell that runs the tests in the background may have the key ignored, and brisk keeps
        // it ignored.
        let child = Command::new("env")
            .args(["--default-signal=INT,TERM,HUP,QUIT", env!("CARGO_BIN_EXE_brisk")])
            .args(["bench", "rm", "--runs=2"])
            .arg(&tree)
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let began = Instant::now();
        while !started.exists() {
            assert!(began.elapsed() < Duration::from_secs(60), "rm is not reached");
            std::thread::yield_now();
        }
        assert_eq!(beside(place.path()).len(), 2, "a copy is there");
        let pid = child.id();
        // As a terminal does: the program that is measured gets the signal too.
        let script = format!("kill -{signal} {pid}; pkill -{signal} -P {pid}");
        Command::new("sh").args(["-c", &script]).status().expect("started");
        let output = child.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert_eq!(stderr(&output), "brisk: interrupted: nothing is reported\n");
        assert_eq!(beside(place.path()), ["tree"]);
        assert_eq!(everything(&tree), before);
        fs::remove_file(&started).expect("there");
    }
}

/// The one line on standard error; nothing may have been made.
fn refusal(words: &[&str], tree: &Path) -> String {
    let output = bench(words, tree, None).output().expect("started");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(output.stdout.is_empty(), "nothing was measured");
    let text = stderr(&output);
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[test]
fn no_place_is_refused() {
    let place = place();
    let tree = place.path().join("tree");
    let before = everything(&tree);
    let said = refusal(&["--scratch", "/proc"], &tree);
    assert!(said.starts_with("brisk: cannot make '/proc/.brisk-bench-"), "{said}");
    let said = refusal(&[], Path::new("/proc/sys"));
    assert!(said.starts_with("brisk: "), "{said}");
    let said = refusal(&[], &place.path().join("none"));
    let none = place.path().join("none");
    assert_eq!(
        said,
        format!("brisk: cannot read '{}': No such file or directory\n", none.display())
    );
    assert_eq!(everything(&tree), before);
    assert_eq!(beside(place.path()), ["tree"]);
}

/// On a small tmpfs in a mount namespace of its own.
#[test]
fn too_little_room_is_refused() {
    let Some(way) = testkit::unshared() else {
        return testkit::left_out("too_little_room_is_refused", "this user cannot mount");
    };
    let place = place();
    let mount = place.path().join("mount");
    fs::create_dir(&mount).expect("a directory");
    let script = "mount --make-rprivate / && mount -t tmpfs -o \"$2\" none \"$1\" || exit 99; \
                  cp -r \"$3\" \"$1/tree\" || exit 98; \"$4\" bench rm --runs=1 \"$1/tree\"; code=$?; \
                  test \"$(ls -A \"$1\")\" = tree || exit 97; exit $code";
    let run = |options: &str| {
        let mut command = Command::new(way[0]);
        command.args(&way[1..]).args(["sh", "-c", script, "sh"]).arg(&mount).arg(options);
        let tree = place.path().join("tree");
        let brisk = env!("CARGO_BIN_EXE_brisk");
        // The entries of the tree that can be copied without asking.
        command.arg(tree.join("d1")).arg(brisk).output().expect("started")
    };
    assert_eq!(run("size=10m").status.code(), Some(0));
    let output = run("nr_inodes=40");
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("No space left on device") && text.lines().count() == 1, "{text}");
}
