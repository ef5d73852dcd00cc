//! [`GitSettings`]: what git's configuration says about ignore rules, `core.excludesFile` and
//! `core.ignoreCase`. [`Repository`]: the rules and settings that a repository has beside its tree,
//! in `.git`.
//!
//! Configuration files are read like all rule files: only up to a bound on their size, and without
//! waiting for a pipe.

use std::env;
use std::ffi::CStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::paths::bytes_to_path;
use brisk_sys::whole;

use super::config_lines::{Token, Tokens};
use super::files::{
    RuleDir, counts_as_absent, holds_nothing, read_if_there, read_rules, unreadable,
};
use super::matcher::{Matcher, Syntax};
use crate::Error;

/// The most files that one file includes, directly or not. Git refuses a file that includes itself.
const MOST: usize = 100;

/// The settings of the sources read so far. A later source has the higher rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GitSettings {
    /// The user's own gitignore file, if one is named. A relative path begins at the top of the
    /// repository. Git takes an empty one for "no file".
    excludes: Option<PathBuf>,
    pub(super) ignore_case: bool,
    /// Some file could not be read, or git would refuse it.
    pub(super) is_incomplete: bool,
}

impl GitSettings {
    /// Reads the configuration of the system and the user.
    pub(super) fn of_user(errors: &mut Vec<Error>) -> GitSettings {
        let mut settings = GitSettings::default();
        for path in configurations().into_iter().flatten() {
            ConfigReading::new(&mut settings, errors).file(&path);
        }
        settings
    }

    /// Adds the settings in the environment, which outrank all files.
    pub(super) fn add_environment(&mut self) {
        let count = env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok());
        for index in 0..count.unwrap_or(0_usize) {
            let [key, value] =
                ["KEY", "VALUE"].map(|what| env::var_os(format!("GIT_CONFIG_{what}_{index}")));
            let Some((key, value)) = key.zip(value) else { return };
            let Some((section, name)) = key.to_str().and_then(|key| key.split_once('.')) else {
                continue;
            };
            if section.eq_ignore_ascii_case("core") {
                self.set(name.as_bytes(), Some(value.as_encoded_bytes()));
            }
        }
    }

    /// Adds the settings in the content of a file.
    pub(super) fn add(&mut self, content: &[u8], path: &Path, errors: &mut Vec<Error>) {
        ConfigReading::new(self, errors).lines(content, path);
    }

    /// Sets what is called `name` in the section `core`.
    fn set(&mut self, name: &[u8], value: Option<&[u8]>) {
        if name.eq_ignore_ascii_case(b"excludesfile") {
            self.excludes = value.map(expanded).or(self.excludes.take());
        } else if name.eq_ignore_ascii_case(b"ignorecase") {
            self.ignore_case = value.is_none_or(|value| truth(value).unwrap_or(self.ignore_case));
        }
    }

    /// What stands for rules that a setting may name which could not be read.
    pub(super) fn unread(&self) -> Option<Arc<Matcher>> {
        self.is_incomplete.then(Arc::default)
    }

    /// The path of the user's own gitignore file, for the repository at `top`.
    pub(super) fn excludes_file(&self, top: &Path) -> Option<PathBuf> {
        match &self.excludes {
            Some(path) if path.as_os_str().is_empty() => None,
            Some(path) => Some(top.join(path)),
            None => Some(user_configuration()?.join("git/ignore")),
        }
    }
}

/// A file that is read, with the files that it includes.
struct ConfigReading<'a> {
    settings: &'a mut GitSettings,
    errors: &'a mut Vec<Error>,
    included: usize,
}

impl<'a> ConfigReading<'a> {
    fn new(settings: &'a mut GitSettings, errors: &'a mut Vec<Error>) -> ConfigReading<'a> {
        ConfigReading { settings, errors, included: 0 }
    }

    fn file(&mut self, path: &Path) {
        match whole::read(path) {
            Ok(content) => self.lines(&content, path),
            Err(error) if counts_as_absent(&error) => {}
            Err(error) => self.failed(path, error),
        }
    }

    #[cold]
    fn failed(&mut self, path: &Path, error: io::Error) {
        self.errors.push(unreadable(path.to_owned(), 0, error));
        self.settings.is_incomplete = true;
    }

    fn lines(&mut self, content: &[u8], path: &Path) {
        let mut section = Vec::new();
        let mut lines = Tokens::new(content);
        for line in &mut lines {
            match (&*section, line) {
                (_, Token::Section(name)) => section = name,
                (b"core", Token::Setting(name, value)) => {
                    self.settings.set(&name, value.as_deref())
                }
                (b"include", Token::Setting(name, Some(value))) if name == b"path" => {
                    self.include(&path.parent().unwrap_or(path).join(expanded(&value)));
                }
                (_, Token::Setting(..)) => {}
            }
        }
        if lines.is_cut {
            let why = "git refuses a line in it";
            self.failed(path, io::Error::new(io::ErrorKind::InvalidData, why));
        }
    }

    fn include(&mut self, path: &Path) {
        if self.included < MOST {
            self.included += 1;
            self.file(path);
        }
    }
}

