//! Ignore rules: from the user's options to the rules that a walk consults.

use std::path::PathBuf;

use brisk::ignore::{self, GitRules, GlobalRules, Hidden, Parents, Rules};
use brisk_sys::quoting::line;

use super::exclusions::overrides;
use crate::front::Refusal;
use crate::front::config::is_absent;
use crate::front::messages::{Caller, error_text};
use crate::show::quoting::retypable;
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

    /// Whether `--unrestricted` shows all that is left out, and anything may be.
    pub(crate) fn is_undone_by_unrestricted(&self) -> bool {
        let names_nothing = self.exclude.is_empty()
            && self.ignore_files.is_empty()
            && self.ignore_contain.is_empty();
        names_nothing && !(self.hidden && self.no_ignore)
    }

    /// Whether the globs of `--exclude` can be understood. Reads no file.
    ///
    /// # Errors
    /// As [`rules`](Ignoring::rules).
    pub(crate) fn check(&self) -> Result<(), String> {
        let globs = Ignoring { exclude: self.exclude.clone(), ..Ignoring::nothing() };
        // Under fd's name nothing is printed.
        globs.rules(Caller::Fd, &[], false).map(drop).map_err(|refusal| refusal.message)
    }

    /// The ignore rules, or `None` if nothing can be ignored. Prints what is wrong in ignore files,
    /// and which regular expression leaves out nothing. With `changes_files` the command removes or
    /// changes what it selects, or runs other commands on it.
    ///
    /// # Errors
    /// A glob that cannot be understood, or that leaves out nothing. With `changes_files` also an
    /// exclusion that may leave out less than was typed, and a file that cannot be read.
    pub fn rules(
        &self,
        caller: Caller,
        roots: &[PathBuf],
        changes_files: bool,
    ) -> Result<Option<Rules>, Refusal> {
        self.rules_telling(caller, roots, changes_files, &mut |message| caller.complain(message))
    }

    /// As [`rules`](Ignoring::rules), but `complain` gets the messages.
    // long: each flag has its own step, in the order in which files of rules count
    pub(crate) fn rules_telling(
        &self,
        caller: Caller,
        roots: &[PathBuf],
        changes_files: bool,
        complain: &mut dyn FnMut(&str),
    ) -> Result<Option<Rules>, Refusal> {
        let overrides =
            overrides(&self.exclude, caller, roots, changes_files).map_err(Refusal::usage)?;
        match self.doubt() {
            Some(doubt) if changes_files => return Err(Refusal::usage(doubt)),
            Some(doubt) if caller != Caller::Fd => complain(&doubt),
            _ => {}
        }
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
            overrides,
            contain: self.ignore_contain.iter().map(Into::into).collect(),
        });
        let rules = rules.map_err(|error| {
            format!("Malformed exclude pattern: {}", line(error.to_string().as_bytes()))
        })?;
        for error in rules.errors() {
            let is_line = error.is_malformed_rule();
            let what = if is_line { "Malformed pattern in ignore file. " } else { "" };
            complain(&format!("{what}{}", error_text(error)));
        }
        if changes_files && !rules.errors().is_empty() {
            return Err(Refusal::failure("nothing is done: not all ignore rules are known"));
        }
        Ok(Some(rules))
    }

    /// Why a regular expression may leave out less than was typed.
    fn doubt(&self) -> Option<String> {
        let is_rooted = |regex: &&String| {
            let path = regex.trim_start_matches('^').replace('\\', "");
            regex.starts_with("^/") || path.starts_with("./") || path.starts_with("../")
        };
        let regex = retypable(self.exclude_regex.iter().find(is_rooted)?);
        Some(format!("--exclude-regex {regex}: paths begin below the search path: 'src/main.rs'"))
    }
}

/// fd's own ignore file, which every command with ignore rules obeys.
fn global_ignore_file() -> Option<PathBuf> {
    let file = system::user_configuration()?.join("fd").join("ignore");
    Some(file).filter(|path| match path.metadata() {
        Ok(found) => found.is_file(),
        Err(error) => !is_absent(&error),
    })
}
