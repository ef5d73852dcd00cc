//! `brisk bench walk`: a whole tree, by brisk with its orders, numbers of threads and backends, and
//! by other programs. Every way runs as a program of its own, with its output thrown away. The
//! paths that the programs list are compared once.

use std::path::Path;
use std::process::Stdio;

use super::options::Options;
use super::programs;
use super::report::{Line, Report, millis};
use super::rivals::{Known, Lists, Rival, installed};

const GROUP: &str = "Every path of the tree";

/// brisk's options, a row each: first none, then numbers of threads, then orders.
const WAYS: [&[&str]; 9] = [
    &[],
    &["-j1"],
    &["-j2"],
    &["-j4"],
    &["-j8"],
    &["-j32"],
    &["--order", "depth"],
    &["--order", "breadth"],
    &["--order", "sorted"],
];

/// Other programs that list whole trees.
#[cfg(not(windows))]
const OTHERS: &[Known] = &[
    (GROUP, "find", &["DIR"], Lists::Paths),
    (GROUP, "bfs", &["DIR"], Lists::Paths),
    (GROUP, "fd", &["-u", ".", "DIR"], Lists::Paths),
    (GROUP, "rg", &["--files", "-uuu", "DIR"], Lists::Other),
    (GROUP, "ls", &["-1RA", "DIR"], Lists::Other),
    // Without -l, a file with several links is listed once.
    (GROUP, "du", &["-al", "DIR"], Lists::Sizes),
    (GROUP, "deno", &["eval", DENO, "DIR"], Lists::Paths),
    (GROUP, "sbcl", &LISP, Lists::Paths),
];

/// Other programs that list whole trees.
#[cfg(windows)]
const OTHERS: &[Known] = &[
    (GROUP, "cmd", &["/d", "/c", "dir", "/s", "/b", "/a", "DIR"], Lists::Paths),
    (GROUP, "where", &["/r", "DIR", "*"], Lists::Other),
    (GROUP, "fd", &["-u", ".", "DIR"], Lists::Paths),
];

/// Deno's and Common Lisp's own ways of listing a tree, without entering links.
#[cfg(not(windows))]
const DENO: &str = "const list = async (dir) => {
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    console.log(`${dir}/${name}`);
    if (isDirectory) await list(`${dir}/${name}`);
  }
};
await list(Deno.args[0]);";
#[cfg(not(windows))]
const LISP: [&str; 6] = [
    "--noinform",
    "--no-userinit",
    "--non-interactive",
    "--eval",
    r#"(labels ((list-all (dir)
  (dolist (path (directory (merge-pathnames "*.*" dir) :resolve-symlinks nil))
    (let ((name (native-namestring path :as-file t)))
      (write-line name)
      (when (eq :directory (sb-impl::native-file-kind name)) (list-all path))))))
  (list-all (parse-native-namestring (car (last *posix-argv*)) nil #p"" :as-directory t)))"#,
    "DIR",
];

/// Measures, and compares what was listed.
///
/// # Errors
/// A program that cannot be started, although it is installed.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let mut report = programs::listed("walk", &programs(dir)?, options)?;
    report.notes.extend(pace(dir, &report.lines));
    Ok(report)
}

/// The programs: brisk with its own choice, then brisk's other ways, then the others.
fn programs(dir: &Path) -> Result<Vec<Rival>, String> {
    let own = |more: &&[&str]| {
        let name = [&["brisk find -u"], *more].concat().join(" ");
        let words = [&["find", "-u", "--no-config"], *more, &[".", "DIR"]].concat();
        Rival::own(GROUP, &name, &words, dir)
    };
    let mut programs = WAYS.iter().map(own).collect::<Result<Vec<Rival>, String>>()?;
    for way in &WAYS[..2] {
        let mut rival = own(way)?;
        rival.name += ", portable backend";
        rival.portable = true;
        programs.push(rival);
    }
    programs.extend(installed(OTHERS, dir));
    Ok(programs)
}

/// How many workers brisk chose, and whether that was right.
fn pace(dir: &Path, lines: &[Line]) -> Option<String> {
    let words = ["find", "-u", "--no-config", "--stats=json", ".", "DIR"];
    let own = Rival::own(GROUP, "", &words, dir).ok()?;
    let output = own.command().stderr(Stdio::piped()).output().ok()?;
    let stats: serde_json::Value = serde_json::from_slice(&output.stderr).ok()?;
    let workers = stats.get("peak_workers")?.as_u64()?;
    let chosen = lines.first()?.times.median();
    let (name, least) = lines
        .iter()
        .filter(|line| line.failure.is_none())
        .filter_map(|line| Some((line.name.strip_prefix("brisk find -u ")?, line.times.median())))
        .filter(|(name, _)| WAYS.contains(&&[*name][..]))
        .min_by_key(|(_, time)| *time)?;
    let ratio = chosen.as_secs_f64() / least.as_secs_f64().max(1e-9);
    let plural = if workers == 1 { "" } else { "s" };
    Some(format!(
        "brisk chose {workers} worker{plural} and took {} ms, {ratio:.2} times as long as with {name} \
         ({} ms), the best number of those measured",
        millis(chosen),
        millis(least)
    ))
}
