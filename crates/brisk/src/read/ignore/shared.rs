//! What all levels of a walk share: the options, the rules in force everywhere, and what is read
//! once.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::paths::with_slashes;
use brisk_sys::threads::lock;
use brisk_sys::{RawEntries, RawEntry, whole};

use super::files::{self, GIT, GITIGNORE, JJ, RuleDir, Seen, name_bit};
use super::git::{GitSettings, Repository};
use super::matcher::{Matcher, Syntax};
use super::options::{GitRules, GlobalRules, Hidden, Options, Parents};
use super::step::{RuleSource, RuleSteps, View};
use super::typed::GlobError;
use crate::Error;

#[derive(Debug)]
pub(super) struct SharedRules {
    pub(super) hidden: Hidden,
    pub(super) git: GitRules,
    global: GlobalRules,
    pub(super) parents: Parents,
    /// File names that hold rules, highest rank first.
    pub(super) names: Vec<CString>,
    /// The names to look for in a listing, each with its bit in [`Seen`].
    pub(super) wanted: Vec<(CString, u64)>,
    /// All of them begin with a dot. Most names in a listing do not, and are passed over quickly.
    pub(super) wants_only_dots: bool,
    pub(super) contain: Vec<CString>,
    /// Explicit files: in force below every root.
    pub(super) everywhere: RuleSteps,
    /// The overrides, and those of them that begin with a slash.
    pub(super) overrides: [Option<Arc<Matcher>>; 2],
    /// The failures of reading the explicit files.
    pub(super) errors: Vec<Error>,
    /// The configuration of the system and the user, which the first repository reads.
    settings: OnceLock<GitSettings>,
    /// The user's own rules, by their path and whether case does not count. Nearly always there is
    /// one file of them.
    globals: Mutex<Globals>,
    pub(super) ancestors: Ancestors,
}

type Globals = BTreeMap<(PathBuf, bool), Option<Arc<Matcher>>>;

impl SharedRules {
    pub(super) fn new(options: Options) -> Result<SharedRules, GlobError> {
        let mut errors = Vec::new();
        let mut everywhere = RuleSteps::default();
        add_explicit(&options.files, &mut everywhere, &mut errors);
        let absolute = options.overrides.iter().filter(|glob| glob.starts_with("!/"));
        let absolute = Matcher::overrides(&absolute.cloned().collect::<Vec<_>>())?;
        let overrides = [Matcher::overrides(&options.overrides)?, absolute];
        let names: Vec<CString> = options.names.into_iter().rev().filter_map(file_name).collect();
        let wanted = wanted(&names, options.git);
        Ok(SharedRules {
            wants_only_dots: wanted.iter().all(|(name, _)| name.to_bytes().starts_with(b".")),
            wanted,
            hidden: options.hidden,
            git: options.git,
            global: options.global,
            parents: options.parents,
            names,
            contain: options.contain.into_iter().filter_map(file_name).collect(),
            everywhere,
            overrides: overrides.map(|matcher| matcher.map(Arc::new)),
            errors,
            settings: OnceLock::new(),
            globals: Mutex::default(),
            ancestors: Ancestors::default(),
        })
    }

    /// Looks for rule files among a directory's names.
    pub(super) fn look_through(&self, mut names: RawEntries<'_>, is_complete: bool) -> Seen {
        let mut listed = 0;
        loop {
            if self.wants_only_dots {
                names.skip_to_dot();
            }
            let Some(RawEntry { name, .. }) = names.next() else { break };
            for (wanted, bit) in &self.wanted {
                if name == wanted.as_c_str() {
                    listed |= bit;
                }
            }
        }
        if is_complete {
            return Seen { listed, possible: listed };
        }
        Seen { listed, ..self.nothing_seen() }
    }

    /// No name was seen of a directory that may hold each of them.
    pub(super) fn nothing_seen(&self) -> Seen {
        Seen { listed: 0, possible: self.wanted.iter().fold(0, |all, (_, bit)| all | bit) }
    }

