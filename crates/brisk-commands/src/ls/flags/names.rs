//! Flags that say how names are written: quoted, marked, coloured, linked.

use std::ffi::OsStr;

use crate::front::{When, Words};
use crate::ls::given::{Flag, Given};
use crate::show::long::Indicator;
use crate::show::quoting::Style;

const WHEN: Words = Words::new("always yes force | never no none | auto tty if-tty");

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::word("F, classify", "WHEN", WHEN, classify)
            .brief("Mark names by type: / directory, * executable, @ link, | pipe, = socket")
            .bare("always")
            .doc(
                "Mark names by type: / behind directories, * behind executables, @ behind links, | \
                 behind pipes, = behind sockets. Costs one statx per regular file. WHEN is always, \
                 auto (on a terminal) or never.",
            ),
        Flag::on("file-type", |given| indicator(given, Indicator::FileType))
            .brief("Like -F, but without *"),
        Flag::on("p", |given| indicator(given, Indicator::Slash))
            .brief("Mark only directories, with /"),
        Flag::word(
            "indicator-style",
            "WORD",
            Words::new("none | slash | file-type | classify"),
            indicator_style,
        )
        .brief("Choose the marks by a word: none, slash, file-type or classify"),
        Flag::word("color", "WHEN", WHEN, |given, word| {
            given.color = Some(When::from_word(word));
        })
        .brief("Paint names as LS_COLORS says: always, auto or never")
        .bare("always")
        .doc(
            "Paint names as LS_COLORS says: always, never, or auto (on a terminal; NO_COLOR and \
             CLICOLOR_FORCE count). The default is auto, and never where brisk is called as ls. \
             Only what the active colours need is requested from the file system: see --explain.",
        ),
        Flag::word("hyperlink", "WHEN", WHEN, |given, word| {
            given.hyperlink = Some(When::from_word(word));
        })
        .brief("Turn names into links to their files: always, auto or never")
        .bare("always"),
        Flag::on("N, literal", |given| given.style = Some(Style::Literal))
            .brief("Show names as they are"),
        Flag::on("b, escape", |given| given.style = Some(Style::Escape))
            .brief("Show C escapes for characters that cannot be shown"),
        Flag::on("Q, quote-name", |given| given.style = Some(Style::C))
            .brief("Show names in double quotes"),
        Flag::word("quoting-style", "WORD", STYLES, |given, word| {
            given.style = style_of(word.as_ref());
        })
        .brief(
            "Quote names in this style: literal, shell, shell-always, shell-escape, \
             shell-escape-always, c, c-maybe, escape, locale, clocale",
        )
        .doc(
            "Quote names in this style. The variable QUOTING_STYLE sets the default, which \
             otherwise is shell-escape on a terminal and literal elsewhere.",
        ),
        Flag::on("q, hide-control-chars", |given| given.question_marks = Some(true))
            .brief("Show ? for characters that cannot be shown (the default on a terminal)"),
        Flag::on("show-control-chars", |given| given.question_marks = Some(false))
            .brief("Show control characters as they are"),
    ]
}

fn indicator(given: &mut Given, style: Indicator) {
    given.indicator = style;
}

fn classify(given: &mut Given, word: &str) {
    // Elsewhere an earlier option stays in force.
    if When::from_word(word).is_on(|| given.on_terminal) {
        indicator(given, Indicator::Classify);
    }
}

fn indicator_style(given: &mut Given, word: &str) {
    given.indicator = match word {
        "slash" => Indicator::Slash,
        "file-type" => Indicator::FileType,
        "classify" => Indicator::Classify,
        _ => Indicator::None,
    };
}

/// The words of `--quoting-style`, in the order of the styles.
const STYLES: Words = Words::new(
    "literal | shell | shell-always | shell-escape | shell-escape-always | c | c-maybe | escape | \
     locale | clocale",
);

/// The quoting style of a word, which may be abbreviated.
pub(crate) fn style_of(word: &OsStr) -> Option<Style> {
    Some(match STYLES.get(word)? {
        "shell" => Style::Shell,
        "shell-always" => Style::ShellAlways,
        "shell-escape" => Style::ShellEscape,
        "shell-escape-always" => Style::ShellEscapeAlways,
        "c" => Style::C,
        "c-maybe" => Style::CMaybe,
        "escape" => Style::Escape,
        "locale" => Style::Locale,
        "clocale" => Style::CLocale,
        _ => Style::Literal,
    })
}

/// The word of a style.
pub(crate) fn word_of(style: Style) -> &'static str {
    // The words stand in the order of the styles.
    STYLES.names().nth(style as usize).unwrap_or_default()
}
