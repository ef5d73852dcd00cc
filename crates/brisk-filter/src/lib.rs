//! The words that a [`brisk::filter::Filter`] is made of: patterns, extensions, types, sizes, dates
//! and owners, as users write them. Each becomes a test, or an expression of tests, whose text is
//! the same for the same meaning.
//!
//! No file is read except the system's lists of owners and the time zone. Refusals are values: the
//! command words them, because a link named fd has other messages than brisk.
//!
//! ```
//! use brisk::filter::{Expr, Filter};
//! use brisk_filter::{extensions, size};
//!
//! let sources = extensions::test(&["rs".into()]).expect("short").expect("one extension");
//! let large = size::expr(size::range("+1M").expect("a size"));
//! let filter = Filter::new(Expr::All(vec![sources.into(), large]));
//! assert_eq!(filter.key(), r#"-type f --extension=["rs"] --size=1000000-"#);
//! ```

mod calls;
pub mod dates;
pub mod extensions;
pub mod find;
pub mod fnmatch;
pub mod globs;
mod matcher;
pub mod mounted;
pub mod numbers;
mod owner;
pub mod pattern;
pub mod size;
mod stamp;
#[cfg(unix)]
#[path = "unix.rs"]
pub mod system;
#[cfg(windows)]
#[path = "windows.rs"]
pub mod system;
mod times;
mod types;
pub mod zone;

pub use dates::NotTime;
pub use owner::{NotOwner, OwnerRule};
pub use stamp::Stamp;
pub use times::Times;
pub use types::{TypeWords, of_letters};

/// Whose meanings the words have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// brisk's.
    Brisk,
    /// fd's: a glob compares bytes, `m` is minutes, and an age may lead into the future.
    Fd,
}
