//! Signals end the program, which cleans up, and the exit code says so.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use testkit::{brisk, stderr};

use crate::rm::prompts::Asking;

const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

#[test]
fn each_signal_ends_a_question_with_its_exit_code() {
    for (signal, code) in SIGNALS {
        let place = testkit::scratch();
        std::fs::write(place.path().join("a"), "").unwrap();
        let (status, said, at_once) = Asking::start(place.path(), "\"$B\" rm -i a").after(signal);
        assert!(place.path().join("a").exists(), "{signal}");
        assert!(at_once, "{signal}: the question went on");
        assert_eq!(status.code(), Some(code), "{signal}: {said}");
    }
}

/// The entries of a directory whose names begin like copies.
fn copies(place: &Path) -> Vec<String> {
    let names = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    names.filter(|name| name.starts_with(".brisk-bench-")).collect()
}

/// Starts `brisk bench rm` with an `rm` that never ends, and signals it when it has reached that
/// program. Returns how it ended.
fn interrupted(place: &Path, signals: &[&str]) -> std::process::Output {
    let bin = place.join("bin");
    let started = place.join("started");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(place.join("tree/a")).unwrap();
    let script = format!("#!/bin/sh\necho >'{}'\nexec sleep 20\n", started.display());
    for (name, text) in [("rm", &script[..]), ("find", "#!/bin/sh\nexit 1\n")] {
        std::fs::write(bin.join(name), text).unwrap();
        testkit::run("chmod", &["755", bin.join(name).to_str().unwrap()]);
    }
    let child = Command::new("env")
        .args(["--default-signal=INT,TERM,HUP", brisk(), "bench", "rm", "--runs=1", "tree"])
        .current_dir(place)
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !started.exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "rm is not reached");
        std::thread::yield_now();
    }
    assert_eq!(copies(place).len(), 1, "a copy is there");
    let pid = child.id().to_string();
    let words: Vec<String> = signals.iter().map(|signal| format!("kill -{signal} {pid}")).collect();
    Command::new("sh").args(["-c", &words.join(";")]).status().unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn signals_leave_no_copy_behind_a_measurement() {
    for (signal, code) in SIGNALS {
        let place = testkit::scratch();
        let began = Instant::now();
        let output = interrupted(place.path(), &[signal]);
        assert_eq!(copies(place.path()), [""; 0], "{signal}");
        assert_eq!(output.status.code(), Some(code), "{signal}: {}", stderr(&output));
        assert!(began.elapsed() < Duration::from_secs(15), "{signal}: the program went on");
        assert!(place.path().join("tree/a").exists());
    }
}

#[test]
fn a_signal_leaves_no_directories_that_were_made_to_be_read() {
    let place = testkit::scratch();
    std::fs::create_dir(place.path().join("d")).unwrap();
    let child = Command::new("env")
        .args(["--default-signal=TERM", brisk(), "bench", "attrs", "--runs=1000000"])
        .args(["--files=10,20", "d"])
        .current_dir(place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while copies(place.path()).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "no directory is made");
        std::thread::yield_now();
    }
    testkit::run("kill", &["-TERM", &child.id().to_string()]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", stderr(&output));
    assert_eq!(copies(place.path()), [""; 0]);
}

/// timeout(1) signals its child and then its group; a shell repeats its terminal's SIGHUP.
#[test]
fn a_repeated_signal_leaves_no_copy_either() {
    let place = testkit::scratch();
    let output = interrupted(place.path(), &["TERM", "TERM", "HUP", "HUP"]);
    assert_eq!(copies(place.path()), [""; 0], "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(143), "{}", stderr(&output));
}
