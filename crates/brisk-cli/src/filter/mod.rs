//! The filters of every command that selects entries. Cheap ones come first: [`Filters::by_name`]
//! knows only what the directory itself says (name, type), and returns which metadata is still
//! missing. [`Filters::by_metadata`] has that metadata.

mod choice;
mod extensions;
pub(crate) mod flags;
pub(crate) mod fnmatch;
mod ignoring;
mod matcher;
mod owner;
mod pattern;
mod probe;
pub(crate) mod size;
mod times;
mod types;

use std::ops::RangeInclusive;
use std::path::Path;

use brisk::{Entry, Fields, FileType, Meta, Mounts, Select, Walk};
use brisk_sys::slashed::last;

use crate::front::Run;
use crate::front::config::backend;
use crate::front::messages::{Caller, cause};
use crate::show::fields::Need;
use crate::show::time::zone;
use crate::system;
pub(crate) use choice::Chosen;
use extensions::Extensions;
pub(crate) use ignoring::Ignoring;
use matcher::Matcher;
pub(crate) use owner::OwnerRule;
pub(crate) use pattern::{Case, Matching, Syntax};
use times::TimeRules;
pub(crate) use times::Times;
pub(crate) use types::Types;

/// What kind of file is wanted, as the command line says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filtering {
    pub(crate) types: Types,
    /// Any of these.
    pub(crate) extensions: Vec<String>,
    /// The size is in all of these.
    pub(crate) sizes: Vec<RangeInclusive<u64>>,
    pub(crate) times: Times,
    pub(crate) owner: Option<OwnerRule>,
    /// Whether directories that match are not entered.
    pub prune: bool,
}

/// Which entries a command selects, as its command line says it.
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

impl Selecting {
    /// Ages count back from then, because the search began then.
    pub fn count_ages_from(&mut self, began: jiff::Timestamp) {
        self.filtering.times.now = Some(began.to_zoned(zone::local()));
    }

    /// A walk over these roots, as deep as the results are.
    pub fn walk(&self, roots: impl IntoIterator<Item = impl AsRef<Path>>, run: &Run) -> Walk {
        let walk = Walk::over(roots)
            .threads(run.threads)
            .min_depth(self.min_depth)
            .mounts(if self.one_file_system { Mounts::SameDevice } else { Mounts::Cross })
            .cached(run.cached)
            .backend(backend());
        match self.max_depth {
            Some(depth) => walk.max_depth(depth),
            None => walk,
        }
    }
}

/// Why `--older-than` chooses no directory.
const OLD_DIRECTORIES: &str = "--older-than chooses files alone, because a directory is as old as \
    the newest thing in it: brisk du --older-than AGE lists such directories, and --changed-before \
    AGE --type d compares their own times";

/// All filters of a search.
#[derive(Debug)]
pub struct Filters {
    /// All of these match.
    patterns: Vec<Matcher>,
    /// The current directory with a separator at its end, where relative paths begin; `None` unless
    /// patterns are matched against absolute paths.
    base: Option<Vec<u8>>,
    extensions: Extensions,
    excluded: Vec<Matcher>,
    types: Types,
    sizes: Vec<RangeInclusive<u64>>,
    times: TimeRules,
    /// Whether no directory is a result.
    files_only: bool,
    owner: Option<OwnerRule>,
    /// Whether links are followed: a link can then turn out to be of any type, which only a stat
    /// tells.
    follow: bool,
}

