//! Ignore rules: from the user's options to the rules that a walk consults.

use std::path::PathBuf;

use brisk::ignore::{self, GitRules, GlobalRules, Hidden, Parents, Rules};
use brisk_sys::quoting::line;

use crate::front::messages::{Caller, is_malformed, told};
use crate::system;

/// What is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ignoring {
    /// Whether hidden entries are listed.
    pub(crate) hidden: bool,
    /// Whether all ignore files are disregarded.
    pub(crate) no_ignore: bool,
    /// Whether git's ignore files are disregarded.
    pub(crate) no_ignore_vcs: bool,
    /// Whether git's ignore files apply outside of repositories too.
    pub(crate) no_require_git: bool,
    /// Whether ignore files above the search path are disregarded.
    pub(crate) no_ignore_parent: bool,
    /// Whether the user's own ignore file is disregarded.
    pub(crate) no_global_ignore_file: bool,
    /// Globs of what is left out, whatever the other rules say.
    pub(crate) exclude: Vec<String>,
    /// Regular expressions of paths below the search path that are left out likewise.
    pub(crate) exclude_regex: Vec<String>,
    /// Further ignore files, weaker than all others.
    pub(crate) ignore_files: Vec<PathBuf>,
    /// Names: a directory that contains one of them is left out.
    pub(crate) ignore_contain: Vec<String>,
}

impl Ignoring {
    /// Everything is kept.
    pub(crate) fn nothing() -> Ignoring {
        Ignoring { hidden: true, no_ignore: true, ..Ignoring::default() }
    }

    /// What becomes of hidden entries.
    pub(crate) fn hidden(&self) -> Hidden {
        if self.hidden { Hidden::Kept } else { Hidden::Ignored }
    }

    /// Whether the globs of `--exclude` can be understood. Reads no file.
    ///
    /// # Errors
    /// As [`rules`](Ignoring::rules).
    pub(crate) fn check(&self) -> Result<(), String> {
        let globs = Ignoring { exclude: self.exclude.clone(), ..Ignoring::nothing() };
        globs.rules(Caller::Brisk, &[]).map(drop)
    }

    /// The ignore rules, or `None` if nothing can be ignored. Prints what is wrong in ignore files.
    ///
    /// # Errors
    /// A glob that cannot be understood.
    pub fn rules(&self, caller: Caller, roots: &[PathBuf]) -> Result<Option<Rules>, String> {
        let vcs = !self.no_ignore && !self.no_ignore_vcs;
        let applies = !self.no_ignore
            || !self.hidden
            || !self.exclude.is_empty()
            || !self.ignore_files.is_empty()
            || !self.ignore_contain.is_empty();
        if !applies {
            return Ok(None);
        }
        let mut files = Vec::new();
        if !self.no_ignore && !self.no_global_ignore_file {
            files.extend(global_ignore_file());
        }
        files.extend(self.ignore_files.iter().cloned());
        let names: &[&str] = if self.no_ignore { &[] } else { &[".ignore", ".fdignore"] };
        let rules = Rules::new(ignore::Options {
            hidden: self.hidden(),
            git: match (vcs, self.no_require_git) {
                (false, _) => GitRules::Off,
                (true, false) => GitRules::InRepositories,
                (true, true) => GitRules::Everywhere,
            },
            global: if vcs { GlobalRules::Configured } else { GlobalRules::Off },
            parents: if self.no_ignore_parent { Parents::Off } else { Parents::Apply },
            names: names.iter().map(Into::into).collect(),
            files,
            overrides: self.exclude.iter().map(|glob| format!("!{glob}")).collect(),
            overrides_base: roots.first().cloned().unwrap_or_default(),
            contain: self.ignore_contain.iter().map(Into::into).collect(),
        });
        let rules = rules.map_err(|error| {
            format!("Malformed exclude pattern: {}", line(error.to_string().as_bytes()))
        })?;
        for error in rules.errors() {
            let why = told(error);
            let what = if is_malformed(error) { "Malformed pattern in ignore file. " } else { "" };
            caller.complain(&format!("{what}{why}"));
        }
        Ok(Some(rules))
    }
}

/// fd's own ignore file, which applies to `brisk find` and `fd` alike.
fn global_ignore_file() -> Option<PathBuf> {
    let file = system::user_configuration()?.join("fd").join("ignore");
    Some(file).filter(|path| path.is_file())
}
