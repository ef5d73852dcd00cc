//! Limits on open files: read by every walk, raised by the command line tool alone.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many files this program may have open now; `u64::MAX` if there is no limit. One prlimit64.
#[must_use]
pub fn open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Raises the soft limit to the hard one. Children inherit it: not for a program that starts any. Two
/// prlimit64; a refusal changes nothing, and every walk respects what it finds.
pub fn raise_open_files() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
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
