//! The journal of `--background` loses no tree, and obeys its owner alone.

#![expect(clippy::disallowed_methods, reason = "another process is waited for")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use testkit::{Installation, brisk, is_root, left_out, run, stderr, stdout};

/// A name that `--background` gives.
pub const NAME: &str = ".brisk-rm-00112233445566778899aabbccddeeff";
/// The record of the tree with that name.
const RECORD: &str = "brisk-rm-ffeeddccbbaa99887766554433221100.json";

/// A scratch place with a journal.
pub struct Home {
    pub place: Installation,
}

impl Home {
    pub fn new() -> Home {
        let home = Home { place: Installation::new() };
        fs::create_dir_all(home.journal()).unwrap();
        for dir in ["state", "state/brisk", "state/brisk/rm"] {
            chmod(&home.place.path(dir), 0o700);
        }
        home
    }

    pub fn at(&self, below: &str) -> PathBuf {
        self.place.path("t").join(below)
    }

    pub fn journal(&self) -> PathBuf {
        self.place.path("state/brisk/rm")
    }

    pub fn record(&self) -> PathBuf {
        self.journal().join(RECORD)
    }

    /// A tree that was set aside by a process that was killed then, with its record.
    pub fn leave(&self) -> PathBuf {
        let tree = self.at(NAME);
        plant(&tree);
        fs::write(self.record(), record_of(&tree)).unwrap();
        tree
    }

    pub fn command(&self, before: &[&str], words: &[&str]) -> Command {
        let all = [before, &[brisk(), "rm"], words].concat();
        let mut command = Command::new(all[0]);
        command
            .args(&all[1..])
            .current_dir(self.at(""))
            .env("XDG_STATE_HOME", self.place.path("state"))
            .stdin(Stdio::null());
        command
    }

    /// Runs rm with a time limit.
    pub fn rm(&self, words: &[&str]) -> Output {
        self.command(&["timeout", "-k", "1", "20"], words).output().unwrap()
    }

    /// The command has to refuse, with this message.
    #[track_caller]
    pub fn refuses(&self, words: &[&str], says: &str) {
        self.ends_with(1, words, says);
    }

    /// The command fails with this exit code and message.
    pub fn ends_with(&self, code: i32, words: &[&str], says: &str) {
        let output = self.rm(words);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {told}");
        assert!(told.contains(says), "{words:?}: {told}");
        assert!(!told.contains("os error"), "{told}");
    }

    /// The number of trees that were set aside and are still there.
    fn aside(&self) -> usize {
        let entries = fs::read_dir(self.at("")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with(".brisk-rm-")).count()
    }

