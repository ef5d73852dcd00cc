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
//! Options apply only under the name `brisk`, the limits to every command under every name. A file
//! that cannot be read causes a warning, so that a search does not fail because it runs as another
//! user. A file that can be read and is wrong is an error. The flag table says which options may be
//! in a file.

use std::ffi::{OsStr, OsString};
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use brisk::unstable::limit_requests;
use brisk_sys::quoting::line;
use brisk_sys::whole;
use serde::Deserialize;

use crate::front::Refusal;
use crate::front::messages::{Caller, cannot};
use crate::show::quoting::{quoted, retypable};
use crate::system;

/// What the files and the environment say about one command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// The places that have options, as messages name them, with their words; the weakest first.
    layers: Vec<(String, Vec<OsString>)>,
    /// The most requests in flight.
    max_in_flight: Option<NonZeroUsize>,
    /// A file whose options are wanted could not be read.
    pub(crate) is_incomplete: bool,
}

/// Takes one command's options from a file.
pub(crate) type SectionOf = fn(File) -> FileOptions;

/// A configuration file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) find: FileOptions,
    pub(crate) ls: FileOptions,
    limits: Limits,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub(crate) struct FileOptions {
    options: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
struct Limits {
    max_in_flight: Option<NonZeroUsize>,
}

impl Config {
    /// Reads the files of this system and this user, and the command's variable, and applies the
    /// limit in the files to all walks of this process. `command`: where the command's options are,
    /// if they may be configured. With `no_config` only the limit of this system counts. A missing
    /// file is not an error; a file that cannot be read is left out, with a message if it is this
    /// system's or options are wanted. System calls: an open for each of the two files, and more for
    /// one that exists.
    ///
    /// # Errors
    /// One line that names the file, the line and the cause: the text is no configuration.
    pub fn load(command: Option<(SectionOf, &str)>, no_config: bool) -> Result<Config, Refusal> {
        let command = command.filter(|_| !no_config);
        let mut config = Config::default();
        let user = if no_config { None } else { system::user_configuration() };
        let user = user.map(|base| base.join("brisk").join("config.toml"));
        let is_another_users = |path: &Path, error: &io::Error| {
            let is_hidden = error.kind() == io::ErrorKind::PermissionDenied;
            is_hidden && command.is_none() && user.as_deref() == Some(path)
        };
        for path in system::system_configuration().into_iter().chain(user.clone()) {
            match whole::read_text(&path) {
                Ok(text) => config.read(command.map(|(section, _)| section), &path, &text)?,
                Err(error) if is_absent(&error) => {}
                // No options are wanted of a file that HOME, which is another user's, hides.
                Err(error) if is_another_users(&path, &error) => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(format!("cannot parse {}: not UTF-8", quoted(&path)).into());
                }
                Err(error) => {
                    let why = cannot("read", &path, &error);
                    Caller::Brisk.complain(&format!("{why}; going on without it"));
                    config.is_incomplete = command.is_some();
                }
            }
        }
        if let Some((_, variable)) = command
            && let Some(text) = std::env::var_os(variable)
        {
            config.add(variable, environment(variable, &text)?);
        }
        config.max_in_flight.into_iter().for_each(limit_requests);
        Ok(config)
    }

    /// The configured options, which `read` adds to these; `None` if nothing is configured.
    ///
    /// # Errors
    /// Options that cannot be used, with their place.
    pub(crate) fn options<O>(
        &self,
        mut options: O,
        read: impl Fn(&[OsString], &mut O) -> Result<(), Refusal>,
    ) -> Result<Option<O>, Refusal> {
        for (place, words) in &self.layers {
            read(words, &mut options).map_err(|Refusal { message: why, .. }| {
                Refusal::usage(format!("cannot use the options in {place}: {why}"))
            })?;
        }
        Ok(Some(options).filter(|_| !self.layers.is_empty()))
    }

    fn read(&mut self, section: Option<SectionOf>, path: &Path, text: &str) -> Result<(), String> {
        let file: File = toml::from_str(text).map_err(|error| {
            let number =
                error.span().map_or(0, |span| text[..span.start].matches('\n').count()) + 1;
            let why = line(error.message().replace('\n', " ").replace('`', "'").as_bytes());
            format!("cannot parse {}: line {number}: {why}", quoted(path))
        })?;
        // A user's limit cannot raise the system's.
        let limits = [self.max_in_flight, file.limits.max_in_flight];
        self.max_in_flight = limits.into_iter().flatten().min();
        if let Some(section) = section {
            self.add(&retypable(path), section(file).options);
        }
        Ok(())
    }

    fn add(&mut self, source: &str, words: Vec<String>) {
        if !words.is_empty() {
            let words = words.into_iter().map(OsString::from).collect();
            self.layers.push((source.to_owned(), words));
        }
    }
}

