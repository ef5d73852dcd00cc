//! `--reflinks` beside each other option, and beside pairs of them, on file systems that share
//! extents. GNU du has no such option; what must hold:
//!
//! - no line says more than it says without the option;
//! - where no extents are shared, and where bytes on the disk do not count, both say the same;
//! - where extents are shared, a line says less.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use testkit::LoopMount;

use super::calls;

/// A tree of files that share extents, and one of files that share none.
const TREES: [&str; 2] = ["shared", "apart"];

/// With these, sums have nothing to do with extents.
const OTHERS: [&str; 3] = ["-b", "--apparent-size", "--inodes"];
/// With these, a sum decides whether there is a line.
const LIMITS: [&str; 2] = ["-t5000", "--threshold=-8K"];

/// Makes the trees in the current directory: whole copies, one that has changed in part, one
/// within the same directory, and hard links of them.
const SCRIPT: &str = "mkdir -p shared/inner/c shared/b apart/inner/c && cd shared \
    && head -c 8M /dev/urandom > file && head -c 3M /dev/urandom > own.o && cp --reflink=never own.o ../apart/ \
    && head -c 2M /dev/urandom > ../apart/inner/x && ln ../apart/inner/x ../apart/inner/c/link \
    && head -c 100 /dev/urandom > ../apart/small && truncate -s 1G ../apart/sparse && sync \
    && cp --reflink=always file b/copy && cp --reflink=always file inner/changed \
    && cp --reflink=always file inner/c/copy && cp --reflink=always own.o inner/own.o \
    && dd if=/dev/urandom of=inner/changed bs=1M count=3 conv=notrunc status=none \
    && ln b/copy inner/link && ln b/copy b/again && cd .. && printf '*.o\\ninner\\n' > patterns \
    && sync";

/// The trials, for each file system that can be mounted here.
pub fn trials(du: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    for kind in ["xfs", "btrfs"] {
        let Some(mounted) = LoopMount::new("du --reflinks", kind, "-q") else { continue };
        let made = Command::new("sh").args(["-c", SCRIPT]).current_dir(mounted.path()).status();
        assert!(made.unwrap().success(), "{kind}");
        let shared = Arc::new((mounted, du.to_owned()));
        for options in calls::combinations() {
            let shared = Arc::clone(&shared);
            trials.push(Trial::test(
                format!("{kind}: du --reflinks {}", options.join(" ")),
                move || check(&shared.1, &shared.0.path(), &options),
            ));
        }
    }
    trials
}

fn check(du: &Path, dir: &Path, options: &[&str]) -> Result<(), Failed> {
    // A pair of options that exclude each other is refused.
    let Some(without) = sums(du, dir, options)? else { return Ok(()) };
    let with = sums(du, dir, &[options, &["--reflinks"]].concat())?.ok_or("refused")?;
    let has = |some: &[&str]| options.iter().any(|option| some.contains(option));
    let failed = |why: &str| Err(format!("{options:?}: {why}\n{without:?}\n{with:?}").into());
    if has(&OTHERS) {
        return if with == without { Ok(()) } else { failed("another sum") };
    }
    let both = || without.iter().filter_map(|(line, sum)| Some((line, sum, with.get(line)?)));
    let is_apart =
        |line: &str| line.rsplit('\t').next().is_some_and(|path| path.starts_with("apart"));
    if both().any(|(line, without, with)| with > without || (is_apart(line) && with != without)) {
        return failed("more than without --reflinks, or less where nothing is shared");
    }
    if !has(&LIMITS) && (both().count() != with.len() || with.len() != without.len()) {
        return failed("other lines");
    }
    let is_less = both().any(|(_, without, with)| with < without);
    if is_less || has(&LIMITS) { Ok(()) } else { failed("nothing is shared") }
}

/// The sum of each line by what follows it: time and path. `None` if there is no output.
fn sums(du: &Path, dir: &Path, options: &[&str]) -> Result<Option<HashMap<String, u64>>, Failed> {
    let mut command = Command::new(du);
    command.args(options).args(TREES).current_dir(dir).env_clear().env("LC_ALL", "C");
    let output = command.output()?;
    if !output.status.success() {
        let is_refused = output.stdout.is_empty();
        return if is_refused { Ok(None) } else { Err(format!("{options:?}: {output:?}").into()) };
    }
    let text = String::from_utf8(output.stdout)?;
    let lines = text.split_terminator(['\n', '\0']).filter_map(|line| line.split_once('\t'));
    Ok(Some(lines.map(|(number, rest)| (rest.to_owned(), size(number))).collect()))
}

/// A number that orders as sizes of one scale do: `4`, `1.5M`, `2MB`.
fn size(text: &str) -> u64 {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: f64 = digits.parse().unwrap();
    let letter = text[digits.len()..].chars().next().unwrap_or('B').to_ascii_lowercase();
    let unit = "bkmgt".find(letter).unwrap() as i32;
    (number * 1024_f64.powi(unit)) as u64
}
