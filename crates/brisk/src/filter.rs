//! [`Filter`]: which entries of a walk a visitor gets, chosen by globs and types; [`Filtered`]
//! applies it.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = tempfile::tempdir()?;
//! # std::fs::create_dir_all(scratch.path().join("target/doc"))?;
//! # std::fs::write(scratch.path().join("target/doc/a.md"), "")?;
//! # std::fs::write(scratch.path().join("readme.md"), "")?;
//! # let root = scratch.path();
//! use brisk::filter::{Filter, Filtered};
//! use brisk::{Directory, Entry, Error, Flow, Visitor, Walk};
//!
//! struct Names(Vec<Vec<u8>>);
//! impl Visitor for Names {
//!     type State = ();
//!     fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
//!         self.0.extend(entries.iter().map(|entry| entry.name().to_owned()));
//!         Flow::Continue
//!     }
//!     fn error(&mut self, error: Error) -> Flow { eprintln!("{error}"); Flow::Continue }
//! }
//!
//! let filter = Filter::new().globs(["*.md"])?.prune(["target"])?;
//! let (names, _) = Walk::new(root).visit(Filtered::new(filter, Names(Vec::new())));
//! assert_eq!(names.into_inner().0, [b"readme.md"]);
//! # Ok(())
//! # }
//! ```

use std::path::{Path, is_separator};
use std::sync::Arc;

use brisk_sys::paths::bytes_to_path;
use globset::{GlobSet, GlobSetBuilder};
use regex::Regex;

pub use crate::ignore::typed::regex_of_glob;
use crate::ignore::{GlobError, typed};
use crate::{
    Chunks, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Needs, Parallel,
    Select, Visitor, Walk,
};

/// Which entries a visitor gets, and which directories are not entered. The default is all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    globs: Globs,
    prune: Globs,
    types: Vec<FileType>,
    fields: Fields,
}

impl Filter {
    /// Everything.
    #[must_use]
    pub fn new() -> Filter {
        Filter::default()
    }

    /// Only entries that match one of these globs; all if there are none. A glob is matched with
    /// the name or, if it has a slash, with the path below the root, where `**` is any number of
    /// directories. `?` and `[…]` stand for a character, a byte of no character counts as one, and
    /// `{a,b}` is an alternative. Directories that do not match are entered.
    ///
    /// # Errors
    /// One of them is no glob.
    pub fn globs<G: AsRef<str>>(self, globs: impl IntoIterator<Item = G>) -> Globbed {
        Ok(Filter { globs: Globs::new(globs)?, ..self })
    }

    /// Directories that match one of these globs are handed on, but not entered. Roots always are.
    ///
    /// # Errors
    /// One of them is no glob.
    pub fn prune<G: AsRef<str>>(self, globs: impl IntoIterator<Item = G>) -> Globbed {
        Ok(Filter { prune: Globs::new(globs)?, ..self })
    }

    /// Only entries of these types; all if there are none.
    #[must_use]
    pub fn types(self, types: impl IntoIterator<Item = FileType>) -> Filter {
        Filter { types: types.into_iter().collect(), ..self }
    }

    /// The metadata that is fetched, for entries that pass.
    #[must_use]
    pub fn fields(self, fields: Fields) -> Filter {
        Filter { fields, ..self }
    }

    fn has_type(&self, entry: &Entry<'_>) -> bool {
        self.types.is_empty() || self.types.contains(&entry.file_type())
    }

    fn takes(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        self.has_type(entry) && (self.globs.is_empty() || self.globs.matches(entry, scratch))
    }

    fn prunes(&self, dir: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        dir.depth() > 0 && !self.prune.is_empty() && self.prune.matches(dir, scratch)
    }
}

impl Walk {
    /// As [`par_chunks`](Walk::par_chunks), of the entries that pass a filter.
    #[must_use]
    pub fn filtered_chunks(self, filter: impl Into<Arc<Filter>>) -> Chunks {
        let filter = filter.into();
        Chunks::new(self, filter.fields, |packing| Filtered::new(filter, packing))
    }
}

/// What a method that compiles globs returns.
type Globbed = Result<Filter, GlobError>;

/// Globs of names, and of paths below the root.
#[derive(Clone, Debug, Default)]
struct Globs {
    names: Set,
    paths: Set,
}

/// Globs that are looked for at once, each with what decides about a path that it matches.
#[derive(Clone, Debug, Default)]
struct Set {
    globs: GlobSet,
    exact: Vec<Option<Regex>>,
}

impl Set {
    fn new(globs: &[&str]) -> Result<Set, GlobError> {
        let mut set = GlobSetBuilder::new();
        let mut exact = Vec::new();
        for text in globs {
            let (glob, regex) = typed::build(text, !is_separator('\\'))?;
            set.add(glob);
            exact.push(regex);
        }
        Ok(Set { globs: set.build()?, exact })
    }

