//! Entries that cannot be removed, and trees that other processes change meanwhile: each failure is
//! reported, the rest is removed, and the command ends.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testkit::{Installation, brisk, stderr};

#[test]
fn immutable_and_append_only_files_and_directories() {
    let script = "\
        mkdir -p d/i/x d/ok d/a; touch d/i/x/f d/ok/g d/file d/app d/a/h\n\
        chattr +i d/file && chattr +a d/app && chattr +i d/i/x && chattr +a d/a || {\n\
          echo 'left out: no chattr here'; exit 0; }\n\
        code=0; \"$R\" -rf d 2>out || code=$?\n\
        chattr -i d/file d/i/x; chattr -a d/app d/a\n\
        [ $code = 1 ]; [ $(wc -l <out) = 4 ]\n\
        for name in file app i/x/f a/h; do\n\
          grep -q \"/rm: cannot remove 'd/$name': Operation not permitted\" out\n\
        done\n\
        [ ! -e d/ok ] && [ -e d/i/x/f ] && [ -e d/a/h ]";
    Installation::new().succeeds("immutable_and_append_only_files_and_directories", script);
}

#[test]
fn a_read_only_file_system() {
    let script = "\
        mkdir m; mount -t tmpfs none m; mkdir -p m/d/e; touch m/d/e/f m/g; mount -o remount,ro m\n\
        ! \"$R\" -rf m/d m/g 2>out || exit 1\n\
        grep -q \"/rm: cannot remove 'm/d/e/f': Read-only file system\" out\n\
        grep -q \"/rm: cannot remove 'm/g': Read-only file system\" out\n\
        [ $(wc -l <out) = 2 ] && \"$R\" -f m/nope";
    Installation::new().succeeds("a_read_only_file_system", script);
}

/// Whichever call fails once, everything else is removed, and the exit code says so.
#[test]
fn a_failing_call_costs_no_more_than_its_entry() {
    let script = "\
        plant() { mkdir -p d/e/f d/g; touch d/1 d/2 d/e/3 d/e/f/4 d/g/5; }\n\
        for call in unlinkat:EIO openat2:EIO getdents64:EIO openat2:EACCES openat2:EMFILE; do\n\
          for when in 1 2 3 4 5 6; do\n\
            plant; code=0\n\
            strace -f -o /dev/null -e inject=${call%:*}:error=${call#*:}:when=$when \\\n\
              \"$R\" -rf d 2>out || code=$?\n\
            if [ -e d ]; then [ $code = 1 ] && grep -q '/rm: cannot remove' out; else [ $code = 0 ]; fi || {\n\
              echo \"$call $when: exit $code\"; cat out; find d; exit 1; }\n\
            \"$R\" -rf d; [ ! -e d ]\n\
          done\n\
        done";
    Installation::new().succeeds("a_failing_call_costs_no_more_than_its_entry", script);
}

/// Another process keeps creating files: the removal ends, and says whether it is complete.
#[test]
fn another_process_creates_files_meanwhile() {
    let place = Installation::new();
    let tree = place.path("t/tree");
    for level in ["", "a", "a/b", "c"] {
        fs::create_dir_all(tree.join(level)).unwrap();
        for at in 0..200 {
            fs::write(tree.join(level).join(at.to_string()), "").unwrap();
        }
    }
    let done = AtomicBool::new(false);
    let (output, took) = std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0_u64.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                let dir = tree.join(["", "a", "a/b", "c"][at as usize % 4]);
                // The directory may be gone, and come back.
                let _ = fs::create_dir_all(&dir);
                let _ = fs::write(dir.join(format!("new{at}")), "");
            }
        });
        let began = Instant::now();
        let output = Command::new(brisk()).args(["rm", "-rf"]).arg(&tree).output().unwrap();
        done.store(true, Ordering::Relaxed);
        (output, began.elapsed())
    });
    assert!(took < Duration::from_secs(20), "{took:?}");
    let told = stderr(&output);
    match output.status.code() {
        Some(0) => assert_eq!(told, ""),
        Some(1) => assert!(told.contains("Directory not empty"), "{told}"),
        code => panic!("{code:?}: {told}"),
    }
}

/// Two removals of the same tree at once: neither fails because the other was faster.
#[test]
fn two_removals_of_the_same_tree() {
    let place = Installation::new();
    for round in 0..10 {
        let tree = place.path(&format!("t/{round}"));
        for dir in 0..40 {
            fs::create_dir_all(tree.join(format!("{dir}/sub"))).unwrap();
            for file in 0..10 {
                fs::write(tree.join(format!("{dir}/sub/{file}")), "").unwrap();
            }
        }
        let start = || {
            let mut command = Command::new(brisk());
            command.args(["rm", "-rf"]).arg(&tree).stderr(Stdio::piped());
            command.spawn().unwrap()
        };
        for child in [start(), start()] {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
        }
        assert!(!tree.exists());
    }
}

/// The way back up from a directory that cannot be searched is lost; nothing else is.
#[test]
fn few_handles_and_a_directory_that_is_moved_away() {
    let place = Installation::new();
    let tree = place.path("t/tree");
    let mut deep = tree.clone();
    for level in 0..60 {
        deep.push(format!("l{level}"));
    }
    fs::create_dir_all(&deep).unwrap();
    fs::set_permissions(&deep, fs::Permissions::from_mode(0o700)).unwrap();
    let output = Command::new("prlimit")
        .args(["--nofile=16:16", brisk(), "rm", "-rf"])
        .arg(&tree)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!tree.exists());
}