/// Git's configuration files, lowest rank first. System calls: none.
fn configurations() -> [Option<PathBuf>; 3] {
    let system = match env::var("GIT_CONFIG_NOSYSTEM") {
        Ok(value) if truth(value.as_bytes()) != Some(false) => None,
        _ => variable("GIT_CONFIG_SYSTEM").or_else(|| Some(PathBuf::from("/etc/gitconfig"))),
    };
    if let Some(path) = env::var_os("GIT_CONFIG_GLOBAL") {
        return [system, Some(path.into()), None];
    }
    let user = user_configuration().map(|base| base.join("git/config"));
    [system, user, env::home_dir().map(|home| home.join(".gitconfig"))]
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn user_configuration() -> Option<PathBuf> {
    variable("XDG_CONFIG_HOME").or_else(|| Some(env::home_dir()?.join(".config")))
}

/// `~/` at the beginning stands for the home directory.
fn expanded(value: &[u8]) -> PathBuf {
    match value.strip_prefix(b"~/").zip(env::home_dir()) {
        Some((rest, home)) => home.join(bytes_to_path(rest)),
        None => bytes_to_path(value).to_owned(),
    }
}

/// What git takes for true and for false.
fn truth(value: &[u8]) -> Option<bool> {
    match &*value.to_ascii_lowercase() {
        b"true" | b"yes" | b"on" => Some(true),
        b"false" | b"no" | b"off" | b"" => Some(false),
        number => Some(str::from_utf8(number).ok()?.parse::<i64>().ok()? != 0),
    }
}

/// What a repository says about all of its directories.
#[derive(Clone, Debug)]
pub(super) struct Repository {
    /// Whether git's rules match without regard to case.
    pub(super) ignore_case: bool,
    /// The rules in `info/exclude`.
    pub(super) exclude: Option<Arc<Matcher>>,
    /// Stands for rules that a setting may name, if a file of settings could not be read.
    pub(super) unread: Option<Arc<Matcher>>,
    /// The user's own rules.
    pub(super) global: Option<Arc<Matcher>>,
}

impl Repository {
    /// Reads the repository whose top is `place`, and adds its configuration to the user's settings.
    /// Failures are added to `errors`. System calls: those of
    /// reading `.git/config` and `.git/info/exclude`.
    pub(super) fn read(
        place: RuleDir<'_>,
        depth: usize,
        settings: &mut GitSettings,
        errors: &mut Vec<Error>,
    ) -> Repository {
        let told = errors.len();
        let below = read_if_there(place, c".git/config");
        let dir = if matches!(below, Ok(None)) { git_dir(place, depth, errors) } else { None };
        let elsewhere = dir.as_deref().map(RuleDir::at);
        let (files, names, content): (RuleDir<'_>, [&CStr; 2], _) = match elsewhere {
            Some(dir) => (dir, [c"config", c"info/exclude"], read_if_there(dir, c"config")),
            None => (place, [c".git/config", c".git/info/exclude"], below),
        };
        let config = files.join(names[0]);
        match content {
            Ok(content) => settings.add(&content.unwrap_or_default(), &config, errors),
            Err(error) if counts_as_absent(&error) => {}
            Err(error) => errors.push(unreadable(config, depth, error)),
        }
        settings.is_incomplete |= errors.len() > told;
        settings.add_environment();
        let syntax = Syntax::Git { ignore_case: settings.ignore_case };
        Repository {
            ignore_case: settings.ignore_case,
            unread: settings.unread(),
            exclude: read_rules(files, names[1], depth, syntax, errors),
            global: None,
        }
    }
}

/// The directory to which a `.git` file leads, as worktrees and submodules have one: the directory
/// that a worktree shares with its repository, or the submodule's own.
fn git_dir(place: RuleDir<'_>, depth: usize, errors: &mut Vec<Error>) -> Option<PathBuf> {
    let content = read_if_there(place, c".git").unwrap_or_else(|error| {
        errors.push(unreadable(place.join(c".git"), depth, error));
        None
    })?;
    let named = first_line(content.strip_prefix(b"gitdir: ")?);
    let git_dir = place.path.join(bytes_to_path(named));
    let common = git_dir.join("commondir");
    match whole::read(&common) {
        Ok(content) => return Some(git_dir.join(bytes_to_path(first_line(&content)))),
        Err(error) if holds_nothing(&error) => {}
        Err(error) => errors.push(unreadable(common, depth, error)),
    }
    Some(git_dir)
}

fn first_line(content: &[u8]) -> &[u8] {
    let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.strip_suffix(b"\r").unwrap_or(line)
}
