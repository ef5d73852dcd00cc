//! Data sets: the same rows as one scan, whatever ends the processes that write them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use brisk_table::dataset::{Manifest, UnitOutcome, journal_of};
use brisk_table::{Column, Scan, TableEntry};
use testkit::{
    Installation, Random, brisk_scan, left_out, obedient, pause, rounds, stderr, stdout,
};

use crate::{found, printed, scan, tree};

/// The paths in tables, sorted, each with what the tables know of the entry.
fn rows(files: &[PathBuf]) -> Vec<(Vec<u8>, String)> {
    // Reading moves the times of access.
    let columns: Vec<_> = Column::all().filter(|column| *column != Column::Atime).collect();
    let mut rows = Vec::new();
    for file in files {
        let scan = Scan::of(fs::File::open(file).unwrap(), &columns).unwrap();
        for batch in (0..scan.groups()).flat_map(|group| scan.group(group).unwrap()) {
            let batch = batch.unwrap();
            let row = |record: TableEntry<'_>| (record.path.to_vec(), format!("{record:?}"));
            rows.extend(batch.records().map(row));
        }
    }
    rows.sort();
    rows
}

/// The paths in a data set, sorted. There is nothing in it but parts.
fn paths(out: &Path) -> Vec<Vec<u8>> {
    let manifest = Manifest::read(out).unwrap();
    assert!(manifest.is_finished);
    let expected: Vec<_> = manifest.parts.clone();
    let mut there: Vec<_> = fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).collect();
    there.retain(|path| !expected.contains(path));
    assert!(there.is_empty(), "{there:?}");
    let paths: Vec<_> = rows(&manifest.parts).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths.len() as u64, manifest.totals.rows);
    paths
}

/// `brisk scan --continue -o out/`, with small units.
fn go_on(dir: &Path, words: &[&str]) -> Output {
    scan(dir, &[&["--continue", "-o", "out/", "--budget-entries=1"], words].concat())
}

fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}: {}", output.status, stderr(output));
}

/// Directories with ignore files, links, hidden and empty ones.
fn random_tree(top: &Path, random: &mut Random) {
    let mut dirs = vec![top.to_owned()];
    fs::create_dir(top).unwrap();
    for number in 0..60 {
        let dir = dirs[random.below(dirs.len())].clone();
        let name = random.pick(&["a", "b", ".h", "c d", "build", "x.rs"]);
        let path = dir.join(format!("{name}{}", number % 7));
        match random.below(8) {
            0..4 if fs::create_dir(&path).is_ok() => dirs.push(path),
            4 => _ = std::os::unix::fs::symlink("..", &path),
            5 => {
                let rule = random.pick(&["a*", "/b1", "build*/", "!a3", "**/c*", "*.rs"]);
                let name = random.pick(&[".gitignore", ".ignore", ".fdignore"]);
                fs::write(dir.join(name), format!("{rule}\n")).unwrap();
            }
            6 if number % 3 == 0 => _ = fs::create_dir(dir.join(".git")),
            6 => _ = fs::hard_link(dir.join(".ignore"), &path),
            _ => _ = fs::write(&path, "x"),
        }
    }
    let strange = dirs[random.below(dirs.len())].join(OsStr::from_bytes(b"not \xff utf-8"));
    fs::create_dir_all(strange.join("below")).unwrap();
}

/// A chain of directories `deep` beyond the longest path that a system call accepts.
fn deep_chain(place: &Path) {
    let [deep, above] = ["deep", "above"].map(|name| place.join(name));
    fs::create_dir_all(deep.join("bottom")).unwrap();
    for _ in 0..25 {
        fs::create_dir(&above).unwrap();
        fs::rename(&deep, above.join("d".repeat(200))).unwrap();
        fs::rename(&above, &deep).unwrap();
    }
}

