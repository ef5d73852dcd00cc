//! COMMAND of a watch: when it runs, and on what.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use testkit::{stderr, terminal};

use super::super::scene::{Scene, end_of};
use super::Watch;

const SAY: &str = "echo ran \"$@\"";

#[test]
fn each_batch_starts_the_command() {
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    let watch = Watch::begin(&scene, "src --state s", Some(SAY));
    assert_eq!(watch.ran(), "src/a");
    scene.script("rm src/b; echo >src/n");
    // The two edits may be two batches, of which the first has no paths.
    while watch.ran() != "src/n" {}
    // Each batch is accepted once the command has ended.
    while !scene.told().is_empty() {
        std::thread::yield_now();
    }
    let (code, told) = watch.interrupt();
    assert_eq!((code, told.as_str()), (Some(130), ""));
    assert_eq!(scene.script("ls -A"), "s\ns.lock\nsrc\n");
}

#[test]
fn the_command_gets_paths_and_lists_as_without_a_watch() {
    let scene = Scene::accepted();
    let mut command = scene.signalled();
    let script = "tr '\\0' ' '; sed -n 2p \"$BRISK_CHANGED\"; echo ${BRISK_FULL-no}";
    command.args(["src", "-w", "--state", "s", "--stdin0", "--", "sh", "-c", script]);
    let watch = Watch::of(&mut command);
    scene.write("src/a", "1");
    let line = watch.line().unwrap();
    assert!(line.starts_with("src/a {\"path\":\"src/a\",\"status\":\"M\""), "{line}");
    assert_eq!(watch.line().unwrap(), "no");
}

#[test]
fn the_command_reads_nothing_of_standard_input() {
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    let watch = Watch::begin(&scene, "src --state s --once", Some("cat; echo ran"));
    assert_eq!(watch.ran(), "");
    assert_eq!(watch.end().0, Some(0));
}

#[test]
fn what_the_command_has_failed_on_comes_again() {
    let scene = Scene::accepted();
    let watch = Watch::begin(
        &scene,
        "src --state s",
        Some("test -e good; good=$?; echo ran \"$@\"; exit $good"),
    );
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "src/a");
    scene.write("src/a", "22");
    assert_eq!(watch.ran(), "src/a", "a second edit of the same file");
    assert_eq!(scene.told(), ["M\tsrc/a"]);
    scene.write("good", "");
    scene.write("src/b", "1");
    assert_eq!(watch.ran(), "src/a src/b");
    scene.write("src/d/c", "1");
    assert_eq!(watch.ran(), "src/d/c");
}

#[test]
fn a_command_that_is_killed_has_failed() {
    let scene = Scene::accepted();
    let script = "test -e good; good=$?; echo ran \"$@\"; test $good = 0 || kill -9 $$";
    let watch = Watch::begin(&scene, "src --state s", Some(script));
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "src/a");
    scene.write("good", "");
    scene.write("src/b", "1");
    assert_eq!(watch.ran(), "src/a src/b");
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    let watch = Watch::begin(&scene, "src --state s --once", Some("kill -9 $$"));
    assert_eq!(watch.end().0, Some(137));
}

#[test]
fn a_command_that_is_not_there_may_appear() {
    let scene = Scene::accepted();
    let mut command = scene.signalled();
    command.args(["src", "-w", "--state", "s", "--timeout", "1s", "--", "./tool", "{}"]);
    scene.write("src/a", "1");
    let (code, told) = Watch::of(&mut command).end();
    assert_eq!(code, Some(127));
    assert!(told.contains("cannot run './tool'"), "{told}");
    let mut unknown = scene.signalled();
    unknown.args(["src", "-w", "--state", "s", "--", "no-such-program", "{}"]);
    assert_eq!(Watch::of(&mut unknown).end().0, Some(127));
    let watch = Watch::of(&mut command);
    watch.messages.next().unwrap();
    scene.script("printf '#!/bin/sh\\necho ran $@\\n' >t; chmod +x t; mv t tool; echo >src/b");
    assert_eq!(watch.ran(), "src/a src/b");
}

#[test]
fn why_a_command_fails_is_said_once_for_each_cause() {
    let scene = Scene::accepted();
    let watch = Watch::begin(
        &scene,
        "src --state s",
        Some("code=$(cat src/code); echo ran \"$@\"; exit $code"),
    );
    for code in ["1", "1 ", "2", "0", "2 "] {
        scene.write("src/code", code);
        assert_eq!(watch.ran(), "src/code");
    }
    for code in [1, 2, 2] {
        let failed = format!("brisk: 'sh' failed (exit status: {code}); the changes stay pending");
        assert_eq!(watch.messages.next().unwrap(), failed);
    }
    drop(watch);
    let mut command = scene.signalled();
    command.args(["src", "-w", "--state", "s", "--timeout", "1s", "--", "./tool"]);
    let watch = Watch::of(&mut command);
    let first = watch.messages.next().unwrap();
    assert_eq!(first, "brisk: cannot run './tool': No such file or directory");
    scene.write("src/a", "1");
    assert_eq!(watch.end(), (Some(127), String::new()), "it is not said again");
}

