//! Copies that are killed, full disks, and other processes that change the trees meanwhile.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::run;
use testkit::{Installation, Random, Scratch, brisk};

/// The files below a directory that are not as those of the other tree.
fn differing(ours: &Path, theirs: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(ours).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(".brisk-tmp-") {
            continue;
        }
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            differing(&path, &theirs.join(&name), found);
        } else if fs::read(&path).unwrap() != fs::read(theirs.join(&name)).unwrap() {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn a_killed_copy_leaves_nothing_that_looks_whole() {
    let place = Scratch::new();
    let text = "0123456789abcdef".repeat(20_000);
    for at in 0..60 {
        place.write(&format!("t/d{}/f{at}", at % 7), &text[..at * 5000 + 1]);
    }
    fs::create_dir(place.path("u")).unwrap();
    let mut random = Random(45);
    let mut was_killed = 0;
    for _ in 0..20 {
        let mut copy = Command::new(brisk())
            .args(["cp", "-aT", "--update=changed", "t", "u"])
            .current_dir(place.path(""))
            .spawn()
            .unwrap();
        std::thread::park_timeout(Duration::from_micros(random.below(15_000) as u64));
        copy.kill().unwrap();
        was_killed += usize::from(!copy.wait().unwrap().success());
        let mut found = Vec::new();
        differing(&place.path("u"), &place.path("t"), &mut found);
        assert_eq!(found, Vec::<String>::new());
        if random.below(4) == 0 {
            fs::remove_dir_all(place.path("u")).unwrap();
            fs::create_dir(place.path("u")).unwrap();
        }
    }
    assert!(was_killed > 0, "no copy was killed");
    assert_eq!(run(&place, "-aT --update=changed --delete t u"), (String::new(), 0));
    let mut compare = Command::new("diff");
    compare.arg("-r").args([place.path("t"), place.path("u")]);
    assert!(compare.status().unwrap().success());
}

/// Calls `swap` again and again while trees are copied this often.
fn while_swapping(place: &Scratch, copies: usize, words: &str, swap: impl Fn() + Sync) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                swap();
            }
        });
        for _ in 0..copies {
            let ended = Command::new("timeout")
                .args(["60", brisk(), "cp"])
                .args(words.split(' '))
                .current_dir(place.path(""))
                .stderr(Stdio::null())
                .status()
                .unwrap();
            assert_ne!(ended.code(), Some(124), "the copy hangs");
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn swapped_destinations_lead_nowhere() {
    let place = Scratch::new();
    for at in 0..40 {
        place.write(&format!("t/d/e/f{at}"), "text");
    }
    fs::create_dir_all(place.path("u/d/e")).unwrap();
    fs::create_dir(place.path("victim")).unwrap();
    symlink(place.path("victim"), place.path("link")).unwrap();
    let [dir, link, aside] = ["u/d/e", "link", "aside"].map(|name| place.path(name));
    while_swapping(&place, 60, "-RT t u", || {
        // Either may be missing, if the copy has made the directory anew.
        let _ = fs::rename(&dir, &aside);
        let _ = fs::rename(&link, &dir);
        let _ = fs::rename(&dir, &link);
        let _ = fs::rename(&aside, &dir);
    });
    assert_eq!(fs::read_dir(place.path("victim")).unwrap().count(), 0);
}

#[test]
fn swapped_sources_are_not_read() {
    let place = Scratch::new();
    place.write("t/d/f", "text");
    place.write("secret", "secret");
    symlink(place.path("secret"), place.path("link")).unwrap();
    testkit::run("mkfifo", &[place.path("fifo").to_str().unwrap()]);
    let [file, link, fifo, aside] = ["t/d/f", "link", "fifo", "aside"].map(|name| place.path(name));
    while_swapping(&place, 60, "-RT t u", || {
        for other in [&link, &fifo] {
            fs::rename(&file, &aside).unwrap();
            fs::rename(other, &file).unwrap();
            fs::rename(&file, other).unwrap();
            fs::rename(&aside, &file).unwrap();
        }
    });
    let text = fs::symlink_metadata(place.path("u/d/f")).ok().filter(|it| it.is_file());
    assert!(text.is_none_or(|_| place.read("u/d/f") == "text"));
}

#[test]
fn a_full_disk() {
    let script = "\
        mkdir t m; head -c 200000 /dev/zero | tr '\\0' x >t/small; head -c 3000000 /dev/zero | tr '\\0' y >t/large\n\
        mount -t tmpfs -o size=1m none m; mkdir m/here\n\
        for name in t m/here/t; do\n\
          code=0; \"$B\" cp -RT t m/here 2>out || code=$?\n\
          [ $code = 1 ]; grep -q \"^brisk: error writing 'm/here/large': No space left on device\" out\n\
          [ ! -e m/here/large ]; cmp t/small m/here/small\n\
        done\n\
        [ \"$(ls -A m/here)\" = small ]\n\
        mount -o remount,ro m; code=0; \"$B\" cp t/small m/here/new 2>out || code=$?\n\
        [ $code = 1 ]; grep -q 'Read-only file system' out";
    Installation::new().succeeds("a_full_disk", script);
}
