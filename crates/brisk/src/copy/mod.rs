//! Copies whole trees: in parallel, by handles, and so that a file under its own name is always
//! whole.
//!
//! [`struct@Copy`] says how to copy, and a [`Pair`] says what and where to; [`Report`] says what was
//! copied and what failed. An [`Observer`] follows the copy while it runs, and answers questions.
//!
//! Both paths of a pair are resolved once, as the caller typed them. Below them, each source is
//! opened by its directory's handle and without following links (unless the walk follows them), and
//! each destination is made by the handle of the directory that the copy has made or opened.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod engine;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "unsupported.rs"]
mod engine;
mod observer;
mod pair;
mod report;
mod settings;

pub use observer::{Backup, Begun, Observer, Overwrite};
pub use pair::{Pair, TargetDir};
pub use report::{NotCopied, Report, Step, Way};
pub use settings::{
    Copy, Create, Demand, Modes, Overwriting, PathPair, Preserve, Specials, Update, When,
};

impl Copy {
    /// Copies these pairs one after the other, and what is below each in parallel. Failures are in
    /// the report; after a failure the copy goes on with the rest. If the observer
    /// [asks](Observer::asks), the calling thread copies alone, entry by entry, and each
    /// directory's entries in the order of their inodes, as GNU cp does.
    #[must_use]
    pub fn run(&self, pairs: impl IntoIterator<Item = Pair>, observer: &dyn Observer) -> Report {
        engine::run(self, pairs, observer)
    }
}
