//! A signal ends the count.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use testkit::{Mounted, brisk, left_out, run};

/// A tree that takes a worker two minutes.
const SLOW: &str = "--dirs 1000 --files 5 --latency 20ms";

/// Ctrl-C on a terminal: the line of progress goes.
#[test]
fn an_interrupted_count_leaves_no_line_of_progress() {
    let test = "an_interrupted_count_leaves_no_line_of_progress";
    let Some(mounted) = Mounted::new(test, SLOW) else { return };
    let path = mounted.path().display();
    let reset = "env --default-signal=INT";
    let count = format!("{reset} {} du -j1 --progress=always {path}", brisk());
    let mut script = Command::new("script");
    script.args(["-qec", &count, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut script) = script.spawn() else { return left_out(test, "there is no script") };
    let mut output = script.stdout.take().unwrap();
    let mut printed = Vec::new();
    while !String::from_utf8_lossy(&printed).contains(" entries a second") {
        let mut some = [0; 256];
        let read = output.read(&mut some).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&printed));
        printed.extend_from_slice(&some[..read]);
    }
    let mut keys = script.stdin.take().unwrap();
    keys.write_all(b"\x03").unwrap();
    output.read_to_end(&mut printed).unwrap();
    assert_eq!(script.wait().unwrap().code(), Some(130));
    drop(keys);
    let printed = String::from_utf8_lossy(&printed);
    assert!(printed.ends_with("\r\x1b[K"), "{printed:?}");
}

#[test]
fn an_interrupted_count_ends_with_a_whole_object() {
    let test = "an_interrupted_count_ends_with_a_whole_object";
    let Some(mounted) = Mounted::new(test, SLOW) else { return };
    let path = mounted.path().to_str().unwrap();
    for signal in ["INT", "TERM"] {
        let reset = ["--default-signal", brisk(), "du", "-j8", "-a", "--json", path];
        let mut count = Command::new("env").args(reset).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(count.stdout.take().unwrap());
        let mut text = String::new();
        for _ in 0..20 {
            output.read_line(&mut text).unwrap();
        }
        run("kill", &["-s", signal, &count.id().to_string()]);
        output.read_to_string(&mut text).unwrap();
        let status = count.wait().unwrap();
        let expected = if signal == "INT" { 130 } else { 143 };
        assert_eq!(status.code().or(status.signal().map(|signal| 128 + signal)), Some(expected));
        assert!(text.ends_with('\n') && text.lines().count() >= 20, "{text:?}");
        for line in text.lines() {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(object["path"].is_string());
        }
    }
    let shell = "timeout --preserve-status -s INT 1 $0 du -j1 -s $1";
    let status = Command::new("sh").args(["-c", shell, brisk(), path]).status().unwrap();
    assert_eq!(status.code(), Some(130));
}
