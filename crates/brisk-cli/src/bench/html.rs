//! The report as one self-contained page: bar charts by widths alone, for light and dark, narrow
//! and wide screens.

use std::fmt::Write;

use super::report::{Line, Report, millis};

const STYLE: &str = "\
:root{color-scheme:light dark;--bar:#3a7bd5;--mine:#e0822f;--edge:#8886}\
body{font:16px/1.45 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}\
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;font-size:.9rem}dt{opacity:.75}dd{margin:0;overflow-wrap:anywhere}\
.row{margin:.8rem 0}.name{display:flex;justify-content:space-between;gap:1rem}\
.name b{font-weight:500;overflow-wrap:anywhere}.name span{white-space:nowrap}\
.track{border:1px solid var(--edge);border-radius:3px;height:.8rem}\
.bar{background:var(--bar);height:100%;min-width:1px}.mine .bar{background:var(--mine)}\
small{opacity:.75;display:flex;flex-wrap:wrap;column-gap:.9rem;font-variant-numeric:tabular-nums}\
.name span{font-variant-numeric:tabular-nums;font-weight:600}.mine b{font-weight:700}\
code{flex-basis:100%;overflow-wrap:anywhere}.bad{color:#c33;font-weight:600}\
@media(prefers-color-scheme:dark){:root{--bar:#6aa3f0;--mine:#f0a35c}.bad{color:#f88}}";

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let title = escaped(&report.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main>\n<h1>{title}</h1>\n<dl>"
    );
    for (name, value) in &report.machine {
        let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
    }
    if let Some(entries) = report.entries {
        let _ = write!(out, "<dt>entries</dt><dd>{entries}</dd>");
    }
    out.push_str("</dl>\n");
    for line in &report.disagreements {
        let _ = writeln!(out, "<p class=\"bad\">Disagreement: {}</p>", escaped(line));
    }
    let _ = writeln!(
        out,
        "<p>{} Spread is the middle half of the runs, as a share of the median.</p>",
        report.legend()
    );
    for group in report.groups() {
        chart(report, group, &mut out);
    }
    for line in report.lines.iter().filter(|line| line.failure.is_some()) {
        let why = escaped(line.failure.as_deref().unwrap_or_default());
        let _ = writeln!(
            out,
            "<p class=\"row\"><b>{}</b>: not measured: {why}</p>",
            escaped(&line.name)
        );
    }
    if !report.notes.is_empty() {
        out.push_str("<h2>Notes</h2>\n");
    }
    for note in &report.notes {
        let _ = writeln!(out, "<p><small>{}</small></p>", escaped(note));
    }
    out.push_str("</main></body></html>\n");
    out
}

fn chart(report: &Report, group: &str, out: &mut String) {
    let ranked = report.ranked(group);
    let Some(slowest) = ranked.last() else { return };
    let _ = writeln!(out, "<h2>{}</h2>", escaped(group));
    let whole = slowest.times.median().as_secs_f64().max(1e-9);
    for line in &ranked {
        let median = line.times.median();
        let width = median.as_secs_f64() / whole * 100.0;
        let mine = if line.is_own { " mine" } else { "" };
        let _ = writeln!(
            out,
            "<div class=\"row{mine}\"><div class=\"name\"><b>{}</b><span>{} ms</span></div>\
             <div class=\"track\"><div class=\"bar\" style=\"width:{width:.2}%\"></div></div>\
             <small>{}</small></div>",
            escaped(&line.name),
            millis(median),
            details(report, line),
        );
    }
}

/// The figures below a bar, and how the program was called.
fn details(report: &Report, line: &Line) -> String {
    let mut out = String::new();
    for (name, _, figure) in report.figures(line) {
        let _ = figure.map(|figure| write!(out, "<span>{name} {figure}</span>"));
    }
    let _ = write!(out, "<span>spread {:.0} %</span>", line.times.spread() * 100.0);
    let program = line.program().map(|it| format!("<code>{}</code>", escaped(&it)));
    out + &program.unwrap_or_default()
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_text() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}