    fn is_match(&self, path: &Path) -> bool {
        let allows = |at: &usize| {
            typed::allows(self.exact[*at].as_ref(), path.as_os_str().as_encoded_bytes())
        };
        self.globs.is_match(path)
            && (self.exact.iter().all(Option::is_none)
                || self.globs.matches(path).iter().any(allows))
    }
}

impl Globs {
    fn new<G: AsRef<str>>(globs: impl IntoIterator<Item = G>) -> Result<Globs, GlobError> {
        let globs: Vec<G> = globs.into_iter().collect();
        let (paths, names): (Vec<&str>, Vec<&str>) =
            globs.iter().map(AsRef::as_ref).partition(|glob| glob.contains('/'));
        Ok(Globs { names: Set::new(&names)?, paths: Set::new(&paths)? })
    }

    fn is_empty(&self) -> bool {
        self.names.exact.is_empty() && self.paths.exact.is_empty()
    }

    fn matches(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        // A root's name is a path.
        let name = Path::new(entry.file_name()).file_name().filter(|_| entry.depth() == 0);
        let name = Path::new(name.unwrap_or(entry.file_name()));
        if !self.names.exact.is_empty() && self.names.is_match(name) {
            return true;
        }
        if self.paths.exact.is_empty() {
            return false;
        }
        scratch.clear();
        entry.path_into(scratch);
        self.paths.is_match(bytes_to_path(below_root(scratch, entry.depth())))
    }
}

/// The last `depth` components of a path: those below the root.
fn below_root(path: &[u8], depth: usize) -> &[u8] {
    let is_separator = |at: &usize| is_separator(path[*at] as char);
    let separator = (0..path.len()).rev().filter(is_separator).nth(depth.wrapping_sub(1));
    separator.map_or(path, |at| &path[at + 1..])
}

/// A visitor that gets what passes a [`Filter`]. The walk does not call its
/// [`select`](Visitor::select), because the filter answers.
#[derive(Debug)]
pub struct Filtered<V> {
    filter: Arc<Filter>,
    visitor: V,
    scratch: Vec<u8>,
}

impl<V: Visitor<State = ()>> Filtered<V> {
    /// Applies a filter to what a visitor gets.
    pub fn new(filter: impl Into<Arc<Filter>>, visitor: V) -> Filtered<V> {
        Filtered { filter: filter.into(), visitor, scratch: Vec::new() }
    }

    /// The visitor.
    pub fn into_inner(self) -> V {
        self.visitor
    }
}

impl<V: Visitor<State = ()>> Visitor for Filtered<V> {
    type State = ();

    fn needs(&self) -> Needs {
        let needs = self.visitor.needs();
        Needs { fields: needs.fields | self.filter.fields, ..needs }
    }

    fn enter(&mut self, dir: &Entry<'_>, (): &()) -> Enter<()> {
        let is_pruned = self.filter.prunes(dir, &mut self.scratch);
        if is_pruned { Enter::Prune } else { self.visitor.enter(dir, &()) }
    }

    fn opened(&mut self, dir: &Directory<'_>, (): &mut ()) -> Enter<()> {
        self.visitor.opened(dir, &mut ())
    }

    #[inline]
    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        if self.filter.takes(entry, &mut self.scratch) {
            Select::Take(self.filter.fields)
        } else if entry.file_type().is_dir() {
            Select::Enter
        } else {
            Select::Drop
        }
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        // The metadata may show another type than the listing.
        let passes = |entry: &Entry<'_>| self.filter.has_type(entry);
        let runs = entries.chunk_by(|one, next| passes(one) == passes(next));
        for run in runs.filter(|run| passes(&run[0])) {
            if self.visitor.entries(dir, &(), run) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.visitor.error(error)
    }

    fn leave(&mut self, dir: &Directory<'_>, (): &(), (): &(), outcome: crate::Outcome) -> Flow {
        self.visitor.leave(dir, &(), &(), outcome)
    }

    fn flush(&mut self, slow: bool) -> Flushed {
        self.visitor.flush(slow)
    }
}

impl<V: Parallel + Visitor<State = ()>> Parallel for Filtered<V> {
    fn fork(&self, worker: usize) -> Filtered<V> {
        Filtered::new(Arc::clone(&self.filter), self.visitor.fork(worker))
    }

    fn merge(&mut self, other: Filtered<V>) {
        self.visitor.merge(other.visitor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_root_is_its_last_components() {
        for (path, depth, below) in [
            ("root", 0, "root"),
            ("a/root/b", 1, "b"),
            ("a/root/b/c.md", 2, "b/c.md"),
            ("/usr", 1, "usr"),
        ] {
            assert_eq!(below_root(path.as_bytes(), depth), below.as_bytes());
        }
    }
}
