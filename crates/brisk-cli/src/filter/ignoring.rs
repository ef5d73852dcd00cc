//! Ignore rules: from the user's options to the rules that a walk consults.

use std::path::PathBuf;

use brisk::ignore::{self, GitRules, GlobalRules, Hidden, Parents, Rules};
use brisk_sys::quoting::line;

use super::excluding::doubt;
use crate::front::Refusal;
use crate::front::messages::{Caller, told};
use crate::system;

/// What is left out.
#[derive(Clone, Debug, Default)]
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
        // Under fd's name nothing is printed.
        globs.rules(Caller::Fd, &[]).map(drop)
    }

    /// The ignore rules, or `None` if nothing can be ignored. Prints what is wrong in ignore files,
    /// and an exclusion that leaves out nothing.
    ///
    /// # Errors
    /// A glob that cannot be understood.
    pub fn rules(&self, caller: Caller, roots: &[PathBuf]) -> Result<Option<Rules>, String> {
        if let Some(doubt) = self.doubt(roots, false).filter(|_| caller != Caller::Fd) {
            caller.complain(&doubt);
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
            overrides: self.exclude.iter().map(|glob| format!("!{glob}")).collect(),
            overrides_base: roots.first().cloned().unwrap_or_default(),
            contain: self.ignore_contain.iter().map(Into::into).collect(),
        });
        let rules = rules.map_err(|error| {
            format!("Malformed exclude pattern: {}", line(error.to_string().as_bytes()))
        })?;
        for error in rules.errors() {
            let is_line = error.is_malformed_rule();
            let what = if is_line { "Malformed pattern in ignore file. " } else { "" };
            caller.complain(&format!("{what}{}", told(error)));
        }
        Ok(Some(rules))
    }

    fn doubt(&self, roots: &[PathBuf], acts: bool) -> Option<String> {
        doubt(&self.exclude, &self.exclude_regex, roots, acts)
    }

    /// The same for a command that acts on what it selects: removes it, changes it, or runs another
    /// command on it.
    ///
    /// # Errors
    /// Also an exclusion that may leave out less than was typed, and a file named on the command
    /// line that cannot be read.
    pub(crate) fn rules_to_act(
        &self,
        caller: Caller,
        roots: &[PathBuf],
    ) -> Result<Option<Rules>, Refusal> {
        if let Some(doubt) = self.doubt(roots, true) {
            return Err(Refusal::value(doubt));
        }
        let rules = self.rules(caller, roots)?;
        if rules.as_ref().is_some_and(|rules| !rules.errors().is_empty()) {
            return Err(Refusal::failure(
                "nothing is done, because not all ignore rules are known",
            ));
        }
        Ok(rules)
    }
}

/// fd's own ignore file, which applies to `brisk find` and `fd` alike.
fn global_ignore_file() -> Option<PathBuf> {
    let file = system::user_configuration()?.join("fd").join("ignore");
    Some(file).filter(|path| path.is_file())
}
