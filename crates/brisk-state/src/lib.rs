//! What changed in file trees since they were last scanned.
//!
//! A [`State`] is a file that records the entries of one or more trees. A [`Rescan`] walks the
//! trees again and compares them with the state. Its [`Report`] has each change, and can write the
//! next state.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use brisk_state::{Rescan, State};
//!
//! let file = std::path::Path::new("site.state");
//! let old = State::load(file);
//! let report = Rescan { old, ..Rescan::over(["src"]) }.run()?;
//! for change in &report.changes {
//!     println!("{} {}", change.kind.letter(), String::from_utf8_lossy(&change.place.path));
//! }
//! report.write(file)?;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod change;
mod compare;
mod format;
mod rescan;
mod sources;
mod watch;

pub use change::{Change, ChangeKind, Compared, DiffError, Difference, Differs, RootedPath};
pub use compare::{Diff, Input, Reads, Watch};
pub use format::index::Unusable;
pub use format::state::State;
pub use format::tree::Tree;
pub use rescan::{Entries, Report, Rescan, RescanError};
pub use watch::{Batches, ChangeBatch, Scanned, View, ViewAnswer, Waker, Watcher, WhyScanned};
