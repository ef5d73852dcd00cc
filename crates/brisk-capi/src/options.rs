//! [`WalkOptions`]: what a walk visits, and which entries it hands on.

use std::ffi::c_char;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, is_separator};

use brisk::ignore::{GitRules, GlobalRules, Hidden, Options, Parents, Rules};
use brisk::{Entry, Fields, Follow, Mounts, Order, Shape, Walk};
use brisk_sys::paths::bytes_to_path;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::cancel::Cancel;
use crate::constants::{
    BRISK_FOLLOW_ALWAYS, BRISK_FOLLOW_NEVER, BRISK_FOLLOW_ROOTS, BRISK_IGNORE_FILES,
    BRISK_IGNORE_GIT, BRISK_IGNORE_HIDDEN, BRISK_MOUNTS_CROSS, BRISK_MOUNTS_SAME_DEVICE,
    BRISK_MOUNTS_SAME_MOUNT, BRISK_ORDER_ANY, BRISK_ORDER_BREADTH, BRISK_ORDER_DEPTH,
    BRISK_ORDER_DEPTH_POST, BRISK_ORDER_DEPTH_SIBLINGS, BRISK_ORDER_SORTED,
    BRISK_ORDER_SORTED_POST, BRISK_ORDER_SORTED_SIBLINGS,
};
use crate::entry::fields;
use crate::error::Error;
use crate::given::{Growing, bytes, check_bits, choice, strings};

const ORDERS: [(u32, Order); 8] = [
    (BRISK_ORDER_ANY, Order::Unordered),
    (BRISK_ORDER_BREADTH, Order::Breadth),
    (BRISK_ORDER_DEPTH, Order::Depth(Shape::Pre)),
    (BRISK_ORDER_DEPTH_POST, Order::Depth(Shape::Post)),
    (BRISK_ORDER_DEPTH_SIBLINGS, Order::Depth(Shape::SiblingsFirst)),
    (BRISK_ORDER_SORTED, Order::Sorted(Shape::Pre)),
    (BRISK_ORDER_SORTED_POST, Order::Sorted(Shape::Post)),
    (BRISK_ORDER_SORTED_SIBLINGS, Order::Sorted(Shape::SiblingsFirst)),
];

const FOLLOWS: [(u32, Follow); 3] = [
    (BRISK_FOLLOW_ROOTS, Follow::Roots),
    (BRISK_FOLLOW_NEVER, Follow::Never),
    (BRISK_FOLLOW_ALWAYS, Follow::Always),
];

const MOUNTS: [(u32, Mounts); 3] = [
    (BRISK_MOUNTS_CROSS, Mounts::Cross),
    (BRISK_MOUNTS_SAME_DEVICE, Mounts::SameDevice),
    (BRISK_MOUNTS_SAME_MOUNT, Mounts::SameMount),
];

/// What a walk visits, and which entries it hands on. What is 0 is the default. Later versions may
/// add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct WalkOptions {
    /// The size of this structure: sizeof(brisk_walk_options).
    size: usize,
    /// Ends the walk; NULL if nothing shall.
    cancel: *const Cancel,
    /// Only entries that match one of these globs are handed on; all if there are none. A glob is
    /// matched with the name or, if it has a slash, with the path below the root, where ** is any
    /// number of directories. {a,b} is an alternative.
    globs: *const *const c_char,
    glob_count: usize,
    /// Directories that match one of these globs are handed on, but not entered.
    prune: *const *const c_char,
    prune_count: usize,
    /// Only entries of these types are handed on, as letters of brisk_entry's `type`, such as "fl";
    /// all if it is NULL.
    types: *const c_char,
    /// BRISK_FIELD_… of the metadata to be fetched.
    fields: u32,
    /// BRISK_ORDER_….
    order: u32,
    /// BRISK_FOLLOW_….
    follow: u32,
    /// BRISK_MOUNTS_….
    mounts: u32,
    /// BRISK_IGNORE_… of what is neither handed on nor entered.
    ignore: u32,
    /// The number of threads; by default the walk measures how many are worth while.
    threads: u32,
    /// Entries that are less deep are not handed on; a root's depth is 0.
    min_depth: usize,
    /// Directories of this depth are not entered; 0 is no limit.
    max_depth: usize,
}

// SAFETY: it is repr(C), begins with the size, and has pointers and numbers alone.
unsafe impl Growing for WalkOptions {}

/// Which entries are handed on, and which directories are not entered.
pub struct Wanted {
    globs: Globs,
    prune: Globs,
    /// Letters; all if there are none.
    types: Vec<u8>,
    pub fields: Fields,
    pub rules: Option<Rules>,
    /// What ends the walk.
    pub cancel: brisk::Cancel,
    /// Every entry that no rule ignores is handed on.
    pub is_all: bool,
}

