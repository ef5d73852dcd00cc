//! Configuration: `/etc/brisk/config.toml`, then the user's `config.toml`, then the environment.
//!
//! ```toml
//! [find]
//! options = ["--hidden", "--order=sorted"]
//!
//! [ls]
//! options = ["--color=auto", "-F"]
//!
//! [limits]
//! max_in_flight = 32     # never more requests at once; the smallest of all files counts
//! ```
//!
//! All of this applies under the name `brisk` alone. A file that cannot be read is a warning, so
//! that a search does not fail because it runs as another user. A file that can be read and is
//! wrong is an error. The table of flags says which options may stand in a file.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use brisk_sys::whole;

use crate::common::messages::cause;
use crate::system;

/// What the files say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// Options of `brisk find`, a layer for each place that has some, the weakest first.
    pub(crate) find: Vec<Layer>,
    /// Options of `brisk ls`, likewise.
    pub(crate) ls: Vec<Layer>,
    /// The most requests in flight.
    pub(crate) max_in_flight: Option<NonZeroUsize>,
    /// Files that were left out because they could not be read, and why: a line for each.
    pub(crate) unread: Vec<String>,
}

/// Options from one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    /// The place, for messages.
    pub(crate) source: String,
    pub(crate) words: Vec<OsString>,
}

impl Config {
    /// Reads the files of this system and this user, and `BRISK_FIND_OPTS`. A file that does not
    /// exist says nothing; a file that cannot be read is left out. System calls: an open for each
    /// of the two files.
    ///
    /// # Errors
    /// One line that names the file, the operation and the cause: the text is no configuration.
    pub(crate) fn load() -> Result<Config, String> {
        let mut config = Config::default();
        for path in places() {
            match whole::read_text(&path) {
                Ok(text) => config.read(&path, &text)?,
                Err(error) if is_absent(&error) => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(format!("cannot parse '{}': not UTF-8", path.display()));
                }
                Err(error) => config.unread.push(format!(
                    "cannot read '{}': {}; going on without it",
                    path.display(),
                    cause(&error)
                )),
            }
        }
        if let Some(text) = std::env::var_os(FIND_OPTS) {
            config.find.extend(environment(&text)?);
        }
        Ok(config)
    }

    fn read(&mut self, path: &Path, text: &str) -> Result<(), String> {
        let bad = |why: &str| format!("cannot parse '{}': {why}", path.display());
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
            bad(&format!("line {line}: {}", error.message().replace('\n', " ")))
        })?;
        for (section, value) in &table {
            let toml::Value::Table(entries) = value else {
                return Err(bad(&format!("'{section}' is not a section")));
            };
            for (key, value) in entries {
                match (section.as_str(), key.as_str()) {
                    ("find" | "ls", "options") => {
                        let words = strings(value).ok_or_else(|| {
                            bad(&format!("{section}.options is not a list of strings"))
                        })?;
                        let layers = if section == "find" { &mut self.find } else { &mut self.ls };
                        layers.push(Layer { source: path.display().to_string(), words });
                    }
                    ("limits", "max_in_flight") => self.limit(
                        positive(value)
                            .ok_or_else(|| bad("limits.max_in_flight is not a positive number"))?,
                    ),
                    _ => return Err(bad(&format!("unknown key '{section}.{key}'"))),
                }
            }
        }
        Ok(())
    }

    /// Takes a limit. A user's limit cannot raise the system's.
    fn limit(&mut self, limit: NonZeroUsize) {
        self.max_in_flight = Some(self.max_in_flight.map_or(limit, |other| other.min(limit)));
    }
}

const FIND_OPTS: &str = "BRISK_FIND_OPTS";

fn places() -> impl Iterator<Item = PathBuf> {
    let user = system::user_configuration().map(|base| base.join("brisk").join("config.toml"));
    system::system_configuration().into_iter().chain(user)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The variable's words, split as a shell splits them.
fn environment(text: &std::ffi::OsStr) -> Result<Option<Layer>, String> {
    let words = text.to_str().and_then(shlex::split).ok_or_else(|| {
        format!("cannot split {FIND_OPTS}: a quote without its end, or bytes that are not UTF-8")
    })?;
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    Ok((!words.is_empty()).then(|| Layer { source: FIND_OPTS.to_owned(), words }))
}

fn strings(value: &toml::Value) -> Option<Vec<OsString>> {
    value.as_array()?.iter().map(|item| item.as_str().map(OsString::from)).collect()
}

fn positive(value: &toml::Value) -> Option<NonZeroUsize> {
    NonZeroUsize::new(usize::try_from(value.as_integer()?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Config, String> {
        let mut config = Config::default();
        for text in texts {
            config.read(Path::new("c.toml"), text)?;
        }
        Ok(config)
    }

    #[test]
    fn layers_add_up_and_the_smallest_limit_counts() {
        let config = read(&[
            "[find]\noptions = ['-H']\n[limits]\nmax_in_flight = 8",
            "[limits]\nmax_in_flight = 64\n[find]\noptions = ['-E', 'a b']",
        ])
        .unwrap();
        let words: Vec<_> = config.find.iter().map(|layer| layer.words.clone()).collect();
        assert_eq!(words, [vec!["-H"], vec!["-E", "a b"]]);
        assert_eq!(config.max_in_flight, NonZeroUsize::new(8));
        assert_eq!(read(&[""]).unwrap(), Config::default());
    }

    #[test]
    fn mistakes_are_told_in_one_line() {
        for (text, why) in [
            ("find = 3", "'find' is not a section"),
            ("[find]\noptions = '-H'", "find.options is not a list of strings"),
            ("[find]\noption = []", "unknown key 'find.option'"),
            ("[limits]\nmax_in_flight = 0", "limits.max_in_flight is not a positive number"),
            ("[find]\noptions = [", "line "),
        ] {
            let message = read(&[text]).unwrap_err();
            assert!(message.starts_with("cannot parse 'c.toml': "), "{message}");
            assert!(message.contains(why), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn the_environment_is_split_like_a_shell() {
        let layer = environment("-H  -E 'a b'".as_ref()).unwrap().unwrap();
        assert_eq!(layer.words, ["-H", "-E", "a b"]);
        assert_eq!(environment("  ".as_ref()), Ok(None));
        assert!(environment("-E 'a".as_ref()).is_err());
    }
}
