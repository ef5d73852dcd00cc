//! What events cannot say is provoked, scanned, and told with its reason.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use brisk::filter::{Expr, Filter, Test};
use brisk::ignore::{Options, Rules};
use brisk::{Fields, Meta};
use brisk_state::{ChangeBatch, Rescan, RescanError, RootedPath, Scanned, Watcher, WhyScanned};
use testkit::{left_out, scratch, unshared};

use super::{SETTLE, next, soon, told, watcher};

/// Accepts the first batch, after which nothing is to be told.
pub fn started(dir: &Path) -> Watcher {
    let mut watcher = watcher(dir, None);
    accept(&mut watcher);
    let more = now(&mut watcher).map(|batch| (told(&batch), batch.scanned));
    assert_eq!(more, None);
    watcher
}

pub fn accept(watcher: &mut Watcher) -> Vec<String> {
    let batch = next(watcher);
    let lines = told(&batch);
    watcher.accept(batch).expect("accepted");
    lines
}

/// The batch that is there without waiting.
pub fn now(watcher: &mut Watcher) -> Option<ChangeBatch> {
    watcher.next(Duration::ZERO, Some(Instant::now())).expect("no error")
}

pub fn everything(why: WhyScanned) -> Vec<Scanned> {
    vec![Scanned { place: None, why }]
}

/// Runs a test of this file again, in a process of its own with these words before it. `true`: this
/// is that process, in which the test goes on.
pub fn is_inside(test: &str, words: &[&str]) -> bool {
    if std::env::var_os("BRISK_INSIDE").is_some() {
        return true;
    }
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--nocapture"]);
    let output = command.env("BRISK_INSIDE", "1").output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {told}", output.status);
    false
}

/// The same, if root runs the test, in a process that permissions bind. `false` also where there
/// can be none.
pub fn obeys_permissions(test: &str) -> bool {
    let words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
    !testkit::is_root() || testkit::obedient("true").is_some() && is_inside(test, &words)
}

