//! The flag table of `brisk rm`, and the reader of its command line.
//!
//! GNU rm's rules are kept word for word: options anywhere before `--`; long ones abbreviated as
//! long as they mean only one of GNU's; the last of -f, -i and -I in force. clap has none of these
//! rules, so the table is read here. clap makes help, man page and completions from the same table.

mod flag;
mod table;

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use brisk::Timestamp;
use brisk::remove::Preserve;

use crate::common::messages::Caller;
use crate::common::quoting::in_message;
use flag::{Flag, Value};
use table::TABLE;
pub(crate) use table::command;

/// When questions are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// About write-protected files, on a terminal.
    #[default]
    IfProtected,
    /// About everything.
    Always,
    /// Never.
    Never,
}

/// When the progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum When {
    /// On a terminal, after a second.
    #[default]
    Auto,
    Always,
    Never,
}

/// What the user asked for instead of a removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Instead {
    ShortHelp,
    Help,
    Version,
}

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) force: bool,
    pub(crate) prompt: Prompt,
    /// -I: one question before anything is removed.
    pub(crate) prompt_once: bool,
    pub(crate) recursive: bool,
    pub(crate) empty_dirs: bool,
    pub(crate) verbose: bool,
    pub(crate) one_file_system: bool,
    pub(crate) cross_mounts: bool,
    pub(crate) preserve: Preserve,
    /// Whether standard input counts as a terminal.
    pub(crate) presume_terminal: bool,
    pub(crate) dry_run: bool,
    pub(crate) progress: When,
    pub(crate) stats: bool,
    pub(crate) json: bool,
    pub(crate) background: bool,
    pub(crate) finish: bool,
    /// With `finish`: show the trees that it would remove.
    pub(crate) list: bool,
    /// The record of a detached process.
    pub(crate) record: Option<String>,
    pub(crate) older_than: Option<Timestamp>,
    pub(crate) keep_root: bool,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) instead: Option<Instead>,
    pub(crate) paths: Vec<PathBuf>,
}

/// Why a command line is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    /// Whether "Try … --help" follows.
    pub(crate) hint: bool,
}

impl Refusal {
    fn plain(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), hint: false }
    }

    fn with_hint(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), hint: true }
    }
}

/// Reads the words after the command's name.
///
/// # Errors
/// GNU rm's refusal.
pub(crate) fn read(words: &[OsString]) -> Result<Options, Refusal> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_encoded_bytes() {
            b"--" => options.paths.extend(words.by_ref().map(PathBuf::from)),
            [b'-', b'-', ..] => long(&mut options, word, &mut words)?,
            [b'-', _, ..] => shorts(&mut options, word)?,
            _ => options.paths.push(word.into()),
        }
    }
    check(&options)?;
    Ok(options)
}

/// Refuses options that exclude each other. The trees that --finish removes were chosen when they
/// were set aside. They can be shown, asked about and removed; no other choice can be made.
fn check(options: &Options) -> Result<(), Refusal> {
    if options.instead.is_some() {
        return Ok(());
    }
    let asks = (options.prompt == Prompt::Always || options.prompt_once, "--interactive");
    let dry_run = (options.dry_run, "--dry-run");
    let stats = (options.stats, "--stats");
    let chosen = [
        (options.older_than.is_some(), "--older-than"),
        (options.keep_root, "--keep-root"),
        (options.empty_dirs && !options.recursive, "--dir"),
    ];
    if options.list {
        if !options.finish {
            return Err(Refusal::with_hint("--list needs --finish"));
        }
        refuse_with("--list", &[asks, dry_run, stats])?;
    }
    if options.finish {
        refuse_with("--finish", &[(options.background, "--background")])?;
        refuse_with("--finish", &chosen)?;
        if let Some(path) = options.paths.first() {
            let shown = in_message(path.as_os_str().as_encoded_bytes());
            return Err(Refusal::with_hint(format!(
                "--finish takes no files: extra operand {shown}"
            )));
        }
    }
    if options.background {
        let json = (options.json, "--json");
        refuse_with("--background", &[asks, dry_run, stats, json])?;
        refuse_with("--background", &chosen[..2])?;
    }
    Ok(())
}

fn refuse_with(flag: &str, others: &[(bool, &str)]) -> Result<(), Refusal> {
    match others.iter().find(|(given, _)| *given) {
        Some((_, name)) => Err(Refusal::with_hint(format!("{flag} cannot be used with {name}"))),
        None => Ok(()),
    }
}

fn long<'w>(
    options: &mut Options,
    word: &OsStr,
    rest: &mut impl Iterator<Item = &'w OsString>,
) -> Result<(), Refusal> {
    let bytes = word.as_encoded_bytes();
    let text = String::from_utf8_lossy(bytes);
    let body = &text[2..];
    let (name, attached) = match body.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (body, None),
    };
    let flag = find_long(name)?;
    if flag.name == "no-preserve-root" && name != flag.name {
        let message = "you may not abbreviate the --no-preserve-root option";
        return Err(Refusal::plain(message));
    }
    let next;
    let value = match (flag.value, attached) {
        (Value::None, Some(_)) => {
            let message = format!("option '--{}' doesn't allow an argument", flag.name);
            return Err(Refusal::with_hint(message));
        }
        (Value::Required(_), None) => {
            let missing = || format!("option '--{}' requires an argument", flag.name);
            next = rest.next().ok_or_else(|| Refusal::with_hint(missing()))?.to_string_lossy();
            Some(&*next)
        }
        (_, attached) => attached,
    };
    (flag.set)(options, value)
}

/// The flag that a long name spells, whole or by its beginning. GNU rm's flags are looked up first,
/// so that brisk's make none of GNU's abbreviations ambiguous.
fn find_long(name: &str) -> Result<&'static Flag, Refusal> {
    if let Some(flag) = TABLE.iter().find(|flag| flag.name == name) {
        return Ok(flag);
    }
    for gnus in [true, false] {
        let begins = |flag: &&Flag| flag.gnu == gnus && flag.name.starts_with(name);
        let found: Vec<_> = TABLE.iter().filter(begins).collect();
        match found.as_slice() {
            [] => {}
            [flag] => return Ok(flag),
            several => {
                let names: Vec<_> =
                    several.iter().map(|flag| format!("'--{}'", flag.name)).collect();
                let names = names.join(" ");
                return Err(Refusal::with_hint(format!(
                    "option '--{name}' is ambiguous; possibilities: {names}"
                )));
            }
        }
    }
    Err(Refusal::with_hint(format!("unrecognized option '--{name}'")))
}

fn shorts(options: &mut Options, word: &OsStr) -> Result<(), Refusal> {
    let text = word.to_string_lossy();
    for letter in text.chars().skip(1) {
        let flag = TABLE.iter().find(|flag| flag.short.contains(&letter));
        let invalid = || Refusal::with_hint(format!("invalid option -- '{letter}'"));
        let flag = flag.ok_or_else(invalid)?;
        if letter == 'h' {
            options.instead = Some(Instead::ShortHelp);
        } else {
            (flag.set)(options, None)?;
        }
    }
    Ok(())
}

/// Help, as clap lays it out.
pub(crate) fn help(caller: Caller, long: bool) -> String {
    let mut command = command(caller);
    let text = if long { command.render_long_help() } else { command.render_help() };
    text.to_string()
}

#[cfg(test)]
mod tests;
