//! Help texts that several commands share: an option of the same name has the same text everywhere.

pub(crate) const CACHED: &str = "Accept metadata that a network file system has cached";

pub(crate) const JSON: &str = "Print one JSON object per line";

pub(crate) const MAX_DEPTH: &str = "Go at most this many levels deep (default: no limit)";

pub(crate) const NO_CONFIG: &str = "Read no configuration";

pub(crate) const HELP: &str = "Show this and exit";

/// For commands that have `-h` beside `--help`.
pub(crate) const HELP_IN_TWO_LENGTHS: &str = "Show a summary (-h) or the full help (--help)";

pub(crate) const PROGRESS: &str = "Show the progress: auto, always or never";

pub(crate) const EXPLAIN: &str = "Say what is asked of the file system, and why";

pub(crate) const STATS: &str = "Print to standard error what the run did";

pub(crate) const THREADS: &str = "Use exactly this many workers (default: as many as pay off)";

pub(crate) const VERSION: &str = "Show the version";
