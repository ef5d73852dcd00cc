//! [`Repository`]: the rules and settings that a repository has beside its tree, in `.git`.

use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::Arc;

use brisk_sys::paths::bytes_to_path;
use brisk_sys::whole;

use super::files::{
    RuleDir, counts_as_absent, holds_nothing, read_if_there, read_rules, unreadable,
};
use super::git_config::GitSettings;
use super::matcher::{Matcher, Syntax};
use crate::Error;

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
    /// Reads the repository whose top is `place`, and adds its configuration to the user's. `global`
    /// finds the user's own rules with both. Failures are added to `errors`. System calls: those of
    /// reading `.git/config` and `.git/info/exclude`.
    pub(super) fn read(
        place: RuleDir<'_>,
        depth: usize,
        mut settings: GitSettings,
        errors: &mut Vec<Error>,
        global: impl FnOnce(&GitSettings, &mut Vec<Error>) -> Option<Arc<Matcher>>,
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
            global: global(&settings, errors),
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
