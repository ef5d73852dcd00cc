//! `brisk bench walk`: a whole tree, by brisk with its orders, numbers of threads and backends, and
//! by other programs. Every way runs as a program of its own, with its output thrown away. The
//! paths that the programs list are compared once.

use std::path::Path;
use std::process::Stdio;

use super::options::Options;
use super::programs;
use super::report::{Line, Report, millis};
use super::rivals::{Rival, walkers};

const GROUP: &str = "Every path of the tree";

/// Numbers of threads that brisk is told to use, beside the number that it chooses.
const THREADS: [&str; 5] = ["-j1", "-j2", "-j4", "-j8", "-j32"];

/// Measures, and compares what was listed.
///
/// # Errors
/// A program that cannot be started, although it is installed.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let programs = programs(dir)?;
    let mut notes = Vec::new();
    let lines = programs::measure(&programs, options, None, &mut notes)?;
    notes.extend(pace(dir, &lines));
    let (entries, disagreements) = programs::compare(&programs, dir);
    let report = Report::new("walk", dir, Some(entries), lines, notes);
    Ok(Report { disagreements, ..report })
}

/// The programs: brisk with its own choice, then brisk's other ways, then the others.
fn programs(dir: &Path) -> Result<Vec<Rival>, String> {
    let own = |name: &str, more: &[&str]| -> Result<Rival, String> {
        let words = [&["find", "-u", "--no-config"], more, &[".", "DIR"]].concat();
        Rival::own(GROUP, name, &words, dir)
    };
    let mut programs = vec![own("brisk find -u", &[])?];
    for threads in THREADS {
        programs.push(own(&format!("brisk find -u {threads}"), &[threads])?);
    }
    for order in ["depth", "breadth", "sorted"] {
        programs.push(own(&format!("brisk find -u --order {order}"), &["--order", order])?);
    }
    for (name, more) in [("brisk find -u", &[][..]), ("brisk find -u -j1", &["-j1"])] {
        let mut rival = own(&format!("{name}, portable backend"), more)?;
        rival.portable = true;
        programs.push(rival);
    }
    programs.extend(walkers(GROUP, dir));
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
        .filter(|(name, _)| THREADS.contains(name))
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
