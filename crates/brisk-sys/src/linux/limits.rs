//! Limits on open files: read by every walk, raised by the command line tool alone.

use rustix::process::{Resource, Rlimit, setrlimit};

/// Where a filter refuses the question: the soft limit that systems set by default.
const UNKNOWN: u64 = 1_024;

/// The limit as it is. rustix's own call panics where a filter refuses it.
fn limit_on_files() -> Option<Rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes one rlimit, to a place that is this function's.
    let done = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    let set = |value: libc::rlim_t| (value != libc::RLIM_INFINITY).then_some(value);
    (done == 0).then(|| Rlimit { current: set(limit.rlim_cur), maximum: set(limit.rlim_max) })
}

/// How many files this program may have open now; `u64::MAX` if there is no limit,
/// 1,024 if the system does not tell. One prlimit64.
#[must_use]
pub fn open_files() -> u64 {
    limit_on_files().map_or(UNKNOWN, |limit| limit.current.unwrap_or(u64::MAX))
}

/// Raises the soft limit to the hard one. Children inherit it: not for a program that starts any. Two
/// prlimit64; a refusal changes nothing, and every walk respects what it finds.
pub fn raise_open_files() {
    let Some(Rlimit { current, maximum }) = limit_on_files() else { return };
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
