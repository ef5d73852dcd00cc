//! Limits on open files. Every walk reads them; the command line tool alone raises them.

use rustix::process::{Resource, Rlimit, setrlimit};

/// The number of files that may be open if the system does not report its limit: the soft limit
/// that most systems set.
const UNKNOWN: u64 = 1_024;

/// The current limits on a resource; `None` if a seccomp filter refuses the call. (rustix's own
/// function panics then.)
pub(super) fn limit_on(resource: Resource) -> Option<Rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes one `rlimit` to `limit`, which lives on this function's stack.
    let done = unsafe { libc::getrlimit(resource as _, &raw mut limit) };
    let set = |value: libc::rlim_t| (value != libc::RLIM_INFINITY).then_some(value);
    (done == 0).then(|| Rlimit { current: set(limit.rlim_cur), maximum: set(limit.rlim_max) })
}

/// How many files this program may have open now; `u64::MAX` if there is no limit, 1,024 if the
/// system does not report it. One prlimit64.
#[must_use]
pub fn open_files() -> u64 {
    limit_on(Resource::Nofile).map_or(UNKNOWN, |limit| limit.current.unwrap_or(u64::MAX))
}

/// Raises the soft limit to the hard one. Child processes inherit the limit, so that a program that
/// starts others should not call this. Two prlimit64. A refusal is ignored, because every walk
/// respects the limit that it finds.
pub fn raise_open_files() {
    let Some(Rlimit { current, maximum }) = limit_on(Resource::Nofile) else { return };
    if current != maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

/// Grows the process's descriptor table so that it holds `count` descriptors. The caller does this
/// while the process has one thread. Later, each growth (at 64, 256, 512 …) would stall every
/// thread that opens a file for an RCU grace period, 7 to 20 ms. Three system calls: prlimit64,
/// fcntl, close. A refusal is ignored.
pub fn reserve_descriptors(count: u64) {
    let highest = count.min(open_files()).saturating_sub(1);
    if let Ok(highest) = i32::try_from(highest) {
        drop(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), highest));
    }
}

/// Whether an error says that the process, or the system, can open no more files.
#[must_use]
pub fn is_out_of_descriptors(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}