#[test]
fn units_have_the_rows_of_one_scan() {
    let all: [&[&str]; 10] = [
        &["t"],
        &["--ignore", "t"],
        &["--ignore", "--no-ignore-parent", "--no-require-git", "./t/", "u"],
        &["--no-hidden", "--ignore", "--no-require-git", "t"],
        &["-d", "3", "--min-depth=2", "t"],
        &["-t", "f", "-E", "b*", "t", "t/inner", "t"],
        &["-m", "^a", "--prune", "t"],
        &["--hash=blake3", "--columns=path,type", "t"],
        &["-x", "--ignore-contain=.git", "t"],
        &["deep"],
    ];
    for seed in 1..=rounds(2, 4) {
        let place = tempfile::tempdir_in("/dev/shm").unwrap();
        let mut random = Random(seed);
        random_tree(&place.path().join("t"), &mut random);
        fs::create_dir_all(place.path().join("t/inner/a0")).unwrap();
        std::os::unix::fs::symlink("t", place.path().join("u")).unwrap();
        deep_chain(place.path());
        fs::write(place.path().join(".ignore"), "*1\n").unwrap();
        for words in all {
            printed(place.path(), &[&["-o", "x.parquet"], words].concat());
            let expected = rows(&[place.path().join("x.parquet")]);
            for threads in ["-j1", "-j3"] {
                succeeds(&go_on(place.path(), &[&[threads], words].concat()));
                let out = place.path().join("out");
                let count = paths(&out).len();
                let manifest = Manifest::read(&out).unwrap();
                assert!(rows(&manifest.parts) == expected, "seed {seed}, {threads} {words:?}");
                assert!(manifest.totals.units > 3 || count < 10, "{words:?}");
                fs::remove_dir_all(out).unwrap();
            }
        }
    }
}

#[test]
fn mounts_are_those_of_one_scan() {
    let test = "mounts_are_those_of_one_scan";
    let place = Installation::new();
    let script = format!(
        "mkdir -p a/m/n b/c && mount -t tmpfs none a/m && mkdir a/m/inside && touch a/m/inside/x b/c/y
         find . -xdev | grep -v /m/ | sort > \"$P/found\"
         {S} scan --continue --budget-entries=1 -x -o \"$P/out/\" .",
        S = brisk_scan()
    );
    let Some(output) = place.script(test, &script) else { return };
    succeeds(&output);
    let found = fs::read_to_string(place.path("found")).unwrap();
    assert_eq!(paths(&place.path("out")), found.lines().map(str::as_bytes).collect::<Vec<_>>());
}

/// A directory `t` with so many directories of a few files each, two levels deep.
fn many(directories: usize) -> tempfile::TempDir {
    // On a disk, to which a file is forced for a while, a kill hits each moment of that.
    let place = tempfile::tempdir().unwrap();
    for number in 0..directories {
        let dir = place.path().join(format!("t/{}/{number}", number % 9));
        fs::create_dir_all(&dir).unwrap();
        for name in ["a", "b", "c"] {
            fs::write(dir.join(name), "").unwrap();
        }
    }
    place
}

/// The inodes and times of the parts that count.
fn parts(out: &Path) -> BTreeMap<PathBuf, (u64, i64, i64)> {
    let parts = Manifest::read(out).map(|manifest| manifest.parts).unwrap_or_default();
    let meta = |part: &PathBuf| {
        let meta = part.metadata().ok()?;
        Some((part.clone(), (meta.ino(), meta.mtime(), meta.mtime_nsec())))
    };
    parts.iter().filter_map(meta).collect()
}

fn length(out: &Path) -> u64 {
    journal_of(out).and_then(|journal| journal.metadata()).map_or(0, |meta| meta.len())
}

