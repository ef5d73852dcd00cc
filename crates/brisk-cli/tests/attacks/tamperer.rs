//! A second user owns the directory of the journal, or the directory of the tree, and exchanges
//! entries in it while root runs `--background` and `--finish`. The prey is a tree of root's that
//! no command named. Its name, and a record of it, look as if `--background` had made them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::Value;

use crate::outcome::Failure;
use crate::removals;
use crate::round::{Round, snapshot};

/// The number of the second user.
const OTHER: u32 = 65_534;
const PREY: &str = ".brisk-rm-00112233445566778899aabbccddeeff";

/// What the second user does.
#[derive(Clone, Copy, Debug)]
enum Trick {
    /// `open/state/brisk`, or `open/state`, is a link to a journal that the attacker made.
    Link(&'static str),
    /// `open/state/brisk`, or `open/state`, is exchanged with such a journal all the time.
    Exchange(&'static str),
    /// The trees that were set aside are exchanged with the prey and with links to the victim.
    Trees,
}

const TRICKS: [Trick; 5] = [
    Trick::Link("open/state"),
    Trick::Link("open/state/brisk"),
    Trick::Exchange("open/state"),
    Trick::Exchange("open/state/brisk"),
    Trick::Trees,
];

pub fn round(round: &mut Round) {
    // Even root of a user namespace has no second user.
    let probe = round.path("probe");
    fs::create_dir(&probe).unwrap();
    if chown(&probe, Some(OTHER), Some(OTHER)).is_err() {
        round.outcome.left_out = Some("only root has a second user".to_owned());
        return;
    }
    round.plant(&format!("prey/{PREY}"));
    let before = snapshot(&round.path("prey"));
    let Some(record) = record_of_prey(round) else {
        round.outcome.left_out = Some("there is no strace".to_owned());
        return;
    };
    let trick = round.seed.pick(&TRICKS);
    match trick {
        Trick::Link(at) => linked(round, at, &record),
        Trick::Exchange(at) => exchanged(round, at, &record),
        Trick::Trees => trees(round),
    }
    round.settle();
    // What was exchanged with the prey lies in its place.
    if !matches!(trick, Trick::Trees) && snapshot(&round.path("prey")) != before {
        round.note(Failure::Loss, &format!("the prey of {trick:?}"));
    }
    round.check_victim(&format!("{trick:?}"));
    removals::clear(&round.path("t"));
}

/// A record as brisk writes it, but with the prey instead of the tree that was set aside.
fn record_of_prey(round: &mut Round) -> Option<Vec<u8>> {
    round.plant("t/tree");
    // Killed right after the rename, brisk leaves a tree that was set aside, with its record.
    let inject = "inject=clone3,clone,vfork:signal=KILL:when=1";
    let before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", inject];
    let mut command = round.brisk(&before, &["rm", "-rf", "--background", "tree"]);
    round.run(&mut command);
    let hidden = round.hidden("t").pop()?;
    let journal = round.path("state/brisk/rm");
    let records = fs::read_dir(journal).ok()?.flatten();
    let mut records = records.filter(|entry| entry.path().extension().is_some_and(|e| e == "json"));
    let mut record: Value = serde_json::from_slice(&fs::read(records.next()?.path()).ok()?).ok()?;
    let inode = |path: PathBuf| fs::symlink_metadata(path).unwrap().ino();
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    forge(
        &mut record,
        &[(hidden.clone(), PREY.to_owned()), (text(round.path("t")), text(round.path("prey")))],
        &[
            (inode(round.path("t").join(&hidden)), inode(round.path("prey").join(PREY))),
            (inode(round.path("t")), inode(round.path("prey"))),
        ],
    );
    removals::clear(&round.path("t"));
    testkit::run("/bin/rm", &["-rf", round.path("state").to_str().unwrap()]);
    Some(record.to_string().into_bytes())
}

/// Replaces strings and numbers, at any depth.
fn forge(value: &mut Value, texts: &[(String, String)], numbers: &[(u64, u64)]) {
    match value {
        Value::String(text) => {
            for (old, new) in texts {
                if text == old {
                    new.clone_into(text);
                }
            }
        }
        Value::Number(number) => {
            let new = numbers.iter().find(|(old, _)| number.as_u64() == Some(*old));
            if let Some((_, new)) = new {
                *number = (*new).into();
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| forge(value, texts, numbers)),
        Value::Object(all) => all.values_mut().for_each(|value| forge(value, texts, numbers)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Makes a directory that the second user owns.
fn others_dir(path: &Path, mode: u32) {
    fs::create_dir_all(path).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    chown(path, Some(OTHER), Some(OTHER)).unwrap();
}

/// A journal that the attacker made: a file of root's from elsewhere, in the attacker's directory
/// or in one of root's.
fn evil(round: &mut Round, at: &str, record: &[u8]) -> PathBuf {
    let evil = round.path("open/evil");
    let below = if at.ends_with("brisk") { "rm" } else { "brisk/rm" };
    let journal = evil.join(below);
    fs::create_dir_all(&journal).unwrap();
    fs::write(journal.join("brisk-rm-ffeeddccbbaa99887766554433221100.json"), record).unwrap();
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o700)).unwrap();
    let owner = if round.seed.one_in(2) { OTHER } else { 0 };
    for dir in journal.ancestors().take_while(|dir| dir.starts_with(&evil)) {
        chown(dir, Some(owner), Some(owner)).unwrap();
    }
    chown(&evil, Some(OTHER), Some(OTHER)).unwrap();
    evil
}

/// The attacker's directory, with any permissions that the attacker likes.
fn open(round: &mut Round) {
    let mode = round.seed.pick(&[0o755, 0o777, 0o1777]);
    others_dir(&round.path("open"), mode);
    others_dir(&round.path("open/state"), mode);
}

/// brisk with its journal in the attacker's directory.
fn with_state(round: &mut Round, words: &[&str]) {
    let mut command = round.brisk(&[], words);
    command.env("XDG_STATE_HOME", round.path("open/state"));
    round.run(&mut command);
}

fn linked(round: &mut Round, at: &str, record: &[u8]) {
    open(round);
    let evil = evil(round, at, record);
    let _ = fs::remove_dir(round.path(at));
    symlink(&evil, round.path(at)).unwrap();
    lchown(round.path(at), Some(OTHER), Some(OTHER)).unwrap();
    round.strikes(1);
    round.plant("t/tree");
    with_state(round, &["rm", "-f", "--finish"]);
    with_state(round, &["rm", "-rf", "--background", "tree"]);
}

fn exchanged(round: &mut Round, at: &str, record: &[u8]) {
    open(round);
    let evil = evil(round, at, record);
    // The genuine directory can be written to by root alone.
    let genuine = round.path(at);
    let journal = round.path("open/state/brisk/rm");
    fs::create_dir_all(&journal).unwrap();
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o700)).unwrap();
    struck(
        round,
        move || exchange(&genuine, &evil),
        |round| {
            for _ in 0..6 {
                with_state(round, &["rm", "-f", "--finish"]);
            }
            round.plant("t/tree");
            with_state(round, &["rm", "-rf", "--background", "tree"]);
        },
    );
}

/// Repeats `deed` while `meanwhile` runs; `deed` returns how often it succeeded.
fn struck(
    round: &mut Round,
    deed: impl Fn() -> u64 + Send + Sync,
    meanwhile: impl FnOnce(&mut Round),
) {
    let done = AtomicBool::new(false);
    let count = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                count.fetch_add(deed(), Ordering::Relaxed);
            }
        });
        meanwhile(round);
        done.store(true, Ordering::Relaxed);
    });
    round.strikes(count.into_inner());
}

fn exchange(one: &Path, other: &Path) -> u64 {
    u64::from(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok())
}

/// The attacker owns the directory that holds the trees.
fn trees(round: &mut Round) {
    others_dir(&round.path("t"), 0o777);
    let place = round.path("t");
    let link = round.path("t/link");
    symlink(round.path("victim"), &link).unwrap();
    let deed = move || {
        let entries = fs::read_dir(&place).into_iter().flatten().flatten();
        let hidden = entries
            .map(|entry| entry.path())
            .find(|path| path.to_string_lossy().contains(".brisk-rm-"));
        hidden.map_or(0, |hidden| exchange(&hidden, &link))
    };
    struck(round, deed, |round| {
        for _ in 0..6 {
            round.plant("t/tree");
            let mut command = round.brisk(&[], &["rm", "-rf", "--background", "tree"]);
            round.run(&mut command);
            let mut finish = round.brisk(&[], &["rm", "-f", "--finish"]);
            round.run(&mut finish);
        }
        round.settle();
    });
}
