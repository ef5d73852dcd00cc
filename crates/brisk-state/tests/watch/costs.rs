//! What a watcher holds and reads, counted.

use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;

use brisk::filter::{Expr, Filter, Test};
use brisk_state::{Rescan, Watcher};
use testkit::scratch;

use super::reasons::{accept, is_inside, now, started};

/// How many watches a watcher has.
pub fn watches(watcher: &Watcher) -> usize {
    let told = |fd: &str| fs::read_to_string(Path::new("/proc/self/fdinfo").join(fd));
    let told = |fd: &str| told(fd).expect("what the kernel says");
    let queue = watcher.descriptor().expect("a descriptor").as_raw_fd().to_string();
    let queue = told(&queue);
    let parts = queue.lines().filter_map(|line| line.strip_prefix("tfd:"));
    let parts = parts.filter_map(|part| part.split_whitespace().next());
    let count = |part: &str| told(part).lines().filter(|l| l.starts_with("inotify wd:")).count();
    parts.map(count).sum()
}

/// A filter that depends on the time makes each look one at everything.
#[test]
fn directories_that_have_gone_keep_no_watch() {
    let unsteady = Expr::Test(Test::name("any", |_| true).unsteady());
    for filter in [Filter::default(), Filter::new(unsteady)] {
        let scratch = scratch();
        let [dir, other] = ["dir", "other"].map(|name| scratch.path().join(name));
        fs::create_dir(&other).expect("a directory");
        for at in 0..50 {
            fs::create_dir_all(dir.join(at.to_string())).expect("a directory");
        }
        let rescan = Rescan { filter, ..Rescan::over([&dir]) };
        let mut watcher = Watcher::new(rescan, None).expect("a watcher");
        accept(&mut watcher);
        let before = watches(&watcher);
        for at in (0..50).map(|at| at.to_string()) {
            fs::rename(dir.join(&at), other.join(&at)).expect("moved");
        }
        accept(&mut watcher);
        assert!(now(&mut watcher).is_none());
        assert_eq!(watches(&watcher), before - 50);
    }
}

/// The system tells of the end of each watch, in the same queue.
#[test]
fn the_end_of_many_watches_loses_no_events() {
    let scratch = scratch();
    let [dir, other] = ["dir", "other"].map(|name| scratch.path().join(name));
    for at in 0..20_000 {
        fs::create_dir_all(dir.join("sub").join(at.to_string())).expect("a directory");
    }
    let mut watcher = started(&dir);
    fs::rename(dir.join("sub"), other).expect("moved");
    accept(&mut watcher);
    let more = now(&mut watcher).map(|batch| batch.scanned);
    assert_eq!(more, None);
    assert!(watches(&watcher) < 100);
}

/// How many KiB of mapped files are in memory.
fn mapped() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("it is there");
    let sizes =
        status.lines().filter(|line| line.starts_with("RssFile") || line.starts_with("RssShmem"));
    let size = |line: &str| line.split_whitespace().nth(1)?.parse::<usize>().ok();
    sizes.filter_map(size).sum()
}

/// Another name of a file is looked for in the whole state once, and then by inode.
#[test]
fn new_names_of_files_do_not_read_the_whole_state() {
    if !is_inside("costs::new_names_of_files_do_not_read_the_whole_state", &["env"]) {
        return;
    }
    let scratch = scratch();
    let [dir, outside] = ["dir", "outside"].map(|name| scratch.path().join(name));
    fs::create_dir(&outside).expect("a directory");
    for sub in 0..60 {
        let sub = dir.join(sub.to_string());
        fs::create_dir_all(&sub).expect("a directory");
        for at in 0..500 {
            fs::write(sub.join(format!("a_name_of_forty_bytes_or_a_little_more_{at}")), "")
                .expect("a file");
        }
    }
    let mut watcher = started(&dir);
    let before = mapped();
    let link = |at: usize| {
        let [file, link] = [&outside, &dir.join("7")].map(|dir| dir.join(at.to_string()));
        fs::write(&file, "").expect("a file");
        fs::hard_link(file, link).expect("a link");
        assert_eq!(accept(&mut watcher), [format!("A 7/{at}")]);
    };
    (0..5).for_each(link);
    let after = mapped();
    assert!(after < before + 1_000, "{before} KiB, {after} KiB");
    // Names of the state and new ones are found.
    let name = |at: usize| format!("a_name_of_forty_bytes_or_a_little_more_{at}");
    fs::hard_link(dir.join("50").join(name(7)), dir.join("8/b")).expect("a link");
    assert_eq!(both(&mut watcher), ["A 8/b".to_owned(), format!("M 50/{}", name(7))]);
    fs::write(dir.join("9/new"), "").expect("a file");
    assert_eq!(accept(&mut watcher), ["A 9/new"]);
    fs::hard_link(dir.join("9/new"), dir.join("8/c")).expect("a link");
    assert_eq!(both(&mut watcher), ["A 8/c", "M 9/new"]);
}

/// Two changes, in one batch or in two.
fn both(watcher: &mut Watcher) -> Vec<String> {
    let mut told = accept(watcher);
    if told.len() < 2 {
        told.extend(accept(watcher));
    }
    told
}
