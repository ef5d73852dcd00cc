//! Large file trees, read as fast as the kernel and the storage allow.
//!
//! A [`Walk`] says what to visit, and in which order. A [`Visitor`] receives the
//! entries: each call brings many of one directory, borrowed from the buffer that the kernel
//! filled. What finds, lists or measures files is a visitor.
//!
//! # Iterators
//! Where an owned entry for each name is fast enough, a walk is an iterator. A filter on
//! directories prunes it, and [`par_iter`](Walk::par_iter) walks with as many threads as are worth
//! while:
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! # let scratch = tempfile::tempdir()?;
//! # std::fs::create_dir(scratch.path().join("target"))?;
//! # std::fs::write(scratch.path().join("target/lib.o"), "123")?;
//! # std::fs::write(scratch.path().join("lib.rs"), "12345")?;
//! # let root = scratch.path();
//! use brisk::filter::Filter;
//! use brisk::{Fields, Walk};
//!
//! let sources = Walk::new(root).filter(Filter::dirs(|dir| dir.name() != b"target"));
//! for entry in sources.clone() {
//!     let entry = entry?;
//!     if entry.file_type().is_file() {
//!         println!("{}", entry.path().display());
//!     }
//! }
//!
//! let mut bytes = 0;
//! for entry in sources.min_depth(1).par_iter(Fields::SIZE) {
//!     bytes += entry?.meta().and_then(|meta| meta.size()).unwrap_or(0);
//! }
//! assert_eq!(bytes, 5);
//! # Ok(())
//! # }
//! ```
//!
//! # A lister
//! Two of the visitor's calls are enough:
//!
//! ```
//! # fn main() {
//! # let scratch = tempfile::tempdir().unwrap();
//! # std::fs::write(scratch.path().join("a"), "").unwrap();
//! # let root = scratch.path();
//! # use std::io::Write;
//! use brisk::{Directory, Entry, Error, Flow, Visitor, Walk};
//!
//! struct List(Vec<u8>);
//! impl Visitor for List {
//!     type State = ();
//!     fn entries(&mut self, _: &Directory<'_>, _: &(), entries: &[Entry<'_>]) -> Flow {
//!         entries.iter().for_each(|entry| { entry.path_into(&mut self.0); self.0.push(b'\n') });
//!         Flow::Continue
//!     }
//!     fn error(&mut self, error: Error) -> Flow { eprintln!("{error}"); Flow::Continue }
//! }
//! let (list, _) = Walk::new(root).visit(List(Vec::new()));
//! # assert_eq!(list.0.iter().filter(|&&byte| byte == b'\n').count(), 2);
//! # std::io::stdout().write_all(&list.0).unwrap();
//! # }
//! ```
//!
//! # Filtering, metadata, threads, cancelling
//! [`Visitor::select`] chooses entries by name, type and inode, before any request is made for the
//! entry, and says which metadata the visitor wants. [`Visitor::enter`] chooses which directories
//! are read. With a visitor that can be forked ([`Parallel`]) a walk uses as many threads as it
//! finds worth while. [`Cancel`] ends a walk from another thread or a signal handler.
//! [`Walk::rules`] leaves out what .gitignore and similar files name. The module [`filter`] has
//! tests of names, types and metadata, for any visitor; the crate brisk-filter makes some of globs.
//!
//! ```
//! # fn main() {
//! # let scratch = tempfile::tempdir().unwrap();
//! # std::fs::write(scratch.path().join("lib.rs"), "12345").unwrap();
//! # std::fs::create_dir(scratch.path().join("target")).unwrap();
//! # std::fs::write(scratch.path().join("target/out.rs"), "1").unwrap();
//! # let root = scratch.path();
//! use brisk::{
//!     Cancel, Directory, Enter, Entry, Error, Fields, Flow, Parallel, Select, Visitor, Walk,
//! };
//!
//! /// The bytes of all Rust sources outside of `target`.
//! #[derive(Default)]
//! struct Sources(u64);
//!
//! impl Visitor for Sources {
//!     type State = ();
//!     fn select(&mut self, _: &(), entry: &Entry<'_>) -> Select {
//!         match entry.file_type() {
//!             file_type if file_type.is_dir() => Select::Enter,
//!             _ if entry.name().ends_with(b".rs") => Select::Take(Fields::SIZE),
//!             _ => Select::Drop,
//!         }
//!     }
//!     fn enter(&mut self, entry: &Entry<'_>, _: &()) -> Enter<()> {
//!         if entry.name() == b"target" { Enter::Prune } else { Enter::Read(()) }
//!     }
//!     fn entries(&mut self, _: &Directory<'_>, _: &(), entries: &[Entry<'_>]) -> Flow {
//!         self.0 += entries.iter().filter_map(|entry| entry.meta()?.size()).sum::<u64>();
//!         Flow::Continue
//!     }
//!     fn error(&mut self, _: Error) -> Flow {
//!         Flow::Continue
//!     }
//! }
//!
//! impl Parallel for Sources {
//!     fn fork(&self, _: usize) -> Self {
//!         Sources(0)
//!     }
//!     fn merge(&mut self, other: Self) {
//!         self.0 += other.0;
//!     }
//! }
//!
//! let cancel = Cancel::new();
//! // Another thread, or a signal handler, may call cancel.now().
//! let walk = Walk::new(root).cancelled_by(&cancel);
//! let (sources, _) = walk.visit_parallel(Sources::default());
//! assert_eq!(sources.0, 5);
//! # }
//! ```
//!
//! # Acting on trees
//! A visitor that changes what it visits ([`Act`]) gets each directory once more when everything
//! below it is done. It acts on names by their directory's handle, which no other process can
//! redirect.
//!
//! ```
//! # #[cfg(target_os = "linux")]
//! # fn main() -> std::io::Result<()> {
//! # let scratch = tempfile::tempdir()?;
//! # std::fs::create_dir_all(scratch.path().join("a/b"))?;
//! # std::fs::write(scratch.path().join("file"), "")?;
//! # let root = scratch.path();
//! use brisk::{Act, Directory, Entry, Error, Flow, Leaving, Parallel, Visitor, Walk};
//!
//! /// Removes directories that are empty, or empty once those in them are gone.
//! struct Tidy;
//!
//! impl Visitor for Tidy {
//!     type State = ();
//!     fn entries(&mut self, _: &Directory<'_>, (): &(), _: &[Entry<'_>]) -> Flow {
//!         Flow::Continue
//!     }
//!     fn error(&mut self, error: Error) -> Flow { eprintln!("{error}"); Flow::Continue }
//! }
//!
//! impl Parallel for Tidy {
//!     fn fork(&self, _: usize) -> Self { Tidy }
//!     fn merge(&mut self, _: Self) {}
//! }
//!
//! impl Act for Tidy {
//!     const REMOVES: bool = true;
//!     fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
//!         // The system refuses to remove a directory that has entries.
//!         let _ = dir.remove();
//!         Flow::Continue
//!     }
//! }
//!
//! let (Tidy, stats) = Walk::new(root).act(Tidy);
//! assert!(stats.errors == 0 && root.join("file").exists() && !root.join("a").exists());
//! # Ok(())
//! # }
//! # #[cfg(not(target_os = "linux"))]
//! # fn main() {}
//! ```
//!
//! The module [`remove`] removes whole trees, [`change`] changes their modes or owners, and
//! [`usage`] sums up how much space they take.
//!
//! # Costs
//! [`Walk`] says which system calls a walk makes, and the documentation of each method says which
//! ones that method adds. [`Stats`] counts those that a walk has made. For a visitor nothing is
//! allocated per entry. Memory grows with the number of directories that wait to be read, and in a
//! sorted walk also with the entries of one directory and of those above it.
//!
//! # Platforms
//! Linux and Windows have readers of their own; other systems are read through `std::fs`
//! ([`Backend::Portable`]). Names are bytes: on Windows, WTF-8.
//!
//! # Stability
//! Everything that this documentation names follows semantic versioning, also the types that the
//! crate `brisk-sys` defines and this one re-exports: [`Access`], [`Backend`], [`Fields`],
//! [`FileType`], [`Meta`], [`Target`], [`Timestamp`], [`change::Ids`] and [`change::ModeChange`].
//! Name them by this crate: what else `brisk-sys` has may change in any version.

