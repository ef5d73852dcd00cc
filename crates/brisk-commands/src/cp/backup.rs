//! The names of backups, as GNU's programs choose them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use brisk_sys::output;

use crate::front::{Refusal, Words};
use crate::show::safe::{os_str, path_bytes};

/// The longest name on the file systems of Linux.
const MAX_NAME: usize = 255;

/// How backups are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Simple,
    Existing,
    Numbered,
}

impl Control {
    /// The control that this word, or the environment, names; `None`: no backups are made.
    ///
    /// # Errors
    /// The word is unknown.
    pub fn read(word: Option<&OsStr>) -> Result<Option<Control>, Refusal> {
        const WORDS: Words = Words::new("none off | simple never | existing nil | numbered t");
        let variable = std::env::var_os("VERSION_CONTROL").filter(|word| !word.is_empty());
        let word = word.filter(|word| !word.is_empty());
        let (source, word) = match (word, &variable) {
            (Some(word), _) => ("backup type", word),
            (None, Some(word)) => ("$VERSION_CONTROL", word.as_os_str()),
            (None, None) => return Ok(Some(Control::Existing)),
        };
        let refusal = || Refusal::hinted(WORDS.refusal(source, word));
        Ok(match WORDS.get(word).ok_or_else(refusal)? {
            "none" => None,
            "simple" => Some(Control::Simple),
            "numbered" => Some(Control::Numbered),
            _ => Some(Control::Existing),
        })
    }

    /// The name of the backup of a file, in the file's directory.
    ///
    /// # Errors
    /// The directory cannot be read, and backups are numbered.
    pub fn name(self, path: &[u8], suffix: Option<&OsStr>) -> io::Result<OsString> {
        let (directory, name) = split(path);
        let last = match self {
            Control::Simple => 0,
            Control::Existing => highest(directory, name).unwrap_or(0),
            Control::Numbered => highest(directory, name)?,
        };
        let simple = self == Control::Simple || self == Control::Existing && last == 0;
        let end = if simple { self::suffix(suffix) } else { format!(".~{}~", last + 1).into() };
        let mut backup = [name, path_bytes(&end)].concat();
        if backup.len() > MAX_NAME {
            backup = [&name[..name.len().min(MAX_NAME - 1)], b"~"].concat();
        }
        Ok(os_str(&backup).to_owned())
    }
}

/// The directory of a path, and the name in it.
fn split(path: &[u8]) -> (&Path, &[u8]) {
    let (directory, name) = path.split_at(output::prefix_of(path).len());
    (Path::new(os_str(if directory.is_empty() { b"." } else { directory })), name)
}

/// The end of simple backups' names.
pub(super) fn suffix(given: Option<&OsStr>) -> OsString {
    let variable = || std::env::var_os("SIMPLE_BACKUP_SUFFIX");
    let is_fit = |word: &OsString| !word.is_empty() && !path_bytes(word).contains(&b'/');
    given.map(OsStr::to_owned).or_else(variable).filter(is_fit).unwrap_or("~".into())
}

/// The highest number among a file's backups; 0 if there are none.
fn highest(directory: &Path, name: &[u8]) -> io::Result<u64> {
    let mut highest = 0;
    let number = |entry: fs::DirEntry| {
        let found = entry.file_name();
        let digits = path_bytes(&found).strip_prefix(name)?.strip_prefix(b".~")?;
        let digits = digits.strip_suffix(b"~").filter(|digits| !digits.starts_with(b"0"))?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    };
    for entry in fs::read_dir(directory)? {
        highest = highest.max(number(entry?).unwrap_or(0));
    }
    Ok(highest)
}
