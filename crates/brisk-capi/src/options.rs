//! [`WalkOptions`]: what a walk visits, and which entries it delivers.

use std::ffi::c_char;
use std::num::NonZeroUsize;
use std::path::Path;

use brisk::filter::{Expr, Filter};
use brisk::ignore::{GitRules, GlobalRules, Hidden, Options, Parents, Rules};
use brisk::{Fields, Follow, Mounts, Order, Shape, Walk};
use brisk_filter::{find, globs, of_letters};

use crate::cancel::Cancel;
use crate::constants::{BRISK_IGNORE_FILES, BRISK_IGNORE_GIT, BRISK_IGNORE_HIDDEN};
use crate::entry::fields;
use crate::error::Error;
use crate::given::{self, Growing, bytes, check_bits, choice, paths, strings};

/// By the numbers of BRISK_ORDER_….
const ORDERS: [Order; 8] = [
    Order::Unordered,
    Order::Breadth,
    Order::Depth(Shape::Pre),
    Order::Depth(Shape::Post),
    Order::Depth(Shape::SiblingsFirst),
    Order::Sorted(Shape::Pre),
    Order::Sorted(Shape::Post),
    Order::Sorted(Shape::SiblingsFirst),
];

/// By the numbers of BRISK_MOUNTS_….
const MOUNTS: [Mounts; 3] = [Mounts::Cross, Mounts::SameDevice, Mounts::SameMount];

/// What a walk visits, and which entries it delivers. What is 0 is the default. Later versions may
/// add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct WalkOptions {
    /// The size of this structure: sizeof(brisk_walk_options).
    size: usize,
    /// Ends the walk; may be NULL.
    cancel: *const Cancel,
    /// Only entries that match one of these globs are delivered; all if there are none. A glob is
    /// matched with the name or, if it has a slash, with the path below the root, where ** is any
    /// number of directories. {a,b} is an alternative.
    globs: *const *const c_char,
    glob_count: usize,
    /// Directories that match one of these globs are delivered, but not entered.
    prune: *const *const c_char,
    prune_count: usize,
    /// Only entries of these types are delivered, as letters of brisk_entry's `type`, such as "fl";
    /// all if it is NULL.
    types: *const c_char,
    /// BRISK_FIELD_… of the metadata to be fetched.
    fields: u32,
    /// BRISK_ORDER_….
    order: u32,
    /// BRISK_FOLLOW_…; by default BRISK_FOLLOW_ROOTS.
    follow: u32,
    /// BRISK_MOUNTS_….
    mounts: u32,
    /// BRISK_IGNORE_… of what is neither delivered nor entered.
    ignore: u32,
    /// The number of threads; by default the walk measures how many are worth while.
    threads: u32,
    /// Entries that are less deep are not delivered; a root's depth is 0.
    min_depth: usize,
    /// Directories of this depth are not entered; 0 is not a limit.
    max_depth: usize,
    /// The stack of each thread that the walk starts, in bytes; 0 is 2 MiB. Callbacks run on these
    /// stacks, and on the calling thread's.
    stack_size: usize,
    /// Only entries for which this expression of find(1)'s tests holds are delivered, such as
    /// "-name *.o -o -links +1"; all if it is NULL.
    where_tests: *const c_char,
}

// SAFETY: it is repr(C), begins with the size, and has pointers and numbers alone.
unsafe impl Growing for WalkOptions {}

/// A walk that a caller has asked for.
pub struct Asked {
    pub walk: Walk,
    /// The metadata that is wanted of each entry.
    pub fields: Fields,
    /// What ends the walk.
    pub cancel: brisk::Cancel,
}

impl Asked {
    /// # Errors
    /// There is no root, or an option cannot be understood.
    ///
    /// # Safety
    /// The pointers are NULL, or what the comments of the options and of [`paths`] say.
    pub unsafe fn read(
        roots: *const *const c_char,
        root_count: usize,
        options: *const WalkOptions,
    ) -> Result<Asked, Error> {
        // SAFETY: the caller promises it.
        let options = unsafe { given::options(options) }?;
        // SAFETY: the caller promises it.
        let roots = unsafe { paths(roots, root_count) }?;
        // SAFETY: the caller promises it.
        unsafe { options.read(&roots) }
    }
}

impl WalkOptions {
    /// # Errors
    /// An option that cannot be understood.
    ///
    /// # Safety
    /// The pointers are NULL, or what the members' comments say.
    pub unsafe fn read(&self, roots: &[&Path]) -> Result<Asked, Error> {
        // SAFETY: the caller promises it.
        let globs = texts(&unsafe { strings(self.globs, self.glob_count) }?)?;
        // SAFETY: the caller promises it.
        let prune = texts(&unsafe { strings(self.prune, self.prune_count) }?)?;
        // SAFETY: the caller promises it.
        let types = unsafe { bytes(self.types) }.unwrap_or_default();
        // SAFETY: the caller promises it.
        let cancel = unsafe { Cancel::of(self.cancel) };
        // SAFETY: the caller promises it.
        let tests = unsafe { bytes(self.where_tests) }.map(str::from_utf8);
        let tests = tests.transpose().map_err(Error::argument)?;
        let follow = follow(self.follow, Follow::Roots)?;
        let read = |line| find::tests(line, self.min_depth, follow == Follow::Always);
        let wrong = |mistake| Error::argument(format_args!("where_tests, {mistake}"));
        let tests = tests.map(read).transpose().map_err(wrong)?;
        let no_type = |letter: char| {
            Error::argument(format_args!("no such type: {}", letter.escape_default()))
        };
        let types = of_letters(&types.escape_ascii().to_string()).map_err(no_type)?;
        let globs = globs::expr(&globs).map_err(Error::argument)?;
        let prune = globs::pruning(&prune).map_err(Error::argument)?;
        let parts = [prune, tests, globs, types].into_iter().flatten().collect();
        let filter = Filter::new(Expr::All(parts));
        let walk = Walk::over(roots)
            .order(choice(self.order, &ORDERS, "order")?)
            .follow(follow)
            .mounts(mounts(self.mounts)?)
            .threads(NonZeroUsize::new(self.threads as usize))
            .min_depth(self.min_depth)
            .max_depth(NonZeroUsize::new(self.max_depth).map_or(usize::MAX, NonZeroUsize::get))
            .rules(rules(self.ignore)?)
            .filter(filter)
            .cancelled_by(&cancel);
        let walk = match self.stack_size {
            0 => walk,
            bytes => walk.stack_size(bytes),
        };
        Ok(Asked { walk, fields: fields(self.fields)?, cancel })
    }
}

/// # Errors
/// One of them is no UTF-8.
fn texts<'a>(globs: &[&'a [u8]]) -> Result<Vec<&'a str>, Error> {
    let text = |glob: &&'a [u8]| str::from_utf8(glob);
    let texts: Result<_, _> = globs.iter().map(text).collect();
    texts.map_err(|error| Error::argument(format_args!("a glob: {error}")))
}

/// The way of a number of BRISK_FOLLOW_…; `default` is that of 0.
///
/// # Errors
/// It is no BRISK_FOLLOW_….
pub fn follow(number: u32, default: Follow) -> Result<Follow, Error> {
    let ways = [default, Follow::Never, Follow::Always, Follow::Roots];
    choice(number, &ways, "way to follow links")
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
    Rules::new(options).map(Some).map_err(Error::argument)
}