impl WalkOptions {
    /// # Errors
    /// An option that cannot be understood.
    ///
    /// # Safety
    /// The pointers are NULL, or what the members' comments say.
    pub unsafe fn read(&self, roots: &[&Path]) -> Result<(Walk, Wanted), Error> {
        // SAFETY: the caller promises it.
        let globs = Globs::new(&unsafe { strings(self.globs, self.glob_count) }?)?;
        // SAFETY: the caller promises it.
        let prune = Globs::new(&unsafe { strings(self.prune, self.prune_count) }?)?;
        // SAFETY: the caller promises it.
        let types = unsafe { bytes(self.types) }.unwrap_or_default();
        if let Some(other) = types.iter().find(|letter| !b"fdlpsbcDU".contains(letter)) {
            let other = other.escape_ascii();
            return Err(Error::argument(&format!("no such type: {other}")));
        }
        // SAFETY: the caller promises it.
        let cancel = unsafe { Cancel::of(self.cancel) };
        let max_depth = if self.max_depth == 0 { usize::MAX } else { self.max_depth };
        let walk = Walk::over(roots)
            .order(choice(self.order, &ORDERS, "order")?)
            .follow(follow(self.follow)?)
            .mounts(mounts(self.mounts)?)
            .threads(NonZeroUsize::new(self.threads as usize))
            .min_depth(self.min_depth)
            .max_depth(max_depth)
            .cancelled_by(&cancel);
        let wanted = Wanted {
            is_all: globs.0.is_empty() && types.is_empty(),
            globs,
            prune,
            types: types.to_vec(),
            fields: fields(self.fields)?,
            cancel,
            rules: rules(self.ignore)?,
        };
        Ok((walk, wanted))
    }

    /// Whether all of the walk is to be on one thread.
    pub fn is_serial(&self) -> bool {
        self.threads == 1
    }
}

/// # Errors
/// It is no BRISK_FOLLOW_….
pub fn follow(number: u32) -> Result<Follow, Error> {
    choice(number, &FOLLOWS, "way to follow links")
}

/// # Errors
/// It is no BRISK_MOUNTS_….
pub fn mounts(number: u32) -> Result<Mounts, Error> {
    choice(number, &MOUNTS, "way to treat mounts")
}

/// The rules of BRISK_IGNORE_…; none if no bit is set.
///
/// # Errors
/// There is no such bit.
pub fn rules(ignore: u32) -> Result<Option<Rules>, Error> {
    let all = BRISK_IGNORE_HIDDEN | BRISK_IGNORE_GIT | BRISK_IGNORE_FILES;
    check_bits(ignore, all, "kind of ignored entries")?;
    if ignore == 0 {
        return Ok(None);
    }
    let mut options = Options::none();
    if ignore & BRISK_IGNORE_HIDDEN != 0 {
        options.hidden = Hidden::Ignored;
    }
    if ignore & BRISK_IGNORE_GIT != 0 {
        options.git = GitRules::InRepositories;
        options.global = GlobalRules::Configured;
        options.parents = Parents::Apply;
    }
    if ignore & BRISK_IGNORE_FILES != 0 {
        options.names = vec![".ignore".into()];
        options.parents = Parents::Apply;
    }
    Rules::new(options).map(Some).map_err(|error| Error::argument(&error.to_string()))
}

impl Wanted {
    /// Whether an entry is handed on, by its name and type. Paths are built in `scratch`.
    pub fn takes(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        let letter = entry.file_type().letter() as u8;
        (self.types.is_empty() || self.types.contains(&letter))
            && (self.globs.0.is_empty() || self.globs.matches(entry, scratch))
    }

    /// Whether a directory is not entered. A root always is.
    pub fn prunes(&self, dir: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        dir.depth() > 0 && !self.prune.0.is_empty() && self.prune.matches(dir, scratch)
    }
}

/// Globs of paths below the root.
struct Globs(GlobSet);

impl Globs {
    fn new(globs: &[&[u8]]) -> Result<Globs, Error> {
        let invalid = |why: &dyn Display| Error::argument(&format!("a glob: {why}"));
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let text = std::str::from_utf8(glob).map_err(|error| invalid(&error))?;
            // A glob without a slash is one of names, in whichever directory.
            let anywhere = if text.contains('/') { "" } else { "**/" };
            let glob = format!("{anywhere}{text}");
            let glob = GlobBuilder::new(&glob).literal_separator(true).build();
            set.add(glob.map_err(|error| invalid(&error))?);
        }
        set.build().map(Globs).map_err(|error| invalid(&error))
    }

    fn matches(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        scratch.clear();
        entry.path_into(scratch);
        self.0.is_match(bytes_to_path(below_root(scratch, entry.depth())))
    }
}

/// The last `depth` components of a path: those below the root.
fn below_root(path: &[u8], depth: usize) -> &[u8] {
    let is_separator = |at: &usize| is_separator(path[*at] as char);
    let separator = (0..path.len()).rev().filter(is_separator).nth(depth.wrapping_sub(1));
    separator.map_or(path, |at| &path[at + 1..])
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
