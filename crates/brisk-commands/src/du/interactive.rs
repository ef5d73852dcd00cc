//! `-i`: the input of the program `brisk-look`, which shows the tree. A refusal says what works
//! instead.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use brisk::Follow;
use brisk::usage::Usage;
use jiff::tz::TimeZone;

use super::options::Options;
use super::plan::Plan;
use crate::front::messages::cannot;
use crate::front::{Refusal, paints_on};
use crate::show::quoting::quoted;
use crate::show::size::Scale;
use crate::show::text::Charset;
use crate::write::out::output_is_terminal;
use brisk_filter::zone;

/// Shows the tree; returns the exit code.
pub type ShowTree = fn(Interactive) -> Result<u8, Refusal>;

/// What is shown, and how.
#[derive(Clone, Debug)]
pub struct Interactive {
    pub roots: Vec<PathBuf>,
    /// How the roots are counted. It does not hold the roots.
    pub usage: Usage,
    /// Whether sizes are lengths of files, not disk space.
    pub apparent: bool,
    pub scale: Scale,
    pub zone: TimeZone,
    pub has_colors: bool,
    /// Whether the terminal shows UTF-8.
    pub is_utf8: bool,
    pub read_only: bool,
    /// A saved count to show instead.
    pub from: Option<PathBuf>,
}

impl Interactive {
    pub(super) fn new(plan: &Plan<'_>, usage: Usage) -> Interactive {
        let options = plan.options;
        Interactive {
            roots: plan.paths().unwrap_or_default(),
            usage,
            apparent: options.apparent,
            scale: plan.scale,
            zone: zone::local(),
            has_colors: paints_on(options.color, || true),
            is_utf8: Charset::current() == Charset::Utf8,
            read_only: options.read_only,
            from: options.from.clone(),
        }
    }
}

/// Refuses where the tree cannot be shown.
pub(super) fn check(options: &Options) -> Result<(), Refusal> {
    if options.from.as_deref() == Some(Path::new("-")) {
        return Err(Refusal::usage(FROM_INPUT));
    }
    let Some(why) = why_not(options) else { return Ok(()) };
    let instead = match options.from {
        Some(_) => "",
        None => "; without -i, brisk du prints lines",
    };
    Err(Refusal::usage(format!("-i {why}{instead}")))
}

/// Standard input is for the keys.
const FROM_INPUT: &str = "--from cannot read standard input, which is for the keys: save to a file \
    first: brisk du --json >FILE; brisk du -i --from FILE";

/// Refuses a path that does not exist, and a single path that is not a directory. Among several
/// paths a file has a row.
pub(super) fn check_paths(options: &Options, paths: &[PathBuf]) -> Result<(), Refusal> {
    let follows = options.follow.is_some_and(|follow| follow != Follow::Never);
    for path in paths {
        let found = if follows { path.metadata() } else { path.symlink_metadata() };
        let found = found.map_err(|why| Refusal::failure(cannot("access", path, &why)))?;
        if !found.is_dir() && paths.len() == 1 {
            let hint = if found.is_symlink() { "; -D follows links" } else { "" };
            return Err(Refusal::failure(format!("{}: not a directory{hint}", quoted(path))));
        }
    }
    Ok(())
}

/// Why the tree cannot be shown here.
fn why_not(options: &Options) -> Option<&'static str> {
    let draws = || io::stderr().is_terminal() || File::open("/dev/tty").is_ok();
    let term = std::env::var_os("TERM");
    if term.as_deref().is_some_and(|term| term == "dumb") {
        Some("cannot draw with TERM=dumb")
    } else if term.is_some_and(|term| term.is_empty()) {
        Some("needs the type of the terminal, and TERM is empty")
    } else if !io::stdin().is_terminal() || !draws() {
        Some("needs a terminal")
    } else if !output_is_terminal() && !options.print {
        Some("needs a terminal as standard output, or --print")
    } else {
        None
    }
}
