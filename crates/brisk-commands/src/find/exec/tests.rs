//! Whole executions: what is run, in which order, and how it ends.

use super::*;
use crate::show::template::parts::Separator;
use std::sync::{Condvar, Mutex};

/// What one execution did.
struct Ran {
    outcome: Success,
    messages: Vec<String>,
    /// The lines that commands wrote to their log, sorted.
    log: Vec<String>,
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Runs commands on names; `$LOG` in their words stands for the log's path.
fn run(
    make: fn(&[Vec<String>], &Separator) -> Result<Commands, String>,
    jobs: usize,
    lines: &[&[&str]],
    names: &[&str],
) -> Ran {
    let place = tempfile::tempdir().expect("a directory");
    let log = place.path().join("log");
    std::fs::write(&log, b"").expect("a log");
    let with_log = |word: String| word.replace("$LOG", &log.to_string_lossy());
    let lines = lines.iter().map(|line| words(line).into_iter().map(with_log).collect());
    let lines: Vec<Vec<String>> = lines.collect();
    let commands = make(&lines, &Separator::default()).expect("commands");
    let messages = Mutex::new(Vec::new());
    let execution = Execution {
        caller: Caller::Brisk,
        commands: &commands,
        jobs,
        null: false,
        batch_size: 0,
        complain: &|message| messages.lock().expect("lock").push(message.to_owned()),
        running: Mutex::default(),
        ended: Condvar::new(),
    };
    let job = |name: &&str| Job::from(name.as_bytes());
    let (_, outcome) = execution.run(|queue| queue.push(&mut names.iter().map(job).collect()));
    let log = std::fs::read_to_string(&log).expect("a log");
    let mut log: Vec<String> = log.lines().map(str::to_owned).collect();
    log.sort_unstable();
    Ran { outcome, messages: messages.into_inner().expect("lock"), log }
}

const LOG: [&str; 4] = ["sh", "-c", "echo \"$@\" >> \"$LOG\"", "sh"];
const FAIL_ON_B: [&str; 4] = ["sh", "-c", "[ \"$1\" != b ]", "sh"];

#[test]
fn each_result_is_run_once_whatever_the_number_of_jobs() {
    for jobs in [0, 1, 4] {
        let ran = run(Commands::each, jobs, &[&LOG], &["a", "b", "c d"]);
        assert_eq!(ran.outcome, Success::Fine);
        assert_eq!(ran.log, ["a", "b", "c d"]);
    }
}

#[test]
fn commands_run_in_turn_and_a_failure_ends_its_result_s_turn() {
    for jobs in [1, 4] {
        let ran = run(Commands::each, jobs, &[&FAIL_ON_B, &LOG], &["a", "b", "c"]);
        assert_eq!(ran.outcome, Success::Failed);
        assert_eq!(ran.log, ["a", "c"]);
        assert_eq!(ran.messages, [""; 0]);
    }
}

#[test]
fn a_missing_command_is_reported_for_each_result() {
    let ran = run(Commands::each, 2, &[&LOG, &["no-such-command"]], &["a", "b"]);
    assert_eq!(ran.outcome, Success::Failed);
    assert_eq!(ran.messages, ["Command not found: no-such-command"; 2]);
    assert_eq!(ran.log, ["a", "b"]);
}

#[test]
fn a_command_that_may_not_be_executed_is_a_problem() {
    let ran = run(Commands::each, 1, &[&["/etc/passwd"]], &["a"]);
    assert_eq!(ran.outcome, Success::Failed);
    assert!(ran.messages[0].starts_with("Problem while executing command: "), "{:?}", ran.messages);
}

#[test]
fn death_by_a_signal_is_a_failure() {
    let ran = run(Commands::each, 1, &[&["sh", "-c", "kill -9 $$"]], &["a"]);
    assert_eq!(ran.outcome, Success::Failed);
}

#[test]
fn the_commands_of_a_batch_run_in_turn_and_a_failure_ends_its_turn() {
    let ran = run(Commands::batch, 4, &[&LOG, &["false"], &LOG], &["a", "b", "c"]);
    assert_eq!(ran.outcome, Success::Failed);
    assert_eq!(ran.log, ["a b c"]);
    let none = run(Commands::batch, 4, &[&LOG], &[]);
    assert_eq!(none.outcome, Success::Fine);
    assert_eq!(none.log, [""; 0]);
}

/// The second command removes what the first one copies elsewhere: no batch of the second may be
/// larger than those of the first, whatever the sizes of their arguments.
#[test]
fn no_command_gets_a_result_before_the_commands_ahead_of_it() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let place = tempfile::tempdir().expect("a directory");
    let log = |name: &str| format!("echo $# >> {}/{name}", place.path().display());
    let long = "x".repeat(1 << 16);
    let line = |name, extra: &str| {
        let mut line = words("sh -c");
        line.extend([log(name), extra.to_owned(), "{}".to_owned()]);
        line
    };
    let lines = [line("one", &long), line("two", "sh")];
    let commands = Commands::batch(&lines, &Separator::default()).expect("commands");
    let room = Room { total: (1 << 16) + 4096, longest: 1 << 17 };
    let mut batch = Batch::new(&commands, 0, room);
    for number in 0..500 {
        let name = format!("{number:03}");
        batch.push(name.as_bytes()).expect("a run");
    }
    batch.finish().expect("a run");
    let read = |name| std::fs::read_to_string(place.path().join(name)).expect("a log");
    assert_eq!(read("one"), read("two"));
    assert!(read("one").lines().count() > 1);
}