#[test]
fn more_events_than_the_queue_holds() {
    let scratch = scratch();
    fs::create_dir_all(scratch.path().join("other/deep")).expect("directories");
    let mut watcher = started(scratch.path());
    for at in 0..20_000 {
        fs::create_dir(scratch.path().join(at.to_string())).expect("a directory");
    }
    // The event of this is lost.
    fs::write(scratch.path().join("other/deep/a"), "").expect("a file");
    let batch = next(&mut watcher);
    assert_eq!(batch.scanned, everything(WhyScanned::Overflow));
    assert_eq!(batch.report.changes.len(), 20_001);
    watcher.accept(batch).expect("accepted");
    // Each of them is watched.
    fs::write(scratch.path().join("19999/a"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A 19999/a"]);
    fs::remove_dir(scratch.path().join("7")).expect("removed");
    fs::create_dir(scratch.path().join("7")).expect("a directory");
    fs::write(scratch.path().join("7/b"), "").expect("a file");
    assert_eq!(accept(&mut watcher).last().expect("a change"), "A 7/b");
}

#[test]
fn a_root_that_is_replaced_and_gone_and_back() {
    let scratch = scratch();
    let [dir, aside, link] = ["dir", "aside", "link"].map(|name| scratch.path().join(name));
    fs::create_dir_all(dir.join("sub")).expect("directories");
    symlink("dir", &link).expect("a link");
    let mut watcher = started(&link);
    fs::rename(&dir, &aside).expect("renamed");
    let gone = watcher.next(SETTLE, Some(soon())).expect_err("it is gone");
    assert!(matches!(gone, RescanError::Root(..)), "{gone}");
    assert!(now(&mut watcher).is_none());
    fs::create_dir_all(dir.join("sub")).expect("directories");
    fs::write(dir.join("sub/a"), "").expect("a file");
    let batch = next(&mut watcher);
    assert_eq!(batch.scanned, everything(WhyScanned::Root));
    assert_eq!(told(&batch), ["A sub/a"]);
    watcher.accept(batch).expect("accepted");
    // What is below has the watches of the new directory.
    fs::write(dir.join("sub/a"), "1").expect("a file");
    fs::write(aside.join("sub/b"), "1").expect("a file");
    assert_eq!(accept(&mut watcher), ["M sub/a"]);
    // The link on the way leads elsewhere.
    fs::remove_file(&link).expect("removed");
    symlink("aside", &link).expect("a link");
    let batch = next(&mut watcher);
    assert_eq!(batch.scanned, everything(WhyScanned::Root));
    assert_eq!(told(&batch), ["D sub/a", "A sub/b"]);
}

#[test]
fn a_directory_above_the_root_is_renamed() {
    let scratch = scratch();
    let [above, other] = ["above", "other"].map(|name| scratch.path().join(name));
    fs::create_dir_all(above.join("mid/root")).expect("directories");
    let mut watcher = started(&above.join("mid/root"));
    fs::rename(&above, &other).expect("renamed");
    assert!(watcher.next(SETTLE, Some(soon())).is_err());
    fs::rename(&other, &above).expect("renamed");
    assert_eq!(next(&mut watcher).scanned, everything(WhyScanned::Root));
}

/// In a guest of tools/vm the clock is set; elsewhere strace lets the kernel say that it was.
#[test]
fn the_clock_is_set() {
    let is_guest = std::env::var_os("VM_GUEST").is_some();
    let strace =
        "strace -f -qq -o /dev/null -P anon_inode:[timerfd] -e inject=read:error=ECANCELED";
    let words: Vec<_> = strace.split(' ').collect();
    if !is_guest {
        if Command::new("strace").arg("-V").output().is_err() {
            return left_out("the_clock_is_set", "there is no strace");
        }
        if !is_inside("reasons::the_clock_is_set", &words) {
            return;
        }
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let mut watcher = watcher(scratch.path(), None);
    accept(&mut watcher);
    if is_guest {
        assert!(now(&mut watcher).is_none());
        let status = Command::new("date").args(["-s", "2020-01-02"]).status();
        assert!(status.expect("it runs").success());
    }
    let batch = next(&mut watcher);
    assert_eq!(batch.scanned, everything(WhyScanned::Clock));
    assert!(batch.report.changes.is_empty());
    watcher.accept(batch).expect("accepted");
    fs::write(scratch.path().join("a"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A a"]);
}

#[test]
fn no_more_watches() {
    let Some(words) = unshared().map(|_| ["unshare", "-Ur"]) else { return };
    if !is_inside("reasons::no_more_watches", &words) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    for at in 0..40 {
        fs::create_dir(scratch.path().join(at.to_string())).expect("a directory");
    }
    fs::write("/proc/sys/user/max_inotify_watches", "20").expect("the limit");
    let mut watcher = watcher(scratch.path(), None);
    accept(&mut watcher);
    let why = WhyScanned::WatchLimit(Some(("user.max_inotify_watches", 20)));
    assert_eq!(watcher.polled(), everything(why));
    // Wherever they are, changes are found, and by the poll told so.
    for at in 0..40 {
        fs::write(scratch.path().join(format!("{at}/a")), "").expect("a file");
    }
    let mut found = Vec::new();
    while found.len() < 40 {
        let batch = next(&mut watcher);
        assert!(batch.scanned.is_empty() || batch.scanned == everything(why));
        found.extend(told(&batch));
        watcher.accept(batch).expect("accepted");
    }
    // With room again, all are watched at the next poll.
    fs::write("/proc/sys/user/max_inotify_watches", "2000").expect("the limit");
    fs::write(scratch.path().join("39/b"), "").expect("a file");
    fs::write(scratch.path().join("0/b"), "").expect("a file");
    // What a poll has found is told again, although the directory is watched by now.
    while next(&mut watcher).scanned.is_empty() {}
    fs::write(scratch.path().join("c"), "").expect("a file");
    let lines = accept(&mut watcher);
    assert!(["A 0/b", "A 39/b", "A c"].iter().all(|line| lines.contains(&(*line).to_owned())));
    while !watcher.polled().is_empty() {
        accept(&mut watcher);
    }
}

#[test]
fn something_is_mounted_and_unmounted() {
    let Some(words) = unshared() else { return left_out("mounts", "no namespaces") };
    if !is_inside("reasons::something_is_mounted_and_unmounted", words) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let dir = scratch.path().join("sub/place");
    fs::create_dir_all(&dir).expect("directories");
    let mut watcher = watcher(scratch.path(), None);
    accept(&mut watcher);
    let run = |program: &str, words: &[&str], dir: &Path| {
        let status = Command::new(program).args(words).arg(dir).status().expect("it runs");
        assert!(status.success());
    };
    let scanned_at = |place: &str| {
        let place = Some(RootedPath { root: 0, path: place.into() });
        vec![Scanned { place, why: WhyScanned::Mounts }]
    };
    run("mount", &["-t", "tmpfs", "none"], &dir);
    let batch = next(&mut watcher);
    assert_eq!(batch.scanned, scanned_at("sub/place"));
    watcher.accept(batch).expect("accepted");
    fs::write(dir.join("a"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A sub/place/a"]);
    fs::write(dir.join("a"), "1").expect("a file");
    assert_eq!(accept(&mut watcher), ["M sub/place/a"]);
    run("umount", &[], &dir);
    assert!(accept(&mut watcher).contains(&"D sub/place/a".to_owned()));
    fs::write(dir.join("b"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A sub/place/b"]);
    // A mount moves with a directory. This one has no file system of its own, whose end is an
    // event.
    let source = tempfile::tempdir().expect("a scratch directory");
    fs::write(source.path().join("c"), "").expect("a file");
    run("mount", &["--bind", &source.path().display().to_string()], &dir);
    assert!(accept(&mut watcher).contains(&"A sub/place/c".to_owned()));
    fs::rename(scratch.path().join("sub"), scratch.path().join("moved")).expect("renamed");
    assert!(accept(&mut watcher).contains(&"R moved/place/c".to_owned()));
    assert!(now(&mut watcher).is_none());
    run("umount", &[], &scratch.path().join("moved/place"));
    let batch = next(&mut watcher);
    assert_eq!(batch.scanned, scanned_at("moved/place"));
    assert!(told(&batch).contains(&"D moved/place/c".to_owned()));
}

/// Mounts the first directory over the second one; a step later, undoes that, and mounts something
/// elsewhere, in the third one.
fn mount_at(step: usize, steps: &AtomicUsize, [source, place, elsewhere]: &[PathBuf; 3]) {
    if steps.compare_exchange(step, step + 1, SeqCst, SeqCst).is_err() {
        return;
    }
    let run = |command: &mut Command| assert!(command.status().expect("it runs").success());
    if step == 0 {
        run(Command::new("mount").arg("--bind").args([source, place]));
    } else {
        run(Command::new("umount").arg("-l").arg(place));
        run(Command::new("mount").args(["-t", "tmpfs", "none"]).arg(elsewhere));
    }
}

/// A mount that has gone by the end of the look that has seen it is not in the table of mounts,
/// which has changed only elsewhere.
#[test]
fn something_is_mounted_and_unmounted_during_a_look() {
    let Some(words) = unshared() else { return left_out("mounts", "no namespaces") };
    if !is_inside("reasons::something_is_mounted_and_unmounted_during_a_look", words) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let dirs = ["source", "dir/place", "elsewhere"].map(|name| scratch.path().join(name));
    let [source, place, elsewhere] = dirs.clone();
    for dir in [&place.join("same"), &source.join("same"), &elsewhere] {
        fs::create_dir_all(dir).expect("directories");
    }
    fs::write(place.join("a"), "").expect("a file");
    fs::write(source.join("b"), "").expect("a file");
    let steps = Arc::new(AtomicUsize::new(3));
    let mounting = Arc::clone(&steps);
    let mounts = Test::name("mounts", move |name| {
        match name {
            b"place" => mount_at(0, &mounting, &dirs),
            b"b" => mount_at(1, &mounting, &dirs),
            _ => {}
        }
        true
    });
    let mut rescan = Rescan::over([scratch.path().join("dir")]);
    rescan.filter = Filter::new(Expr::Test(mounts));
    let mut watcher = Watcher::new(rescan, None).expect("a watcher");
    assert_eq!(accept(&mut watcher), ["A ", "A place", "A place/a", "A place/same"]);
    steps.store(0, SeqCst);
    fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).expect("its mode");
    assert!(accept(&mut watcher).contains(&"A place/b".to_owned()));
    let batch = next(&mut watcher);
    assert!(told(&batch).contains(&"D place/b".to_owned()) && batch.full().is_none());
    watcher.accept(batch).expect("accepted");
    fs::write(place.join("same/c"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A place/same/c"]);
    assert!(now(&mut watcher).is_none());
}

/// The same after the directory was statted: it keeps its watch.
#[test]
fn a_watched_directory_is_covered_during_a_look() {
    let Some(words) = unshared() else { return left_out("mounts", "no namespaces") };
    if !is_inside("reasons::a_watched_directory_is_covered_during_a_look", words) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let dirs = ["source", "dir/place", "elsewhere"].map(|name| scratch.path().join(name));
    dirs.iter().for_each(|dir| fs::create_dir_all(dir).expect("a directory"));
    let [source, place] = [&dirs[0], &dirs[1]].map(|dir| dir.join("a"));
    [&source, &place].into_iter().for_each(|file| fs::write(file, "").expect("a file"));
    let steps = Arc::new(AtomicUsize::new(3));
    let inodes = [&dirs[1], &source].map(|path| fs::metadata(path).expect("its metadata").ino());
    let mounting = Arc::clone(&steps);
    let mount = move |_, meta: &Meta| {
        let step = inodes.iter().position(|ino| Some(*ino) == meta.ino());
        step.into_iter().for_each(|step| mount_at(step, &mounting, &dirs));
        true
    };
    let mounts = Test::meta("mounts", |_| Fields::INO, mount);
    let mut rescan = Rescan::over([scratch.path().join("dir")]);
    rescan.filter = Filter::new(Expr::Test(mounts));
    let mut watcher = Watcher::new(rescan, None).expect("a watcher");
    assert_eq!(accept(&mut watcher), ["A ", "A place", "A place/a"]);
    steps.store(0, SeqCst);
    fs::write(place, "1").expect("written");
    // Once with the metadata of the other file, and once with its own.
    assert_eq!(accept(&mut watcher), ["M place/a"]);
    assert_eq!(accept(&mut watcher), ["M place/a"]);
    assert!(now(&mut watcher).is_none());
}

/// Of a directory that is not entered nothing is watched, whatever is mounted there.
#[test]
fn something_is_mounted_where_no_walk_enters() {
    let Some(words) = unshared() else { return left_out("mounts", "no namespaces") };
    if !is_inside("reasons::something_is_mounted_where_no_walk_enters", words) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let place = scratch.path().join("place");
    fs::create_dir(&place).expect("a directory");
    let is_place = Test::name("place", |name| name == b"place");
    let pruned = Expr::All(vec![Expr::Test(is_place), Expr::Prune]);
    let mut rescan = Rescan::over([scratch.path()]);
    rescan.filter = Filter::new(Expr::Any(vec![pruned, Expr::All(Vec::new())]));
    let mut watcher = Watcher::new(rescan, None).expect("a watcher");
    assert_eq!(accept(&mut watcher), ["A ", "A place"]);
    let status = Command::new("mount").args(["-t", "tmpfs", "none"]).arg(&place).status();
    assert!(status.expect("it runs").success());
    fs::write(place.join("a"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["M place"]);
    fs::write(scratch.path().join("b"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A b"]);
}

#[test]
fn a_file_system_without_events_is_polled() {
    let name = "a_file_system_without_events_is_polled";
    let Some(mounted) = testkit::Mounted::new(name, "--dirs 3 --files 4") else { return };
    let mut watcher = watcher(mounted.path(), None);
    accept(&mut watcher);
    assert_eq!(watcher.polled(), everything(WhyScanned::NoEvents(0x6573_5546)));
    let text = watcher.polled()[0].why.to_string();
    assert_eq!(text, "FUSE does not report changes by others");
    assert!(watcher.deadline().is_some());
    drop(watcher);
    mounted.finish();
}

#[test]
fn what_permissions_hide_is_told_when_it_can_be_read_again() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    if !obeys_permissions("reasons::what_permissions_hide_is_told_when_it_can_be_read_again") {
        return;
    }
    let dir = scratch.path().join("dir");
    fs::create_dir_all(dir.join("sub")).expect("directories");
    let mut kept = fs::File::create(dir.join("sub/a")).expect("a file");
    let mut watcher = started(scratch.path());
    let allow = |mode| fs::set_permissions(&dir, fs::Permissions::from_mode(mode));
    allow(0).expect("its owner may");
    let lines = accept(&mut watcher);
    assert!(lines.contains(&"? dir".to_owned()), "{lines:?}");
    kept.write_all(b"1").expect("written");
    if let Some(batch) = now(&mut watcher) {
        watcher.accept(batch).expect("accepted");
    }
    allow(0o700).expect("its owner may");
    assert_eq!(accept(&mut watcher), ["M dir", "M dir/sub/a"]);
}

#[test]
fn rules_that_change_are_read_again() {
    let scratch = scratch();
    fs::create_dir_all(scratch.path().join("sub/deep")).expect("directories");
    fs::write(scratch.path().join("sub/deep/a.o"), "").expect("a file");
    let options = Options { names: vec![".gitignore".into()], ..Options::none() };
    let mut rescan = Rescan::over([scratch.path()]);
    rescan.rules = Some(Rules::new(options).expect("rules"));
    let mut watcher = Watcher::new(rescan, None).expect("a watcher");
    accept(&mut watcher);
    fs::write(scratch.path().join("sub/.gitignore"), "*.o\nout/").expect("rules");
    assert_eq!(accept(&mut watcher), ["A sub/.gitignore", "D sub/deep/a.o"]);
    fs::create_dir_all(scratch.path().join("sub/out")).expect("a directory");
    fs::write(scratch.path().join("sub/out/b"), "").expect("a file");
    assert!(now(&mut watcher).is_none(), "it is ignored");
    fs::write(scratch.path().join("sub/.gitignore"), "").expect("rules");
    let lines = ["M sub/.gitignore", "A sub/deep/a.o", "A sub/out", "A sub/out/b"];
    assert_eq!(accept(&mut watcher), lines);
    fs::write(scratch.path().join("sub/out/b"), "1").expect("a file");
    assert_eq!(accept(&mut watcher), ["M sub/out/b"]);
}

/// Of the directory only the file counts, whatever editors do to it.
#[test]
fn a_root_that_is_a_file() {
    let scratch = scratch();
    let [file, other] = ["file", "other"].map(|name| scratch.path().join(name));
    fs::write(&file, "1").expect("a file");
    let mut watcher = started(&file);
    fs::write(&other, "").expect("another file");
    assert!(now(&mut watcher).is_none());
    fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .and_then(|mut file| file.write_all(b"2"))
        .expect("written in place");
    assert_eq!(accept(&mut watcher), ["M "]);
    fs::write(&other, "saved").expect("another file");
    fs::rename(&other, &file).expect("saved by a rename");
    let batch = next(&mut watcher);
    assert_eq!((told(&batch), &*batch.scanned), (vec!["M ".to_owned()], &[][..]));
    watcher.accept(batch).expect("accepted");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("its mode");
    assert_eq!(accept(&mut watcher), ["M "]);
    // Another one with its name within a batch is a change, and one that is away is waited for.
    fs::rename(&file, &other).expect("moved");
    fs::write(&file, "new").expect("created again");
    assert_eq!(accept(&mut watcher), ["M "]);
    fs::remove_file(&file).expect("removed");
    let gone = watcher.next(SETTLE, Some(soon()));
    assert!(matches!(gone, Err(RescanError::Root(..))), "{gone:?}");
    assert!(now(&mut watcher).is_none());
    fs::write(&file, "back").expect("created again");
    let batch = next(&mut watcher);
    assert_eq!((told(&batch), &batch.scanned), (vec!["M ".into()], &everything(WhyScanned::Root)));
    watcher.accept(batch).expect("accepted");
    fs::write(&file, "1").expect("written");
    assert_eq!(accept(&mut watcher), ["M "]);
}

#[test]
fn a_root_that_is_a_file_by_a_link_and_inside_another_root() {
    let scratch = scratch();
    let [dir, link] = ["dir", "link"].map(|name| scratch.path().join(name));
    let file = dir.join("sub/file");
    fs::create_dir_all(dir.join("sub")).expect("directories");
    fs::write(&file, "1").expect("a file");
    symlink(&file, &link).expect("a link");
    let rescan = Rescan::over([&dir, &file]);
    let mut watcher = Watcher::new(rescan, None).expect("a watcher");
    accept(&mut watcher);
    fs::write(&file, "22").expect("written");
    fs::write(dir.join("sub/a"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A sub/a", "M "]);
    fs::write(&file, "333").expect("written");
    assert_eq!(accept(&mut watcher), ["M "]);
    let mut linked = started(&link);
    fs::remove_file(&link).expect("removed");
    symlink(&dir, &link).expect("a link");
    assert!(!accept(&mut linked).is_empty());
}

/// Where no events come, a file is looked at again and again.
#[test]
fn a_root_that_is_a_silent_file() {
    let mut watcher = started(Path::new("/proc/self/comm"));
    let why = WhyScanned::NoEvents(0x9fa0);
    assert_eq!(watcher.polled().iter().map(|part| part.why).collect::<Vec<_>>(), [why]);
    assert!(watcher.deadline().is_some());
    let _ = now(&mut watcher);
}

/// A later look rests fifty times as long as the look before took.
#[test]
fn a_first_look_that_takes_long_does_not_put_off_the_second() {
    let mut rescan = Rescan::over(["/proc/self/comm"]);
    let took = Duration::from_millis(200);
    rescan.on_progress = Some(Arc::new(move |_| thread::park_timeout(took)));
    let mut watcher = Watcher::new(rescan, None).expect("a watcher");
    let began = Instant::now();
    accept(&mut watcher);
    assert!(began.elapsed() >= took);
    assert!(watcher.deadline().is_some_and(|due| due < Instant::now() + took * 5));
}

/// Its directory is also one of another root, until rules leave it out there.
#[test]
fn a_root_whose_directory_is_ignored_is_still_watched() {
    let scratch = scratch();
    let [file, dir] = ["sub/file", "sub/mid/dir"].map(|name| scratch.path().join(name));
    fs::create_dir_all(&dir).expect("directories");
    fs::write(&file, "1").expect("a file");
    let options = Options { names: vec![".gitignore".into()], ..Options::none() };
    let mut rescan = Rescan::over([scratch.path(), &file, &dir]);
    rescan.rules = Some(Rules::new(options).expect("rules"));
    let mut watcher = Watcher::new(rescan, None).expect("a watcher");
    accept(&mut watcher);
    fs::write(scratch.path().join(".gitignore"), "sub/").expect("rules");
    assert!(accept(&mut watcher).contains(&"D sub".to_owned()));
    // A watch that no directory needs ends with the next look.
    fs::write(scratch.path().join("a"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A a"]);
    assert!(now(&mut watcher).is_none());
    fs::write(&file, "22").expect("written");
    assert_eq!(accept(&mut watcher), ["M "]);
    fs::rename(scratch.path().join("sub/mid"), scratch.path().join("sub/away")).expect("renamed");
    let gone = watcher.next(SETTLE, Some(soon()));
    assert!(matches!(gone, Err(RescanError::Root(..))), "{gone:?}");
}

#[test]
fn many_files_with_several_names_are_polled() {
    let scratch = scratch();
    let [dir, outside] = ["dir", "outside"].map(|name| scratch.path().join(name));
    fs::create_dir(&dir).expect("a directory");
    fs::create_dir(&outside).expect("a directory");
    let link = |at: usize| {
        fs::write(dir.join(at.to_string()), "").expect("a file");
        let link = outside.join(at.to_string());
        fs::hard_link(dir.join(at.to_string()), link).expect("a link");
    };
    (0..500).for_each(link);
    let mut watcher = started(&dir);
    assert!(watcher.polled().is_empty() && watcher.deadline().is_none());
    link(500);
    accept(&mut watcher);
    for watcher in [&mut watcher, &mut started(&dir)] {
        assert_eq!(watcher.polled(), everything(WhyScanned::Links));
        fs::write(outside.join("7"), format!("{:?}", Instant::now())).expect("written");
        assert_eq!(accept(watcher), ["M 7"]);
    }
}
