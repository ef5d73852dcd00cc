//! Flags that GNU ls does not have.

use std::ffi::OsStr;
use std::num::NonZeroUsize;

use super::{Flag, Given, Refusal, Takes, Words};
use crate::common::quoting;

/// The form of `--stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatsForm {
    Text,
    Json,
}

/// What the user said with flags that GNU ls does not have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beyond {
    pub(crate) tree: bool,
    pub(crate) level: Option<usize>,
    pub(crate) json: bool,
    pub(crate) icons: bool,
    pub(crate) explain: bool,
    pub(crate) stats: Option<StatsForm>,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) cached: bool,
    pub(crate) no_config: bool,
    /// Whether the user asked for --dired.
    pub(crate) dired: bool,
}

static STATS: Words = Words::new(&[&["text"], &["json"]]);

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        "dired",
        Takes::Nothing(|given| given.beyond.dired = true),
        "Refused: positions for Emacs are not written",
    )
    .short('D')
    .doc(
        "Refused with a message: positions of names for Emacs' dired mode are not written. \
         Everything else of GNU ls is supported.",
    ),
    Flag::new(
        "tree",
        Takes::Nothing(|given| given.beyond.tree = true),
        "The whole tree, with lines from each directory to its entries",
    )
    .own(),
    Flag::new("level", Takes::Value("N", level), "With --tree, -R or --json: no deeper than this")
        .own(),
    Flag::new(
        "json",
        Takes::Nothing(|given| given.beyond.json = true),
        "Each entry as a JSON object on a line of its own",
    )
    .own()
    .doc(
        "Each entry as a JSON object on a line of its own, with the fields that the other options \
         ask for: by default path, name and type; with -l all of its columns; with -i the inode, \
         with -s the blocks, with -S the size, with -t the time. Names that are not UTF-8 come as \
         name_b64 and path_b64.",
    ),
    Flag::new(
        "icons",
        Takes::Nothing(|given| given.beyond.icons = true),
        "A symbol in front of each name, by name and type alone",
    )
    .own(),
    Flag::new(
        "explain",
        Takes::Nothing(|given| given.beyond.explain = true),
        "Print what this listing asks of the file system, and why",
    )
    .own()
    .doc(
        "Print to standard error, after listing, which colours and columns cost a system call \
         here, for how many entries, and which LS_COLORS would make the listing free.",
    ),
    Flag::new(
        "stats",
        Takes::OptionalWord("FORM", &STATS, stats),
        "Print what the run really did: text or json",
    )
    .own(),
    Flag::new(
        "threads",
        Takes::Value("N", threads),
        "Exactly this many workers (default: as many as pay)",
    )
    .own(),
    Flag::new(
        "cached",
        Takes::Nothing(|given| given.beyond.cached = true),
        "Accept metadata that the client of a network file system has cached, which may be old",
    )
    .own(),
    Flag::new(
        "no-config",
        Takes::Nothing(|given| given.beyond.no_config = true),
        "Read no configuration",
    )
    .own(),
];

fn number(option: &str, text: &OsStr) -> Result<usize, Refusal> {
    let refused = || {
        let shown = quoting::in_message(text.as_encoded_bytes());
        Refusal::value(format!("invalid {option} argument {shown}"))
    };
    text.to_str().and_then(|text| text.parse().ok()).ok_or_else(refused)
}

fn level(given: &mut Given, text: &OsStr) -> Result<(), Refusal> {
    given.beyond.level = Some(number("--level", text)?);
    Ok(())
}

fn threads(given: &mut Given, text: &OsStr) -> Result<(), Refusal> {
    given.beyond.threads = NonZeroUsize::new(number("--threads", text)?);
    Ok(())
}

fn stats(given: &mut Given, word: &OsStr) -> Result<(), Refusal> {
    given.beyond.stats = Some(match STATS.read("--stats", word)? {
        "json" => StatsForm::Json,
        _ => StatsForm::Text,
    });
    Ok(())
}
