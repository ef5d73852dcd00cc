//! brisk called cp against GNU cp: the same words on the same tree must print the same lines, ask the
//! same questions, end with the same exit code, and leave the same tree: types, modes, owners, links,
//! contents, and times as far as they are old.
//! GNU cp 9.1 leaves simple backups in the wrong directory if the destination is one.
//!
//! Lines are compared sorted: brisk promises no order among the entries of a tree. Known differences:
//! docs/cp.md lists them.

mod cases;

use std::process::Command;

use cases::{CALLS, PLANT, options, same_file};
use libtest_mimic::{Failed, Trial};
use testkit::{Installation, is_root, left_out, stderr, stdout};

use crate::own::{Keeper, NOBODY, trial};

/// What a call prints, its exit code, and what it leaves.
fn outcome(place: &Installation, line: &str, user: &str, bin: &str) -> Option<String> {
    let script = format!(
        "umask 022; mkdir -m 777 w; cd w; {user} sh -c '{PLANT}'; export PATH={bin}:/usr/bin:/bin\n\
         for i in 1 2 3 4; do printf 'y\\nn\\nyes\\n\\n'; done >../answers\n\
         {user} sh -c '{line}' >../out 2>../err <../answers; echo \"exit $?\" >../code\n\
         cd ..; PATH=/usr/bin:/bin; sort out; cat code; cd w; chmod -R u+rwX closed* 2>/dev/null\n\
         find . -printf '%P %y %M %U:%G %n %s %l %TY\\n' | sort\n\
         find . -links +1 ! -type d -printf '%i %P\\n' | sort -k2 | awk '!n[$1] {{ n[$1] = NR }} {{ print n[$1], $2 }}'\n\
         find . -type f -exec md5sum {{}} + | sort -k2; sort ../err >&2",
        line = line.replace('\'', "'\\''"),
    );
    let output = place.script("cp", &script)?;
    Some(format!("{}{}", stdout(&output), stderr(&output)))
}

fn check(place: &Installation, line: &str, user: &str) -> Result<(), Failed> {
    let bin = place.path("bin");
    let ours = outcome(place, line, user, bin.to_str().unwrap());
    let gnus = outcome(place, line, user, "/usr/bin");
    if ours == gnus {
        return Ok(());
    }
    let [gnus, ours] = [gnus, ours].map(Option::unwrap_or_default);
    let lacks = |one: &str, other: &str| -> String {
        let other: Vec<_> = other.lines().collect();
        let missing = one.lines().filter(|line| !other.contains(line));
        missing.map(|line| format!("  {line}\n")).collect()
    };
    let [only_gnu, only_ours] = [lacks(&gnus, &ours), lacks(&ours, &gnus)];
    Err(format!("-- only GNU:\n{only_gnu}-- only brisk:\n{only_ours}").into())
}

/// A call that must differ does differ, so the comparison can fail.
fn sees_a_difference(place: &Installation) -> Result<(), Failed> {
    let [one, other] =
        ["cp a new", "cp a new; chmod 601 new"].map(|line| outcome(place, line, "", "/usr/bin"));
    assert!(one.is_none() || one != other);
    Ok(())
}

/// A test for each call, if there is a GNU cp 9.1.
pub fn trials() -> (Vec<Trial>, Option<Keeper>) {
    let version = Command::new("/usr/bin/cp").arg("--version").output();
    if !version.is_ok_and(|output| stdout(&output).starts_with("cp (GNU coreutils) 9.1\n")) {
        left_out("cp", "there is no GNU cp 9.1");
        return (Vec::new(), None);
    }
    let (keeper, sender) = Keeper::start(&["cp"]);
    let mut trials = vec![trial("a difference of cp is seen", &sender, sees_a_difference)];
    let users: &[&str] = if is_root() { &["", NOBODY] } else { &[""] };
    let lines = CALLS.iter().map(|&line| line.to_owned()).chain(options()).chain(same_file());
    for line in lines {
        for user in users {
            let who = if user.is_empty() { "" } else { "as nobody: " };
            let line = line.clone();
            let name = format!("cp: {who}{line}");
            trials.push(trial(name, &sender, move |place| check(place, &line, user)));
        }
    }
    (trials, Some(keeper))
}