/// Whether there is no such file.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The variable's words, split as a shell splits them.
fn environment(name: &str, text: &OsStr) -> Result<Vec<String>, String> {
    text.to_str().and_then(shlex::split).ok_or_else(|| {
        format!("cannot split {name}: a quote without its end, or bytes that are not UTF-8")
    })
}

/// What a configuration file looks like.
const EXAMPLE: &str = "\
A file looks like this. Options from later places come after those from earlier ones, and those of
the command line come last. The limit holds for every command. With --no-config only the limit in the
first file holds.

  [find]
  options = [\"--hidden\", \"--order=sorted\"]
  [ls]
  options = [\"-F\"]
  [limits]
  max_in_flight = 32

";

/// `brisk help config`: where configuration is read from and what is set now, for these commands, and
/// why it cannot be used, if so.
pub(crate) fn explain(commands: &[(&str, (SectionOf, &str))]) -> (String, Option<Refusal>) {
    let mut text = "Options of brisk find and brisk ls are read from these places:\n\n".to_owned();
    let user = system::user_configuration().map(|base| base.join("brisk").join("config.toml"));
    for path in system::system_configuration().into_iter().chain(user) {
        let state = if path.symlink_metadata().is_ok() { "" } else { "   (does not exist)" };
        text += &format!("  {}{state}\n", retypable(&path));
    }
    for (_, (_, variable)) in commands {
        let state = if std::env::var_os(variable).is_some() { "" } else { "   (not set)" };
        text += &format!("  the environment variable {variable}{state}\n");
    }
    text = text + "\n" + EXAMPLE + "Set now:\n\n";
    let before = text.len();
    for (command, (section, variable)) in commands {
        let config = match Config::load(Some((*section, variable)), false) {
            Ok(config) => config,
            Err(refusal) => return (text, Some(refusal)),
        };
        for (place, words) in config.layers {
            let words: Vec<_> = words.iter().map(retypable).collect();
            text += &format!("  brisk {command} {}   (from {place})\n", words.join(" "));
        }
        if let Some(most) = config.max_in_flight.filter(|_| *command == commands[0].0) {
            text += &format!("  at most {most} requests in flight, for every command\n");
        }
    }
    text += if text.len() == before { "  nothing\n" } else { "" };
    (text, None)
}

/// `BRISK_BACKEND=portable` selects the standard library's reader, for comparison.
pub(crate) fn backend() -> brisk::Backend {
    match std::env::var_os("BRISK_BACKEND") {
        Some(name) if name == "portable" => brisk::Backend::Portable,
        _ => brisk::Backend::Native,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Config, String> {
        let mut config = Config::default();
        for text in texts {
            config.read(Some(|file| file.find), Path::new("c.toml"), text)?;
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
        let words: Vec<_> = config.layers.iter().map(|layer| layer.1.clone()).collect();
        assert_eq!(words, [vec!["-H"], vec!["-E", "a b"]]);
        assert_eq!(config.max_in_flight, NonZeroUsize::new(8));
        assert_eq!(read(&[""]).unwrap(), Config::default());
    }

    #[test]
    fn mistakes_are_told_in_one_line() {
        for (text, why) in [
            ("find = 3", "line 1: invalid type: integer '3', expected a section"),
            ("[find]\noptions = '-H'", "line 2: invalid type: string \"-H\", expected a sequence"),
            ("[find]\noption = []", "line 2: unknown field 'option', expected 'options'"),
            ("[grep]", "line 1: unknown field 'grep', expected one of 'find', 'ls', 'limits'"),
            (
                "\n[limits]\nmax_in_flight = 0",
                "line 3: invalid value: integer '0', expected a nonzero usize",
            ),
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
        let words = |text: &str| environment("X", text.as_ref());
        assert_eq!(words("-H  -E 'a b'").unwrap(), ["-H", "-E", "a b"]);
        assert_eq!(words("  ").unwrap(), [""; 0]);
        assert!(words("-E 'a").unwrap_err().contains("X"));
    }
}
