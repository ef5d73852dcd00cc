//! `--wait`: what another process uses is tried again, and then its user is named.

use std::fs::{self, File};
use std::io::Read as _;
use std::process::{Command, Stdio};

use testkit::{Installation, brisk, is_root, left_out, stderr, stdout};

/// A directory that `rm -d` cannot remove before a file in it is gone, and one that it can.
fn planted() -> Installation {
    let place = Installation::new();
    fs::create_dir(place.path("dir")).unwrap();
    fs::create_dir(place.path("other")).unwrap();
    File::create(place.path("dir/open")).unwrap();
    place
}

fn rm(place: &Installation, words: &[&str]) -> Command {
    let mut command = Command::new(brisk());
    command.args(["rm"]).args(words).current_dir(place.path("."));
    command
}

#[test]
fn what_is_in_use_is_removed_once_it_is_not() {
    let place = planted();
    let mut command = rm(&place, &["-dv", "--wait=1h", "nowhere", "dir", "other"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The first try has been made when it has removed the other one.
    while place.path("other").exists() {
        std::thread::yield_now();
    }
    fs::remove_file(place.path("dir/open")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!place.path("dir").exists());
    assert_eq!(stderr(&output), "brisk: cannot remove 'nowhere': No such file or directory\n");
    assert_eq!(output.stdout, b"removed directory 'other'\nremoved directory 'dir'\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
#[cfg(target_os = "linux")]
fn when_the_time_is_over_the_message_names_who_uses_it() {
    let place = planted();
    // Descriptors of this process would for a moment also be those of children of other tests.
    let mut command = Command::new("sh");
    command.args(["-c", "exec 3<dir/open; echo open; read end"]).current_dir(place.path("."));
    let mut user = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut open = [0; 5];
    user.stdout.as_mut().unwrap().read_exact(&mut open).unwrap();
    let output = rm(&place, &["-d", "--wait=60ms", "dir"]).output().unwrap();
    let message = "brisk: cannot remove 'dir': Directory not empty";
    let used = format!("{message} (in use by 'sh', process {})\n", user.id());
    assert_eq!(stderr(&output), used);
    drop(user.stdin.take());
    user.wait().unwrap();
    for words in [&["-d", "--wait=0s", "dir"][..], &["-d", "dir"]] {
        let output = rm(&place, words).output().unwrap();
        assert_eq!((stderr(&output), output.status.code()), (format!("{message}\n"), Some(1)));
    }
}

/// Only what is in use is tried again, and only the last try counts for what stays.
#[test]
fn each_failure_is_told_once_and_each_spared_entry_counts_once() {
    let place = Installation::new();
    place.succeeds(
        "each_failure_is_told_once_and_each_spared_entry_counts_once",
        "mkdir busy; touch a busy/file; touch -d '40 days ago' a busy\n\
         \"$B\" rm -d --wait=120ms a a busy busy 2>err >out && exit 7\n\
         test \"$(grep -c \"'a': No such\" err)\" = 1; test \"$(grep -c \"'busy': \" err)\" = 2\n\
         touch old young; touch -d '40 days ago' old busy\n\
         \"$B\" rm -d --json --wait=120ms --older-than 30d old young busy >out 2>err && exit 8\n\
         grep '\"files\":1,\"directories\":0,\"spared\":1,\"failed\":1,' out\n\
         test -e young; test ! -e old",
    );
}

/// A failure may have the path of one argument and begin with that of another.
#[test]
fn of_nested_arguments_each_failure_is_told() {
    let place = planted();
    for (paths, failed) in [
        (&["dir", "dir/nowhere"][..], &["dir/nowhere", "dir"][..]),
        (&["dir/nowhere", "other/nowhere", "dir"], &["dir/nowhere", "other/nowhere", "dir"]),
        (&["", "dir", "nowhere"], &["", "nowhere", "dir"]),
        (&["dir", "./dir/nowhere"], &["./dir/nowhere", "dir"]),
    ] {
        let words = [&["-d", "--json", "--wait=60ms"], paths].concat();
        let output = rm(&place, &words).output().unwrap();
        let told = stderr(&output);
        let named: Vec<_> = told.lines().map(|line| line.split('\'').nth(1).unwrap()).collect();
        assert_eq!(named, failed, "{told}");
        let count = format!("\"failed\":{},", failed.len());
        assert!(stdout(&output).contains(&count), "{}", stdout(&output));
        assert_eq!(output.status.code(), Some(1));
    }
}

/// What a try removes gives directories a new time.
#[test]
fn a_directory_that_was_old_goes_with_a_later_try() {
    let test = "a_directory_that_was_old_goes_with_a_later_try";
    if !is_root() {
        return left_out(test, "mounting needs root");
    }
    Installation::new().succeeds(
        test,
        "mkdir -p d/sub; touch used d/gone d/sub/gone d/sub/busy\n\
         touch -d '40 days ago' used d/*/* d/gone d/sub d; mount --bind used d/sub/busy\n\
         \"$B\" rm -r --json --wait=1h --older-than 30d d >out 2>err &\n\
         while test -e d/gone || test -e d/sub/gone; do sleep 0.01; done; sleep 0.2\n\
         umount d/sub/busy\n\
         wait $!; test ! -e d; test ! -s err; grep '\"spared\":0,\"failed\":0,' out",
    );
}

/// Another try would ask the same question again.
#[test]
fn an_argument_that_was_asked_about_is_tried_once() {
    let test = "an_argument_that_was_asked_about_is_tried_once";
    let user = if is_root() { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
    let script = "mkdir -m 777 w; cd w\n\
         $U sh -c 'mkdir a b; touch a/f b/f; chmod 444 a/f'\n\
         echo n | $U \"$B\" rm -r ---presume-input-tty --wait=3s a 2>err && exit 7\n\
         test $(grep -o 'remove write-protected' err | wc -l) = 1\n\
         grep \"cannot remove 'a': Directory not empty$\" err\n\
         echo n | $U \"$B\" rm -rd ---presume-input-tty --wait=3s a b 2>err && exit 8\n\
         test ! -e b; test -e a/f"
        .replace("$U", user);
    Installation::new().succeeds(test, &script);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = planted();
    for (words, why) in [
        (&["--wait=2", "dir"][..], "invalid argument '2' for '--wait': write 500ms, 2s or 1min"),
        (&["--wait=-2s", "dir"], "invalid argument '-2s' for '--wait': write 500ms, 2s or 1min"),
        (&["--wait=2s", "-i", "dir"], "--wait cannot be used with --interactive"),
        (&["--wait=2s", "--background", "dir"], "--wait cannot be used with --background"),
    ] {
        let output = rm(&place, words).output().unwrap();
        let told = stderr(&output);
        assert!(told.starts_with(&format!("brisk: {why}\n")), "{told}");
        assert_eq!(output.status.code(), Some(2));
    }
}
