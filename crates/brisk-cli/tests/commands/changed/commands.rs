//! COMMAND: when it runs, on what, and when the state is accepted.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;
use testkit::{brisk, left_out, obedient, stderr, stdout};

use super::scene::{Scene, code};

#[test]
fn the_command_runs_if_something_changed() {
    let scene = Scene::accepted();
    let run = || stdout(&scene.changed("src --state s -- echo ran"));
    assert_eq!(run(), "");
    scene.write("src/a", "!");
    assert_eq!(run(), "ran\n");
    assert_eq!(run(), "", "the state was accepted");
    assert_eq!(scene.script("ls -A"), "s\ns.lock\nsrc\n");
}

#[test]
fn a_command_that_fails_leaves_the_state_and_its_status_is_passed_on() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    let before = fs::read(scene.path("s")).unwrap();
    let output = scene.command().args(["src", "--state", "s", "--", "sh", "-c", "exit 7"]).output();
    assert_eq!(code(&output.unwrap()), Some(7));
    let killed =
        scene.command().args(["src", "--state", "s", "--", "sh", "-c", "kill -9 $$"]).output();
    assert_eq!(code(&killed.unwrap()), Some(137));
    assert_eq!(fs::read(scene.path("s")).unwrap(), before);
    assert_eq!(scene.script("ls -A"), "s\ns.lock\nsrc\n");
    assert_eq!(scene.told(), ["M\tsrc/a"]);
}

#[test]
fn what_is_edited_while_the_command_runs_is_seen_next_time() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    scene.changed("src --state s -- cp src/a src/b");
    assert_eq!(scene.told(), ["M\tsrc/b"]);
}

#[test]
fn braces_become_the_paths_that_are_there() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    scene.write("src/n w", "!");
    scene.rename("src/b", "src/z");
    fs::remove_file(scene.path("src/d/c")).unwrap();
    let told = stdout(&scene.changed("src --state s -- printf [%s] {} x{} {}"));
    let paths = "[src/a][src/n w][src/z]";
    assert_eq!(told, format!("{paths}[x{{}}]{paths}"));
}

#[test]
fn nothing_is_appended_to_a_command_without_braces() {
    let scene = Scene::new();
    assert_eq!(stdout(&scene.changed("src --state s -- printf [%s] x")), "[x]");
    fs::remove_file(scene.path("src/a")).unwrap();
    let told = stdout(&scene.changed("src --state s -- printf [%s] x {}"));
    assert_eq!(told, "[x]", "what is gone has no path");
}

#[test]
fn a_name_that_begins_with_a_dash_is_no_option() {
    let scene = Scene::new();
    scene.script("cd src; rm -r a b d; echo there >-n");
    let told = scene.script(
        "cd src; b --state ../s -t f -- cat {}; printf x >-n; \
                             b --state ../s -t f --stdin0 -- cat",
    );
    assert_eq!(told, "there\n./-n\0");
}

#[test]
fn too_many_paths_run_nothing() {
    let scene = Scene::new();
    scene.script(
        "cd src; seq -f 'a_name_that_is_long_enough_for_the_room_to_end_%g' 3000 | xargs touch",
    );
    // A quarter of the stack is the room for arguments.
    let output = scene.sh("ulimit -s 512; b src -t f --state s -- touch ran {}");
    assert_eq!(code(&output), Some(125), "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("3003 paths are too many") && told.contains("--stdin0"), "{told}");
    assert!(!scene.exists("ran") && !scene.exists("s"));
    let told = scene.script("ulimit -s 512; b src -t f --state s --stdin0 -- tr -dc '\\0' | wc -c");
    assert_eq!(told, "3003\n");
}

#[test]
fn a_file_of_json_lines_has_the_changes() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    fs::remove_file(scene.path("src/b")).unwrap();
    let told =
        scene.script("b src --state s -- sh -c 'cat \"$BRISK_CHANGED\"; echo ${BRISK_FULL-no}'");
    let lines: Vec<&str> = told.lines().collect();
    let change: Value = serde_json::from_str(lines[2]).unwrap();
    assert_eq!((&change["path"], &change["status"]), (&"src/b".into(), &"D".into()));
    assert_eq!(lines[3], "{\"end\":true,\"count\":2}");
    assert_eq!(lines[4], "no");
    let told =
        scene.script("b src --state new -- sh -c 'echo $BRISK_FULL; ls ${BRISK_CHANGED%/*}'");
    assert!(told.starts_with("1\n"), "{told}");
    assert_eq!(scene.script("ls -A"), "new\nnew.lock\ns\ns.lock\nsrc\n");
}

#[test]
fn standard_input_is_inherited_or_gives_the_paths() {
    let scene = Scene::new();
    assert_eq!(scene.script("echo in | b src --state s -- cat"), "in\n");
    fs::remove_file(scene.path("s")).unwrap();
    let told = scene.script("echo in | b src --state s --stdin0 -t f -- cat");
    assert_eq!(told, "src/a\0src/b\0src/d/c\0");
}