    fn records(&self) -> usize {
        let entries = fs::read_dir(self.journal()).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().file_name() != "log").count()
    }

    fn settle(&self) {
        let began = Instant::now();
        while self.records() > 0 && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

pub fn plant(tree: &Path) {
    fs::create_dir_all(tree.join("a/b")).unwrap();
    for file in ["1", "a/2", "a/b/3"] {
        fs::write(tree.join(file), "").unwrap();
    }
}

pub fn whole(tree: &Path) -> bool {
    ["1", "a/2", "a/b/3"].iter().all(|file| tree.join(file).exists())
}

/// The record of the tree at a path.
fn record_of(tree: &Path) -> String {
    let parent = tree.parent().unwrap();
    let above = fs::metadata(parent).unwrap();
    let itself = fs::metadata(tree).unwrap();
    serde_json::json!({ "version": 1, "targets": [{
        "parent": parent,
        "name": tree.file_name().unwrap().to_str(),
        "parent_id": [above.dev(), above.ino()],
        "id": [itself.dev(), itself.ino()],
        "owner": itself.uid(),
    }]})
    .to_string()
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub fn has_strace(test: &str) -> bool {
    let has = Command::new("strace").arg("-V").output().is_ok();
    if !has {
        left_out(test, "there is no strace");
    }
    has
}

/// The setting of the tests below works.
#[test]
fn what_was_left_is_finished() {
    let home = Home::new();
    let tree = home.leave();
    let output = home.rm(&["--finish"]);
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    assert!(!tree.exists() && !home.record().exists());
}

/// A file that this user owns, through a link in a directory that other users can write to.
#[test]
fn a_link_in_the_place_of_the_journal_is_refused() {
    let home = Home::new();
    let tree = home.leave();
    fs::rename(home.place.path("state/brisk"), home.place.path("unpacked")).unwrap();
    chmod(&home.place.path("state"), 0o1777);
    let link = home.place.path("state/brisk");
    let target = home.place.path("unpacked");
    if is_root() {
        let words = ["--reuid=65534", "--clear-groups", "ln", "-s"];
        let paths = [target.to_str().unwrap(), link.to_str().unwrap()];
        run("setpriv", &[&words[..], &paths].concat());
    } else {
        symlink(&target, &link).unwrap();
    }
    home.refuses(&["--finish"], "/state/brisk': it is a link");
    assert!(whole(&tree));
    // A link one level higher is refused as well.
    fs::remove_file(&link).unwrap();
    fs::rename(&target, &link).unwrap();
    fs::create_dir(home.place.path("pub")).unwrap();
    chmod(&home.place.path("pub"), 0o1777);
    symlink(home.place.path("state"), home.place.path("pub/state")).unwrap();
    let mut command = home.command(&[], &["--finish"]);
    let output = command.env("XDG_STATE_HOME", home.place.path("pub/state")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/pub/state': it is a link in a dir"), "{}", stderr(&output));
    assert!(whole(&tree));
}

/// The last directory is this user's; a directory above it is not, or other users can write to it.
#[test]
fn a_journal_below_what_others_can_change_is_refused() {
    let home = Home::new();
    let tree = home.leave();
    for (dir, mode) in [("state", 0o777), ("state/brisk", 0o1777), ("", 0o777)] {
        chmod(&home.place.path(dir), mode);
        home.refuses(&["--finish"], "other users can write to it");
        home.refuses(&["-r", "--background", NAME], "other users can write to it");
        chmod(&home.place.path(dir), 0o755);
        assert!(whole(&tree), "{dir}");
    }
    if is_root() {
        let state = home.place.path("state");
        std::os::unix::fs::chown(&state, Some(65534), None).unwrap();
        home.refuses(&["--finish"], "/state': it is another user's");
        assert!(whole(&tree));
        std::os::unix::fs::chown(&state, Some(0), None).unwrap();
        // A group with other members than this user.
        std::os::unix::fs::chown(&state, None, Some(65534)).unwrap();
        chmod(&state, 0o770);
        home.refuses(&["--finish"], "other users can write to it");
        assert!(whole(&tree));
    }
    // A sticky directory, in which this user owns the entry: as in /tmp.
    chmod(&home.place.path("state"), 0o1777);
    assert!(home.rm(&["--finish"]).status.success());
    assert!(!tree.exists());
}

/// Another process exchanges the journal with a link to other files, all the time.
#[test]
fn exchanging_the_journal_leads_nowhere() {
    let home = Home::new();
    let tree = home.leave();
    let (state, real, evil) =
        (home.place.path("state"), home.place.path("real"), home.place.path("open/state"));
    fs::rename(&state, &real).unwrap();
    fs::create_dir_all(evil.join("brisk/rm")).unwrap();
    chmod(&home.place.path("open"), 0o777);
    let link = home.place.path("open/link");
    symlink(&real, &link).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                renameat_with(CWD, &evil, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(1) {
            let mut command = home.command(&[], &["--finish"]);
            let _ = command.env("XDG_STATE_HOME", &evil).output().unwrap();
        }
        over.store(true, Ordering::Relaxed);
    });
    assert!(whole(&tree));
}

#[test]
fn a_record_names_nothing_but_what_was_set_aside() {
    let home = Home::new();
    for name in ["precious", ".brisk-rm-1", ".brisk-rm-00112233445566778899AABBCCDDEEFF"] {
        let tree = home.at(name);
        plant(&tree);
        fs::write(home.record(), record_of(&tree)).unwrap();
        home.refuses(&["--finish"], &format!("cannot use the record '{}", home.record().display()));
        assert!(whole(&tree) && home.record().exists(), "{name}");
    }
}

#[test]
fn a_record_is_a_file_of_this_users_alone() {
    let home = Home::new();
    let tree = home.leave();
    let record = home.record();
    let other = home.place.path("other.json");
    fs::rename(&record, &other).unwrap();
    symlink(&other, &record).unwrap();
    home.refuses(&["--finish"], "it is a link");
    fs::remove_file(&record).unwrap();
    fs::hard_link(&other, &record).unwrap();
    home.refuses(&["--finish"], "it has another hard link");
    fs::remove_file(&record).unwrap();
    run("mkfifo", &[record.to_str().unwrap()]);
    home.refuses(&["--finish"], "it is not a regular file");
    fs::remove_file(&record).unwrap();
    fs::rename(&other, &record).unwrap();
    chmod(&record, 0o666);
    home.refuses(&["--finish"], "other users can write to it");
    chmod(&record, 0o600);
    if is_root() {
        std::os::unix::fs::chown(&record, Some(65534), None).unwrap();
        home.refuses(&["--finish"], "it is another user's");
        std::os::unix::fs::chown(&record, Some(0), None).unwrap();
    }
    assert!(whole(&tree));
    assert!(home.rm(&["--finish"]).status.success());
    assert!(!tree.exists());
}

/// A record that cannot be read may have named a tree: the message says so, and the user decides.
#[test]
fn a_damaged_record_is_kept_and_said() {
    let home = Home::new();
    let tree = home.leave();
    let text = fs::read(home.record()).unwrap();
    for cut in [0, 1, text.len() / 2, text.len() - 1] {
        fs::write(home.record(), &text[..cut]).unwrap();
        home.refuses(&["--finish"], "damaged");
        assert_eq!(fs::read(home.record()).unwrap().len(), cut);
    }
    let file = fs::File::create(home.record()).unwrap();
    file.set_len(4 << 40).unwrap();
    home.refuses(&["--finish"], "damaged");
    assert!(whole(&tree));
}

/// A second process looks between the making of a record and its locking.
#[test]
fn a_record_is_whole_and_locked_from_the_first() {
    let test = "a_record_is_whole_and_locked_from_the_first";
    if !has_strace(test) {
        return;
    }
    let home = Home::new();
    plant(&home.at("tree"));
    let inject = "inject=flock:delay_enter=300000:when=1";
    let before = ["strace", "-o", "/dev/null", "-e", "trace=flock", "-e", inject];
    let mut slow = home.command(&before, &["-rf", "--background", "tree"]).spawn().unwrap();
    let began = Instant::now();
    while home.records() == 0 && began.elapsed() < Duration::from_secs(20) {
        std::thread::yield_now();
    }
    assert!(home.rm(&["--finish"]).status.success());
    assert!(slow.wait().unwrap().success());
    home.settle();
    assert_eq!((home.aside(), home.records()), (0, 0));
    assert!(!home.at("tree").exists());
}

#[test]
fn three_loops_beside_a_spinning_finish_leave_nothing() {
    let home = Home::new();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let spinning = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let output = home.rm(&["--finish"]);
                assert!(output.status.success(), "{}", stderr(&output));
            }
        });
        let looping = |number: u32| {
            let home = &home;
            move || {
                let name = format!("tree{number}");
                for _ in 0..25 {
                    plant(&home.at(&name));
                    let output = home.rm(&["-rf", "--background", &name]);
                    assert!(output.status.success(), "{}", stderr(&output));
                }
            }
        };
        let loops: Vec<_> = (0..3).map(|number| scope.spawn(looping(number))).collect();
        let ends: Vec<_> = loops.into_iter().map(|thread| thread.join()).collect();
        over.store(true, Ordering::Relaxed);
        assert!(spinning.join().is_ok() && ends.iter().all(Result::is_ok));
    });
    home.settle();
    assert_eq!((home.aside(), home.records()), (0, 0));
}

