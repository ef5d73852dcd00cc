//! Flags that say how entries are laid out on lines.

use std::ffi::OsStr;

use crate::front::{Refusal, When, Words};
use crate::ls::given::{Flag, Format, Given};
use crate::show::quoting::{self, Style};
use brisk_filter::numbers::{self, Unfit};

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::on("C", |given| given.format = Some(Format::Columns))
            .brief("List in columns, sorted downwards (the default on a terminal)"),
        Flag::on("x", |given| given.format = Some(Format::Across))
            .brief("List in columns, sorted across"),
        Flag::on("m", |given| given.format = Some(Format::Commas))
            .brief("List one after another, with commas"),
        Flag::on("1", lines).brief("List one per line (the default except on a terminal)").doc(
            "List one per line. This is the default, except on a terminal. Has no effect after \
             -l.",
        ),
        Flag::on("l", |given| given.format = Some(Format::Long))
            .brief("List one per line with mode, links, owner, group, size and time")
            .doc(
                "List one per line with mode, number of links, owner, group, size and time. The \
                 listing of a directory begins with the sum of its entries' blocks. Costs one \
                 statx per entry and, if the file system has extended attributes, one request for \
                 their names.",
            ),
        layout("layout"),
        // GNU's name.
        layout("format").hidden(),
        Flag::parsed("w, width", "COLUMNS", width)
            .brief("Make lines at most this wide; 0 for no limit"),
        Flag::parsed("T, tabsize", "COLUMNS", tab)
            .brief("Assume tab stops at this distance; 0 for no tabs"),
        Flag::on("D, dired", |given| given.dired = true)
            .brief("After -l, say where names stand in the output, for Emacs")
            .doc(
                "With -l, indent the lines and print after the listing where names begin and end \
                 in the output, for Emacs' dired mode. Has no effect with other layouts, \
                 --hyperlink, --tree or --json.",
            ),
        Flag::on("zero", zero).brief(
            "End each line with a null byte; implies -1 -N --color=never --show-control-chars",
        ),
    ]
}

const LAYOUTS: Words =
    Words::new("verbose long | commas | horizontal across | vertical | single-column");

fn layout(name: &'static str) -> Flag {
    Flag::word(name, "WORD", LAYOUTS, |given: &mut Given, word| {
        given.format = Some(match word {
            "verbose" => Format::Long,
            "commas" => Format::Commas,
            "horizontal" => Format::Across,
            "vertical" => Format::Columns,
            _ => Format::Lines,
        });
    })
    .brief("Choose the layout by a word: across, commas, long, single-column or vertical")
    .doc(
        "Choose the layout by a word: across, commas, long, single-column or vertical. GNU's name \
         of this option is --format.",
    )
}

fn lines(given: &mut Given) {
    if given.format != Some(Format::Long) {
        given.format = Some(Format::Lines);
    }
}

fn zero(given: &mut Given) {
    lines(given);
    given.zero = true;
    given.question_marks = Some(false);
    given.color = Some(When::Never);
    given.style = Some(Style::Literal);
}

/// A line's width. `None` if the text is not a number; a number that is too large means no limit.
pub(crate) fn decode_width(text: &[u8]) -> Option<usize> {
    match numbers::integer(text) {
        Ok(width) => Some(usize::try_from(width).unwrap_or(0)),
        Err(Unfit::TooLarge) => Some(0),
        Err(_) => None,
    }
}

fn width(given: &mut Given, text: &OsStr) -> Result<(), Refusal> {
    let bytes = text.as_encoded_bytes();
    let refused = || Refusal::usage(format!("invalid line width: {}", quoting::as_argument(bytes)));
    given.width = Some(decode_width(bytes).ok_or_else(refused)?);
    Ok(())
}

fn tab(given: &mut Given, text: &OsStr) -> Result<(), Refusal> {
    let bytes = text.as_encoded_bytes();
    let refused = |why| {
        let cause = match why {
            Unfit::TooLarge => ": Value too large for defined data type",
            Unfit::Suffix | Unfit::Invalid => "",
        };
        Refusal::usage(format!("invalid tab size: {}{cause}", quoting::as_argument(bytes)))
    };
    let columns = numbers::integer(bytes).map_err(refused)?;
    given.tab = Some(usize::try_from(columns).map_err(|_| refused(Unfit::TooLarge))?);
    Ok(())
}
