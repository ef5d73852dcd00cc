//! How COMMAND is stopped: with its group, and never half.

use rustix::process::Signal;
use testkit::pause;

use super::super::scene::Scene;
use super::{Watch, is_alive};

/// Writes its number and that of a child, and waits for the child.
const LONG: &str = "echo $$ >pid; sleep 1000 & echo $! >child; echo ran \"$@\"; wait";

#[test]
fn restart_stops_the_command_and_starts_it_on_everything() {
    let scene = Scene::accepted();
    let script = "trap 'echo bye; exit 0' TERM; echo $$ >pid$#; echo ran \"$@\"; \
                  sleep 1000 & wait";
    let watch = Watch::begin(&scene, "src --state s -r", Some(script));
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "src/a");
    assert!(is_alive(&scene, "pid1"));
    scene.write("src/b", "1");
    assert_eq!(watch.line().unwrap(), "bye");
    assert_eq!(watch.ran(), "src/a src/b", "a command that was stopped has not succeeded");
    assert!(!is_alive(&scene, "pid1"));
    let (code, _) = watch.interrupt();
    assert_eq!(code, Some(130));
    assert!(!is_alive(&scene, "pid2"));
    assert_eq!(scene.told(), ["M\tsrc/a", "M\tsrc/b"]);
}

#[test]
fn a_group_that_ignores_the_signal_is_killed() {
    let scene = Scene::accepted();
    let script =
        format!("trap '' TERM; {}", LONG.replace("pid", "pid$#").replace("child", "child$#"));
    let line = "src --state s --on-busy restart --stop-timeout 50";
    let watch = Watch::begin(&scene, line, Some(&script));
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "src/a");
    scene.write("src/b", "1");
    assert_eq!(watch.ran(), "src/a src/b");
    assert!(!is_alive(&scene, "pid1") && !is_alive(&scene, "child1"), "with what it has started");
    watch.interrupt();
    assert!(!is_alive(&scene, "pid2") && !is_alive(&scene, "child2"));
}

#[test]
fn what_an_ended_command_has_left_running_is_stopped_too() {
    let scene = Scene::accepted();
    let script = "sleep 1000 >/dev/null & echo $! >child$#; echo ran \"$@\"";
    let watch = Watch::begin(&scene, "src --state s -r", Some(script));
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "src/a");
    scene.script("echo 1 >src/b; echo 1 >src/d/c; echo 1 >src/n");
    while !watch.ran().contains("src/n") {}
    assert!(!is_alive(&scene, "child1"));
}

#[test]
fn the_signal_can_be_chosen() {
    let scene = Scene::accepted();
    let script = "trap 'echo usr1' USR1; echo ran; sleep 1000 & wait; wait";
    let line = "src --state s --stop-signal sigusr1 --stop-timeout 50";
    let watch = Watch::begin(&scene, line, Some(script));
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "");
    watch.signal(Signal::INT);
    assert_eq!(watch.line().unwrap(), "usr1");
    assert_eq!(watch.end().0, Some(130));
}

#[test]
fn a_signal_stops_the_command_with_its_group() {
    for signal in [Signal::INT, Signal::TERM, Signal::QUIT] {
        let scene = Scene::accepted();
        let watch = Watch::begin(&scene, "src --state s", Some(LONG));
        scene.write("src/a", "1");
        assert_eq!(watch.ran(), "src/a");
        watch.signal(signal);
        assert_eq!(watch.end().0, Some(128 + signal.as_raw()));
        assert!(!is_alive(&scene, "pid") && !is_alive(&scene, "child"), "{signal:?}");
        assert_eq!(scene.told(), ["M\tsrc/a"]);
        assert_eq!(scene.script("ls -A"), "child\npid\ns\ns.lock\nsrc\n");
    }
}

#[test]
fn what_a_command_was_killed_on_comes_again() {
    let scene = Scene::accepted();
    let script = format!("test -e good && echo ran \"$@\" && exit; {LONG}");
    let watch = Watch::begin(&scene, "src --state s --save s", Some(&script));
    scene.write("src/a", "1");
    for round in 0..3 {
        assert_eq!(watch.ran(), "src/a");
        scene.script("kill -9 -$(cat pid)");
        assert_eq!(scene.told(), ["M\tsrc/a"]);
        scene.write("src/a", &"x".repeat(round + 10));
    }
    assert_eq!(watch.ran(), "src/a");
    scene.write("good", "");
    scene.write("src/b", "1");
    scene.script("kill -9 -$(cat pid)");
    assert_eq!(watch.ran(), "src/a src/b");
}

#[test]
fn a_second_signal_kills_the_group_and_the_watch() {
    let scene = Scene::accepted();
    let script = format!("trap '' TERM; {LONG}");
    let watch = Watch::begin(&scene, "src --state s", Some(&script));
    scene.write("src/a", "1");
    assert_eq!(watch.ran(), "src/a");
    watch.signal(Signal::INT);
    // So soon after the first one it would be a repetition.
    pause(std::time::Duration::from_millis(300));
    watch.signal(Signal::INT);
    assert_eq!(watch.end().0, None, "ended by the signal");
    // Its output has ended, so no process has it.
    let gone = || {
        !is_alive(&scene, "pid")
            || scene.sh("grep -q '^State:.Z' /proc/$(cat pid)/status").status.success()
    };
    while !gone() {
        std::thread::yield_now();
    }
}

#[test]
fn the_reader_of_the_command_may_leave() {
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    let script = format!("b src -w --state s -- sh -c '{LONG}' | head -n 1");
    assert_eq!(scene.script(&script), "ran\n");
    assert!(!is_alive(&scene, "pid") && !is_alive(&scene, "child"));
}
