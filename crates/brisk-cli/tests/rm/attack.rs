//! An attacker who may write to the tree swaps its directories for links to a victim, and mounts the victim
//! over them, thousands of times while root removes it. The victim is never touched.
//!
//! (Seen to fail: with directories opened by plain openat that follows links, the victim lost files in every
//! run of this; with openat2 but without `RESOLVE_NO_XDEV`, to the mount.)

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, openat, renameat_with};

use testkit::{Place, brisk, listed};

/// The attacker's directories in a tree.
const SWAPPED: usize = 12;
const ROUNDS: usize = 60;
const SWAPS: usize = 5_000;

/// A directory with two levels and the names that the victim has too.
fn plant(dir: &Path) {
    for sub in ["", "s", "s/t"] {
        fs::create_dir_all(dir.join(sub)).unwrap();
        for file in 0..6 {
            fs::write(dir.join(sub).join(format!("f{file}")), "").unwrap();
        }
    }
}

/// Exchanges directories of the tree with links outside it until told to stop.
fn attack(place: &Path, round: usize, done: &AtomicBool, swaps: &AtomicUsize) {
    let mut at = 0;
    while !done.load(Ordering::Relaxed) {
        at = (at + 7) % SWAPPED;
        let inside = place.join(format!("tree/d{at}"));
        // Deeper ones too: the swap may come below a directory that is open already. (Not through the
        // first link: that would change the victim.)
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let outside = place.join(format!("m{round}-{at}"));
        let deeper = openat(CWD, &inside, flags, Mode::empty())
            .and_then(|dir| renameat_with(dir, "s", CWD, &outside, RenameFlags::EXCHANGE));
        let outside = place.join(format!("l{round}-{at}"));
        let here = renameat_with(CWD, &inside, CWD, &outside, RenameFlags::EXCHANGE);
        let done = usize::from(deeper.is_ok()) + usize::from(here.is_ok());
        swaps.fetch_add(done, Ordering::Relaxed);
    }
}

fn attacked(limit: &[&str]) {
    let place = Place::new();
    let here = place.path("t");
    plant(&here.join("victim"));
    let victim = listed(&here.join("victim"));
    let swaps = AtomicUsize::new(0);
    for round in 0..10 * ROUNDS {
        if round >= ROUNDS && swaps.load(Ordering::Relaxed) >= SWAPS {
            break;
        }
        for at in 0..SWAPPED {
            plant(&here.join(format!("tree/d{at}")));
            for (link, target) in [("l", "victim"), ("m", "victim/s")] {
                let link = here.join(format!("{link}{round}-{at}"));
                std::os::unix::fs::symlink(here.join(target), link).unwrap();
            }
        }
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| attack(&here, round, &done, &swaps));
            // What it says does not matter: the attacker can keep anything from being removed.
            for threads in ["1", "4"] {
                let words = [limit, &[brisk(), "rm", "-rf", "--threads", threads]].concat();
                let mut command = Command::new(words[0]);
                command.args(&words[1..]).arg(here.join("tree")).output().unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(listed(&here.join("victim")), victim, "round {round}");
        let mut rest = Command::new("find");
        rest.arg(&here).args(["-mindepth", "1", "-maxdepth", "1", "!", "-name", "victim"]);
        assert!(rest.args(["-exec", "rm", "-rf", "{}", "+"]).status().unwrap().success());
    }
    let swaps = swaps.load(Ordering::Relaxed);
    assert!(swaps >= SWAPS, "only {swaps} swaps");
}

#[test]
fn directories_swapped_for_links() {
    attacked(&[]);
}

/// Beyond the bound on handles the way back up leads through `..`: the attacker moves what is open.
#[test]
fn directories_swapped_for_links_with_few_handles() {
    attacked(&["prlimit", "--nofile=12:12"]);
}

#[test]
fn a_bind_mount_that_appears() {
    let script = "\
        trap 'touch stop' EXIT\n\
        mkdir -p victim/s; touch victim/a victim/s/b\n\
        attack() { while [ ! -e stop ]; do\n\
          for d in tree/1 tree/2/s; do mount --bind victim $d && umount $d; done\n\
        done; } 2>/dev/null\n\
        attack & i=0\n\
        while [ $i -lt 100 ]; do\n\
          for d in 1 2 3; do mkdir -p tree/$d/s/t && touch tree/$d/x tree/$d/s/y tree/$d/s/t/a || :; done 2>/dev/null\n\
          \"$R\" -rf --threads=$((i % 3 + 1)) tree 2>>out || :\n\
          i=$((i + 1))\n\
          [ -e victim/a ] && [ -e victim/s/b ] || { echo \"the victim lost something in round $i\"; touch stop; exit 1; }\n\
        done\n\
        touch stop; wait\n\
        grep -q 'skipping\\|busy' out || { echo 'no mount was ever met'; exit 1; }";
    Place::new().succeeds("a_bind_mount_that_appears", script);
}
