//! File systems that misbehave in every way that slowfs knows. find, ls and rm meet them in all
//! orders: each command ends in time, or at a signal where the directory never ends, and in bounded
//! memory.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;
use testkit::Mounted;

use crate::outcome::Failure;
use crate::round::{LIMIT, Round, shown};
use crate::watched::{End, Watched};

/// Three levels of three directories and three files each.
const SHAPE: &str = "--nested 3,3,3 --latency 0 --removable";

/// The faults of the file system; two may also be combined.
const FAULTS: [&str; 23] = [
    "--unknown-types",
    "--lying-types",
    "--zero-inodes",
    "--duplicates",
    "--live-offsets",
    "--slash-names",
    "--eio dir-001 --eio file-001",
    "--eio-readdir dir-001",
    "--eio-readdir /",
    "--eio-remove file-002 --eio-remove dir-002",
    "--eacces dir-000",
    "--eloop dir-000",
    "--eloop /",
    "--estale dir-002",
    "--estale /",
    "--eintr file-001",
    "--eintr dir-001",
    "--eintr-opendir dir-001",
    "--eintr-readdir dir-001",
    "--eintr-readdir /",
    "--eintr-remove file-000 --eintr-remove dir-000",
    "--eintr dir-001 --eintr-times 2",
    "--readdirplus --entry-timeout 1s --attr-timeout 1s",
];

/// Faults with which a process does not end by itself.
const ENDLESS: [&str; 4] =
    ["--endless", "--endless=dir-001", "--endless-same", "--endless-same=dir-001"];

const HANGS: [&str; 2] = ["--hang dir-001", "--hang file-001"];

/// The commands that meet the faults. The paths lie below the mount point.
const COMMANDS: [&[&str]; 15] = [
    &["find", "-u"],
    &["find", "-u", "-j4", "--order", "none"],
    &["find", "-u", "--order", "depth"],
    &["find", "-u", "--order", "breadth", "-j3"],
    &["find", "-u", "--order", "sorted"],
    &["find", "-uL", "-t", "f"],
    &["find", "--size", "+1k"],
    &["find", "-u", "--json"],
    &["find", "-u", "--unique", "-l"],
    &["ls", "-lR"],
    &["ls", "-RU1"],
    &["ls", "-RLi"],
    &["ls", "--tree"],
    &["rm", "-r", "--force"],
    &["find", "-u", "--delete", "."],
];

/// KiB of memory that suffice for orders that need not hold a whole directory.
const STREAMED: u64 = 64 << 10;
/// KiB of memory that suffice for the other orders.
const HELD: u64 = 1 << 20;

pub fn round(round: &mut Round) {
    match round.seed.below(8) {
        0 => hanging(round),
        1 | 2 => endless(round),
        _ => failing(round),
    }
}

/// Mounts a slowfs. Without one, the attacker is left out.
fn mounted(round: &mut Round, faults: &str) -> Option<Mounted> {
    let links = round.seed.pick(&[0, 30, 100]);
    let mounted = Mounted::new("attacks: fuse", &format!("{SHAPE} --links {links} {faults}"));
    if mounted.is_none() {
        round.outcome.left_out = Some("slowfs cannot be mounted".to_owned());
    }
    mounted
}

/// Every command in turn. rm and find --delete come last, since the others would find nothing after
/// them.
fn failing(round: &mut Round) {
    let mut faults = round.seed.pick(&FAULTS).to_owned();
    let more = round.seed.pick(&FAULTS);
    let types = ["--unknown-types", "--lying-types", "--readdirplus", "--zero-inodes"];
    let clash = types.iter().any(|word| faults.contains(word))
        && types.iter().any(|word| more.contains(word));
    // slowfs accepts most options once.
    let twice = more.split(' ').any(|word| word.starts_with("--") && faults.contains(word));
    if round.seed.one_in(2) && !clash && !twice {
        faults = format!("{faults} {more}");
    }
    let Some(mounted) = mounted(round, &faults) else { return };
    for words in COMMANDS {
        let before = ["prlimit", "--as=1500000000"];
        let mut command = round.brisk(&before, words);
        command.arg(target(words, &mounted));
        let ended = Watched::start(&mut command).finish(LIMIT);
        round.judge(&ended, &format!("{words:?} with {faults}"));
        round.strikes(1);
        if ended.end == End::Hung {
            // The other commands will meet the same fault, and each takes its time.
            return;
        }
    }
}

/// A path with a pattern before it where one is needed.
fn target(words: &[&str], mounted: &Mounted) -> String {
    let path = mounted.path().to_str().unwrap();
    if words[0] == "find" { format!("--search-path={path}") } else { path.to_owned() }
}

/// A directory that never ends: a command takes no more memory than its order needs, and the first
/// signal ends it.
fn endless(round: &mut Round) {
    let faults = round.seed.pick(&ENDLESS);
    let words = round.seed.pick(&COMMANDS);
    let Some(mounted) = mounted(round, faults) else { return };
    let mut command = round.brisk(&[], words);
    command.arg(target(words, &mounted));
    // The output goes nowhere: it would fill the disk.
    let words = format!("{} >/dev/null with {faults}", shown(&command));
    let watched = Watched::start_silent(&mut command);
    round.strikes(1);
    if !watched.wait(Duration::from_millis(1_500)) {
        let peak = watched.peak();
        let held = ["sorted", "ls", "--tree", "--unique", "--delete"];
        let bound = if held.iter().any(|word| words.contains(word)) { HELD } else { STREAMED };
        if peak > bound {
            round.note(Failure::Hang, &format!("{peak} KiB: {words}"));
        }
        watched.signal(Signal::TERM);
    }
    let ended = watched.finish(LIMIT);
    round.judge(&ended, &words);
}

/// A name that does not answer: the process waits, as it must, and ends once the file system is
/// gone.
fn hanging(round: &mut Round) {
    let faults = round.seed.pick(&HANGS);
    let words = round.seed.pick(&COMMANDS);
    let Some(mounted) = mounted(round, faults) else { return };
    let mut command = round.brisk(&[], words);
    command.arg(target(words, &mounted));
    let watched = Watched::start(&mut command);
    round.strikes(1);
    let waits = !watched.wait(Duration::from_millis(300));
    drop(mounted);
    let ended = watched.finish(LIMIT);
    let words = format!("{words:?} with {faults}");
    round.judge(&ended, &words);
    if waits && ended.end == End::Exit(0) {
        round.note(Failure::Lie, &format!("exit 0 although a name did not answer: {words}"));
    }
    let gone = fs::exists(round.path("victim")).unwrap_or(false);
    assert!(gone, "the scratch directory is on another file system");
}

/// (Seen to fail: the inode of `.` was believed, and each link to the directory it stands in led
/// deeper.)
#[test]
fn links_that_lead_up_where_inodes_are_unknown() {
    let mut round = Round::new(crate::seed::Seed::of(1, 0, 0), "fuse".to_owned());
    let mut counts = Vec::new();
    for faults in ["", "--zero-inodes", "--zero-inodes --unknown-types"] {
        let flags = format!("{SHAPE} --links 100 {faults}");
        let name = "links_that_lead_up_where_inodes_are_unknown";
        let Some(mounted) = Mounted::new(name, &flags) else { return };
        let path = target(&["find"], &mounted);
        let ended = round.run(&mut round.brisk(&[], &["find", "-uL", "--show-errors", &path]));
        counts.push((ended.stdout.lines().count(), ended.stderr.lines().count()));
    }
    assert!(round.outcome.is_clean(), "{:?}", round.outcome.notes);
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}
