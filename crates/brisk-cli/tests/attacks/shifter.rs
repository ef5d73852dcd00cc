//! A server whose positions count the entries that are left: each removal shifts those behind it,
//! and a listing that goes on leaves as many out. A removal still removes all that it was asked to
//! remove, also with few descriptors, and names each entry that it could not remove once.

use std::collections::BTreeSet;
use std::path::Path;

use testkit::Mounted;

use crate::outcome::Failure;
use crate::round::Round;
use crate::watched::End;

/// Long directories: alone, beside each other, one below another, and with many subdirectories.
const SHAPES: [&str; 6] = [
    "--flat 300",
    "--flat 3000",
    "--flat 12000",
    "--dirs 3 --files 3000",
    "--nested 3,2,1500",
    "--nested 1,2500,2",
];

/// The words of a command, and which files it removes.
type Removal = (&'static [&'static str], fn(&str) -> bool);

const COMMANDS: [Removal; 5] = [
    (&["rm", "-rf", "--keep-root"], |_| true),
    (&["rm", "-rf", "--keep-root", "--threads=1"], |_| true),
    (&["find", "-u", "-tf", "--delete", "."], |_| true),
    (&["find", "-u", "-tf", "-j1", "--delete", "[13579]$"], is_odd),
    (&["find", "-u", "-tf", "-j4", "--delete", "[13579]$"], is_odd),
];

/// Files that cannot be removed.
const FAULTS: [(&str, &[&str]); 3] = [
    ("", &[]),
    ("--eio-remove file-001", &["file-001"]),
    ("--eio-remove file-007 --eio-remove file-1401", &["file-007", "file-1401"]),
];

fn is_odd(name: &str) -> bool {
    name.ends_with(['1', '3', '5', '7', '9'])
}

pub fn round(round: &mut Round) {
    let shape = round.seed.pick(&SHAPES);
    let (words, removes) = round.seed.pick(&COMMANDS);
    let (fault, stays) = round.seed.pick(&FAULTS);
    let server = format!("--latency 0 --removable --live-offsets {shape} {fault}");
    let Some(mounted) = Mounted::new("attacks: shifter", &server) else {
        round.outcome.left_out = Some("slowfs cannot be mounted".to_owned());
        return;
    };
    let all = files(mounted.path());
    let kept: BTreeSet<String> = all
        .iter()
        .filter(|path| !removes(name(path)) || stays.contains(&name(path)))
        .cloned()
        .collect();
    let failures = kept.iter().filter(|path| removes(name(path))).count();

    let limit: &[&str] = if round.seed.one_in(3) { &["prlimit", "--nofile=12:12"] } else { &[] };
    let mut command = round.brisk(limit, words);
    command.arg(mounted.path());
    let ended = round.run(&mut command);
    round.strikes((all.len() - kept.len()) as u64);

    let what = format!("{limit:?} {words:?} with {server}");
    let left = files(mounted.path());
    if left != kept {
        let more = left.difference(&kept).count();
        let fewer = kept.difference(&left).count();
        let note = format!("{more} files left, {fewer} too many removed, {:?}: {what}", ended.end);
        round.note(Failure::Lie, &note);
    }
    let told = ended.stderr.lines().count();
    let expected = End::Exit(u8::from(failures > 0).into());
    if ended.end != expected || told != failures {
        let note = format!("{:?}, {told} messages for {failures} failures: {what}", ended.end);
        round.note(Failure::Lie, &note);
    }
}

/// The paths of all files and links.
fn files(top: &Path) -> BTreeSet<String> {
    let is_file = |path: &String| !name(path).starts_with("dir-");
    testkit::listed(top).into_iter().skip(1).filter(is_file).collect()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