#[test]
fn a_parent_that_was_renamed_keeps_its_record() {
    let home = Home::new();
    let parent = home.at("p");
    let moved = home.at("q");
    let tree = parent.join(NAME);
    plant(&tree);
    fs::write(home.record(), record_of(&tree)).unwrap();
    fs::rename(&parent, &moved).unwrap();
    let says = format!("'{}': No such file or directory", parent.display());
    home.refuses(&["--finish"], &says);
    // Another directory in its place.
    fs::create_dir(&parent).unwrap();
    home.refuses(
        &["--finish"],
        "another directory is in its place, or its file system is not mounted",
    );
    let list = home.rm(&["--finish", "--list"]);
    assert!(stdout(&list).contains(" unreachable '"), "{}{}", stdout(&list), stderr(&list));
    assert!(home.record().exists() && whole(&moved.join(NAME)));
    fs::remove_dir(&parent).unwrap();
    fs::rename(&moved, &parent).unwrap();
    assert!(home.rm(&["--finish"]).status.success());
    assert!(!tree.exists() && !home.record().exists());
}

#[test]
fn a_disk_that_is_not_mounted_keeps_its_record() {
    let test = "a_disk_that_is_not_mounted_keeps_its_record";
    if !has_strace(test) {
        return;
    }
    let script = r#"
        export XDG_STATE_HOME="$P/state"
        records() { find "$P/state" -name '*.json' | wc -l; }
        mkdir disk d; mount --bind disk d
        mkdir -p d/tree/a; : >d/tree/a/b
        strace -f -o /dev/null -e inject=clone3,clone,vfork:signal=KILL:when=1 \
            "$B" rm -rf --background d/tree || :
        test ! -e d/tree; test $(records) = 1
        umount d
        code=0; "$B" rm --finish 2>err || code=$?
        test $code = 1 || { echo "exit code $code"; exit 1; }
        grep -F "$P/t/d': another directory is in its place, or its file system is not mounted" err
        test $(records) = 1
        mount -t tmpfs none d
        if "$B" rm --finish 2>err; then echo "exit code 0"; exit 1; fi
        grep 'not mounted' err; test $(records) = 1
        umount d; mount --bind disk d
        "$B" rm --finish
        test $(records) = 0; test -z "$(ls -A disk)"
    "#;
    Installation::new().succeeds(test, script);
}

