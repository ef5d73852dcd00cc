//! Values that flags of several commands take.

use super::words::Words;

/// When to do something that depends on the terminal or on other options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl When {
    pub(crate) const WORDS: Words = Words::new(&[&["auto"], &["always"], &["never"]]);

    pub(crate) fn from_word(word: &str) -> When {
        match word {
            "always" => When::Always,
            "never" => When::Never,
            _ => When::Auto,
        }
    }

    /// Whether this means yes; `auto` is asked where the surroundings decide.
    pub(crate) fn is_on(self, auto: impl FnOnce() -> bool) -> bool {
        match self {
            When::Always => true,
            When::Never => false,
            When::Auto => auto(),
        }
    }
}

/// How `--stats` is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatsForm {
    Text,
    Json,
}

impl StatsForm {
    pub(crate) const WORDS: Words = Words::new(&[&["text"], &["json"]]);

    pub(crate) fn from_word(word: &str) -> StatsForm {
        if word == "json" { StatsForm::Json } else { StatsForm::Text }
    }
}
