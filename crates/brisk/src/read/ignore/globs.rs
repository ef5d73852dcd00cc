//! [`Globs`]: rules, compiled as globs. The last rule that matches a path decides.

use std::cell::RefCell;

use brisk_sys::paths::bytes_to_path;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use regex::Regex;

use super::rule::without_trailing_spaces;
use super::typed::{self, GlobError};

thread_local! {
    /// The rules that match a path. The vector is kept so that its memory is reused.
    static MATCHES: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// What a rule says besides its glob.
#[derive(Debug)]
pub(super) struct Rule {
    /// The rule begins with a `!`.
    pub(super) negated: bool,
    only_directories: bool,
    /// What decides about a path that the glob matches.
    exact: Option<Regex>,
}

/// Rules in the order of their lines.
#[derive(Debug, Default)]
pub(super) struct Globs {
    set: GlobSet,
    pub(super) rules: Vec<Rule>,
    /// All rules look only at the last component of a path.
    pub(super) names_only: bool,
    ends: Ends,
}

/// The last bytes of the names that rules can match.
#[derive(Debug)]
struct Ends([bool; 256]);

impl Default for Ends {
    fn default() -> Ends {
        Ends([false; 256])
    }
}

impl Ends {
    /// Adds the last byte of a glob. A class and an alternative end with a bracket, so a letter at
    /// the end stands for itself.
    fn add(&mut self, glob: &str, ignore_case: bool) {
        match glob.as_bytes() {
            [.., last] if last.is_ascii_alphanumeric() && !ignore_case => {
                self.0[usize::from(*last)] = true;
            }
            _ => self.0.fill(true),
        }
    }
}

impl Globs {
    /// Whether some rule may match a path of this name. A `true` may be wrong, which costs only time.
    #[inline]
    pub(super) fn may_match(&self, name: &[u8]) -> bool {
        name.last().is_none_or(|last| self.ends.0[usize::from(*last)])
    }

    /// The rule that decides about a path.
    pub(super) fn decide(&self, path: &[u8], is_dir: bool) -> Option<&Rule> {
        let candidate = Candidate::new(bytes_to_path(path));
        MATCHES.with_borrow_mut(|matches| {
            self.set.matches_candidate_into(&candidate, matches);
            let mut rules = matches.iter().rev().map(|index| &self.rules[*index]);
            rules.find(|rule| {
                (is_dir || !rule.only_directories) && typed::allows(rule.exact.as_ref(), path)
            })
        })
    }
}

/// Rules that are not compiled yet.
pub(super) struct Builder {
    set: GlobSetBuilder,
    rules: Vec<Rule>,
    names_only: bool,
    ends: Ends,
    ignore_case: bool,
    /// Users type the rules, and do not write them into a file.
    typed: bool,
}

impl Builder {
    pub(super) fn new(ignore_case: bool, typed: bool) -> Builder {
        Builder {
            set: GlobSetBuilder::new(),
            rules: Vec::new(),
            names_only: true,
            ends: Ends::default(),
            ignore_case,
            typed,
        }
    }

    /// Adds a rule: a glob, with `!` before it if it is negated, and with `/` after it if it is for
    /// directories only. A glob with a `/` before its end is for paths, any other one for names.
    pub(super) fn add(&mut self, line: &str) -> Result<(), GlobError> {
        let line = without_trailing_spaces(line);
        let (negated, rule) = line.strip_prefix('!').map_or((false, line), |rule| (true, rule));
        let (only_directories, rule) = match rule.strip_suffix('/') {
            Some(rule) => (true, rule.strip_suffix('\\').unwrap_or(rule)),
            None => (false, rule),
        };
        if rule.is_empty() {
            return Ok(());
        }
        let is_name = !rule.strip_prefix("**/").unwrap_or(rule).contains('/');
        let mut glob = match rule.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None if is_name && !rule.starts_with("**/") => format!("**/{rule}"),
            None => rule.to_owned(),
        };
        if glob.ends_with("/**") {
            // Match what is below a directory, not the directory itself.
            glob.push_str("/*");
        }
        let (compiled, exact) = match self.typed {
            true => typed::build(&glob, true),
            // As in git, a class that does not end is text.
            false => GlobBuilder::new(&glob)
                .literal_separator(true)
                .case_insensitive(self.ignore_case)
                .backslash_escape(true)
                .allow_unclosed_class(true)
                .build()
                .map(|glob| (glob, None))
                .map_err(GlobError::from),
        }
        .map_err(|error| error.of(line))?;
        self.set.add(compiled);
        self.rules.push(Rule { negated, only_directories, exact });
        self.names_only &= is_name;
        self.ends.add(&glob, self.ignore_case);
        Ok(())
    }

    /// Compiles the rules; `None` if there is none.
    pub(super) fn build(self) -> Result<Option<Globs>, GlobError> {
        let Builder { set, rules, names_only, ends, .. } = self;
        let set = set.build()?;
        Ok((!rules.is_empty()).then_some(Globs { set, rules, names_only, ends }))
    }
}
