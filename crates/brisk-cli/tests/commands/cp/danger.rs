//! Full disks, and sources that cannot be read. Copies that are killed, and other processes that
//! change the trees meanwhile, are the engine's tests (crates/brisk/tests/engine/copies/races.rs).

use super::run;
use testkit::{Installation, Scratch};

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

/// A quota of btrfs: the one that a loop device has on most systems.
#[test]
fn an_exceeded_quota() {
    let script = "\
        mkdir t m; head -c 200000 /dev/zero | tr '\\0' x >t/small; head -c 9000000 /dev/zero | tr '\\0' y >t/large\n\
        truncate -s 128M image\n\
        if ! { mkfs.btrfs -q image && mount -o loop image m && btrfs quota enable m && \
               btrfs qgroup limit 4M m; } >told 2>&1; then\n\
          echo \"left out: no quota: $(tail -n 1 told)\"; exit 0\n\
        fi\n\
        mkdir m/here\n\
        for words in '-RT t m/here' '-aT --update=changed t m/here/t'; do\n\
          code=0; \"$B\" cp $words 2>out || code=$?\n\
          [ $code = 1 ]; grep -q \"large': Disk quota exceeded\" out\n\
        done\n\
        cmp t/small m/here/small; cmp t/small m/here/t/small\n\
        [ -z \"$(find m -name 'large*' -o -name '.brisk*')\" ]; umount m";
    Installation::new().succeeds("an_exceeded_quota", script);
}

/// What --delete cannot remove is named itself, and everything else goes.
#[test]
fn a_mount_in_what_the_source_lacks() {
    let script = "\
        mkdir -p t m/new/in; touch t/a m/new/x m/new/s.env; mount -t tmpfs none m/new/in; touch m/new/in/f\n\
        code=0; \"$B\" cp -aT --delete -E '*.env' t m 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: cannot remove 'm/new/in': Invalid cross-device link\" ]\n\
        [ -e m/new/in/f ]; [ -e m/new/s.env ]; [ ! -e m/new/x ]\n\
        mkdir m/new/dir; touch m/new/dir/f\n\
        code=0; \"$B\" cp -aTv --delete t m >out 2>&1 || code=$?\n\
        [ $code = 1 ]; [ -e m/new/in/f ]; [ ! -e m/new/s.env ]; umount m/new/in\n\
        grep -q \"cannot remove 'm/new/in': Invalid\" out\n\
        [ \"$(grep removed out | sort)\" = \"$(printf \"removed 'm/new/%s'\\n\" dir dir/f s.env)\" ]";
    Installation::new().succeeds("a_mount_in_what_the_source_lacks", script);
}

/// Only its device and inode tell that the source is in the destination.
#[test]
fn a_source_that_is_mounted_from_its_destination() {
    let script = "\
        mkdir -p m/above/x t; touch m/above/x/f m/other; mount --bind m/above/x t\n\
        for words in '' '-E *.env'; do\n\
          code=0; \"$B\" cp -aT --delete $words t m 2>out || code=$?\n\
          [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: cannot remove 'm/above/x': it is the source\" ]\n\
        done\n\
        [ \"$(ls t)\" = f ]; [ \"$(ls m)\" = \"$(printf 'above\\nf')\" ]; umount t";
    Installation::new().succeeds("a_source_that_is_mounted_from_its_destination", script);
}

/// The destination is found in the source when that is walked, before its own surplus goes.
#[test]
fn a_destination_that_is_mounted_from_its_source() {
    let script = "\
        mkdir -p s/x/own m; echo own >s/x/own/f; echo new >s/f; mount --bind s/x m\n\
        code=0; \"$B\" cp -aT --delete s m 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: cannot copy a directory, 's', into itself, 'm'\" ]\n\
        [ \"$(cat s/x/own/f s/x/f)\" = \"$(printf 'own\\nnew')\" ]; umount m";
    Installation::new().succeeds("a_destination_that_is_mounted_from_its_source", script);
}

#[test]
fn a_source_that_cannot_be_read() {
    let place = Scratch::new();
    // A process's memory begins at no address of 0.
    let said = "brisk: error reading '/proc/self/mem': Input/output error\n";
    assert_eq!(run(&place, "/proc/self/mem new"), (said.to_owned(), 1));
    place.write("old", "old");
    assert_eq!(run(&place, "/proc/self/mem old"), (said.to_owned(), 1));
    assert_eq!((place.path("new").exists(), place.read("old")), (false, "old".to_owned()));
}
