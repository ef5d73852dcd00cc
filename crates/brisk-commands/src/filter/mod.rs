//! The filters of every command that selects entries: from the options to one [`Filter`], and why a
//! value is refused. The crate brisk-filter knows what the words mean.

mod exclusions;
pub(crate) mod flags;
mod ignoring;
mod refusals;

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use brisk::filter::{Expr, Filter};
use brisk::{Fields, FileType, Mounts, Walk};
use brisk_filter::find::{self, Context, Mistake};
use brisk_filter::pattern::{Matching, excluding};
use brisk_filter::{OwnerRule, Times, TypeWords, extensions, size, zone};
use brisk_sys::quoting::line;
use brisk_sys::{Links, stat_path};

use crate::front::CommonOptions;
use crate::front::config::backend;
use crate::front::messages::{Caller, cause};
use crate::show::fields::Need;
use crate::show::text;
use crate::system::{self, FileSystems};
pub(crate) use ignoring::Ignoring;
pub(crate) use refusals::{owner, size_range};

/// The part of [`Selecting`] that is about what a file is: type, extension, size, times, owner, and
/// find(1)'s tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filtering {
    pub(crate) types: TypeWords,
    /// Any of these.
    pub(crate) extensions: Vec<String>,
    /// The size is in all of these.
    pub(crate) sizes: Vec<RangeInclusive<u64>>,
    pub(crate) times: Times,
    pub(crate) owner: Option<OwnerRule>,
    /// Expressions of find(1)'s tests, which must all hold.
    pub(crate) wheres: Vec<String>,
    /// Whether directories that match are not entered.
    pub prune: bool,
}

/// All that decides which entries a command selects, as its command line says it: the pattern,
/// [`Filtering`], what is left out, and how deep the walk goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selecting {
    pub(crate) matching: Matching,
    pub filtering: Filtering,
    /// What is left out, with everything below it.
    pub ignoring: Ignoring,
    pub max_depth: Option<usize>,
    pub min_depth: usize,
    pub one_file_system: bool,
    /// Whether links are followed.
    pub(crate) follow: bool,
}

/// Why `--older-than` chooses no directory.
const OLD_DIRECTORIES: &str = "--older-than chooses files alone, because a directory is as old as \
    the newest thing in it: brisk du --older-than AGE lists such directories, and --changed-before \
    AGE --type d compares their own times";

impl Selecting {
    /// Ages count back from then, because the search began then.
    pub fn count_ages_from(&mut self, began: jiff::Timestamp) {
        self.filtering.times.now = Some(began.to_zoned(zone::local()));
    }

    /// A walk over these roots, as deep as the results are.
    pub fn walk(
        &self,
        roots: impl IntoIterator<Item = impl AsRef<Path>>,
        common: &CommonOptions,
    ) -> Walk {
        let walk = Walk::over(roots)
            .threads(common.threads)
            .min_depth(self.min_depth)
            .mounts(if self.one_file_system { Mounts::SameDevice } else { Mounts::Cross })
            .cached(common.cached)
            .backend(backend());
        match self.max_depth {
            Some(depth) => walk.max_depth(depth),
            None => walk,
        }
    }

    /// The filter that the options mean. Ignore rules are not in it.
    ///
    /// # Errors
    /// The message for the user.
    pub fn filter(&self, caller: Caller) -> Result<Filter, String> {
        self.tests(caller).map(|tests| Filter::new(Expr::All(tests)))
    }

    /// The expressions that [`filter`](Self::filter) joins: all of them must hold.
    ///
    /// # Errors
    /// The message for the user.
    pub(crate) fn tests(&self, caller: Caller) -> Result<Vec<Expr>, String> {
        let Selecting { matching, filtering, ignoring, .. } = self;
        let Filtering { types, extensions, sizes, times, owner, wheres, .. } = filtering;
        if owner.is_some() && !system::HAS_MODES {
            return Err("--owner: files have no numeric owners on this system".to_owned());
        }
        if caller != Caller::Fd && times.older_than.is_some() && types.is_directory() {
            return Err(OLD_DIRECTORIES.to_owned());
        }
        let dialect = caller.dialect();
        if let (Some(most), false) = (self.max_depth, caller == Caller::Fd)
            && (1..self.min_depth).contains(&most)
        {
            let least = self.min_depth;
            return Err(format!(
                "--max-depth {most} ends above --min-depth {least}: nothing is left"
            ));
        }
        let base = matching.full_path.then(current_directory).transpose()?.unwrap_or_default();
        let matching = matching.test(ignoring.hidden(), dialect, base).map_err(|why| {
            refusals::pattern(why, self.matching.syntax, refusals::IN_PLACE, caller)
        })?;
        let excluding = excluding(&ignoring.exclude_regex, self.matching.case).map_err(|why| {
            refusals::pattern(why, self.matching.syntax, "-E takes a glob", caller)
        })?;
        let times = times.expr(dialect);
        let tests = [matching, extensions::test(extensions)?];
        let mut all: Vec<Expr> = excluding.into_iter().collect();
        // `--where` comes before the other filters: its -prune then also leaves out directories
        // that another filter would refuse first.
        for words in wheres {
            all.push(self.where_tests(words)?);
        }
        all.extend(tests.into_iter().flatten().map(Expr::from));
        all.extend(types.expr());
        all.extend(sizes.iter().cloned().map(size::expr));
        all.extend(times.map_err(|(text, why)| refusals::time(&text, why, caller))?);
        all.extend(owner.map(OwnerRule::expr));
        Ok(all)
    }

    /// An expression of `--where`.
    fn where_tests(&self, words: &str) -> Result<Expr, String> {
        let links = Links::followed(self.follow);
        let stat = |path: &Path, fields, _| {
            stat_path(backend(), path, fields, links).map_err(|error| cause(&error))
        };
        let context = Context {
            now: &|| self.filtering.times.now.clone().unwrap_or_else(zone::now),
            length: text::first_length,
            min_depth: self.min_depth,
            stat: &stat,
            file_system: Arc::<FileSystems>::default().of_tests(),
        };
        find::parse(words, &context).map_err(|Mistake { at, why }| {
            format!("--where, character {at}: {}", line(why.as_bytes()))
        })
    }
}

/// For `--explain`: what the tests need.
pub(crate) fn explain(filter: &Filter) -> impl Iterator<Item = Need<'_>> {
    filter.tests().map(|test| {
        let fields = test.fields(FileType::Unknown);
        // A text begins with the option.
        let option = test.key().split('=').next().unwrap_or_default();
        let is_of = |file_type| !test.fields(file_type).is_empty();
        let files = match (is_of(FileType::Directory), is_of(FileType::File)) {
            (true, _) => "all entries",
            (false, true) => "regular files",
            (false, false) => "links",
        };
        (fields != Fields::empty(), option, fields, files)
    })
}

fn current_directory() -> Result<Vec<u8>, String> {
    let what = "Could not determine current directory. This is required for --full-path";
    system::current_directory().map_err(|error| format!("{what}: {}", cause(&error)))
}
