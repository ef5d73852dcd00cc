//! What was measured, as tables for a terminal and as JSON: both have the same figures.

use std::ffi::OsString;
use std::fmt::Write;
use std::time::Duration;

use brisk_cli_sys::survey::child::Ended;

use crate::show::json;
use crate::show::safe::path_bytes;

/// A figure: its column in a table with its text, its key in JSON with its value.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    name: &'static str,
    key: String,
    text: String,
    value: Option<f64>,
}

impl Figure {
    pub(crate) fn new(
        name: &'static str,
        key: impl Into<String>,
        value: Option<f64>,
        text: impl FnOnce(f64) -> String,
    ) -> Figure {
        Figure { name, key: key.into(), text: value.map_or("-".to_owned(), text), value }
    }

    pub(crate) fn count(name: &'static str, count: u64) -> Figure {
        Figure::new(name, name.replace(' ', "_"), Some(count as f64), |_| count.to_string())
    }

    /// A time, which the table has in milliseconds.
    pub(crate) fn time(name: &'static str, time: Option<Duration>) -> Figure {
        let key = name.replace(' ', "_") + "_seconds";
        Figure::new(name, key, time.map(|time| time.as_secs_f64()), millis)
    }
}

/// Milliseconds with three significant digits, or as many thousandths.
fn millis(seconds: f64) -> String {
    match seconds * 1e3 {
        millis if millis < 1.0 => format!("{millis:.3}"),
        millis if millis < 10.0 => format!("{millis:.2}"),
        millis if millis < 100.0 => format!("{millis:.1}"),
        millis => format!("{millis:.0}"),
    }
}

/// A line of a table: a method or a program, or what else was measured.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// The heading of its table. Methods of one table are compared: they bring the same.
    pub(crate) group: String,
    pub(crate) figures: Vec<Figure>,
    /// Whether it is brisk. The others of the table are compared with its first such line.
    pub(crate) is_own: bool,
    /// The words of a program's command line.
    pub(crate) command: Vec<OsString>,
    /// The first run, for which caches may have been cold, and the others.
    pub(crate) runs: Vec<Duration>,
    /// System calls in one run, and the entries that they were for.
    pub(crate) calls: Option<(u64, u64)>,
    /// What the last run used, with the greatest peak of all runs.
    pub(crate) usage: Option<Ended>,
    /// Why there are no figures.
    pub(crate) failure: Option<String>,
}

/// A finished measurement.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) title: String,
    /// Where it was made: names and values.
    pub(crate) machine: Vec<(&'static str, String)>,
    pub(crate) entries: Option<u64>,
    /// What the figures are.
    pub(crate) legend: String,
    pub(crate) lines: Vec<Line>,
    /// Where methods that should agree saw different things.
    pub(crate) disagreements: Vec<String>,
    /// What the reader should know: a busy machine, caches that were kept.
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// The report for a terminal.
    pub(crate) fn text(&self) -> String {
        let mut out = self.title.clone();
        for (name, value) in &self.machine {
            let _ = write!(out, "\n  {name}: {value}");
        }
        let _ = write!(out, "\n\n{}\n", self.legend);
        let measured = self.lines.iter().filter(|line| line.failure.is_none());
        for lines in measured.collect::<Vec<_>>().chunk_by(|a, b| a.group == b.group) {
            table(lines, &mut out);
        }
        out.push('\n');
        for line in &self.lines {
            let failure = line.failure.as_ref();
            let _ = failure.map(|why| writeln!(out, "not measured: {}: {why}", line.name));
        }
        for remark in &self.disagreements {
            let _ = writeln!(out, "DISAGREEMENT: {remark}");
        }
        for remark in &self.notes {
            let _ = writeln!(out, "note: {remark}");
        }
        out
    }

    /// Every figure, as JSON.
    pub(crate) fn json(&self) -> String {
        let machine = json::of(|object| {
            for (name, value) in &self.machine {
                object.text(name, Some(value));
            }
        });
        let methods: Vec<String> = self.lines.iter().map(Line::json).collect();
        let whole = json::of(|object| {
            object.text("title", Some(&self.title));
            object.plain("machine", machine);
            object.number("entries", self.entries);
            object.plain("methods", format_args!("[{}]", methods.join(",")));
            object.plain("disagreements", json::paths(&self.disagreements));
            object.plain("notes", json::paths(&self.notes));
        });
        whole + "\n"
    }
}

impl Line {
    fn json(&self) -> String {
        json::of(|object| {
            object.text("name", Some(&self.name));
            object.text("group", Some(&self.group));
            if !self.command.is_empty() {
                let words = self.command.iter().map(path_bytes);
                object.plain("command", json::paths(words));
            }
            self.figures.iter().for_each(|it| object.real(&it.key, it.value));
            if !self.runs.is_empty() {
                let runs: Vec<f64> = self.runs.iter().map(Duration::as_secs_f64).collect();
                object.plain("seconds", format_args!("{runs:?}"));
            }
            object.text("failure", self.failure.as_deref());
        })
    }
}

/// The table of a group, whose lines have the same columns.
fn table(lines: &[&Line], out: &mut String) {
    let name = |line: &&Line| line.name.chars().count();
    let names = lines.iter().map(name).max().unwrap_or(0);
    let room = |at: usize, figure: &Figure| {
        let texts = lines.iter().filter_map(|line| Some(line.figures.get(at)?.text.len()));
        texts.chain([figure.name.len()]).max().unwrap_or(0) + 2
    };
    let columns = lines[0].figures.iter().enumerate();
    let rooms: Vec<usize> = columns.map(|(at, figure)| room(at, figure)).collect();
    let _ = write!(out, "\n{}\n{:names$}", lines[0].group, "");
    for (figure, room) in lines[0].figures.iter().zip(&rooms) {
        let _ = write!(out, "{:>room$}", figure.name);
    }
    for line in lines {
        let _ = write!(out, "\n{:names$}", line.name);
        for (figure, room) in line.figures.iter().zip(&rooms) {
            let _ = write!(out, "{:>room$}", figure.text);
        }
    }
    out.push('\n');
}
