//! `brisk bench walk`: a whole tree, by brisk in its orders, numbers of threads and backends, and by other
//! programs. All run as programs of their own, output thrown away; what they list is compared once.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use brisk_sys::survey::run;

use super::Options;
use super::attrs::busy;
use super::machine::{self, Machine};
use super::report::{Line, Report, Usage, millis};
use super::rivals::{Lists, Rival, installed, is_installed};
use super::timing::Times;

const GROUP: &str = "Every path of the tree";

/// Threads that brisk is told to use, beside its own choice.
const THREADS: [&str; 5] = ["-j1", "-j2", "-j4", "-j8", "-j32"];

/// Measures, and compares what was listed.
///
/// # Errors
/// A program that cannot be started, although it is installed.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let programs = programs(dir)?;
    let mut lines: Vec<Line> = programs.iter().map(line).collect();
    let mut notes = Vec::new();
    let drops = options.drop_caches && machine::drop_caches();
    if !drops {
        notes.push("caches were not dropped: the first runs may be warm".to_owned());
    }
    for turn in 0..=options.runs {
        for (program, line) in programs.iter().zip(&mut lines) {
            if turn == 0 && drops {
                machine::drop_caches();
            }
            measure_once(program, line);
        }
    }
    for (program, line) in programs.iter().zip(&mut lines) {
        line.calls = calls(program);
    }
    notes.extend(busy());
    notes.extend(pace(dir, &lines));
    let (entries, disagreements) = compare(dir, &programs);
    notes.extend(ratio(&lines));
    Ok(Report {
        title: format!("brisk bench walk {}: {entries} entries", dir.display()),
        machine: Machine::here(dir),
        entries,
        lines,
        disagreements,
        notes,
    })
}

/// brisk in all its ways first, its own choice before all; then the others.
fn programs(dir: &Path) -> Result<Vec<Rival>, String> {
    let mut programs = Vec::new();
    let mut own = |name: &str, more: &[&str]| -> Result<(), String> {
        let words = [&["find", "-u", "--no-config"], more, &[".", "DIR"]].concat();
        programs.push(Rival::own(name, &words, dir)?);
        Ok(())
    };
    own("brisk find -u", &[])?;
    for threads in THREADS {
        own(&format!("brisk find -u {threads}"), &[threads])?;
    }
    for order in ["depth", "breadth", "sorted"] {
        own(&format!("brisk find -u --order {order}"), &["--order", order])?;
    }
    programs.extend(installed(dir));
    Ok(programs)
}

fn line(program: &Rival) -> Line {
    Line {
        name: program.name.clone(),
        group: GROUP,
        times: Times::default(),
        calls: None,
        usage: None,
        failure: None,
    }
}

fn measure_once(program: &Rival, line: &mut Line) {
    match run(&mut program.command()) {
        Ok(ended) if ended.status.success() => {
            line.times.push(ended.wall);
            // The last run's times; the most memory of all.
            let peak = line.usage.unwrap_or_default().peak.max(ended.peak);
            line.usage = Some(Usage { user: ended.user, system: ended.system, peak });
        }
        Ok(ended) => line.failure = Some(format!("ended with {}", ended.status)),
        Err(error) => line.failure = Some(error.to_string()),
    }
}

/// System calls of one run, if strace is installed and may look.
fn calls(program: &Rival) -> Option<u64> {
    if !is_installed("strace") {
        return None;
    }
    let original = program.command();
    // The program's own output would stand among the counts: it goes elsewhere.
    let shell = "exec strace -f -c -U calls,name -o /dev/fd/3 \"$@\" 3>&1 >/dev/null 2>/dev/null";
    let mut command = Command::new("sh");
    command.args(["-c", shell, "sh"]).arg(original.get_program()).args(original.get_args());
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let total = text.lines().find(|line| line.trim_end().ends_with("total"))?;
    total.split_whitespace().next()?.parse().ok()
}

/// Every program against brisk's own choice; the number of entries.
fn compare(dir: &Path, programs: &[Rival]) -> (u64, Vec<String>) {
    let Some(own) = programs.first().and_then(|own| own.set(dir)) else { return (0, Vec::new()) };
    let is_file = |path: &Vec<u8>| {
        let path = dir.join(brisk_sys::paths::bytes_to_path(path));
        path.symlink_metadata().is_ok_and(|meta| meta.is_file())
    };
    let files: BTreeSet<Vec<u8>> = if programs.iter().any(|it| it.lists == Lists::Files) {
        own.iter().filter(|path| is_file(path)).cloned().collect()
    } else {
        BTreeSet::new()
    };
    let wrong = |program: &Rival| {
        let set = program.set(dir)?;
        let expected = if program.lists == Lists::Files { &files } else { &own };
        let other = expected.symmetric_difference(&set).next()?;
        let count = expected.symmetric_difference(&set).count();
        let shown = String::from_utf8_lossy(other);
        Some(format!(
            "{} lists other paths than brisk: {count}, among them '{shown}'",
            program.name
        ))
    };
    let wrong = programs.iter().skip(1).filter_map(wrong).collect();
    (own.len() as u64, wrong)
}

/// What the pace chose, and whether that was right.
fn pace(dir: &Path, lines: &[Line]) -> Option<String> {
    let own =
        Rival::own("", &["find", "-u", "--no-config", "--stats=json", ".", "DIR"], dir).ok()?;
    let output = own.command().stderr(Stdio::piped()).output().ok()?;
    let stats: serde_json::Value = serde_json::from_slice(&output.stderr).ok()?;
    let workers = stats.get("peak_workers")?.as_u64()?;
    let chosen = lines.first()?.times.median();
    let fixed = lines.iter().filter(|line| line.failure.is_none());
    let best = fixed
        .filter(|line| line.name.starts_with("brisk find -u -j"))
        .min_by_key(|line| line.times.median())?;
    let (time, least) = (chosen.as_secs_f64(), best.times.median().as_secs_f64().max(1e-9));
    let verdict = match time / least {
        ratio if ratio <= 1.1 => "which was right".to_owned(),
        ratio => format!("{:.0} % more than the best choice", (ratio - 1.0) * 100.0),
    };
    Some(format!(
        "the pace chose {workers} workers: {} ms, {verdict} ({}: {} ms)",
        millis(chosen),
        best.name,
        millis(best.times.median())
    ))
}

/// brisk's own choice against the best of the others.
fn ratio(lines: &[Line]) -> Option<String> {
    let own = lines.first()?.times.median();
    let others =
        lines.iter().filter(|line| !line.name.starts_with("brisk") && line.failure.is_none());
    let best = others.min_by_key(|line| line.times.median())?;
    let ratio = own.as_secs_f64() / best.times.median().max(Duration::from_nanos(1)).as_secs_f64();
    Some(format!("brisk takes {ratio:.2} of the time of the best other program ({})", best.name))
}
