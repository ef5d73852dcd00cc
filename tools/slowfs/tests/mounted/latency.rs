//! How long requests take, alone and at the same time, and which requests the kernel makes.

use std::fs;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use testkit::{Mounted, can_mount};

use crate::support::{mount, names};

/// Stats `file-000` and the following files from as many threads at once. Returns the wall time.
fn stat_at_once(mount: &Mounted, threads: usize) -> Duration {
    let barrier = Barrier::new(threads + 1);
    thread::scope(|scope| {
        for number in 0..threads {
            let barrier = &barrier;
            let path = mount.path().join(format!("file-{number:03}"));
            scope.spawn(move || {
                barrier.wait();
                fs::symlink_metadata(path).expect("lstat");
            });
        }
        barrier.wait();
        Instant::now()
    })
    .elapsed()
}

#[test]
fn a_request_takes_the_latency() {
    if !can_mount("a_request_takes_the_latency") {
        return;
    }
    // The attributes come with the lookup and stay: a stat is one request.
    let mount = mount("--flat 10 --latency 30ms --attr-timeout 100s");
    let start = Instant::now();
    for number in 0..5 {
        fs::symlink_metadata(mount.path().join(format!("file-{number:03}"))).expect("lstat");
    }
    let wall = start.elapsed();
    let counts = mount.finish();
    assert!(wall >= Duration::from_millis(150), "{wall:?}");
    assert_eq!(counts.get("lookup"), 5, "{counts:?}");
}

/// One open waits, and a hundred other requests do not.
#[test]
fn one_kind_of_request_can_take_the_latency_alone() {
    if !can_mount("one_kind_of_request_can_take_the_latency_alone") {
        return;
    }
    let mount = mount("--flat 100 --latency 200ms --only open");
    let start = Instant::now();
    fs::File::open(mount.path().join("file-000")).expect("open");
    let opened = start.elapsed();
    for number in 0..100 {
        fs::symlink_metadata(mount.path().join(format!("file-{number:03}"))).expect("lstat");
    }
    let stats = start.elapsed() - opened;
    assert!(opened >= Duration::from_millis(200), "{opened:?}");
    assert!(stats < Duration::from_millis(100 * 200 / 4), "{stats:?}");
}

#[test]
fn sixty_four_first_lookups_in_one_directory_overlap() {
    if !can_mount("sixty_four_first_lookups_in_one_directory_overlap") {
        return;
    }
    // Without FUSE_PARALLEL_DIROPS the kernel holds the directory's lock over each lookup.
    let mount = mount("--flat 100 --latency 20ms");
    let wall = stat_at_once(&mount, 64);
    let counts = mount.finish();
    assert!(wall < Duration::from_millis(64 * 20 / 4), "{wall:?} {counts:?}");
    assert_eq!(counts.get("lookup"), 64, "{counts:?}");
    assert!(counts.get("peak_waiting") > 32, "{counts:?}");
}

#[test]
fn two_hundred_and_fifty_six_requests_wait_at_once() {
    if !can_mount("two_hundred_and_fifty_six_requests_wait_at_once") {
        return;
    }
    let mount = mount("--flat 300 --latency 2s");
    let wall = stat_at_once(&mount, 256);
    let counts = mount.finish();
    assert!(counts.get("peak_waiting") >= 256, "{wall:?} {counts:?}");
}

#[test]
fn nothing_is_cached_unless_asked() {
    if !can_mount("nothing_is_cached_unless_asked") {
        return;
    }
    for (flags, lookups) in [("", 3), ("--entry-timeout 100s --attr-timeout 100s", 1)] {
        let mount = mount(&format!("--flat 10 --latency 0 {flags}"));
        for _ in 0..3 {
            fs::symlink_metadata(mount.path().join("file-003")).expect("lstat");
        }
        let counts = mount.finish();
        assert_eq!(counts.get("lookup"), lookups, "{flags} {counts:?}");
    }
}

#[test]
fn a_listing_costs_what_the_bench_assumes() {
    if !can_mount("a_listing_costs_what_the_bench_assumes") {
        return;
    }
    let mount = mount("--dirs 20 --files 10 --latency 0");
    for dir in names(mount.path()) {
        names(&mount.path().join(&dir));
    }
    let counts = mount.finish();
    // Each directory: its name, its opening, the entries, the end of the entries.
    assert_eq!(counts.get("lookup"), 20, "{counts:?}");
    assert_eq!(counts.get("opendir"), 21, "{counts:?}");
    assert_eq!(counts.get("readdir"), 42, "{counts:?}");
    assert_eq!(counts.get("releasedir"), 21, "{counts:?}");
}

#[test]
fn readdirplus_saves_the_lookups() {
    if !can_mount("readdirplus_saves_the_lookups") {
        return;
    }
    let flags = "--flat 50 --latency 0 --readdirplus --entry-timeout 100s --attr-timeout 100s";
    let mount = mount(flags);
    for name in names(mount.path()) {
        fs::symlink_metadata(mount.path().join(&name)).expect("lstat");
    }
    let counts = mount.finish();
    assert_eq!(counts.get("lookup"), 0, "{counts:?}");
}

#[test]
fn the_kernel_chooses_readdirplus_where_attributes_are_used() {
    if !can_mount("the_kernel_chooses_readdirplus_where_attributes_are_used") {
        return;
    }
    let flags = "--flat 1000 --latency 0 --readdirplus=auto --entry-timeout 100s \
                 --attr-timeout 100s";
    let lookups = |reads_first: bool| {
        let mount = mount(flags);
        let dir = mount.path();
        let ask = |name: &String| assert!(fs::symlink_metadata(dir.join(name)).is_ok());
        if reads_first {
            names(dir).iter().for_each(ask);
        } else {
            for entry in dir.read_dir().expect("a directory") {
                ask(&entry.expect("an entry").file_name().into_string().expect("UTF-8"));
            }
        }
        let counts = mount.finish();
        assert!(counts.get("readdirplus") >= 1, "{counts:?}");
        (counts.get("lookup"), counts.get("readdirplus"), counts.get("readdir"))
    };
    let (asked, plus, plain) = lookups(true);
    assert!(asked > 500 && plus == 1 && plain > 0, "{asked} {plus} {plain}");
    let (asked, plus, plain) = lookups(false);
    assert!(asked == 0 && plus > 4 && plain <= 1, "{asked} {plus} {plain}");
}
