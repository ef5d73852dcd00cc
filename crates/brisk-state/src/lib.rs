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
//! let before = State::load(file);
//! let report = Rescan::over(["src"]).since(before).run()?;
//! for change in report.changes() {
//!     println!("{} {}", change.kind.letter(), String::from_utf8_lossy(&change.place.path));
//! }
//! report.write(file)?;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod assemble;
mod began;
mod bits;
mod change;
mod choice;
mod diff;
mod explain;
mod found;
mod gathered;
mod hash;
mod list;
mod look;
mod met;
mod racy;
mod record;
mod refused;
mod rename;
mod report;
mod rescan;
mod roots;
mod save;
mod settings;
mod shared;
mod sorting;
mod stamp;
mod state;
mod volumes;
mod writer;
mod written;

pub use change::{Change, Differs, Kind, Place};
pub use choice::{All, Choice};
pub use diff::{Compared, Diff, Difference, Input, Reading, Undecided, Watch};
pub use refused::Refused;
pub use report::Report;
pub use rescan::Rescan;
pub use sorting::Sorting;
pub use state::{State, Unusable};
pub use writer::{Known, Writer};