#[test]
fn what_changes_meanwhile_is_the_next_batch() {
    let scene = Scene::accepted();
    // The command itself makes the edit that comes meanwhile.
    let script = "echo ran \"$@\"; test -e src/n || echo >src/n";
    let watch = Watch::begin(&scene, "src --state s", Some(script));
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "src/a");
    assert_eq!(watch.ran(), "src/n");
}

#[test]
fn a_command_that_starts_itself_is_told() {
    let scene = Scene::accepted();
    // Its end comes after the message, if that comes at all.
    let script = "echo >>src/log; echo ran; test $(wc -l <src/log) -lt 9 || kill -INT $PPID";
    let watch = Watch::begin(&scene, "src --state s", Some(script));
    scene.write("src/a", "1");
    let (_, told) = watch.end();
    assert_eq!(
        told,
        "brisk: the command keeps changing what starts it: 'src/log'; leave out what \
         it writes with --output GLOB\n"
    );
    let scene = Scene::new();
    let line = "src --state s --output log --timeout 500ms";
    let watch = Watch::begin(&scene, line, Some(script));
    let (_, told) = watch.end();
    assert_eq!((told.as_str(), scene.read("src/log").as_str()), ("", "\n"), "it ran once");
}

#[test]
fn what_was_only_touched_starts_nothing_if_contents_decide() {
    let scene = Scene::new();
    scene.lines("src --content --state s --save s");
    let watch = Watch::begin(&scene, "src --content --state s", Some(SAY));
    scene.script("touch src/a; echo >src/b");
    assert_eq!(watch.ran(), "src/b");
}

#[test]
fn initial_runs_the_command_at_once() {
    let scene = Scene::accepted();
    let watch = Watch::begin(&scene, "src --state s --initial", Some(SAY));
    assert_eq!(watch.ran(), "");
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "src/a");
}

#[test]
fn postpone_waits_for_the_first_change() {
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    let watch = Watch::begin(&scene, "src --state s --postpone --timeout 500ms", Some(SAY));
    assert_eq!((watch.line(), watch.end().0), (None, Some(0)), "nothing ran");
    let line = "src --state s --postpone --explain";
    let watch = Watch::begin(&scene, line, Some(SAY));
    // What --explain says comes after the first look.
    watch.messages.next().unwrap();
    scene.write("src/b", "1");
    assert_eq!(watch.ran(), "src/a src/b");
}

/// brisk's own state is made then, as in a first run without a command.
#[test]
fn postpone_begins_with_now_in_a_first_run() {
    let scene = Scene::new();
    let watch = Watch::begin(&scene, "src --postpone", Some(SAY));
    let told = watch.messages.next().unwrap();
    let now = "brisk: recorded 5 entries; the command runs on what changes from now on";
    assert_eq!(told, now);
    scene.write("src/b", "1");
    assert_eq!(watch.ran(), "src/b");
}

#[test]
fn clear_clears_terminals_alone() {
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    let clears = |text: &[u8]| text.windows(4).any(|part| part == b"\x1b[2J");
    let (ours, theirs) = terminal(80);
    let mut command = scene.signalled();
    command.args(["src", "--state", "s", "--watch", "--once", "--clear"]);
    let mut child = command.stdout(Stdio::from(theirs)).spawn().unwrap();
    assert!(end_of(&mut child).expect("it ends").success());
    drop(command);
    let mut text = Vec::new();
    let _ = fs::File::from(ours).read_to_end(&mut text);
    assert!(clears(&text), "{text:?}");
    let piped = scene.changed("src --state s --watch --once --clear");
    assert_eq!(piped.stdout, b"M\tsrc/a\n", "{}", stderr(&piped));
}

#[test]
fn the_first_look_alone_shows_its_progress() {
    let scene = Scene::accepted();
    scene.script("mkdir t; cd t; seq 300 | xargs mkdir; seq -f %g/a 300 | xargs touch");
    let (ours, theirs) = terminal(80);
    let mut command = scene.signalled();
    command.args(["t", "--state", "n", "--watch", "--json", "--progress=always"]);
    let watch = Watch::told_on(&mut command, theirs);
    watch.batch();
    scene.write("t/1/b", "");
    assert_eq!(watch.batch().1, ["A t/1/b"]);
    drop((watch, command));
    let mut text = Vec::new();
    let _ = fs::File::from(ours).read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains(" entries a second"), "{text:?}");
    assert!(text.ends_with("\x1b[K"), "{text:?}");
}

#[test]
fn a_rule_that_cannot_be_read_runs_nothing() {
    let scene = Scene::new();
    scene.write("src/.ignore", "{\n");
    let watch = Watch::begin(&scene, "src --state s --timeout 200ms", Some(SAY));
    let (_, told) = watch.end();
    assert!(told.contains("not running the command: not all ignore rules are known"), "{told}");
    let watch = Watch::begin(&scene, "src --state s", Some(SAY));
    scene.write("src/.ignore", "x");
    assert!(watch.ran().contains("src/a"), "the rules are known now");
}
