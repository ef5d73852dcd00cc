//! Faults while a state is written, and two runs at once.

use std::fs;
use std::process::{Command, Stdio};

use testkit::{left_out, stderr, stdout};

use super::scene::{Scene, code};

/// The most writes of which one is interrupted: a run makes far fewer.
const MOST: usize = 100;

/// Sends a run this signal at each of these calls in turn. Afterwards there is the old state or the
/// new one and, unless the signal is SIGKILL, no temporary.
fn signalled_at(signal: &str, calls: &str, words: &str) {
    let scene = Scene::accepted();
    let old = fs::read(scene.path("s")).unwrap();
    for at in 1..MOST {
        fs::write(scene.path("s"), &old).unwrap();
        scene.write("src/a", &"x".repeat(at));
        let inject = format!("-e trace={calls} -e inject={calls}:signal={signal}:when={at}");
        let run = format!("strace -f -o trace {inject} \"$B\" changed src --state s {words}");
        let output = scene.sh(&run);
        let left = fs::read(scene.path("s")).unwrap();
        if signal != "KILL" {
            let names = scene.script("ls -A");
            assert!(!names.contains("tmp"), "{signal} {calls} {at}: {names}");
        }
        let check = scene.changed("src --state s");
        assert_eq!((code(&check), stderr(&check)), (Some(0), String::new()), "{calls} {at}");
        let told = stdout(&check);
        let expected = if left == old { "M\tsrc/a\n" } else { "" };
        assert_eq!(told, expected, "{calls} {at}");
        if output.status.success() {
            assert_ne!(left, old, "{calls} {at}");
            assert!(at > 1, "{calls} is never called");
            return;
        }
    }
    panic!("{calls}: {MOST} runs were signalled");
}

#[test]
fn whatever_call_a_kill_interrupts_the_state_is_the_old_or_the_new_one() {
    let test = "whatever_call_a_kill_interrupts_the_state_is_the_old_or_the_new_one";
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out(test, "there is no strace");
    }
    for words in ["--save s", "-- true", "--stamp t"] {
        signalled_at("KILL", "write", words);
        signalled_at("KILL", "/^rename", words);
        signalled_at("KILL", "openat", words);
    }
    signalled_at("TERM", "write,/^rename", "--save s");
    signalled_at("TERM", "write,/^rename", "--stamp t");
}

#[test]
fn a_write_that_fails_leaves_the_old_state() {
    let scene = Scene::accepted();
    let old = fs::read(scene.path("s")).unwrap();
    scene.write("src/a", "!");
    let output = scene.sh("ulimit -f 0; b src --state s --save s | cat; exit 0");
    assert!(stderr(&output).contains("cannot write"), "{}", stderr(&output));
    assert_eq!(fs::read(scene.path("s")).unwrap(), old);
    assert_eq!(scene.script("ls"), "s\nsrc\n");
}

#[test]
fn two_runs_at_once_are_both_right_and_one_write_wins() {
    let scene = Scene::accepted();
    for round in 0..30 {
        scene.write("src/a", &"x".repeat(round + 10));
        let start = || {
            let mut command = scene.command();
            command.args(["src", "--state", "s", "--save", "s"]).stdout(Stdio::piped());
            command.stderr(Stdio::piped()).spawn().unwrap()
        };
        let runs = [start(), start()].map(|child| child.wait_with_output().unwrap());
        for output in &runs {
            assert_eq!((code(output), stderr(output)), (Some(0), String::new()), "{round}");
            // The second may see what the first has accepted.
            assert!(["M\tsrc/a\n", ""].contains(&stdout(output).as_str()), "{round}");
        }
        assert!(runs.iter().any(|output| stdout(output) == "M\tsrc/a\n"), "{round}");
        assert!(scene.told().is_empty(), "{round}");
    }
}

#[test]
fn a_temporary_file_that_a_killed_run_left_is_no_entry() {
    let scene = Scene::new();
    scene.lines("src -u --state src/s --save src/s");
    scene.script("cp src/s src/.brisk-tmp-0123456789abcdef; cp src/s src/d");
    scene.script("mkdir src/.brisk-tmp-0123456789abcdee; touch src/.brisk-tmp-0123456789abcdee/f");
    let directory = "A\tsrc/.brisk-tmp-0123456789abcdee";
    let expected = [directory, &format!("{directory}/f"), "A\tsrc/d/s"];
    assert_eq!(scene.lines("src -u --state src/s"), expected);
}

/// Where other users may write beside the state.
#[test]
fn no_link_in_the_place_of_the_lock_is_followed() {
    let scene = Scene::new();
    scene.script("ln -s other s.lock");
    let refused = scene.changed("src --state s -- true");
    assert_eq!(code(&refused), Some(125));
    assert!(!scene.exists("other"));
}

#[test]
fn a_state_is_read_by_its_owner_alone() {
    let scene = Scene::new();
    scene.script("b src --state s --stamp t --save n >out; b src --state m -- true");
    assert_eq!(scene.script("stat -c '%n %a' n m t"), "n 600\nm 600\nt 644\n");
}
