//! Flags that say how names are written: quoted, marked, coloured, linked.

use std::ffi::OsStr;

use super::{Flag, Given, Refusal, Takes, Words};
use crate::common::quoting::Style;

/// What stands behind a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Indicator {
    #[default]
    None,
    /// `/` behind directories.
    Slash,
    /// `/`, `@`, `|`, `=` and `>` by type.
    FileType,
    /// The same, and `*` behind executables.
    Classify,
}

/// When to paint, link or mark names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// On a terminal.
    Auto,
}

/// What the user said about names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Naming {
    pub(crate) style: Option<Style>,
    /// Whether `?` stands for characters that cannot be shown.
    pub(crate) question_marks: Option<bool>,
    pub(crate) indicator: Indicator,
    /// `None`: never.
    pub(crate) color: Option<When>,
    pub(crate) hyperlink: Option<When>,
}

static WHEN: Words = Words::new(&[
    &["always", "yes", "force"],
    &["never", "no", "none"],
    &["auto", "tty", "if-tty"],
]);

static INDICATORS: Words = Words::new(&[&["none"], &["slash"], &["file-type"], &["classify"]]);

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        "classify",
        Takes::OptionalWord("WHEN", &WHEN, classify),
        "Mark names: / directory, * executable, @ link, | pipe, = socket",
    )
    .short('F')
    .doc(
        "Mark names: / behind directories, * behind executables, @ behind links, | behind pipes, \
         = behind sockets. Costs one statx a regular file. WHEN is always, auto (on a terminal) \
         or never.",
    ),
    Flag::new(
        "file-type",
        Takes::Nothing(|given| indicator(given, Indicator::FileType)),
        "The same without *",
    ),
    Flag::letter(
        'p',
        Takes::Nothing(|given| indicator(given, Indicator::Slash)),
        "Mark directories with /",
    ),
    Flag::new(
        "indicator-style",
        Takes::Word("WORD", &INDICATORS, indicator_style),
        "The same, by words: none slash file-type classify",
    ),
    Flag::new(
        "color",
        Takes::OptionalWord("WHEN", &WHEN, |given, word| {
            given.naming.color = when("--color", word)?;
            Ok(())
        }),
        "Paint names as LS_COLORS says: always, auto or never",
    )
    .doc(
        "Paint names as LS_COLORS says: always, never, or auto (on a terminal; NO_COLOR and \
         CLICOLOR_FORCE count). Only what the active colours need is asked of the file system: \
         see --explain.",
    ),
    Flag::new(
        "hyperlink",
        Takes::OptionalWord("WHEN", &WHEN, |given, word| {
            given.naming.hyperlink = when("--hyperlink", word)?;
            Ok(())
        }),
        "Link names to their files, on terminals that can: always, auto or never",
    ),
    Flag::new(
        "literal",
        Takes::Nothing(|given| given.naming.style = Some(Style::Literal)),
        "Names as they are",
    )
    .short('N'),
    Flag::new(
        "escape",
        Takes::Nothing(|given| given.naming.style = Some(Style::Escape)),
        "C escapes for characters that cannot be shown",
    )
    .short('b'),
    Flag::new(
        "quote-name",
        Takes::Nothing(|given| given.naming.style = Some(Style::C)),
        "Names in double quotes",
    )
    .short('Q'),
    Flag::new(
        "quoting-style",
        Takes::Word("WORD", &STYLES, quoting_style),
        "How names are quoted: literal, shell, shell-always, shell-escape, shell-escape-always, \
         c, c-maybe, escape, locale, clocale",
    )
    .doc(
        "How names are quoted. The variable QUOTING_STYLE sets the default, which otherwise is \
         shell-escape on a terminal and literal elsewhere.",
    ),
    Flag::new(
        "hide-control-chars",
        Takes::Nothing(|given| given.naming.question_marks = Some(true)),
        "? for characters that cannot be shown (default on a terminal)",
    )
    .short('q'),
    Flag::new(
        "show-control-chars",
        Takes::Nothing(|given| given.naming.question_marks = Some(false)),
        "Control characters as they are",
    ),
];

fn when(option: &str, word: &OsStr) -> Result<Option<When>, Refusal> {
    Ok(match WHEN.read(option, word)? {
        "always" => Some(When::Always),
        "auto" => Some(When::Auto),
        _ => None,
    })
}

fn indicator(given: &mut Given, style: Indicator) {
    given.naming.indicator = style;
}

fn classify(given: &mut Given, word: &OsStr) -> Result<(), Refusal> {
    match when("--classify", word)? {
        Some(When::Always) => indicator(given, Indicator::Classify),
        // Elsewhere an earlier option stays in force.
        Some(When::Auto) if given.on_terminal => indicator(given, Indicator::Classify),
        Some(When::Auto) | None => {}
    }
    Ok(())
}

fn indicator_style(given: &mut Given, word: &OsStr) -> Result<(), Refusal> {
    let style = match INDICATORS.read("--indicator-style", word)? {
        "slash" => Indicator::Slash,
        "file-type" => Indicator::FileType,
        "classify" => Indicator::Classify,
        _ => Indicator::None,
    };
    indicator(given, style);
    Ok(())
}

/// The words of `--quoting-style`.
static STYLES: Words = Words::new(&[
    &["literal"],
    &["shell"],
    &["shell-always"],
    &["shell-escape"],
    &["shell-escape-always"],
    &["c"],
    &["c-maybe"],
    &["escape"],
    &["locale"],
    &["clocale"],
]);

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

fn quoting_style(given: &mut Given, word: &OsStr) -> Result<(), Refusal> {
    STYLES.read("--quoting-style", word)?;
    given.naming.style = style_of(word);
    Ok(())
}
