//! brisk called chmod, chown and chgrp against GNU's: the same words on the same tree must print the
//! same lines, end with the same exit code, and leave the same modes and owners.
//!
//! Lines are compared sorted: brisk promises no order among the entries of a tree. So `d/b` and `d/e`,
//! which in some trees are other names of `d/a` and `d/c`, count as those in what is printed. Each
//! call has a tmpfs in a mount namespace of its own. Known differences: a mount point below an
//! argument; and with -v the old owner of a link that leads nowhere, which GNU takes from memory that
//! nothing set.

mod cases;

use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

use cases::{CASES, Case};
use libtest_mimic::{Failed, Trial};
use testkit::{Installation, is_root, left_out, stderr, stdout};

/// An ordinary user.
pub const NOBODY: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups";

/// What a call prints, its exit code, and what it leaves.
fn outcome(place: &Installation, case: &Case, line: &str, user: &str, bin: &str) -> Option<String> {
    let program = line.split_whitespace().find(|word| word.starts_with("ch"));
    let test = program.unwrap_or_default();
    let plant = case.plant.replace('\'', "'\\''");
    let script = format!(
        "umask 022; mkdir -m 777 w; cd w; {user} sh -c '{plant}'; export PATH={bin}:/usr/bin:/bin\n\
         {user} sh -c '{line}' >../out 2>../err </dev/null; echo \"exit $?\" >../code\n\
         cd ..; PATH=/usr/bin:/bin; sed \"s|d/b'|d/a'|; s|d/e'|d/c'|\" out | sort; cat code\n\
         find w -printf '%P %M %U:%G\\n' | sort; sort err >&2",
        line = line.replace('\'', "'\\''"),
    );
    let output = place.script(test, &script)?;
    Some(format!("{}{}", stdout(&output), stderr(&output)))
}

fn check(place: &Installation, case: &Case, line: &str, user: &str) -> Result<(), Failed> {
    let bin = place.path("bin");
    let ours = outcome(place, case, line, user, bin.to_str().unwrap());
    let gnus = outcome(place, case, line, user, "/usr/bin");
    if ours == gnus {
        return Ok(());
    }
    let text = |outcome: Option<String>| outcome.unwrap_or_default();
    Err(format!("-- GNU:\n{}\n-- brisk:\n{}", text(gnus), text(ours)).into())
}

/// A call that must differ does differ, so the comparison can fail.
fn sees_a_difference(place: &Installation) -> Result<(), Failed> {
    let case = &CASES[0];
    let [one, other] =
        ["chmod 600 a", "chmod 601 a"].map(|line| outcome(place, case, line, "", "/usr/bin"));
    assert!(one.is_none() || one != other);
    Ok(())
}

/// What the keeper runs.
pub type Job = Box<dyn FnOnce(&Installation) + Send>;

/// The thread that has made the place. A thread that makes one can see the trees of other tests no
/// longer, and neither can the threads that it starts. So the calls run in threads of the keeper's,
/// and those of libtest stay as they are.
pub struct Keeper(Option<JoinHandle<()>>);

impl Keeper {
    /// It ends when all senders are gone.
    /// The program is called by these names too.
    pub fn start(names: &'static [&'static str]) -> (Keeper, Sender<Job>) {
        let (sender, jobs) = channel::<Job>();
        let keep = move || {
            let place = Arc::new(Installation::new());
            for name in names {
                std::os::unix::fs::symlink("brisk", place.path("bin").join(name)).unwrap();
            }
            for job in jobs {
                let place = Arc::clone(&place);
                Builder::new().spawn(move || job(&place)).unwrap();
            }
        };
        (Keeper(Some(Builder::new().spawn(keep).unwrap())), sender)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let ended = self.0.take().map(JoinHandle::join);
        assert!(matches!(ended, Some(Ok(()))), "the keeper panicked");
    }
}

/// A test that the keeper runs.
pub fn trial(
    name: impl Into<String>,
    keeper: &Sender<Job>,
    test: impl FnOnce(&Installation) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let keeper = keeper.clone();
    Trial::test(name, move || {
        let (sender, result) = channel();
        keeper.send(Box::new(move |place| drop(sender.send(test(place))))).unwrap();
        result.recv().unwrap_or_else(|_| Err("the test panicked".into()))
    })
}

/// A test for each call, if there is a GNU chmod 9.1.
pub fn trials() -> (Vec<Trial>, Option<Keeper>) {
    let version = Command::new("/usr/bin/chmod").arg("--version").output();
    if !version.is_ok_and(|output| stdout(&output).starts_with("chmod (GNU coreutils) 9.1\n")) {
        left_out("chmod", "there is no GNU chmod 9.1");
        return (Vec::new(), None);
    }
    let (keeper, sender) = Keeper::start(&["chmod", "chown", "chgrp"]);
    let mut trials = vec![trial("a difference of chmod is seen", &sender, sees_a_difference)];
    let users: &[&str] = if is_root() { &["", NOBODY] } else { &[""] };
    for case in CASES {
        for line in case.lines {
            for user in users {
                let name = if user.is_empty() {
                    format!("own: {line}")
                } else {
                    format!("own: as nobody: {line}")
                };
                trials.push(trial(name, &sender, move |place| check(place, case, line, user)));
            }
        }
    }
    (trials, Some(keeper))
}
