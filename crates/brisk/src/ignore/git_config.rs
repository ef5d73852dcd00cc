//! Finds the user's global gitignore: `core.excludesFile` in git's configuration.
//!
//! The same files and the same key count as in the `ignore` crate. But these files are read like
//! all rule files: only up to a bound on their size, and without waiting for a pipe.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::whole;

use super::files::{holds_nothing, unreadable};
use crate::Error;
use crate::entry::bytes_to_path;

/// The path of the file that git is configured to use; git's default if no configuration names one.
pub(super) fn excludes_file(errors: &mut Vec<Error>) -> Option<PathBuf> {
    let named = configurations().find_map(|path| named_in(&path, errors));
    named.or_else(|| Some(user_configuration()?.join("git/ignore")))
}

/// Git's configuration files, highest rank first. System calls: none.
fn configurations() -> impl Iterator<Item = PathBuf> {
    let system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    let home = env::home_dir().map(|home| home.join(".gitconfig"));
    let user = user_configuration().map(|base| base.join("git/config"));
    [variable("GIT_CONFIG_GLOBAL"), home, user, Some(system)].into_iter().flatten()
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn user_configuration() -> Option<PathBuf> {
    variable("XDG_CONFIG_HOME").or_else(|| Some(env::home_dir()?.join(".config")))
}

fn named_in(path: &Path, errors: &mut Vec<Error>) -> Option<PathBuf> {
    match whole::read(path) {
        Ok(content) => value_in(&content).map(expand),
        // After `su` the configuration may be another user's, which does not count.
        Err(error) if holds_nothing(&error) || is_denied(&error) => None,
        Err(error) => {
            errors.push(unreadable(path.to_owned(), 0, error));
            None
        }
    }
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// The first value of a key `excludesFile`, whatever its section.
fn value_in(content: &[u8]) -> Option<&[u8]> {
    content.split(|&byte| byte == b'\n').find_map(|line| {
        let (key, value) = line.split_at(line.iter().position(|&byte| byte == b'=')?);
        if !key.trim_ascii().eq_ignore_ascii_case(b"excludesfile") {
            return None;
        }
        let value = value[1..].trim_ascii();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value).trim_ascii();
        let is_one_word = !value.is_empty() && !value.iter().any(u8::is_ascii_whitespace);
        is_one_word.then_some(value)
    })
}

/// `~/` at the beginning stands for the home directory.
fn expand(value: &[u8]) -> PathBuf {
    match value.strip_prefix(b"~/").zip(env::home_dir()) {
        Some((rest, home)) => home.join(bytes_to_path(rest)),
        None => bytes_to_path(value).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_found_in_any_spelling() {
        for (content, value) in [
            ("[core]\n\texcludesFile = /a/b\n", Some("/a/b")),
            ("EXCLUDESFILE=~/x", Some("~/x")),
            ("  excludesfile = \"/q\"  \r\nexcludesfile = later", Some("/q")),
            ("[core]\nexcludesfile =\n[user]\nname = x", None),
            ("excludesfile /a", None),
            ("excludesfiles = /a", None),
            ("# excludesfile = /a", None),
            ("", None),
        ] {
            assert_eq!(value_in(content.as_bytes()), value.map(str::as_bytes), "{content:?}");
        }
    }
}