impl Filters {
    /// Compiles what the user said.
    ///
    /// # Errors
    /// The message for the user.
    pub fn new(selecting: &Selecting, caller: Caller) -> Result<Filters, String> {
        let Selecting { matching, filtering, ignoring, follow, .. } = selecting;
        if filtering.owner.is_some() && !system::HAS_MODES {
            return Err("--owner: files have no numeric owners on this system".to_owned());
        }
        let now = || filtering.times.now.clone().unwrap_or_else(zone::now);
        let files_only = filtering.times.older_than.is_some() && caller != Caller::Fd;
        if files_only && filtering.types.is_directory() {
            return Err(OLD_DIRECTORIES.to_owned());
        }
        Ok(Filters {
            patterns: pattern::all(matching, ignoring.hidden(), caller)?,
            base: matching.full_path.then(current_directory).transpose()?,
            extensions: Extensions::new(&filtering.extensions)?,
            excluded: pattern::alternatives(&ignoring.exclude_regex, matching.case, caller)?,
            types: filtering.types,
            sizes: filtering.sizes.clone(),
            times: TimeRules::new(&filtering.times, caller, now)?,
            files_only,
            owner: filtering.owner,
            follow: *follow,
        })
    }

    /// Whether every entry is a result.
    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
            && self.extensions.is_empty()
            && self.excluded.is_empty()
            && self.types.is_all()
            && !self.needs_metadata()
    }

    fn needs_metadata(&self) -> bool {
        !self.sizes.is_empty() || !self.times.fields().is_empty() || self.owner.is_some()
    }

    /// Whether the answers depend on times, which may be ages.
    pub(crate) fn depends_on_times(&self) -> bool {
        !self.times.fields().is_empty()
    }

    /// Whether [`by_metadata`](Filters::by_metadata) can still refuse an entry.
    pub fn has_late_filters(&self) -> bool {
        self.needs_metadata() || !self.types.is_all()
    }

    /// Whether `--exclude-regex` leaves the entry out, with everything below it.
    fn excludes(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        if self.excluded.is_empty() {
            return false;
        }
        scratch.clear();
        entry.path_into(scratch);
        let path = below_root(scratch, entry.depth());
        self.excluded.iter().any(|matcher| matcher.is_match(path))
    }

    /// Decides by path, name and type. Taken are the fields that the remaining filters need,
    /// and `shown`. Paths are built in `scratch`.
    #[inline]
    pub fn select(&self, entry: &Entry<'_>, shown: Fields, scratch: &mut Vec<u8>) -> Select {
        if self.excludes(entry, scratch) {
            return Select::Drop;
        }
        match self.by_name(entry, scratch) {
            Some(fields) => Select::Take(fields | shown),
            None => Select::Enter,
        }
    }

    /// Decides by name and type. `None`: the entry is no result. Otherwise: the fields that the
    /// remaining filters need. Paths are built in `scratch`.
    pub fn by_name(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> Option<Fields> {
        let file_type = self.known_type(entry);
        if file_type.is_some_and(|known| !self.type_may_pass(known))
            || !self.extensions.allow(name(entry))
            || !self.patterns_match(entry, scratch)
        {
            return None;
        }
        Some(self.fields(file_type))
    }

    fn patterns_match(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        if self.patterns.is_empty() {
            return true;
        }
        let subject = match &self.base {
            None => name(entry),
            Some(base) => {
                scratch.clear();
                absolute_into(base, entry, scratch);
                scratch
            }
        };
        self.patterns.iter().all(|pattern| pattern.is_match(subject))
    }

    /// The entry's type, or `None` if only a stat can find it out.
    fn known_type(&self, entry: &Entry<'_>) -> Option<FileType> {
        match entry.file_type() {
            FileType::Unknown => None,
            FileType::Symlink if self.follow => None,
            known => Some(known),
        }
    }

    /// Whether files of this type can be results at all.
    fn type_may_pass(&self, file_type: FileType) -> bool {
        self.types.contain(file_type)
            && (self.sizes.is_empty() || file_type == FileType::File)
            && !(self.files_only && file_type == FileType::Directory)
    }

    /// The fields that [`by_metadata`](Filters::by_metadata) needs of a file of this type (`None`:
    /// not known yet).
    fn fields(&self, file_type: Option<FileType>) -> Fields {
        let mut fields = self.times.fields();
        let file = file_type.is_none_or(|known| known == FileType::File);
        if file_type.is_none() && self.has_late_filters() {
            fields |= Fields::TYPE;
        }
        if file && (!self.sizes.is_empty() || self.types.empty_only) {
            fields |= Fields::SIZE;
        }
        if file && self.types.executable_only {
            fields |= Fields::MODE;
        }
        if self.owner.is_some() {
            fields |= Fields::UID | Fields::GID;
        }
        fields
    }

    /// The fields that [`by_name`](Filters::by_name) may ask for, whatever the type.
    pub fn likely_fields(&self) -> Fields {
        self.fields(None)
    }

    /// Decides by type and metadata about an entry that passed [`by_name`](Filters::by_name). Adds
    /// the system calls that this takes to `calls`.
    #[inline]
    pub fn by_metadata(&self, entry: &Entry<'_>, calls: &mut u64) -> bool {
        !self.has_late_filters() || self.passes(entry, calls)
    }

    fn passes(&self, entry: &Entry<'_>, calls: &mut u64) -> bool {
        let file_type = entry.file_type();
        if !self.type_may_pass(file_type) {
            return false;
        }
        if self.needs_metadata() && !entry.meta().is_some_and(|meta| self.metadata_passes(meta)) {
            return false;
        }
        (!self.types.empty_only || probe::is_empty(entry, calls))
            && (!self.types.executable_only || probe::is_executable(entry, calls))
    }

    fn metadata_passes(&self, meta: &Meta) -> bool {
        let size = || meta.size();
        let ids = || Some((meta.uid()?, meta.gid()?));
        self.sizes.iter().all(|range| size().is_some_and(|size| range.contains(&size)))
            && self.times.allow(meta)
            && self.owner.is_none_or(|rule| ids().is_some_and(|(uid, gid)| rule.allows(uid, gid)))
    }

    /// For `--explain`.
    pub(crate) fn explain(&self) -> [Need; 5] {
        let times = self.times.fields();
        let owners = Fields::UID | Fields::GID;
        [
            (!self.sizes.is_empty(), "--size", Fields::SIZE, "regular files"),
            (!times.is_empty(), "limits on times", times, "all entries"),
            (self.owner.is_some(), "--owner", owners, "all entries"),
            (self.types.executable_only, "--type x", Fields::MODE, "regular files"),
            (self.types.empty_only, "--type e", Fields::SIZE, "regular files"),
        ]
    }
}

