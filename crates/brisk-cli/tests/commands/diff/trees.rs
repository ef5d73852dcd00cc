//! Two directories: nothing is left out unless the user says so, contents are compared, and the
//! answer is that of GNU diff.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, UNIX_EPOCH};

use testkit::{
    Mounted, Random, brisk, has_tables, left_out, obedient, stderr, stdout, tree, unshared,
};

use super::scene::Scene;

/// A tree `t`, and a copy of it with the same times.
fn copied() -> Scene {
    let scene = Scene::empty();
    scene.sh("mkdir -p t/.git t/.hid t/target t/d/e; cd t; echo target >.gitignore
        for f in .git/HEAD .hid/x target/out d/one d/e/two -dash; do echo \"$f\" >\"./$f\"; done
        ln -s d/one link; cd ..; cp -a t copy");
    scene
}

/// Gives a file other bytes, and its old time.
fn forge(file: &Path, text: &str) {
    let before = fs::metadata(file).unwrap().modified().unwrap();
    fs::write(file, text).unwrap();
    fs::File::options().write(true).open(file).unwrap().set_modified(before).unwrap();
}

#[test]
fn directories_are_compared_whole_unless_the_user_says_otherwise() {
    let scene = copied();
    assert_eq!(scene.shown("t copy"), "");
    scene.sh("cd copy; rm -r .git; echo more >>.hid/x; echo more >>target/out");
    let expected = "D\t.git/\nM\t.hid/x\nM\ttarget/out\n";
    for words in ["", "-u", "-H", "-I", "--no-hidden -u", "--content"] {
        assert_eq!(scene.shown(&format!("t copy {words}")), expected, "{words}");
    }
    assert_eq!(scene.run("diff t copy --exit-code").status.code(), Some(1));
    assert_eq!(scene.shown("t copy --no-hidden"), "M\ttarget/out\n");
    assert_eq!(scene.shown("t copy --ignore --no-require-git"), "D\t.git/\nM\t.hid/x\n");
    assert_eq!(scene.shown("t copy -e x -t f"), "");
    assert_eq!(scene.shown("t copy -E .hid"), "D\t.git/\nM\ttarget/out\n");
    // A side that lies in the other one is not left out.
    scene.sh("rm -r copy; mkdir copy; cp -a t/d copy; mkdir t/d/copy");
    assert_eq!(scene.shown("t/d t/d/copy"), "D\tcopy/\nD\te/\nD\tone\n");
}

#[test]
fn a_directory_beside_a_state_is_read_as_changed_reads_one() {
    let scene = copied();
    scene.run("changed t --state part --save part --no-require-git");
    scene.run("changed t --state all --save all -u");
    for words in ["part copy", "part copy --no-require-git", "all copy", "all copy -u"] {
        assert_eq!(scene.shown(words), "");
    }
}

#[test]
fn equal_sizes_and_times_are_trusted_and_the_summary_says_so() {
    let scene = copied();
    forge(&scene.path("copy/d/one"), "D/ONE\n");
    assert_eq!(scene.shown("t copy --exit-code"), "");
    let trust = "Files of equal size and mtime count as the same; --content reads them.\n";
    assert_eq!(scene.shown("t copy --summary"), trust);
    assert_eq!(scene.shown("t copy --content"), "M\td/one\n");
    assert_eq!(scene.run("diff t copy --content --exit-code").status.code(), Some(1));
    let told = scene.shown("t copy --content --json");
    assert!(
        told.contains("{\"path\":\"d/one\",\"status\":\"M\",\"fields\":[\"content\"],"),
        "{told}"
    );
    let told = scene.shown("t copy --content --summary --max-depth 0");
    assert!(!told.contains("--content") && told.lines().count() == 2, "{told}");
    // In a directory that was renamed as well.
    scene.sh("mv copy/d copy/z");
    assert_eq!(scene.shown("t copy"), "R\td/\tz/\n");
    assert_eq!(scene.shown("t copy --content"), "R\td/\tz/\nM\tz/one\n");
}

#[test]
fn contents_or_metadata_only() {
    let scene = copied();
    scene.sh("cd copy; touch -d 2001-01-01 d/one; chmod 700 d/e; chmod 600 d/e/two
        echo .HID/x >.hid/x; touch -h -d 2001-01-01 link");
    let expected = "M\t.hid/x\nm\td/one\nm\td/e\nm\td/e/two\n";
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(sorted(&scene.shown("t copy")), sorted(expected));
    // Contents decide: the time of a file is then nothing.
    let expected = "M\t.hid/x\nm\td/e\nm\td/e/two\n";
    assert_eq!(sorted(&scene.shown("t copy --content")), sorted(expected));
    let told = scene.shown("t copy --json");
    for object in [
        "{\"path\":\"d/one\",\"status\":\"m\",\"fields\":[\"mtime\"],\"type\":\"file\"}",
        "{\"path\":\"d/e\",\"status\":\"m\",\"fields\":[\"mode\"],\"type\":\"directory\"}",
        "{\"path\":\".hid/x\",\"status\":\"M\",\"fields\":[\"mtime\",\"content\"],\"type\":\"file\"}",
    ] {
        assert!(told.contains(object), "{object}: {told}");
    }
    let told = scene.shown("t copy --summary --max-depth 0");
    let table = "added  bytes  deleted  bytes  modified  metadata only  renamed  directory\n    \
                     0      0        0      0         1              3        0  .\n";
    assert!(told.starts_with(table), "{told}");
    let told = scene.shown("t copy --summary --max-depth 0 --json");
    assert!(told.contains("\"modified\":1,\"metadata_only\":3,"), "{told}");
    // A link is its target.
    scene.sh("cd copy; ln -sfn d/e link");
    assert!(scene.shown("t copy").contains("M\tlink\n"));
}

#[test]
fn files_of_different_sizes_are_not_read() {
    let test = "files_of_different_sizes_are_not_read";
    let scene = copied();
    scene.sh("cd copy; echo more >>d/one; chmod 0 d/one");
    let run = |words: &[&str]| -> Option<Output> {
        let mut command = obedient(brisk())?;
        Some(
            command
                .args(["diff", "t", "copy"])
                .args(words)
                .current_dir(scene.path(""))
                .output()
                .unwrap(),
        )
    };
    let Some(output) = run(&["--content"]) else {
        return left_out(test, "root cannot give up its capabilities");
    };
    let told = |output: &Output| (stdout(output), stderr(output), output.status.code());
    assert_eq!(told(&output), ("M\td/one\n".into(), String::new(), Some(0)));
    // One that has to be read and cannot be is unknown, and neither equal nor different.
    scene.sh("cd copy; chmod 600 d/one; cp -p ../t/d/one d/one; chmod 0 d/one");
    let why = "brisk: cannot read 'copy/d/one': Permission denied\n";
    assert_eq!(told(&run(&["--content"]).unwrap()), ("?\td/one\n".into(), why.into(), Some(2)));
    scene.sh("chmod 600 copy/d/one");
}

#[test]
fn a_state_without_digests_has_no_contents_to_compare_and_a_message_says_so() {
    let scene = copied();
    assert_eq!(stderr(&scene.run("changed t -u --state s --save s")), "");
    let has_table = has_tables("a table without digests");
    if has_table {
        assert_eq!(stderr(&scene.run("scan -o t.parquet t")), "");
    }
    forge(&scene.path("copy/d/one"), "D/ONE\n");
    for side in ["s", "t.parquet"].into_iter().take(1 + usize::from(has_table)) {
        let output = scene.run(&format!("diff {side} copy -u --content"));
        let why = "has no digests of 7 files: their sizes and times were compared";
        let expected = (String::new(), format!("brisk: '{side}' {why}\n"), Some(0));
        assert_eq!((stdout(&output), stderr(&output), output.status.code()), expected);
    }
    scene.run("changed t -u --content --state s --save s");
    assert_eq!(scene.shown("s copy -u --content"), "M\td/one\n");
}

#[test]
fn a_name_is_what_it_is() {
    let scene = copied();
    scene.sh("rm ./copy/-dash");
    assert_eq!(scene.shown("t copy"), "D\t-dash\n");
    assert_eq!(scene.shown("t copy -0"), "D\0-dash\0");
    assert!(scene.shown("t copy --json").contains("{\"path\":\"-dash\","));
}

#[test]
fn files_are_read_however_long_their_path_is() {
    let scene = Scene::empty();
    scene.sh("for r in t copy; do mkdir $r; (cd $r; n=$(printf '%0200d' 0)
        for i in $(seq 45); do mkdir $n && cd -P $n; done; echo $r >f; touch -d 2001-01-01 f); done");
    scene.sh("(cd copy; mv 0* x); (cd t; mv 0* x)");
    assert_eq!(scene.shown("t copy").lines().count(), 1, "the sizes differ");
    scene.sh("(cd copy/x; for i in $(seq 44); do cd -P 0*; done; echo T >f; echo 1 >g)
        (cd t/x; for i in $(seq 44); do cd -P 0*; done; echo t >f; echo 1 >g)");
    let names: Vec<_> = scene.shown("t copy --content").lines().map(|line| line.len()).collect();
    assert_eq!(names, [2 + 1 + 44 * 201 + 2]);
}

#[test]
fn a_bar_on_a_terminal_shows_how_much_was_read() {
    let test = "a_bar_on_a_terminal_shows_how_much_was_read";
    let Some(mounted) = Mounted::new(test, "--dirs 5 --files 5 --latency 20ms") else { return };
    let path = mounted.path().display();
    let run = format!("{} diff -j1 --content {path} {path}", brisk());
    let output = Command::new("script").args(["-qec", &run, "/dev/null"]).output();
    let Ok(output) = output else { return left_out(test, "there is no script") };
    let shown = stdout(&output);
    assert!(output.status.success() && shown.contains(" %, "), "{shown:?}");
    assert!(shown.contains(" files\r\x1b[K") && shown.ends_with("\r\x1b[K"), "{shown:?}");
}

/// One edit at random of a tree that is a copy.
fn edit(root: &Path, random: &mut Random) {
    let all = tree(root);
    let one = &all[random.below(all.len())];
    let name = random.pick(&["x", ".h", ".gitignore", "build", "-z", "a b"]);
    let below = if one.is_dir() { one.join(name) } else { one.with_file_name(name) };
    let other = &all[random.below(all.len())];
    let _ = match random.below(12) {
        0 | 1 => fs::write(&below, ["new", "wen"][random.below(2)]),
        2 => fs::create_dir(&below),
        3 => symlink(["x", "build"][random.below(2)], &below),
        4 | 5 if one != root => fs::remove_file(one).or_else(|_| fs::remove_dir_all(one)),
        6 if one != root => fs::rename(one, &below),
        7 if one != root => fs::rename(one, other),
        8 => fs::set_permissions(one, fs::Permissions::from_mode(0o700)),
        9 => {
            fs::File::open(one).and_then(|file| file.set_modified(UNIX_EPOCH + Duration::new(9, 9)))
        }
        10 if one.is_file() && !one.is_symlink() => {
            let text: Vec<u8> = fs::read(one).unwrap().iter().map(|byte| byte ^ 1).collect();
            forge(one, std::str::from_utf8(&text).unwrap());
            Ok(())
        }
        _ => fs::write(one, "less"),
    };
}

/// What GNU diff says: letters and paths.
fn gnu(scene: &Scene) -> BTreeSet<(char, PathBuf)> {
    let mut command = Command::new("diff");
    command.args(["-rq", "--no-dereference", "t", "copy"]).current_dir(scene.path(""));
    let output = command.env("LC_ALL", "C").output().unwrap();
    assert!(output.status.code() < Some(2), "{}", stderr(&output));
    let below = |path: &str| {
        let path = Path::new(path);
        path.strip_prefix("t").or_else(|_| path.strip_prefix("copy")).unwrap().to_owned()
    };
    let line = |line: &str| {
        if let Some((dir, name)) = line.strip_prefix("Only in ").and_then(|at| at.split_once(": "))
        {
            let letter = if dir.starts_with("copy") { 'A' } else { 'D' };
            return (letter, below(dir).join(name));
        }
        if let Some((file, _)) = line.strip_prefix("File ").and_then(|at| at.split_once(" is a ")) {
            return ('T', below(file));
        }
        let rest = line.strip_prefix("Files ").or(line.strip_prefix("Symbolic links ")).unwrap();
        ('M', below(rest.split_once(" and copy/").unwrap().0))
    };
    stdout(&output).lines().map(line).collect()
}

/// What brisk says, without what GNU diff does not compare or say.
fn ours(scene: &Scene, words: &str) -> BTreeSet<(char, PathBuf)> {
    let told = scene.shown(&format!("t copy -0 --no-renames {words}"));
    let mut words = told.split_terminator('\0');
    let mut found = BTreeSet::new();
    while let Some(letter) = words.next() {
        let path = PathBuf::from(words.next().unwrap().trim_end_matches('/'));
        found.insert((letter.chars().next().unwrap(), path));
    }
    let types: Vec<_> = found.iter().filter(|(letter, _)| *letter == 'T').cloned().collect();
    let is_below =
        |path: &Path| types.iter().any(|(_, other)| path != other && path.starts_with(other));
    found.retain(|(letter, path)| *letter != 'm' && !is_below(path));
    found
}

/// Files of equal size and time, which brisk trusts by default.
fn is_trusted(scene: &Scene, path: &Path) -> bool {
    let [old, new] = ["t", "copy"].map(|side| fs::metadata(scene.path(side).join(path)).unwrap());
    (old.len(), old.modified().unwrap()) == (new.len(), new.modified().unwrap())
}

#[test]
fn random_pairs_of_trees_differ_as_gnu_diff_says() {
    let rounds = testkit::rounds(12, 40);
    let seed = 0x2545_f491_4f6c_dd1d;
    let mut random = Random(seed);
    let mut trusted = 0;
    let mut differing = 0;
    for round in 0..rounds {
        let scene = copied();
        for _ in 0..random.below(5) {
            edit(&scene.path("t"), &mut random);
        }
        scene.sh("rm -r copy; cp -a t copy");
        for _ in 0..random.below(7) {
            edit(&scene.path(["t", "copy"][random.below(2)]), &mut random);
        }
        let expected = gnu(&scene);
        let why = format!("round {round}, seed {seed}");
        assert_eq!(ours(&scene, "--content"), expected, "{why}");
        let output = scene.run("diff t copy --content --no-renames --exit-code");
        assert!(expected.is_empty() || output.status.code() == Some(1), "{why}");
        let (skipped, expected): (BTreeSet<_>, BTreeSet<_>) =
            expected.into_iter().partition(|(letter, path)| {
                *letter == 'M'
                    && !scene.path("t").join(path).is_symlink()
                    && is_trusted(&scene, path)
            });
        assert_eq!(ours(&scene, ""), expected, "without --content, {why}");
        trusted += skipped.len();
        differing += expected.len();
    }
    assert!(trusted > 0 && differing as u64 > rounds, "{trusted} {differing}");
}

/// The nodes are on a file system of the test's own, and nothing opens them.
#[test]
fn device_files_of_other_devices_differ() {
    let Some(way) = unshared() else {
        return left_out("device_files_of_other_devices_differ", "no mount namespace");
    };
    let scene = Scene::empty();
    let script = "mkdir m; mount -t tmpfs none m; cd m; mkdir a b
        mknod a/same c 240 1; mknod b/same c 240 1; mknod a/other c 240 1; mknod b/other c 240 2
        mknod a/block b 240 1; mknod b/block b 240 257; touch -d 2020-01-01 a/* b/*
        $B diff a b; $B diff a b --json | grep block; $B changed a -u --state s --save s
        $B diff s a -u; $B diff s b -u; $B diff a b --summary | head -2";
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).args(["sh", "-ec", script]).env("B", brisk());
    let told = command.current_dir(scene.path("")).output().unwrap();
    let line =
        "{\"path\":\"block\",\"status\":\"M\",\"fields\":[\"device\"],\"type\":\"block-device\"}\n";
    let both = "M\tblock\nM\tother\n";
    let added = "A\ta\nA\ta/block\nA\ta/other\nA\ta/same\n";
    let summary = "added  bytes  deleted  bytes  modified  metadata only  renamed  directory\n    \
                   0      0        0      0         2              0        0  .\n";
    assert_eq!(stdout(&told), format!("{both}{line}{added}{both}{summary}"), "{}", stderr(&told));
}
