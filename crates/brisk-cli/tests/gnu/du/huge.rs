//! Sums that do not fit in 64 bits.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};

/// Words for GNU du and for brisk.
const CALLS: &[&str] = &[
    "-b h",
    "-ab h",
    "-bh h",
    "-bBM h",
    "-bS h",
    "-bc h/a h/b h/c",
    "-bc h/a h/b",
    "-bt9223372036854775807 h",
    "-abt-9223372036854775807 h",
    "-bl h h",
];

pub fn trial(gnu: &Path, du: &Path) -> Trial {
    let both = (gnu.to_owned(), du.to_owned());
    Trial::test("sums that do not fit", move || check(&both))
}

fn check((gnu, du): &(PathBuf, PathBuf)) -> Result<(), Failed> {
    let Some(place) = testkit::huge_files("du of sums that do not fit") else { return Ok(()) };
    for call in CALLS {
        let printed = |program: &Path| {
            let mut command = Command::new(program);
            let output = command.args(call.split(' ')).current_dir(place.path()).output()?;
            Ok::<_, Failed>(testkit::stdout(&output))
        };
        let theirs = printed(gnu)?;
        let ours = printed(du)?;
        if theirs != ours || !(theirs.contains("Infinity") || theirs.contains("922337")) {
            return Err(format!("{call}: {theirs:?} {ours:?}").into());
        }
    }
    Ok(())
}
