//! How a watch ends, and what it refuses.

use std::fs;
use std::io::{BufRead, BufReader, Read};

use rustix::process::Signal;

use super::super::scene::{Scene, code};
use super::Watch;
use testkit::stderr;

#[test]
fn once_ends_after_the_first_changes() {
    let scene = Scene::accepted();
    let line = "src --state s --save s --once --exit-code";
    let watch = Watch::begin(&scene, line, None);
    scene.write("src/a", "1");
    assert_eq!(watch.line().unwrap(), "M\tsrc/a");
    assert_eq!(watch.end(), (Some(1), String::new()));
    assert!(scene.told().is_empty());
    scene.write("src/a", "22");
    let watch = Watch::begin(&scene, "src --state s --once", Some("exit 7"));
    assert_eq!(watch.end().0, Some(7));
    assert_eq!(scene.told(), ["M\tsrc/a"]);
}

#[test]
fn a_watch_may_end_if_nothing_changes() {
    let scene = Scene::accepted();
    let watch = Watch::begin(&scene, "src --state s --timeout 50 --exit-code", None);
    assert_eq!(watch.end(), (Some(0), String::new()));
    scene.write("src/a", "1");
    let told = scene.lines("src --state s --watch --timeout 0");
    assert_eq!(told, ["M\tsrc/a"], "what changed before is told in any case");
    // The time of COMMAND does not count.
    let script = "echo ran; sleep .2; echo done";
    let watch = Watch::begin(&scene, "src --state s --timeout 50", Some(script));
    assert_eq!((watch.ran().as_str(), watch.line().unwrap().as_str()), ("", "done"));
    assert_eq!(watch.end(), (Some(0), String::new()));
}

#[test]
fn a_watch_may_end_with_its_input() {
    let scene = Scene::accepted();
    let mut watch = Watch::begin(&scene, "src --state s --json --stdin-quit", None);
    watch.batch();
    let mut input = watch.child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"not the end\n").unwrap();
    scene.write("src/a", "1");
    assert_eq!(watch.batch().1, ["M src/a"]);
    drop(input);
    assert_eq!(watch.end(), (Some(0), String::new()));
}

#[test]
fn a_watch_ends_when_its_reader_leaves() {
    let scene = Scene::accepted();
    let words = ["src", "-w", "--json", "--state", "s", "--save", "s"];
    let (watch, output) = Watch::unread(scene.signalled().args(words));
    let mut output = BufReader::new(output);
    let mut head = String::new();
    output.read_line(&mut head).unwrap();
    assert!(head.starts_with("{\"brisk\""), "{head}");
    // Nothing changes from now on: the watch learns of it while it waits.
    drop(output);
    assert_eq!(watch.end().0, Some(0));
}

#[test]
fn what_no_reader_has_taken_is_told_again() {
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    scene.script("b src -w --state s --save s | true");
    assert_eq!(scene.told(), ["M\tsrc/a"]);
    let output = scene.sh("b src -w --state s --save s >/dev/full");
    assert_eq!(code(&output), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot write to standard output"), "{}", stderr(&output));
    assert_eq!(scene.told(), ["M\tsrc/a"]);
}

#[test]
fn of_a_batch_whose_reader_is_killed_nothing_is_lost() {
    let scene = Scene::accepted();
    // More than a pipe holds.
    scene.script("cd src; seq -f 'a_name_that_is_long_enough_%g' 5000 | xargs touch");
    scene.script("b src -w --state s --save s | sh -c 'read -r line; kill -9 $$' || true");
    assert_eq!(scene.told().len(), 5000);
    let lines = "b src -w --state s --save s | sh -c 'head -n 9; kill -9 $$' || true";
    assert_eq!(scene.script(lines).lines().count(), 9);
    assert_eq!(scene.told().len(), 5000);
}

#[test]
fn signals_end_a_watch_cleanly() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let scene = Scene::accepted();
        let watch = Watch::begin(&scene, "src --json --state s --save s", None);
        watch.batch();
        scene.write("src/a", "1");
        watch.batch();
        watch.signal(signal);
        assert_eq!(watch.end(), (Some(code), String::new()));
        assert!(scene.told().is_empty());
        assert_eq!(scene.script("ls -A"), "s\nsrc\n", "no temporary is left");
    }
}

#[test]
fn a_signal_ends_the_wait_for_a_reader_that_has_stopped() {
    let scene = Scene::accepted();
    scene.script(
        "cd src; seq -f 'a_name_that_is_long_enough_for_a_pipe_to_be_full_%g' 3000 | xargs touch",
    );
    let words = ["src", "-w", "--state", "s", "--save", "s"];
    let (watch, mut output) = Watch::unread(scene.signalled().args(words));
    // Of the first line only a byte is read.
    output.read_exact(&mut [0]).unwrap();
    assert_eq!(watch.interrupt().0, Some(130));
    drop(output);
    assert_eq!(scene.told().len(), 3000, "nothing was accepted");
}

#[test]
fn a_watch_that_is_killed_loses_nothing() {
    let scene = Scene::accepted();
    for round in 0..20 {
        let watch = Watch::begin(&scene, "src --state s --save s", None);
        scene.write("src/a", &"x".repeat(round + 10));
        watch.line().unwrap();
        scene.write("src/b", &"x".repeat(round + 10));
        watch.signal(Signal::KILL);
        watch.end();
        let told = scene.lines("src --state s --save s");
        assert!(told.iter().all(|line| line == "M\tsrc/a" || line == "M\tsrc/b"), "{told:?}");
        assert!(scene.told().is_empty());
    }
}

#[test]
fn what_other_watchers_have_is_answered() {
    let scene = Scene::accepted();
    for (line, why) in [
        ("src -w --poll", "there is no --poll: brisk polls by itself"),
        ("src --force-poll -w", "there is no --poll"),
        ("-w src -i *.log", "-E GLOB leaves files out"),
        ("src -w -r", "--restart needs a command"),
        ("src -w --initial", "--initial needs a command"),
        ("src -w --initial --postpone -- x", "cannot be used with"),
        ("src -w --settle soon", "a bare number means milliseconds"),
        ("src -w --stop-signal SIGX -- x", "a signal is needed"),
        ("src -w --on-busy do-nothing -- x", "[possible values: queue, restart]"),
        ("src -w --stamp t", "cannot be used with"),
        ("src -w -n -e rs --state s", "use --dry-run without --watch to look"),
    ] {
        let output = scene.changed(&format!("--timeout 1 {line}"));
        assert!(stderr(&output).contains(why), "{line}: {}", stderr(&output));
    }
    let output = scene.changed("src --restart -- x");
    assert!(stderr(&output).contains("'--restart' requires '--watch'"), "{}", stderr(&output));
}

#[test]
fn a_state_that_cannot_be_saved_ends_the_watch() {
    let scene = Scene::accepted();
    let old = fs::read(scene.path("s")).unwrap();
    scene.write("src/a", "!");
    let output = scene.sh("ulimit -f 0; b src -w --state s --save s | cat");
    assert!(stderr(&output).contains("/s': File too large"), "{}", stderr(&output));
    assert_eq!(fs::read(scene.path("s")).unwrap(), old);
    assert_eq!(scene.told(), ["M\tsrc/a"]);
}