#![forbid(unsafe_code)]

mod act;
mod at;
mod cancel;
pub mod change;
mod chunks;
pub mod copy;
mod directory;
mod drive;
mod emit;
mod entry;
mod error;
pub mod filter;
mod inodes;
mod iter;

mod owned;
mod packed;
mod plan;
mod read;
pub mod remove;
mod sched;
mod stats;
mod tree;
mod unique;
#[doc(hidden)]
pub mod unstable;
pub mod usage;
mod visitor;
mod walk;

pub use act::Act;
pub use at::At;
pub use brisk_sys::{Access, Backend, Fields, FileType, Meta, Target, Timestamp};
pub use cancel::{Cancel, Unvisited};
pub use chunks::{Chunks, ParallelIter};
pub use emit::leaving::Leaving;
pub use entry::{Directory, Entry};
pub use error::{Error, Operation};
pub use iter::Iter;
pub use owned::{ChunkEntry, DirEntry, OwnedChunk};
pub use read::ignore;
pub use stats::{Calls, Stats};
pub use tree::{HandleBudget, Permit};
pub use visitor::{
    Enter, Flow, Flushed, InTurn, Needs, Outcome, Parallel, Pause, Recalled, Select, Visitor,
};
pub use walk::{Follow, Mounts, Order, Shape, Walk};

/// The examples of README.md run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
