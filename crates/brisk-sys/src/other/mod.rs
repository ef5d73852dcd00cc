//! Every other system: the portable backend under the native name.

pub use crate::portable::Dir;
pub(crate) use crate::portable::file::open_file;
pub(crate) use crate::portable::stat_path;

/// The fields that this system can tell.
pub const TOLD: crate::Fields = crate::Fields::STATX.union(crate::Fields::DEV);

/// Whether an error is this system's for too many links on the way, or a link where none may be
/// (ELOOP).
#[must_use]
pub fn is_link_loop(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    let number = Some(libc::ELOOP);
    #[cfg(not(unix))]
    let number = None::<i32>;
    number.is_some() && error.raw_os_error() == number
}

/// Thread times: not told here.
pub mod clock {
    pub use crate::usage::ThreadUsage;

    /// A thread's usage: unknown on this system.
    #[derive(Debug, Default)]
    pub struct ThreadClock(());

    impl ThreadClock {
        /// Unknown on this system.
        #[must_use]
        pub fn quick() -> Option<ThreadUsage> {
            None
        }

        /// Unknown on this system.
        #[must_use]
        pub fn read(&mut self) -> Option<ThreadUsage> {
            None
        }
    }
}

/// Limits on open files: this system's are left alone.
pub mod limits {
    /// How many files this program may have open: a figure that is safe on every system.
    #[must_use]
    pub fn open_files() -> u64 {
        256
    }

    /// Changes nothing on this system.
    pub fn raise_open_files() {}

    /// There is no descriptor table to grow.
    pub fn reserve_descriptors(_count: u64) {}
}

/// Memory: not told here.
pub mod memory {
    /// Unknown on this system.
    #[must_use]
    pub fn available() -> Option<u64> {
        None
    }
}