#[test]
fn a_batch_that_cannot_be_started_ends_all() {
    let ran = run(Commands::batch, 4, &[&["no-such-command"], &LOG], &["a"]);
    assert_eq!(ran.outcome, Success::Failed);
    assert_eq!(ran.messages, ["Command not found: no-such-command"]);
    assert_eq!(ran.log, [""; 0]);
}

/// The links in `/proc` say where a command's standard input and output lead.
#[cfg(target_os = "linux")]
#[test]
fn output_is_gathered_only_where_several_jobs_may_mix_it() {
    let ours = std::fs::read_link("/proc/self/fd/1").expect("our standard output");
    let ours = ours.to_string_lossy();
    let script = "exec 3>&1; readlink /proc/self/fd/3 /proc/self/fd/0 >> \"$LOG\"";
    let look = ["sh", "-c", script, "sh"];
    let alone = run(Commands::each, 1, &[&look], &["a"]);
    assert!(alone.log.iter().any(|line| *line == ours), "{:?} {ours}", alone.log);
    let several = run(Commands::each, 2, &[&look], &["a"]);
    assert!(several.log.iter().any(|line| line.starts_with("pipe:")), "{:?}", several.log);
    assert!(!several.log.iter().any(|line| *line == ours), "{:?} {ours}", several.log);
    assert!(several.log.iter().any(|line| line == "/dev/null"), "{:?}", several.log);
}

#[test]
fn a_walk_that_waits_is_stopped_when_batches_cannot_be_started() {
    let commands = Commands::batch(&[words(&["no-such-command"])], &Separator::default());
    let execution = Execution {
        caller: Caller::Brisk,
        commands: &commands.expect("a command"),
        jobs: 4,
        null: false,
        batch_size: 1,
        complain: &|_| {},
        running: Mutex::default(),
        ended: Condvar::new(),
    };
    let job = Job::from(*b"a");
    // Some chunks wait in the queue; the walk waits with the next one.
    let chunks = std::iter::repeat_n(vec![job; 10], WAITING_FOR_BATCH + 3);
    let (last, outcome) = execution
        .run(|queue| chunks.fold(brisk::Flow::Continue, |_, mut jobs| queue.push(&mut jobs)));
    assert_eq!((last, outcome), (brisk::Flow::Stop, Success::Failed));
}
