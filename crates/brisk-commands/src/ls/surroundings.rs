//! What the command line leaves open: the environment, the terminal and the habits of GNU ls decide.

use std::ffi::{OsStr, OsString};

use super::flags::{Dereference, Format, Given, Refusal, Sort, decode_width, style_of};
use crate::front::Words;
use crate::front::messages::Caller;
use crate::front::time_style::{format_of, unknown, without_posix};
use crate::show::long::{Columns, Indicator, TimeStyle};
use crate::show::quoting::{self, Style};
use crate::show::safe::os_str;
use crate::show::size::Scale;
use crate::system::HAS_MODES;
use crate::write::out;
use brisk_filter::{Stamp, numbers};

/// The environment, and where the output goes.
pub(crate) struct Surroundings<'a> {
    pub(crate) caller: Caller,
    pub(crate) var: &'a dyn Fn(&str) -> Option<OsString>,
    /// Whether standard output is a terminal.
    pub(crate) terminal: bool,
    /// The width of the terminal, if it reports one.
    pub(crate) columns: Option<usize>,
}

impl Surroundings<'_> {
    /// Those of this process.
    pub(crate) fn current(caller: Caller) -> Surroundings<'static> {
        let terminal = out::output_is_terminal();
        let size = if terminal { out::terminal_size() } else { None };
        let var = &|name: &str| std::env::var_os(name);
        Surroundings { caller, var, terminal, columns: size.map(|(columns, _)| columns) }
    }

    fn var(&self, name: &str) -> Option<OsString> {
        (self.var)(name)
    }

    /// The value of a variable that is not empty.
    fn filled(&self, name: &str) -> Option<OsString> {
        self.var(name).filter(|value| !value.is_empty())
    }

    /// Whether --color=auto and the like paint.
    pub(super) fn paints(&self) -> bool {
        if self.filled("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
            return true;
        }
        self.terminal && self.filled("NO_COLOR").is_none()
    }
}

/// The columns that this system's files can fill.
pub(super) fn columns(given: &Given) -> Columns {
    let asked = given.columns;
    let is_long = given.format == Some(Format::Long);
    Columns {
        attributes: !HAS_MODES,
        without_owner: !HAS_MODES || asked.without_owner,
        without_group: !HAS_MODES || asked.without_group,
        author: HAS_MODES && asked.author,
        // Where owners have no numbers, the security descriptor names them: one request for each
        // file.
        context: asked.context || (!HAS_MODES && asked.author && is_long),
        ..asked
    }
}

/// The format: the user's, or by default columns on a terminal.
pub(super) fn format(given: &Given, around: &Surroundings<'_>) -> Format {
    let usual = if around.terminal { Format::Columns } else { Format::Lines };
    match given.format.unwrap_or(usual) {
        // Trees and objects have a line for each entry.
        format if format != Format::Long && (given.tree || given.json) => Format::Lines,
        format => format,
    }
}

/// Whether offsets are written: as in GNU ls, only after a long listing without links.
pub(super) fn dired(given: &Given, format: Format, hyperlink: bool) -> Result<bool, Refusal> {
    let is_list = !(given.tree || given.json || hyperlink);
    let dired = given.dired && format == Format::Long && is_list;
    if dired && given.zero {
        return Err(Refusal::usage("--dired and --zero are incompatible"));
    }
    Ok(dired)
}

pub(super) fn dereference(given: &Given, format: Format) -> Dereference {
    given.dereference.unwrap_or_else(|| {
        let shows_links =
            given.themselves || given.indicator == Indicator::Classify || format == Format::Long;
        if shows_links { Dereference::Never } else { Dereference::PathsToDirectories }
    })
}

pub(super) fn sort(given: &Given, format: Format) -> Sort {
    let shows_time = format == Format::Long;
    given.sort.unwrap_or(match given.time {
        Stamp::Modified => Sort::Name,
        _ if shows_time => Sort::Name,
        _ => Sort::Time,
    })
}

/// The scales of blocks and of file sizes.
pub(super) fn scales(given: &Given, around: &Surroundings<'_>) -> (Scale, Scale) {
    if let Some(scale) = given.scale {
        return (scale, scale);
    }
    let own = "LS_BLOCK_SIZE";
    let counts_for_sizes = around.var(own).or_else(|| around.var("BLOCK_SIZE")).is_some();
    let set = Scale::of_environment(own, around.var);
    let scale = set.unwrap_or_else(|| Scale::usual(around.var));
    let sizes = if counts_for_sizes { scale } else { Scale::units(1) };
    (if given.kibibytes { Scale::units(1024) } else { scale }, sizes)
}

/// The value of a variable, unless `read` does not understand it: then prints a warning.
fn understood<T>(
    text: Option<OsString>,
    what: &str,
    read: impl FnOnce(&OsStr) -> Option<T>,
    caller: Caller,
) -> Option<T> {
    let text = text?;
    let value = read(&text);
    if value.is_none() {
        let shown = quoting::as_argument(text.as_encoded_bytes());
        caller.complain(&format!("ignoring invalid {what}: {shown}"));
    }
    value
}

