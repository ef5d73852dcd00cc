//! `brisk bench storage`: what it reports, that nothing of it is left, and its sentences on file systems
//! of which they are true.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::{LoopMount, Mounted, left_out, unshared};

/// How the sentences begin, and a word of each that no other one has.
const SENTENCES: [(&str, &str); 4] = [
    ("opens", "something inspects opens"),
    ("waits", "in flight give"),
    ("attributes", "listing brings attributes"),
    ("renames", "renames are serial"),
];

fn bench(words: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(testkit::brisk());
    command.args(["bench", "storage"]).args(words).arg(dir);
    command
}

fn report(dir: &Path) -> Value {
    let output = bench(&["--json"], dir).output().unwrap();
    assert!(output.status.success(), "{}", testkit::stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The names of the sentences in the notes.
fn told(report: &Value) -> Vec<&'static str> {
    let notes = report["notes"].to_string();
    // "renames are serial" has the words of `waits` too.
    let others = notes.split("\",\"").filter(|note| !note.contains("renames are serial"));
    let others = others.collect::<Vec<_>>().join("\n");
    let is_told = |(name, words): &(&str, &str)| {
        if *name == "renames" { notes.contains(words) } else { others.contains(words) }
    };
    SENTENCES.into_iter().filter(is_told).map(|(name, _)| name).collect()
}

fn entries(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|it| it.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

/// A mount whose entries can be made, and the directory that it shows.
fn mounted(test: &str, flags: &str) -> Option<(Mounted, tempfile::TempDir)> {
    let place = testkit::scratch();
    let flags = format!("--mirror {} --writable {flags}", place.path().display());
    Some((Mounted::new(test, &flags)?, place))
}

/// In memory no request waits, so no sentence is true.
#[test]
fn every_kind_of_request_is_measured_and_nothing_stays() {
    let place = testkit::scratch();
    let dir = place.path().join("dir");
    fs::create_dir(&dir).unwrap();
    let report = report(&dir);
    assert_eq!(told(&report), [""; 0], "{report}");
    let lines = report["methods"].as_array().unwrap();
    let requests: Vec<&Value> = lines.iter().filter(|line| line["group"] == "Requests").collect();
    let kinds = [
        "create",
        "open, close",
        "open, read, close",
        "stat",
        "stat, absent",
        "list",
        "rename",
        "unlink",
    ];
    let has_memory = Path::new("/dev/shm").is_dir();
    for kind in kinds {
        for in_flight in [1, 4, 16, 64] {
            let name = format!("{kind}, {in_flight} in flight");
            let line = requests.iter().find(|line| line["name"] == *name).expect(&name);
            let number = |key: &str| line[key].as_f64().unwrap_or(-1.0);
            assert!(number("p50_seconds") > 0.0 && number("per_second") > 0.0, "{line}");
            assert!(number("p50_seconds") <= number("p99_seconds"), "{line}");
            assert_eq!(number("tmpfs_p50_seconds") > 0.0, has_memory, "{line}");
        }
    }
    assert_eq!(requests.len(), 32);
    let tasks: Vec<&Value> =
        lines.iter().filter(|line| line["group"] == "What that makes of 10,000 files").collect();
    assert_eq!(tasks.len(), 4);
    for task in tasks {
        assert!(task["one_by_one_seconds"].as_f64() > Some(0.0), "{task}");
        assert!(task["64_in_flight_seconds"].as_f64() > Some(0.0), "{task}");
    }
    assert_eq!((entries(place.path()), entries(&dir)), (vec!["dir".to_owned()], vec![]));
}

#[test]
fn the_table_has_as_many_files_as_are_wanted() {
    let place = testkit::scratch();
    let dir = place.path().join("dir");
    fs::create_dir(&dir).unwrap();
    let scratch = format!("--scratch={}", dir.display());
    let output = bench(&["--files=62528", &scratch], &dir).output().unwrap();
    let text = testkit::stdout(&output);
    for wanted in ["What that makes of 62,528 files", "unlink, 64 in flight", "one by one"] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    let code = |words: &[&str]| bench(words, &dir).output().unwrap().status.code();
    assert_eq!(code(&["--files=1,2"]), Some(2));
    assert_eq!(code(&["--drop-caches"]), Some(2));
    assert_eq!(code(&["--scratch=/no/such/place"]), Some(1));
    assert_eq!(entries(&dir), [""; 0]);
}

#[test]
fn an_interrupt_leaves_nothing() {
    let test = "an_interrupt_leaves_nothing";
    let Some((mounted, place)) = mounted(test, "--latency 10ms") else { return };
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let child = Command::new("env")
            .args(["--default-signal=INT,TERM", testkit::brisk(), "bench", "storage"])
            .arg(mounted.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while entries(place.path()).is_empty() {
            assert!(began.elapsed() < Duration::from_secs(60), "nothing is made");
            testkit::pause(Duration::from_millis(5));
        }
        testkit::run("kill", &[&format!("-{signal}"), &child.id().to_string()]);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", testkit::stderr(&output));
        assert_eq!(testkit::stderr(&output), "brisk: interrupted: nothing is reported\n");
        assert_eq!(entries(place.path()), [""; 0]);
    }
}

/// The kernel keeps the attributes of directories, or each lookup would ask for them first.
const ATTRIBUTES: &str = "--attr-timeout 60s";

/// Measures, and compares the sentences with those that are true.
fn check(name: &str, dir: &Path, expected: &[&str]) {
    let began = Instant::now();
    let report = report(dir);
    let took = began.elapsed();
    println!("{name}: {took:.1?} {}", report["notes"]);
    assert_eq!(told(&report), expected, "{name}: {report:#}");
    assert!(took < Duration::from_secs(30), "{name}: {took:?}");
    assert_eq!(entries(dir).iter().filter(|name| name.starts_with('.')).count(), 0, "{name}");
}

/// Times decide, so this test needs a machine that has nothing else to do.
#[test]
#[ignore = "run by scripts/test all"]
fn sentences_are_true_of_slow_storage() {
    let test = "sentences_are_true_of_slow_storage";
    for latency in ["100us", "1ms", "10ms"] {
        let Some((mounted, _place)) = mounted(test, &format!("--latency {latency} {ATTRIBUTES}"))
        else {
            return;
        };
        check(latency, mounted.path(), &["waits", "renames"]);
    }
    let plus = "--latency 1ms --readdirplus --entry-timeout 500ms --attr-timeout 500ms";
    let Some((listing, _place)) = mounted(test, plus) else { return };
    check(plus, listing.path(), &["waits", "attributes", "renames"]);
    let Some((inspected, _place)) =
        mounted(test, &format!("--latency 1ms --only open {ATTRIBUTES}"))
    else {
        return;
    };
    check("open alone", inspected.path(), &["opens"]);
}

/// The same.
#[test]
#[ignore = "run by scripts/test all"]
fn no_sentence_is_told_of_disks_and_memory() {
    let test = "no_sentence_is_told_of_disks_and_memory";
    for kind in ["ext4", "xfs", "btrfs"] {
        if let Some(disk) = LoopMount::new(test, kind, "-q") {
            check(kind, &disk.path(), &[]);
        }
    }
    check("memory", testkit::scratch().path(), &[]);
    let Some(before) = unshared() else { return left_out(test, "this user cannot mount") };
    let place = testkit::scratch();
    for name in ["lower", "upper", "work", "merged"] {
        fs::create_dir(place.path().join(name)).unwrap();
    }
    let script = "mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none merged || exit 99; \
                  exec \"$0\" bench storage --json merged";
    let mut command = Command::new(before[0]);
    command.args(&before[1..]).args(["sh", "-c", script, testkit::brisk()]);
    let output = command.current_dir(&place).output().unwrap();
    if output.status.code() == Some(99) {
        return left_out(test, "no overlayfs");
    }
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&report), [""; 0], "{report:#}");
}

/// Where there is no address space for 64 threads, that is an error, and nothing stays.
#[test]
fn refused_threads_are_an_error() {
    let place = testkit::scratch();
    let dir = place.path().join("d");
    fs::create_dir(&dir).unwrap();
    let line = "ulimit -v 60000; exec \"$0\" bench storage \"$1\"";
    let output =
        Command::new("sh").args(["-c", line, testkit::brisk()]).arg(&dir).output().unwrap();
    let told = testkit::stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("cannot start ") && told.contains(" threads: "), "{told}");
    assert_eq!(entries(place.path()), ["d"]);
}