fn absolute_into(base: &[u8], entry: &Entry<'_>, out: &mut Vec<u8>) {
    let prefix = entry.directory().prefix();
    if !prefix.starts_with(b"/") {
        out.extend_from_slice(base);
    }
    let mut rest = prefix;
    while let Some(shorter) = rest.strip_prefix(b"./") {
        rest = shorter;
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(entry.name());
}

/// The name that filters match: of a root, which may be any path, the last component.
#[inline]
fn name<'e>(entry: &Entry<'e>) -> &'e [u8] {
    if entry.depth() == 0 { last(entry.name()) } else { entry.name() }
}

/// The last `depth` components of a path; of a root's path the last one.
fn below_root(path: &[u8], depth: usize) -> &[u8] {
    if depth == 0 {
        return last(path);
    }
    let slashes = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
    match slashes.map(|(at, _)| at).nth(depth - 1) {
        Some(at) => &path[at + 1..],
        None => path,
    }
}

fn current_directory() -> Result<Vec<u8>, String> {
    let what = "Could not determine current directory. This is required for --full-path";
    system::current_directory().map_err(|error| format!("{what}: {}", cause(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_below_the_root_has_depth_components() {
        assert_eq!(below_root(b"./a/b", 2), b"a/b");
        assert_eq!(below_root(b"/usr/lib/a", 1), b"a");
        assert_eq!(below_root(b"x//a/b", 2), b"a/b");
        assert_eq!(below_root(b"a", 1), b"a");
        assert_eq!(below_root(b"x/a/", 0), b"a");
    }
}
