//! The report as one self-contained page: bar charts by widths alone, for light and dark, narrow
//! and wide screens. The template is `page.html`.

use std::fmt::Write;

use super::report::{Line, Report, millis};

const PAGE: &str = include_str!("page.html");

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let mut body = "<dl>".to_owned();
    for (name, value) in &report.machine {
        let _ = write!(body, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
    }
    let spread = match report.about {
        Some(_) => "",
        None => " Spread is the middle half of the runs, as a share of the median.",
    };
    let _ = writeln!(body, "</dl>\n<p>{}{spread}</p>", escaped(&report.legend()));
    for group in report.groups() {
        chart(report, group, &mut body);
    }
    for remark in report.remarks() {
        let _ = writeln!(body, "<p><small>{}</small></p>", escaped(&remark));
    }
    PAGE.replace("<!--TITLE-->", &escaped(&report.title)).replacen("<!--BODY-->", &body, 1)
}

fn chart(report: &Report, group: &str, out: &mut String) {
    let ranked = report.ranked(group);
    let Some(slowest) = ranked.iter().map(|line| line.times.median()).max() else { return };
    let _ = writeln!(out, "<h2>{}</h2>", escaped(group));
    let whole = slowest.as_secs_f64().max(1e-9);
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
    if report.about.is_none() {
        let _ = write!(out, "<span>spread {:.0} %</span>", line.times.spread() * 100.0);
    }
    let program = line.program().map(|it| format!("<code>{}</code>", escaped(&it)));
    out + &program.unwrap_or_default()
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_text() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}