    /// The configuration of the system and the user.
    pub(super) fn settings(&self, errors: &mut Vec<Error>) -> &GitSettings {
        self.settings.get_or_init(|| GitSettings::of_user(errors))
    }

    /// The user's own rules, as they hold in the repository at `top`.
    pub(super) fn global(
        &self,
        settings: &GitSettings,
        top: &Path,
        errors: &mut Vec<Error>,
    ) -> Option<Arc<Matcher>> {
        let path = match &self.global {
            GlobalRules::Off => None,
            GlobalRules::Configured => settings.excludes_file(top),
            GlobalRules::File(path) => Some(path.clone()),
        }?;
        let ignore_case = settings.ignore_case;
        let syntax = Syntax::Git { ignore_case };
        let read = || {
            let content = files::if_there(whole::read(&path));
            files::compile(content, syntax, || path.clone(), 0, errors)
        };
        lock(&self.globals).entry((path.clone(), ignore_case)).or_insert_with(read).clone()
    }

    /// Reads the repository whose top is `place`; for the first one also the user's configuration
    /// and rules. Failures are added to `errors`.
    pub(super) fn repository(
        &self,
        place: RuleDir<'_>,
        depth: usize,
        errors: &mut Vec<Error>,
    ) -> Repository {
        let mut settings = self.settings(errors).clone();
        let repository = Repository::read(place, depth, &mut settings, errors);
        Repository { global: self.global(&settings, place.path, errors), ..repository }
    }

    /// The user's own rules where git's rules count in directories outside of repositories. They
    /// hold for the current directory.
    pub(super) fn outside_repositories(&self, errors: &mut Vec<Error>) -> Repository {
        let mut settings = self.settings(errors).clone();
        settings.add_environment();
        Repository {
            ignore_case: false,
            exclude: None,
            unread: settings.is_incomplete.then(Arc::default),
            global: self.global(&settings, Path::new(""), errors),
        }
    }
}

fn wanted(names: &[CString], git: GitRules) -> Vec<(CString, u64)> {
    let git_names: &[(&CStr, u64)] = match git {
        GitRules::Off => &[],
        _ => &[(c".git", GIT), (c".jj", JJ), (c".gitignore", GITIGNORE)],
    };
    let git_names = git_names.iter().map(|&(name, bit)| (name.to_owned(), bit));
    let named = names.iter().enumerate().map(|(rank, name)| (name.clone(), name_bit(rank)));
    git_names.chain(named).collect()
}

fn add_explicit(paths: &[PathBuf], steps: &mut RuleSteps, errors: &mut Vec<Error>) {
    if paths.is_empty() {
        return;
    }
    let view = View::Spelled(current_dir());
    for path in paths {
        let content = whole::read_named(path).map(Some);
        let matcher = files::compile(content, Syntax::Braces, || path.clone(), 0, errors);
        steps.push(RuleSource::Explicit, matcher, view.clone());
    }
}

/// The current directory as bytes; empty if it is unknown, which counts as `/`.
pub(super) fn current_dir() -> Arc<[u8]> {
    let path = std::env::current_dir().unwrap_or_default();
    with_slashes(&path).into()
}

/// A name for system calls; `None` if it has a NUL byte, as no file's name has.
fn file_name(name: OsString) -> Option<CString> {
    CString::new(name.into_encoded_bytes()).ok()
}

/// The directories above the roots, by absolute path.
#[derive(Debug, Default)]
pub(super) struct Ancestors(pub(super) Mutex<BTreeMap<PathBuf, Ancestor>>);

/// What is known of one of them; `None` where it was not looked up yet.
#[derive(Debug, Default)]
pub(super) struct Ancestor {
    pub(super) is_repository: Option<bool>,
    pub(super) named: Option<RankedRules>,
    pub(super) repository: Option<Repository>,
    pub(super) gitignore: Option<Option<Arc<Matcher>>>,
}

pub(super) type RankedRules = Vec<(RuleSource, Arc<Matcher>)>;