#[test]
fn a_process_that_does_not_start_is_said_with_the_way_out() {
    if !has_strace("a_process_that_does_not_start_is_said_with_the_way_out") {
        return;
    }
    let home = Home::new();
    plant(&home.at("tree"));
    let inject = "inject=clone3,clone,vfork:error=EAGAIN";
    let before = ["strace", "-o", "/dev/null", "-e", inject];
    let output = home.command(&before, &["-rf", "--background", "tree"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(
        told.contains("cannot remove 'tree' in the background: cannot start a process"),
        "{told}"
    );
    assert!(told.contains("'brisk rm --finish' removes it"), "{told}");
    assert_eq!((home.aside(), home.records()), (1, 1));
    assert!(home.rm(&["--finish"]).status.success());
    assert_eq!((home.aside(), home.records()), (0, 0));
}

#[test]
fn a_directory_of_a_lower_layer_is_removed_at_once() {
    let script = r#"
        export XDG_STATE_HOME="$P/state"
        mkdir -p l/tree/a u w m; : >l/tree/a/b; : >l/other
        mount -t overlay -o lowerdir=l,upperdir=u,workdir=w,redirect_dir=off none m 2>/dev/null || {
            echo "left out: no overlayfs"; exit 0; }
        "$B" rm -r --background m/tree 2>err || { cat err; exit 1; }
        grep -F "cannot set 'm/tree' aside: Invalid cross-device link; removing it now" err
        test "$(ls -A m)" = other
        test -z "$(find "$P/state" -name '*.json')"
        umount m
    "#;
    Installation::new().succeeds("a_directory_of_a_lower_layer_is_removed_at_once", script);
}

/// A full disk may have no room for a longer name, while a removal makes room.
#[test]
fn what_finds_no_room_for_its_new_name_is_removed_at_once() {
    if !has_strace("what_finds_no_room_for_its_new_name_is_removed_at_once") {
        return;
    }
    let home = Home::new();
    plant(&home.at("tree"));
    plant(&home.at("second"));
    let before = ["strace", "-o", "/dev/null", "-e", "inject=renameat2:error=ENOSPC:when=1"];
    let words = ["-rf", "--background", "tree", "second"];
    let output = home.command(&before, &words).output().unwrap();
    let told = stderr(&output);
    assert!(output.status.success(), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("cannot set 'tree' aside: No space left on device; removing it now"));
    assert!(!home.at("tree").exists() && !home.at("second").exists());
    home.settle();
    assert_eq!((home.aside(), home.records()), (0, 0));
}

/// The options of the removal hold for the process in the background too.
#[test]
fn cross_mounts_is_for_the_background_too() {
    let script = r#"
        export XDG_STATE_HOME="$P/state"
        mkdir -p tree/m; mount -t tmpfs none tree/m; : >tree/m/f
        exec 9<tree/m
        "$B" rm -r --background --cross-mounts tree
        tries=0
        while test -e /proc/self/fd/9/f && test $tries -lt 200; do
            sleep 0.05; tries=$((tries + 1))
        done
        test ! -e /proc/self/fd/9/f || { cat "$XDG_STATE_HOME/brisk/rm/log"; exit 1; }
    "#;
    Installation::new().succeeds("cross_mounts_is_for_the_background_too", script);
}

/// One of several files cannot be removed: the others are removed.
#[test]
fn one_file_that_stays_keeps_no_other() {
    if !has_strace("one_file_that_stays_keeps_no_other") {
        return;
    }
    let home = Home::new();
    for name in ["first", "second"] {
        fs::write(home.at(name), "").unwrap();
    }
    let before = ["strace", "-o", "/dev/null", "-e", "inject=unlinkat:error=EPERM:when=1"];
    let words = ["-v", "--background", "first", "second"];
    let output = home.command(&before, &words).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(home.at("first").exists() && !home.at("second").exists());
    assert_eq!(stdout(&output), "removed 'second'\n");
}
