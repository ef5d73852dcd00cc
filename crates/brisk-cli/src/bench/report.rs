//! What was measured: as a table for a terminal, and as JSON.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::machine::Machine;
use super::timing::Times;

/// One method, or one program.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Lines of one group are compared with each other: their methods bring the same.
    pub(crate) group: &'static str,
    pub(crate) times: Times,
    /// System calls in one run, if they are known.
    pub(crate) calls: Option<u64>,
    /// Processor time of one run, user and system, and peak memory in bytes.
    pub(crate) usage: Option<Usage>,
    /// Why the method could not be measured.
    pub(crate) failure: Option<String>,
}

impl Line {
    /// Whether this line is brisk's own.
    pub(crate) fn is_own(&self) -> bool {
        self.name.starts_with("brisk")
    }
}

/// What a program used in a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) user: Duration,
    pub(crate) system: Duration,
    pub(crate) peak: u64,
}

/// A finished measurement.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) title: String,
    pub(crate) machine: Machine,
    pub(crate) entries: u64,
    pub(crate) lines: Vec<Line>,
    /// Where methods that should agree saw different things.
    pub(crate) disagreements: Vec<String>,
    /// What the reader should know: a busy machine, caches that were kept.
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// The groups, in the order of their first lines.
    pub(crate) fn groups(&self) -> Vec<&'static str> {
        let mut groups = Vec::new();
        for line in &self.lines {
            if !groups.contains(&line.group) {
                groups.push(line.group);
            }
        }
        groups
    }

    /// A group's measured lines, fastest first.
    pub(crate) fn ranked(&self, group: &str) -> Vec<&Line> {
        let measured = |line: &&Line| line.group == group && line.failure.is_none();
        let mut lines: Vec<&Line> = self.lines.iter().filter(measured).collect();
        lines.sort_unstable_by_key(|line| line.times.median());
        lines
    }

    /// How many times faster the line is than the slowest of its group.
    pub(crate) fn speed_up(&self, line: &Line) -> f64 {
        let ranked = self.ranked(line.group);
        let slowest = ranked.last().map_or(0.0, |slowest| slowest.times.median().as_secs_f64());
        slowest / line.times.median().as_secs_f64().max(1e-9)
    }

    /// The report for a terminal.
    pub(crate) fn text(&self) -> String {
        let mut out = format!("{}\n", self.title);
        for (name, value) in &self.machine.facts {
            let _ = writeln!(out, "  {name}: {value}");
        }
        for group in self.groups() {
            self.table(group, &mut out);
        }
        for line in self.lines.iter().filter(|line| line.failure.is_some()) {
            let why = line.failure.as_deref().unwrap_or_default();
            let _ = writeln!(out, "not measured: {}: {why}", line.name);
        }
        for line in &self.disagreements {
            let _ = writeln!(out, "DISAGREEMENT: {line}");
        }
        for note in &self.notes {
            let _ = writeln!(out, "note: {note}");
        }
        out
    }

    fn table(&self, group: &str, out: &mut String) {
        let ranked = self.ranked(group);
        if ranked.is_empty() {
            return;
        }
        let width = ranked.iter().map(|line| line.name.len()).max().unwrap_or(0);
        let _ = writeln!(out, "\n{group}");
        let head = "first ms     ms  spread  times  calls/entry   user    sys   MiB";
        let _ = writeln!(out, "{:width$}  {head}", "");
        for line in ranked {
            let name = &line.name;
            let first = line.times.first.map_or(String::new(), millis);
            let (median, spread) = (millis(line.times.median()), line.times.spread() * 100.0);
            let calls =
                self.calls_per_entry(line).map_or("-".into(), |calls| format!("{calls:.2}"));
            let times = self.speed_up(line);
            let _ =
                write!(out, "{name:width$}  {first:>8} {median:>6} {spread:>5.0} %  {times:>5.1}");
            let _ = write!(out, "  {calls:>11}");
            if let Some(usage) = line.usage {
                let mib = usage.peak as f64 / f64::from(1 << 20);
                let (user, system) = (millis(usage.user), millis(usage.system));
                let _ = write!(out, " {user:>6} {system:>6} {mib:>5.1}");
            }
            out.push('\n');
        }
    }

    /// System calls for each entry.
    pub(crate) fn calls_per_entry(&self, line: &Line) -> Option<f64> {
        line.calls.map(|calls| calls as f64 / self.entries.max(1) as f64)
    }

    /// Every figure, as JSON.
    pub(crate) fn json(&self) -> String {
        let seconds = |time: Duration| time.as_secs_f64();
        let lines: Vec<Value> = self
            .lines
            .iter()
            .map(|line| {
                json!({
                    "name": line.name,
                    "group": line.group,
                    "first_seconds": line.times.first.map(seconds),
                    "seconds": line.times.again.iter().copied().map(seconds).collect::<Vec<_>>(),
                    "median_seconds": seconds(line.times.median()),
                    "spread": line.times.spread(),
                    "calls": line.calls,
                    "user_seconds": line.usage.map(|usage| seconds(usage.user)),
                    "system_seconds": line.usage.map(|usage| seconds(usage.system)),
                    "peak_bytes": line.usage.map(|usage| usage.peak),
                    "failure": line.failure,
                })
            })
            .collect();
        let facts: serde_json::Map<String, Value> = self
            .machine
            .facts
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::from(value.clone())))
            .collect();
        let whole = json!({
            "title": self.title,
            "machine": facts,
            "entries": self.entries,
            "methods": lines,
            "disagreements": self.disagreements,
            "notes": self.notes,
        });
        format!("{whole:#}\n")
    }
}

/// Milliseconds with three significant digits.
pub(crate) fn millis(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1e3;
    match millis {
        m if m < 10.0 => format!("{m:.2}"),
        m if m < 100.0 => format!("{m:.1}"),
        m => format!("{m:.0}"),
    }
}
