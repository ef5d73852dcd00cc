//! Limits on open files: read, raised by the command line tool, restored in its children.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limit on open files that a program started with.
#[derive(Clone, Copy, Debug)]
pub struct OpenFiles {
    original: (Option<u64>, Option<u64>),
}

/// How many files this program may have open now; `u64::MAX` if there is no limit. One prlimit64.
#[must_use]
pub fn open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

impl OpenFiles {
    /// Raises the soft limit to the hard one, and remembers what it was. A refusal changes nothing.
    #[must_use]
    pub fn raise() -> OpenFiles {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        // A refusal leaves the limit as it is, which every walk respects anyway.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
        OpenFiles { original: (current, maximum) }
    }

    /// Makes a command's child start with the original limit: some programs close every possible
    /// descriptor or use select, and suffer from a high one.
    pub fn restore_in(self, command: &mut Command) {
        let (current, maximum) = self.original;
        let restore = move || -> io::Result<()> {
            Ok(setrlimit(Resource::Nofile, Rlimit { current, maximum })?)
        };
        // SAFETY: between fork and exec the closure makes one system call; it neither allocates nor
        // takes a lock.
        unsafe { command.pre_exec(restore) };
    }
}

/// Grows the process's descriptor table to hold `count` descriptors while it has one thread. Later,
/// each growth (at 64, 256, 512 …) would stall every thread that opens something for an RCU grace
/// period, 7 to 20 ms. Two system calls; a refusal is no error.
pub fn reserve_descriptors(count: u64) {
    let highest = count.min(open_files()).saturating_sub(1);
    if let Ok(highest) = i32::try_from(highest) {
        drop(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), highest));
    }
}