/// Begins `scan --continue`, with small units.
fn begin(dir: &Path) -> Child {
    // A shell without job control ignores SIGINT for its children.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM", brisk_scan()]);
    let words = ["scan", "--continue", "-o", "out/", "--budget-entries=4", "t"];
    command.args(words).current_dir(dir).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the journal has grown by so many bytes, and then until there is a file whose name
/// begins like this; whether the process is still there.
fn reaches(child: &mut Child, out: &Path, by: u64, name: &str) -> bool {
    let end = length(out) + by;
    let is_there = || names(out).iter().any(|there| there.starts_with(name));
    while length(out) < end || !is_there() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        pause(Duration::from_micros(50));
    }
    true
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_killed_scan_loses_nothing_that_counts() {
    let place = many(300);
    let out = &place.path().join("out");
    let mut random = Random(7);
    let mut kills = 0;
    while kills < rounds(10, 30) {
        let mut child = begin(place.path());
        let before = parts(out);
        // When a unit is recorded, or is about to be, or is running.
        let name = random.pick(&["", ".part-", ".brisk-tmp-"]);
        if !reaches(&mut child, out, 1 + random.below(6000) as u64, name) {
            assert!(child.wait().unwrap().success());
            fs::remove_dir_all(out).unwrap();
            continue;
        }
        (0..random.below(50_000)).for_each(|_| std::hint::spin_loop());
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let after = parts(out);
        let is_kept = |(part, meta): (&PathBuf, &(u64, i64, i64))| after.get(part) == Some(meta);
        assert!(before.iter().all(is_kept), "{before:?}\n{after:?}");
        // No reader sees a part that does not count.
        let shown = names(out).into_iter().filter(|name| name.starts_with("part"));
        assert!(shown.into_iter().all(|name| after.contains_key(&out.join(name))));
    }
    let before = parts(out);
    succeeds(&go_on(place.path(), &["t"]));
    let after = parts(out);
    assert!(before.iter().all(|(part, meta)| after.get(part) == Some(meta)));
    assert!(paths(out) == found(place.path(), "%p"));
}

/// What a power failure would leave depends on this order.
#[test]
fn what_counts_is_on_the_disk_before() {
    let test = "what_counts_is_on_the_disk_before";
    let place = many(3);
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-e", "trace=fsync,rename,write", brisk_scan()]);
    command.args(["scan", "--continue", "-o", "out/", "t"]).current_dir(place.path());
    let Ok(output) = command.output() else { return left_out(test, "there is no strace") };
    succeeds(&output);
    let above = format!("{}>", place.path().canonicalize().unwrap().display());
    let step = |line: &str| {
        let names = ["/out>", &above, "out.units.jsonl>", "\"/", ".brisk-tmp-"];
        let name = names.iter().find(|name| line.contains(*name))?;
        Some(match (line.contains("fsync("), line.contains("write("), *name) {
            (true, _, "/out>") => "names",
            (true, _, "out.units.jsonl>") => "journal",
            (true, _, ".brisk-tmp-") => "part",
            (true, ..) => "above",
            (_, true, "out.units.jsonl>") => "line",
            (_, false, _) if line.contains(", \"") && line.contains("/out/part-") => "show",
            (_, false, _) if line.contains("/out/.part-") => "hide",
            _ => return None,
        })
    };
    let told = stderr(&output);
    let steps: Vec<_> = told.lines().filter_map(step).collect();
    let begun = ["line", "journal", "names", "above"];
    let recorded = ["part", "hide", "names", "line", "journal", "show"];
    let ended = ["names", "line", "journal"];
    assert_eq!(steps, [&begun[..], &recorded, &ended].concat(), "{told}");
}

#[test]
fn an_interrupted_scan_records_its_unit_and_goes_on() {
    let place = many(300);
    let out = &place.path().join("out");
    let mut child = begin(place.path());
    assert!(reaches(&mut child, out, 3000, ""));
    testkit::run("kill", &["-INT", &child.id().to_string()]);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(told, "brisk: interrupted: the same command goes on from here\n");
    assert!(!Manifest::read(out).unwrap().is_finished);
    assert!(!names(out).iter().any(|name| name.starts_with('.')), "{:?}", names(out));
    succeeds(&go_on(place.path(), &["t"]));
    assert!(paths(out) == found(place.path(), "%p"));
}

#[test]
fn an_interrupted_unit_that_reads_files_is_forgotten() {
    let place = tree();
    // Hashing this takes minutes.
    let large = place.path().join("t/large");
    fs::File::create(&large).unwrap().set_len(1 << 42).unwrap();
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", brisk_scan(), "scan", "--continue", "-o", "out/"]);
    let mut child = command.args(["--hash=blake3", "t"]).current_dir(place.path()).spawn().unwrap();
    let out = place.path().join("out");
    while fs::read_dir(&out).map_or(0, Iterator::count) < 1 {
        pause(Duration::from_micros(50));
    }
    testkit::run("kill", &["-INT", &child.id().to_string()]);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
    fs::remove_file(large).unwrap();
    succeeds(&go_on(place.path(), &["--hash=blake3", "t"]));
    assert!(paths(&out) == found(place.path(), "%p"));
}

#[test]
fn the_data_set_itself_is_left_out() {
    let place = tree();
    fs::create_dir(place.path().join("t/out")).unwrap();
    for words in [&["t"][..], &["t", "-t", "f"]] {
        let words = [&["--continue", "-o", "t/out", "--budget-entries=1"], words].concat();
        let found = found(place.path(), "%y %p");
        succeeds(&scan(place.path(), &words));
        let is_wanted = |line: &&Vec<u8>| {
            !line[2..].starts_with(b"t/out") && (words.len() == 5 || line.starts_with(b"f "))
        };
        let mut expected: Vec<_> =
            found.iter().filter(is_wanted).map(|line| line[2..].to_vec()).collect();
        expected.sort();
        assert_eq!(paths(&place.path().join("t/out")), expected);
        fs::remove_dir_all(place.path().join("t/out")).unwrap();
        fs::create_dir(place.path().join("t/out")).unwrap();
        fs::remove_file(place.path().join("t/out.units.jsonl")).unwrap();
    }
}

#[test]
fn what_does_not_fit_is_refused_in_a_line() {
    let place = tree();
    let refused = |words: &[&str], code: i32, why: &str| {
        let output = scan(place.path(), words);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {told}");
        assert!(told.contains(why), "{words:?}: {told}");
        told
    };
    for (words, why) in [
        (&["--continue", "t"][..], "'--continue' requires '--output"),
        (&["--budget=1s", "-o", "x.csv", "t"], "'--budget' requires '--continue'"),
        (&["--continue", "-o", "out/", "--as=csv", "t"], "cannot be used with"),
        (&["--continue", "-o", "x.parquet", "t"], "end its name with a slash"),
        (&["--continue", "-o", "-", "t"], "--continue writes a directory"),
        (&["--continue", "-o", "out/", "--sums", "t"], "brisk scan --from 'out/' --sums"),
        (&["--continue", "-o", "out/", "--columns=path,below_bytes", "t"], "brisk scan --from"),
        (&["--continue", "-o", "out/", "--budget=frob", "t"], "write 30s or 5min"),
        (&["--continue", "-o", "out/", "--budget-entries=0", "t"], "write 5M"),
        (&["--continue", "-o", "out/", "-m", "[", "t"], ""),
        (&["--unit=x", "-o", "x.csv"], "cannot be used with"),
        (&["--unit=x", "t"], "--unit names its directories itself"),
    ] {
        refused(words, 2, why);
    }
    for (words, why) in [
        (
            &["--continue", "-o", "out/", "none"][..],
            "cannot scan 'none': No such file or directory",
        ),
        (&["--continue", "-o", "none/out/", "t"], "cannot create 'none/out/': No such file"),
        (&["--continue", "-o", "t", "t"], "has files, and is not a data set"),
        (&["--unit=none"], "cannot read 'none': No such file or directory"),
        (&["--unit=t/zero"], "this is not a unit"),
    ] {
        assert_eq!(refused(words, 1, why).lines().count(), 1);
    }
    assert!(!place.path().join("out").exists());

    succeeds(&go_on(place.path(), &["-t", "f", "-S", "+1b", "t"]));
    let again = go_on(place.path(), &["-S", "+1b", "--type=f", "--budget=2s", "t"]);
    succeeds(&again);
    assert_eq!(stderr(&again), "brisk: 'out/': there is nothing left to do\n");
    for (words, what) in [
        (&["-t", "f", "t"][..], "options"),
        (&["-t", "f", "-S", "+1b", "--columns=path", "t"], "options"),
        (&["-t", "f", "-S", "+1b", "t", "t/a"], "directories"),
        (&["-t", "f", "-S", "+1b", "./t"], "directories"),
    ] {
        let told =
            refused(&[&["--continue", "-o", "out/"], words].concat(), 1, "was begun with other");
        assert!(told.ends_with(&format!("other {what}\n")), "{told}");
    }

    let lock = Command::new("flock")
        .args(["out.units.jsonl", brisk_scan(), "scan", "--continue", "-o", "out/", "t"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert_eq!((lock.status.code(), stderr(&lock).lines().count()), (Some(1), 1));
    assert!(stderr(&lock).contains("another scan works on"));
}

#[test]
fn a_torn_line_is_forgotten_and_a_changed_one_is_named() {
    let place = many(20);
    let journal = &place.path().join("out.units.jsonl");
    succeeds(&go_on(place.path(), &["t"]));
    let whole = fs::read(journal).unwrap();
    let lines: Vec<_> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    // The last units and a part of the line of another.
    let kept = lines[..lines.len() / 2].concat();
    fs::write(journal, [&kept, &b"{\"crc\":"[..]].concat()).unwrap();
    succeeds(&go_on(place.path(), &["t"]));
    assert!(paths(&place.path().join("out")) == found(place.path(), "%p"));

    let mut changed = whole.clone();
    changed[lines[0].len() + 30] ^= 1;
    fs::write(journal, changed).unwrap();
    let output = go_on(place.path(), &["t"]);
    let told = stderr(&output);
    assert_eq!((output.status.code(), told.lines().count()), (Some(1), 1));
    assert!(told.contains("line 2 of '") && told.contains("out.units.jsonl'"), "{told}");
}

#[test]
fn a_full_disk_ends_the_scan_and_room_lets_it_go_on() {
    let test = "a_full_disk_ends_the_scan_and_room_lets_it_go_on";
    let place = Installation::new();
    let script = format!(
        "mkdir small t && mount -t tmpfs -o size=96k none small
         for i in $(seq 40); do mkdir t/$i && touch t/$i/a t/$i/b; done
         {S} scan --continue --budget-entries=1 -o small/out/ t 2> \"$P/told\" && exit 98
         ls -A small/out | grep -v '^part-' > \"$P/left\" || true
         mount -o remount,size=9m none small &&
         {S} scan --continue --budget-entries=1 -o small/out/ t &&
         cp -r small/out small/out.units.jsonl \"$P\" && find t | LC_ALL=C sort > \"$P/found\"",
        S = brisk_scan()
    );
    let Some(output) = place.script(test, &script) else { return };
    succeeds(&output);
    let told = fs::read_to_string(place.path("told")).unwrap();
    assert!(
        told.starts_with("brisk: cannot write ") && told.ends_with(": No space left on device\n")
    );
    assert_eq!(fs::read_to_string(place.path("left")).unwrap(), "");
    let found = fs::read_to_string(place.path("found")).unwrap();
    assert_eq!(paths(&place.path("out")), found.lines().map(str::as_bytes).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_read_is_told_and_recorded() {
    let test = "what_cannot_be_read_is_told_and_recorded";
    let Some(mut command) = obedient(brisk_scan()) else {
        return left_out(test, "root cannot give up its rights");
    };
    let place = tree();
    let closed = place.path().join("t/a");
    testkit::run("chmod", &["0", closed.to_str().unwrap()]);
    let words = ["scan", "--continue", "-o", "out/", "--budget-entries=1", "t"];
    let output = command.args(words).current_dir(place.path()).output().unwrap();
    testkit::run("chmod", &["755", closed.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let message = "cannot open directory 't/a': Permission denied";
    assert_eq!(stderr(&output), format!("brisk: {message}\n"));
    let out = place.path().join("out");
    let all = paths(&out);
    assert!(all.contains(&b"t/a".to_vec()) && !all.iter().any(|path| path.starts_with(b"t/a/")));
    let errors = Manifest::read(&out).unwrap().errors;
    assert_eq!((errors[0].path.0.as_slice(), errors[0].error.as_str()), (&b"t/a"[..], message));
    let again = go_on(place.path(), &["t"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).ends_with("/out.units.jsonl' has 1 errors of earlier runs\n"));
}

/// A finished data set without its journal, and with a part that is a copy of another, is none.
#[test]
fn a_part_that_was_replaced_is_noticed() {
    let place = many(20);
    succeeds(&go_on(place.path(), &["t"]));
    let out = place.path().join("out");
    let parts = Manifest::read(&out).unwrap().parts;
    let same = |one: &&PathBuf| one.metadata().unwrap().len() == parts[1].metadata().unwrap().len();
    let other = parts.iter().find(|part| **part != parts[1] && same(part)).unwrap_or(&parts[0]);
    fs::copy(other, &parts[1]).unwrap();
    let name = parts[1].file_name().unwrap().to_str().unwrap();
    let from = scan(place.path(), &["--from", "out", "-o", "x.csv"]);
    for output in [go_on(place.path(), &["t"]), from] {
        let why = format!("{name}' is another part than the one that was recorded\n");
        assert!(stderr(&output).ends_with(&why), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(1));
    }
}

/// Readers of the data set would read a file in it too, and count its rows twice.
#[test]
fn nothing_else_is_written_into_a_data_set() {
    let place = many(5);
    succeeds(&go_on(place.path(), &["t"]));
    let before = paths(&place.path().join("out"));
    std::os::unix::fs::symlink("out/new.parquet", place.path().join("link.parquet")).unwrap();
    let whole: &[&[&str]] = &[
        &["-o", "out/x.parquet"],
        &["-o", "out/x.csv"],
        &["-o", "link.parquet"],
        &["--from", "out/", "-o", "./out/x.arrow"],
        &["--continue", "-o", "out/below/"],
    ];
    for words in whole {
        let words =
            if words[0] == "--from" { words.to_vec() } else { [words, &["t"][..]].concat() };
        let output = scan(place.path(), &words);
        let told = stderr(&output);
        assert_eq!((output.status.code(), told.lines().count()), (Some(1), 1), "{words:?}");
        assert!(told.contains("out' is a data set of brisk scan --continue"), "{told}");
    }
    assert_eq!(paths(&place.path().join("out")), before);
    // Beside it is the place; and the directory of a data set may be the current one.
    succeeds(&scan(place.path(), &["--from", "out", "-o", "x.parquet"]));
    fs::create_dir(place.path().join("here")).unwrap();
    for _ in 0..2 {
        succeeds(&scan(&place.path().join("here"), &["--continue", "-o", ".", "../t"]));
    }
}

/// A unit with these members besides the usual ones.
fn unit(dir: &Path, more: &str) -> String {
    let at = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    format!(r#"{{"version":1,"out":"{}","roots":["{}"]{more}}}"#, at("out"), at("t"))
}

#[test]
fn a_unit_is_done_by_itself() {
    let place = many(30);
    let out = place.path().join("out");
    fs::create_dir(&out).unwrap();
    let done = |more: &str, words: &[&str]| {
        fs::write(place.path().join("unit"), unit(place.path(), more)).unwrap();
        let output = scan(place.path(), &[&["--unit=unit"], words].concat());
        (UnitOutcome::from_json(stdout(&output).trim_end()), output)
    };
    let outcome = |more| {
        let (outcome, output) = done(more, &[]);
        succeeds(&output);
        outcome.unwrap()
    };
    let root = outcome(r#","budget_entries":1"#);
    assert_eq!((root.rows, root.unvisited.len(), root.errors.len()), (1, 1, 0));
    let part = out.join(format!(".{}", root.part.unwrap()));
    assert_eq!(part.metadata().unwrap().len(), root.seal.bytes);

    let all = outcome(r#","directories":[{"below":"0"},{"below":"1"}]"#);
    assert_eq!((all.rows, all.unvisited.len(), all.volumes.len()), (8 * 4, 0, 1));
    let gone = outcome(r#","directories":[{"below":"gone"},{"below":"gone/too"}]"#);
    assert_eq!((gone.rows, gone.part, gone.unvisited.len()), (0, None, 0));
    let old = r#","options":["--changed-before=1d"],"began":"2100-01-01T00:00:00Z""#;
    assert_eq!(outcome(old).rows, 1 + 9 + 30 * 4, "all are old then");

    let (_, output) = done(r#","requests":1"#, &["-j4", "--stats=json"]);
    assert!(stderr(&output).contains(r#""peak_workers":1,"#), "{}", stderr(&output));
    for (more, code) in [
        (r#","options":["--frob"]"#, 2),
        (r#","options":["--sums"]"#, 2),
        (r#","options":["--columns=path,below_bytes"]"#, 2),
        (r#","options":["-o","x.csv"]"#, 2),
        (r#","options":["--as=csv"]"#, 2),
        (r#","options":["--help"]"#, 2),
        (r#","options":["-j2"]"#, 2),
        (r#","options":["t"]"#, 2),
        (r#","frob":1"#, 1),
        (r#","id":"0123""#, 1),
        (r#","began":"frob""#, 1),
        (r#","out":"/nowhere""#, 1),
    ] {
        assert_eq!(done(more, &[]).1.status.code(), Some(code), "{more}");
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), 4, "a part of each that has rows");
    fs::rename(place.path().join("t"), place.path().join("away")).unwrap();
    let (_, output) = done(r#","directories":[{"below":"0"}]"#, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/t': No such file or directory; nothing was written"));
}

#[test]
fn a_unit_ends_with_its_input() {
    let place = tree();
    let out = place.path().join("out");
    fs::create_dir(&out).unwrap();
    // Hashing this takes minutes.
    fs::File::create(place.path().join("t/large")).unwrap().set_len(1 << 42).unwrap();
    let mut command = Command::new(brisk_scan());
    command.args(["scan", "--unit=-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let line = unit(place.path(), r#","options":["--hash=blake3"]"#) + "\n";
    child.stdin.as_ref().unwrap().write_all(line.as_bytes()).unwrap();
    while fs::read_dir(&out).unwrap().count() == 0 {
        std::thread::yield_now();
    }
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);

    fs::remove_file(place.path().join("t/large")).unwrap();
    let mut child = command.spawn().unwrap();
    child.stdin.as_ref().unwrap().write_all(line.as_bytes()).unwrap();
    let mut told = String::new();
    child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(UnitOutcome::from_json(told.trim_end()).unwrap().rows > 5);
}
