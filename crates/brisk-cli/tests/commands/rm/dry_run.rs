//! `rm --dry-run` reports for each entry what a removal would report, and counts it as failed.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use testkit::{Installation, is_root, left_out, stderr, stdout};

/// Trees, made by root or by the user who runs the tests, and the words after `rm`. `$O` runs a
/// command as an ordinary user.
const AS_ORDINARY_USER: &[(&str, &str)] = &[
    ("$O mkdir -p ro; $O touch ro/a ro/b; $O chmod 555 ro", "-rf ro"),
    ("$O mkdir -p ro; $O touch ro/a ro/b; $O chmod 555 ro", "-f ro/a ro/b"),
    ("$O mkdir -p d/ro/e d/rw; $O touch d/ro/e/x d/ro/y d/rw/z; $O chmod 555 d/ro", "-rf d"),
    ("$O mkdir -p d/in; $O touch d/in/x; $O chmod 666 d/in", "-rf d"),
    ("$O mkdir -p d/in; $O touch d/in/x; $O chmod 0 d/in", "-rf d"),
    ("$O mkdir -p d e; $O touch d/x", "-d e d"),
    ("$O mkdir -p d/e; $O chmod 555 d", "-df d/e"),
];

/// The same, for trees that only root can make.
const MADE_BY_ROOT: &[(&str, &str)] = &[
    (
        "mkdir -m 1777 s; touch s/a; chmod 666 s/a; mkdir -m 777 s/d; $O touch s/mine s/d/in",
        "-rf s",
    ),
    ("mkdir -m 1777 s; touch s/a; $O touch s/mine", "-f s/a s/mine"),
    ("mkdir theirs; touch theirs/a", "-rf theirs"),
    (
        "mkdir -m 777 m; mount -t tmpfs -o mode=777 none m; $O mkdir m/d; $O touch m/d/a m/b; \
      mount -o remount,ro m",
        "-rf m/d m/b",
    ),
    ("$O mkdir -p d/e; $O touch d/e/x b; mount --bind d d; mount -o remount,ro,bind d", "-rf d/e"),
    ("$O mkdir -p d; $O touch d/x d/y f; mount --bind f d/x", "-rf d"),
    ("mkdir -m 777 d; mount -t tmpfs -o mode=777 none d; $O touch d/a", "-rf d"),
];

/// The same, removed by root.
const AS_ROOT: &[(&str, &str)] = &[
    ("mkdir -p d/e; touch d/e/a d/e/b; chattr +i d/e/a", "-rf d"),
    ("mkdir -p d/e; touch d/e/a d/b; chattr +i d/e", "-rf d"),
    ("mkdir -p d/e; touch d/e/a d/b; chattr +a d/e", "-rf d"),
    ("mkdir -p d/e; touch d/e/a d/b; chattr +a d/e/a", "-rf d"),
    ("mkdir -m 1777 s; touch s/a; chown 65533 s; setpriv --reuid=65533 touch s/b", "-rf s"),
];

/// Compares a dry run and a removal of each tree: the same messages, as many failures as lines, and
/// exit code 1 where there are any. The lists of names agree where the removal prints all names.
fn compare(test: &str, user: &str, cases: &[(&str, &str)]) {
    let place = Installation::new();
    for (plant, words) in cases {
        let ordinary =
            if is_root() { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
        let plant = plant.replace("$O", ordinary);
        let script = format!(
            "mkdir -m 777 w; cd w; {{ {plant}; }} || {{ echo left out: $?; exit 0; }}\n\
             {user} \"$R\" --dry-run -v {words} >../dry 2>../dry.err; echo \"exit $?\" >>../dry.err\n\
             {user} \"$R\" -v {words} >../real 2>../real.err; echo \"exit $?\" >>../real.err\n\
             chattr -R -ia . 2>/dev/null; cd ..; sort dry.err >d; sort real.err >r; diff d r\n\
             failed=$(grep -c 'cannot remove' dry.err)\n\
             [ $failed = 0 ] || grep -q \"; $failed would fail\" dry || cat dry\n\
             sed -n 's/^would remove \\(.*\\)/\\1/p' dry | grep \"'\" | sort >d\n\
             sed -n 's/^removed \\(.*\\)/\\1/p' real | sort >r; diff d r; true",
        );
        let Some(output) = place.script(test, &script) else { return };
        let told = format!("{}{}", stdout(&output), stderr(&output));
        if let Some(why) = told.lines().find_map(|line| line.strip_prefix("left out: ")) {
            left_out(test, &format!("{plant}: {why}"));
            continue;
        }
        assert!(told.is_empty(), "{plant}\nrm {words}: {told}");
    }
}

#[test]
fn what_permissions_forbid_is_not_promised() {
    let user = if is_root() { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
    compare("what_permissions_forbid_is_not_promised", user, AS_ORDINARY_USER);
}

#[test]
fn what_is_sticky_read_only_or_mounted_is_not_promised() {
    let test = "what_is_sticky_read_only_or_mounted_is_not_promised";
    if !is_root() {
        return left_out(test, "only root can make these trees");
    }
    compare(test, "setpriv --reuid=65534 --regid=65534 --clear-groups", MADE_BY_ROOT);
}

#[test]
fn what_is_immutable_or_append_only_is_not_promised() {
    let test = "what_is_immutable_or_append_only_is_not_promised";
    if !is_root() {
        return left_out(test, "only root can make these trees");
    }
    compare(test, "", AS_ROOT);
}

#[test]
fn a_dry_run_of_what_goes_promises_all_of_it() {
    Installation::new().succeeds(
        "a_dry_run_of_what_goes_promises_all_of_it",
        "mkdir -p d/e; touch d/a d/e/b; ln -s nowhere d/l\n\
         \"$B\" rm -r --dry-run d >out; grep -x 'would remove 3 files and 2 directories (7 bytes)' out\n\
         test -e d/e/b",
    );
}

/// In a dry run neither the progress nor the message after an interrupt says that anything is gone.
#[test]
fn an_interrupt_and_the_progress_tell_what_would_go() {
    let name = "an_interrupt_and_the_progress_tell_what_would_go";
    let flags = "--removable --nested 2,10,40 --plain --latency 5ms";
    for (words, told) in [
        (&["rm", "-r", "--keep-root"][..], " would be removed; the rest was not looked at\n"),
        (&["chmod", "-R", "a-r"], ", 0 failed; the rest was not looked at\n"),
    ] {
        let Some(mounted) = testkit::Mounted::new(name, flags) else { return };
        let mut child = Command::new("env")
            .args(["--default-signal=INT", testkit::brisk()])
            .args(words)
            .args(["--dry-run", "--progress=always", "--threads=2"])
            .arg(mounted.path())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        // The first line of the progress.
        lines.read_line(&mut said).unwrap();
        testkit::run("kill", &["-INT", &child.id().to_string()]);
        lines.read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
        assert!(said.ends_with(told), "{said}");
        assert!(!said.replace("would be removed", "").contains("removed"), "{said}");
    }
}
