//! What was measured: as a table for a terminal, and as JSON.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use brisk_cli_sys::survey::Ended;

use crate::show::json;
use crate::show::quoting::typed;

use super::machine;
use super::times::Times;

/// One method, or one program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Lines of one group are compared with each other: their methods bring the same.
    pub(crate) group: String,
    /// The number of entries, where it is not the same for all lines.
    pub(crate) entries: Option<u64>,
    /// Whether this line is brisk's own. The first such line of a group is the one that the others
    /// are compared with.
    pub(crate) is_own: bool,
    /// The words of a program's command line, the program first.
    pub(crate) command: Vec<String>,
    /// What the program says about its version.
    pub(crate) version: Option<String>,
    pub(crate) times: Times,
    /// System calls in one run, if they are known.
    pub(crate) calls: Option<u64>,
    /// What the program used in the last run; the greatest peak of all runs.
    pub(crate) usage: Option<Ended>,
    /// Why the method could not be measured.
    pub(crate) failure: Option<String>,
    /// The figures of a line that is no method with runs: the table has these and no others.
    pub(crate) measured: Vec<Measured>,
}

/// A figure of a line: what it is called, its room in a table, its text and its value.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    name: &'static str,
    room: usize,
    text: String,
    value: f64,
    /// What the key of the value in JSON ends with.
    unit: &'static str,
}

impl Measured {
    pub(crate) fn count(name: &'static str, room: usize, count: u64) -> Measured {
        Measured { name, room, text: count.to_string(), value: count as f64, unit: "" }
    }

    pub(crate) fn time(name: &'static str, room: usize, time: Duration) -> Measured {
        let value = time.as_secs_f64();
        let text = if value < 1e-3 { format!("{:.3}", value * 1e3) } else { millis(time) };
        Measured { name, room, text, value, unit: "_seconds" }
    }

    /// The key in JSON.
    fn key(&self) -> String {
        self.name.replace(' ', "_") + self.unit
    }
}

impl Line {
    /// A line with these figures. `bar`: the time that its bar in a chart shows.
    pub(crate) fn measured(
        group: &str,
        name: String,
        bar: Duration,
        measured: Vec<Measured>,
    ) -> Line {
        let mut line = Line { name, group: group.to_owned(), measured, ..Line::default() };
        line.times.push(bar);
        line
    }

    /// The command line as a shell reads it, and the version in parentheses; `None` of what is no
    /// program.
    pub(crate) fn program(&self) -> Option<String> {
        let version = self.version.as_ref().map_or(String::new(), |it| format!(" ({it})"));
        (!self.command.is_empty()).then(|| format!("{}{version}", command_line(&self.command)))
    }
}

/// Words as a shell reads them.
pub(crate) fn command_line(words: &[String]) -> String {
    words.iter().map(typed).collect::<Vec<_>>().join(" ")
}

/// A finished measurement.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) title: String,
    /// Where it was made: names and values.
    pub(crate) machine: Vec<(&'static str, String)>,
    /// The number of entries; `None` of commands that may do anything.
    pub(crate) entries: Option<u64>,
    pub(crate) lines: Vec<Line>,
    /// Where methods that should agree saw different things.
    pub(crate) disagreements: Vec<String>,
    /// What the reader should know: a busy machine, caches that were kept.
    pub(crate) notes: Vec<String>,
    /// Whether the slowest method of a group is the one that the others are compared with, for each
    /// run: so the published tables have it.
    pub(crate) from_slowest: bool,
    /// What the figures are, where they are not the times of runs.
    pub(crate) about: Option<&'static str>,
}

