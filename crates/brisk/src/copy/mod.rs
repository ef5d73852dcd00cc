//! Copies whole trees: in parallel, relative to handles, and so that a new file gets its own name
//! only when it is complete.
//!
//! [`struct@Copy`] says how to copy, and a [`Pair`] what and where to; [`Report`] says what was
//! copied and what failed. An [`Observer`] follows the copy while it runs, and answers questions.
//!
//! Both paths of a pair are resolved once, as the caller typed them. Below them, each entry is
//! opened or made relative to the handle of its directory. Destinations are made without following
//! links; sources are opened without following links, unless the walk follows links.

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
    /// Copies these pairs one after the other, and the tree of each pair in parallel. Failures are
    /// in the report; after a failure the copy goes on with the rest. If the observer
    /// [asks](Observer::asks), the calling thread copies alone, entry by entry, and each
    /// directory's entries in the order of their inodes, as GNU cp does.
    #[must_use]
    pub fn run(&self, pairs: impl IntoIterator<Item = Pair>, observer: &dyn Observer) -> Report {
        engine::run(self, pairs, observer)
    }
}