#[test]
fn a_command_that_cannot_be_run_is_126_or_127() {
    let scene = Scene::new();
    let missing = scene.changed("src --state s -- no-such-program");
    assert_eq!(code(&missing), Some(127));
    assert!(stderr(&missing).contains("cannot run 'no-such-program'"), "{}", stderr(&missing));
    assert_eq!(code(&scene.changed("src --state s -- src/a")), Some(126));
    assert_eq!(scene.script("ls -A"), "s.lock\nsrc\n");
}

#[test]
fn the_list_is_not_printed_to_a_command_s_reader() {
    let scene = Scene::new();
    let output = scene.changed("src --state s -- true");
    assert_eq!((stdout(&output), stderr(&output)), (String::new(), String::new()));
}

#[test]
fn outputs_of_the_command_are_left_out() {
    let scene = Scene::new();
    let run = "src --state s --output *.o --output out -- touch src/x.o src/out";
    assert_eq!(code(&scene.changed(run)), Some(0));
    let output = scene.changed("src --state s --output *.o --output out -- echo ran");
    assert_eq!(stdout(&output), "");
    assert!(scene.exists("src/x.o"));
}

#[test]
fn with_a_command_the_new_state_may_have_another_name() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    assert_eq!(code(&scene.changed("src --state s --save n -- true")), Some(0));
    assert_eq!(scene.told(), ["M\tsrc/a"]);
    scene.rename("n", "s");
    assert!(scene.told().is_empty());
}

#[test]
fn a_full_disk_is_noticed_before_the_command_runs() {
    let scene = Scene::new();
    let output = scene.sh("ulimit -f 0; b src --state s -- touch ran");
    assert_eq!(code(&output), Some(125), "{}", stderr(&output));
    assert!(!scene.exists("ran") && !scene.exists("s"));
}

/// The state is accepted without what is unknown: a later run tells that, and nothing twice.
#[test]
fn trouble_with_a_command_is_125_if_the_command_succeeds() {
    let test = "trouble_with_a_command_is_125_if_the_command_succeeds";
    let scene = Scene::accepted();
    scene.script("echo >src/d/c; chmod 000 src/d; echo >src/a");
    let command = "echo ran >>ran; exit";
    for (exit_of_command, exit, ran) in [("1", 1, 1), ("0", 125, 2), ("0", 125, 2)] {
        let Some(obedient) = obedient(brisk()) else {
            return left_out(test, "root cannot give up its rights");
        };
        let command = format!("{command} {exit_of_command}");
        let words = ["src", "--state", "s", "--stamp", "t", "--depfile", "p"];
        let words = [&["changed"], &words[..], &["--", "sh", "-c", &command]].concat();
        let output = scene.prepared(obedient, &words).output().unwrap();
        assert_eq!(code(&output), Some(exit), "{}", stderr(&output));
        assert_eq!(scene.read("ran").lines().count(), ran, "the only known change is told once");
        assert!(!scene.exists("t") && !scene.exists("p"), "a build must not take it for known");
    }
    scene.script("chmod 755 src/d");
    assert_eq!(scene.lines("src --state s --stamp t --depfile p"), ["M\tsrc/d", "M\tsrc/d/c"]);
    assert!(scene.exists("t") && scene.exists("p"));
}

/// A command that has begun and ends when its standard input does.
fn begun(scene: &Scene, words: &[&str]) -> std::process::Child {
    let mut command = scene.signalled();
    let mut child = command
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    child
}

const WAITS: [&str; 7] = ["src", "--state", "s", "--", "sh", "-c", "echo begun; cat"];

#[test]
fn one_command_runs_at_a_time_and_waiting_is_said() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    let mut first = begun(&scene, &WAITS);
    let refused = scene.changed("src --state s --no-wait -- echo ran");
    assert_eq!(code(&refused), Some(125));
    assert!(stderr(&refused).contains("another brisk"), "{}", stderr(&refused));
    let words = ["src", "--state", "s", "--", "echo", "ran"];
    let second = scene.command().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut second = second.unwrap();
    let mut said = String::new();
    BufReader::new(second.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert!(said.contains("waiting for another brisk"), "{said}");
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    let second = second.wait_with_output().unwrap();
    assert_eq!((code(&second), stdout(&second)), (Some(0), String::new()), "nothing was left");
}

#[test]
fn a_signal_ends_the_command_and_nothing_is_accepted() {
    for (signal, exit) in [("INT", 130), ("TERM", 143)] {
        let scene = Scene::accepted();
        scene.write("src/a", "!");
        let mut child = begun(&scene, &WAITS);
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        // brisk has passed the signal on, and the command does not wait for its input.
        assert_eq!(child.wait().unwrap().code(), Some(exit), "{signal}");
        assert_eq!(scene.told(), ["M\tsrc/a"]);
        assert_eq!(scene.script("ls -A"), "s\ns.lock\nsrc\n");
    }
}

#[test]
fn a_command_that_survives_an_interrupt_is_not_accepted_either() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    let trap = "trap : INT; echo begun; cat; exit 0";
    let words = ["src", "--state", "s", "--", "sh", "-c", trap];
    let mut child = begun(&scene, &words);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(scene.told(), ["M\tsrc/a"]);
}