/// A figure of a line: its name, its room in a table, and its value if it is known.
type Figure = (&'static str, usize, Option<String>);

impl Report {
    /// A report in which all methods agree.
    pub(crate) fn new(
        kind: &str,
        dir: &Path,
        entries: Option<u64>,
        lines: Vec<Line>,
        notes: Vec<String>,
    ) -> Report {
        let title = match entries {
            Some(entries) => {
                format!("brisk bench {kind} {}: {entries} entries", typed(dir))
            }
            None => format!("brisk bench {kind}"),
        };
        Report { title, machine: machine::facts(dir), entries, lines, notes, ..Report::default() }
    }

    /// The groups, in the order of their first lines.
    pub(crate) fn groups(&self) -> Vec<&str> {
        let mut groups = Vec::new();
        for line in &self.lines {
            if !groups.contains(&&*line.group) {
                groups.push(&line.group);
            }
        }
        groups
    }

    /// A group's measured lines, fastest first; those that are no methods as they came.
    pub(crate) fn ranked(&self, group: &str) -> Vec<&Line> {
        let measured = |line: &&Line| line.group == group && line.failure.is_none();
        let mut lines: Vec<&Line> = self.lines.iter().filter(measured).collect();
        if self.about.is_none() {
            lines.sort_unstable_by_key(|line| line.times.median());
        }
        lines
    }

    /// The line's median divided by that of the group's first own line.
    fn ratio(&self, line: &Line) -> Option<f64> {
        let is_reference = |other: &&Line| other.group == line.group && other.is_own;
        let own = self.lines.iter().find(is_reference).filter(|own| own.failure.is_none())?;
        let seconds = |line: &Line| line.times.median().as_secs_f64();
        Some(seconds(line) / seconds(own).max(1e-9))
    }

    /// What the figures are, in a sentence or two.
    pub(crate) fn legend(&self) -> String {
        if let Some(about) = self.about {
            return about.to_owned();
        }
        let runs = self.lines.iter().map(|line| line.times.again.len()).max().unwrap_or(0);
        if self.from_slowest {
            return format!(
                "Times in milliseconds: of the first run and the second one, and the median of the \
                 second to the last, which are {runs} runs. Each factor is the time of the slowest \
                 method divided by this one's."
            );
        }
        let other = if self.entries.is_some() { "brisk's" } else { "the first command's" };
        format!(
            "Times in milliseconds: of the first run, and the minimum, median and maximum of the \
             next {runs}. The ratio is the median divided by {other}."
        )
    }

    /// The report for a terminal.
    pub(crate) fn text(&self) -> String {
        let mut out = format!("{}\n", self.title);
        for (name, value) in &self.machine {
            let _ = writeln!(out, "  {name}: {value}");
        }
        let _ = writeln!(out, "\n{}", self.legend());
        for group in self.groups() {
            self.table(group, &mut out);
        }
        self.programs(&mut out);
        for remark in self.remarks() {
            let _ = writeln!(out, "{remark}");
        }
        out
    }

    /// What stands below the figures.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        let failure = |line: &Line| {
            let why = line.failure.as_ref()?;
            Some(format!("not measured: {}: {why}", line.name))
        };
        let disagreements = self.disagreements.iter().map(|line| format!("DISAGREEMENT: {line}"));
        let notes = self.notes.iter().map(|note| format!("note: {note}"));
        self.lines.iter().filter_map(failure).chain(disagreements).chain(notes)
    }

    fn table(&self, group: &str, out: &mut String) {
        let ranked = self.ranked(group);
        if ranked.is_empty() {
            return;
        }
        let width = ranked.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
        let _ = write!(out, "\n{group}\n{:width$}", "");
        for (name, room, _) in self.figures(ranked[0]) {
            let _ = write!(out, " {name:>room$}");
        }
        for line in ranked {
            let _ = write!(out, "\n{:width$}", line.name);
            for (_, room, figure) in self.figures(line) {
                let _ = write!(out, " {:>room$}", figure.as_deref().unwrap_or("-"));
            }
        }
        out.push('\n');
    }

    /// The figures of a line.
    pub(crate) fn figures(&self, line: &Line) -> Vec<Figure> {
        if self.about.is_some() {
            let figure = |it: &Measured| (it.name, it.room, Some(it.text.clone()));
            return line.measured.iter().map(figure).collect();
        }
        if self.from_slowest {
            return self.figures_from_slowest(line);
        }
        let [least, median, most] = line.times.range().map(millis).map(Some);
        let calls = if self.entries.is_some() { "calls/entry" } else { "calls" };
        let peak = line.usage.map(|usage| usage.peak as f64 / f64::from(1 << 20));
        vec![
            ("first", 9, line.times.first.map(millis)),
            ("min", 8, least),
            ("median", 8, median),
            ("max", 8, most),
            ("ratio", 6, self.ratio(line).map(|ratio| format!("{ratio:.2}"))),
            (calls, 12, self.calls(line)),
            ("user", 6, line.usage.map(|usage| millis(usage.user))),
            ("sys", 6, line.usage.map(|usage| millis(usage.system))),
            ("MiB", 5, peak.filter(|peak| *peak > 0.0).map(|peak| format!("{peak:.1}"))),
        ]
    }

    fn figures_from_slowest(&self, line: &Line) -> Vec<Figure> {
        let times = |line: &Line| {
            let median = line.times.median();
            [line.times.first, line.times.again.first().copied(), Some(median)]
        };
        let ranked = self.ranked(&line.group);
        let mut figures = Vec::new();
        for (at, name) in ["first", "second", "median"].into_iter().enumerate() {
            let own = times(line)[at];
            let slowest = ranked.iter().filter_map(|line| times(line)[at]).max();
            let factor = slowest.zip(own).map(|(slowest, own)| {
                format!("{:.1}", slowest.as_secs_f64() / own.as_secs_f64().max(1e-9))
            });
            figures.extend([(name, 9, own.map(millis)), ("factor", 6, factor)]);
        }
        figures.push(("calls/entry", 12, self.calls(line)));
        figures
    }

    /// How each program was called.
    fn programs(&self, out: &mut String) {
        let programs: Vec<String> = self.lines.iter().filter_map(Line::program).collect();
        if !programs.is_empty() {
            let _ = writeln!(out, "\nCommand lines\n  {}\n", programs.join("\n  "));
        }
    }

    /// System calls for each entry, or in all where entries are not counted.
    fn calls(&self, line: &Line) -> Option<String> {
        let calls = line.calls?;
        Some(match line.entries.or(self.entries) {
            Some(entries) => format!("{:.2}", calls as f64 / entries.max(1) as f64),
            None => calls.to_string(),
        })
    }

    /// Every figure, as JSON.
    pub(crate) fn json(&self) -> String {
        let machine = json::of(|object| {
            for (name, value) in &self.machine {
                object.text(name, Some(value));
            }
        });
        let methods: Vec<String> = self.lines.iter().map(values).collect();
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

/// Every figure of a line.
fn values(line: &Line) -> String {
    if !line.measured.is_empty() {
        return json::of(|object| {
            object.text("name", Some(&line.name));
            object.text("group", Some(&line.group));
            line.measured.iter().for_each(|it| object.real(&it.key(), Some(it.value)));
        });
    }
    let seconds = |time: Duration| time.as_secs_f64();
    let [least, median, most] = line.times.range().map(seconds).map(Some);
    let again: Vec<String> =
        line.times.again.iter().map(|time| seconds(*time).to_string()).collect();
    json::of(|object| {
        object.text("name", Some(&line.name));
        object.text("group", Some(&line.group));
        object.number("entries", line.entries);
        object.plain("command", json::paths(&line.command));
        object.text("version", line.version.as_deref());
        object.real("first_seconds", line.times.first.map(seconds));
        object.plain("seconds", format_args!("[{}]", again.join(",")));
        object.real("min_seconds", least);
        object.real("median_seconds", median);
        object.real("max_seconds", most);
        object.real("spread", Some(line.times.spread()));
        object.number("calls", line.calls);
        object.real("user_seconds", line.usage.map(|usage| seconds(usage.user)));
        object.real("system_seconds", line.usage.map(|usage| seconds(usage.system)));
        object.number("peak_bytes", line.usage.map(|usage| usage.peak));
        object.text("failure", line.failure.as_deref());
    })
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
