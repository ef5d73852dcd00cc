//! What a batch has, and when it is accepted.

use std::fs;

use rustix::process::Signal;

use super::super::scene::Scene;
use super::Watch;

const SAVED: &str = "src --state s --save s";

#[test]
fn batches_are_framed_by_heads_and_ends() {
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    let watch = Watch::begin(&scene, &format!("{SAVED} --json"), None);
    let (head, changes) = watch.batch();
    assert_eq!((&head["full"], changes), (&false.into(), vec!["M src/a".to_owned()]));
    scene.rename("src/a", "src/z");
    assert_eq!(watch.batch().1, ["R src/a src/z"]);
    scene.script("mkdir -p src/x/y; echo >src/x/y/f");
    assert_eq!(watch.changes(3), ["A src/x", "A src/x/y", "A src/x/y/f"]);
    fs::remove_dir_all(scene.path("src/d")).unwrap();
    assert_eq!(watch.changes(2), ["D src/d", "D src/d/c"]);
    assert_eq!(watch.interrupt(), (Some(130), String::new()));
    assert!(scene.told().is_empty(), "each batch was accepted");
}

#[test]
fn a_batch_tells_what_is_left_of_its_edits() {
    let scene = Scene::accepted();
    let watch = Watch::begin(&scene, &format!("{SAVED} --json --debounce 300"), None);
    assert!(watch.batch().1.is_empty(), "a head and an end say that the watch has begun");
    scene.script("echo >src/t; rm src/t; echo new >src/a~; mv src/a~ src/a");
    assert_eq!(watch.batch().1, ["M src/a"]);
}

#[test]
fn without_a_state_the_first_batch_is_full() {
    let scene = Scene::new();
    let watch = Watch::begin(&scene, "src --state s --json", None);
    let (head, changes) = watch.batch();
    assert_eq!((&head["full"], changes.len()), (&true.into(), 5));
    assert_eq!(head["reason"], "there is no state yet");
    scene.write("src/a", "1");
    assert_eq!(watch.batch().1, ["M src/a"], "accepted for this watch");
    watch.interrupt();
    assert!(!scene.exists("s"), "--save was not given");
}

#[test]
fn the_state_that_brisk_keeps_begins_with_a_count() {
    let scene = Scene::new();
    let watch = Watch::begin(&scene, "src --timeout 1s", None);
    let (code, told) = watch.end();
    assert_eq!(code, Some(0));
    assert_eq!(told, "brisk: recorded 5 entries; what changes from now on is printed\n");
    scene.write("src/a", "1");
    assert_eq!(Watch::begin(&scene, "src", None).line().unwrap(), "M\tsrc/a");
}

#[test]
fn lines_have_every_form() {
    let scene = Scene::accepted();
    scene.write("src/a", "1");
    let watch = Watch::begin(&scene, "src --state s --format={status}:{/}", None);
    assert_eq!(watch.line().unwrap(), "M:a");
    scene.write("src/b", "1");
    assert_eq!(watch.line().unwrap(), "M:b");
}

#[test]
fn a_dry_run_accepts_nothing_but_in_memory() {
    let scene = Scene::accepted();
    let before = fs::read(scene.path("s")).unwrap();
    let watch = Watch::begin(&scene, "src --state s -n", None);
    for name in ["a", "b"] {
        scene.write(&format!("src/{name}"), "1");
        assert_eq!(watch.line().unwrap(), format!("M\tsrc/{name}"));
    }
    watch.interrupt();
    assert_eq!(fs::read(scene.path("s")).unwrap(), before);
}

#[test]
fn of_a_files_directory_only_the_file_is_told() {
    let scene = Scene::new();
    scene.lines("src/a --state s --save s");
    let watch = Watch::begin(&scene, "src/a --state s --save s --json", None);
    assert!(watch.batch().1.is_empty());
    scene.script("echo >src/new; echo >src/b; echo 1 >>src/a");
    assert_eq!(watch.batch().1, ["M src/a"]);
    scene.script("echo saved >src/a~; mv src/a~ src/a");
    let (head, changes) = watch.batch();
    assert_eq!((&head["full"], changes), (&false.into(), vec!["M src/a".to_owned()]));
    assert_eq!(watch.interrupt(), (Some(130), String::new()));
    assert!(scene.lines("src/a --state s --save s").is_empty(), "each batch was accepted");
}

#[test]
fn a_file_about_which_no_events_come_is_polled() {
    let scene = Scene::new();
    let mut watch = Watch::begin(&scene, "/proc/version --timeout 1s", None);
    watch.wait();
    let told = watch.end().1;
    let why = "does not report changes by others: polling it";
    assert!(told.contains("'/proc/version': ") && told.contains(why), "{told}");
}

#[test]
fn roots_may_be_several_and_in_each_other() {
    let scene = Scene::new();
    scene.script("mkdir other; echo >other/o");
    let roots = "src src/d other";
    scene.lines(&format!("{roots} --state s --save s"));
    let watch = Watch::begin(&scene, &format!("{roots} --state s --json"), None);
    watch.batch();
    scene.write("src/d/c", "1");
    assert_eq!(watch.batch().1, ["M src/d/c"], "told once");
    scene.write("other/p", "1");
    assert_eq!(watch.batch().1, ["A other/p"]);
}

#[test]
fn filters_and_ignore_rules_decide_what_is_told() {
    let scene = Scene::new();
    scene.script("git init -q src; echo '*.o' >src/.gitignore");
    scene.lines("src -e rs -e o --state s --save s");
    let watch = Watch::begin(&scene, "src -e rs -e o --state s --json", None);
    watch.batch();
    scene.script("echo >src/x.o; echo >src/x.txt; echo >src/x.rs");
    assert_eq!(watch.batch().1, ["A src/x.rs"]);
    scene.write("src/.gitignore", "");
    assert_eq!(watch.batch().1, ["A src/x.o"], "no longer ignored");
}

#[test]
fn a_root_that_goes_away_may_come_back() {
    let scene = Scene::accepted();
    let watch = Watch::begin(&scene, "src --state s --json", None);
    watch.batch();
    scene.rename("src", "away");
    scene.write("away/a", "1");
    scene.rename("away", "src");
    let (head, changes) = watch.batch();
    assert_eq!(changes, ["M src/a"]);
    assert!(head["reason"].as_str().is_none_or(|reason| reason.contains("moved")), "{head}");
}

#[test]
fn what_happens_while_a_watch_is_stopped_is_told_with_its_reason() {
    let scene = Scene::accepted();
    let watch = Watch::begin(&scene, "src --state s --json", None);
    watch.batch();
    watch.signal(Signal::STOP);
    scene.script("cd src/d; seq 20000 | xargs mkdir");
    watch.signal(Signal::CONT);
    let (head, changes) = watch.batch();
    assert_eq!((&head["full"], changes.len()), (&true.into(), 20_000));
    assert_eq!(head["reason"], "the system's queue of events overflowed");
    scene.write("src/d/20000/a", "1");
    assert_eq!(watch.batch().1, ["A src/d/20000/a"]);
}