pub(super) fn width(given: &Given, around: &Surroundings<'_>) -> usize {
    let of_terminal = || around.columns.filter(|columns| *columns > 0);
    let of_variable = || {
        let text = around.filled("COLUMNS");
        let read = |text: &OsStr| decode_width(text.as_encoded_bytes());
        understood(text, "width in environment variable COLUMNS", read, around.caller)
    };
    given.width.or_else(of_terminal).or_else(of_variable).unwrap_or(80)
}

pub(super) fn tab(given: &Given, around: &Surroundings<'_>) -> usize {
    let of_variable = || {
        let what = "tab size in environment variable TABSIZE";
        let read =
            |text: &OsStr| usize::try_from(numbers::integer(text.as_encoded_bytes()).ok()?).ok();
        understood(around.var("TABSIZE"), what, read, around.caller)
    };
    given.tab.or_else(of_variable).unwrap_or(8)
}

pub(super) fn style(given: &Given, around: &Surroundings<'_>) -> Style {
    let of_variable = || {
        let what = "value of environment variable QUOTING_STYLE";
        understood(around.var("QUOTING_STYLE"), what, style_of, around.caller)
    };
    let usual = if around.terminal { Style::ShellEscape } else { Style::Literal };
    given.style.or_else(of_variable).unwrap_or(usual)
}

pub(super) fn time_style(given: &Given, around: &Surroundings<'_>) -> Result<TimeStyle, Refusal> {
    let text = given.time_style.clone().or_else(|| around.var("TIME_STYLE"));
    let hard = is_hard(around, "LC_TIME");
    parse_time_style(text.as_deref().unwrap_or(OsStr::new("locale")), hard)
}

/// The styles of times.
static STYLES: Words = Words::new("full-iso | long-iso | iso | locale");

/// The style of `--time-style` or its variable. `hard`: the locale's words differ from the C
/// locale's.
///
/// # Errors
/// The word is unknown, or the format has more than two lines.
fn parse_time_style(text: &OsStr, hard: bool) -> Result<TimeStyle, Refusal> {
    let (name, is_posix) = without_posix(text.as_encoded_bytes());
    if is_posix && !hard {
        return Ok(TimeStyle::default());
    }
    if let Some(format) = name.strip_prefix(b"+") {
        return from_format(format);
    }
    let both = |format: &[u8]| TimeStyle { old: format.to_vec(), recent: format.to_vec() };
    Ok(match STYLES.get(os_str(name)) {
        Some(word @ ("full-iso" | "long-iso")) => {
            both(format_of(word.as_bytes()).unwrap_or_default())
        }
        Some("iso") => TimeStyle { old: b"%Y-%m-%d ".to_vec(), recent: b"%m-%d %H:%M".to_vec() },
        Some(_) => TimeStyle::default(),
        None => return Err(unknown_style(name)),
    })
}

fn from_format(format: &[u8]) -> Result<TimeStyle, Refusal> {
    let mut lines = format.split(|byte| *byte == b'\n');
    let old = lines.next().unwrap_or_default().to_vec();
    let recent = lines.next().unwrap_or(&old).to_vec();
    if lines.next().is_some() {
        let shown = quoting::as_argument(format);
        return Err(Refusal::usage(format!("invalid time style format {shown}")));
    }
    Ok(TimeStyle { old, recent })
}

#[cold]
fn unknown_style(name: &[u8]) -> Refusal {
    let styles = STYLES.names().map(|name| format!("[posix-]{name}"));
    let format = "+FORMAT (e.g., +%H:%M) for a 'date'-style format".to_owned();
    unknown(&STYLES, name, styles.chain([format]))
}

/// The environment's value for a category of the locale.
pub(crate) fn locale_name(around: &Surroundings<'_>, category: &str) -> OsString {
    ["LC_ALL", category, "LANG"].iter().find_map(|name| around.filled(name)).unwrap_or_default()
}

/// Whether a category of the locale differs from the C locale's.
pub(crate) fn is_hard(around: &Surroundings<'_>, category: &str) -> bool {
    let name = locale_name(around, category);
    !(name.is_empty() || name == "C" || name == "POSIX")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(text: &str) -> Result<TimeStyle, Refusal> {
        parse_time_style(OsStr::new(text), false)
    }

    #[test]
    fn styles_by_word_and_by_format() {
        let iso = style("iso").expect("known");
        assert_eq!((&iso.old[..], &iso.recent[..]), (&b"%Y-%m-%d "[..], &b"%m-%d %H:%M"[..]));
        assert_eq!(style("posix-iso"), Ok(TimeStyle::default()));
        let two = style("+%Y\n%m").expect("two formats");
        assert_eq!((&two.old[..], &two.recent[..]), (&b"%Y"[..], &b"%m"[..]));
        assert!(style("+a\nb\nc").is_err());
        assert_eq!(style("x").unwrap_err().code, 2);
    }
}
