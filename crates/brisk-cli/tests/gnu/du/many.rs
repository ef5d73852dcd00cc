//! The order in directories of more entries than GNU's fts reads at once (100,000), where it sorts
//! each such part by inode, and on tmpfs, where it sorts nothing unless it follows links.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;
use testkit::LoopMount;

/// Entries of the directory: more than one part, and less than two.
const COUNT: usize = 120_000;

/// The trials, one for each kind of file system.
pub fn trials(gnu: &Path, du: &Path) -> Vec<Trial> {
    let both = || (gnu.to_owned(), du.to_owned());
    let on_ext4 = both();
    let on_tmpfs = both();
    vec![
        Trial::test("du -a of 120,000 entries: ext4", move || {
            let test = "the order of du's lines";
            let Some(mounted) = LoopMount::new(test, "ext4", "-q -N 140000") else { return Ok(()) };
            check(&on_ext4, &mounted.path())
        }),
        Trial::test("du -a of 120,000 entries: tmpfs", move || {
            let Ok(place) = TempDir::new_in("/dev/shm") else { return Ok(()) };
            check(&on_tmpfs, place.path())
        }),
    ]
}

/// Each hundredth entry is a directory with a file in it.
fn check((gnu, du): &(PathBuf, PathBuf), place: &Path) -> Result<(), Failed> {
    let many = place.join("many");
    fs::create_dir(&many)?;
    for number in 0..COUNT {
        let path = many.join(format!("{:x}-{number}", number * 0x9e37_79b9 % 0xffff));
        if number % 100 == 0 {
            fs::create_dir(&path)?;
            fs::write(path.join("file"), "")?;
        } else {
            fs::write(path, "")?;
        }
    }
    for words in ["-a", "-aL"] {
        let lines = |program: &Path| {
            let output = Command::new(program).args([words, "many"]).current_dir(place).output()?;
            let lines: Vec<String> =
                String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect();
            Ok::<_, Failed>(lines)
        };
        let theirs = lines(gnu)?;
        let ours = lines(du)?;
        let at = theirs.iter().zip(&ours).position(|(theirs, ours)| theirs != ours);
        let are_all = theirs.len() == COUNT + COUNT / 100 + 1 && theirs.len() == ours.len();
        if !are_all || at.is_some() {
            let (theirs, ours) = (theirs.len(), ours.len());
            return Err(format!("{words}: {theirs} and {ours} lines; line {at:?} differs").into());
        }
    }
    Ok(())
}
