//! How a system call is made. A call that was interrupted is retried a few times. A call that was
//! refused is given up for good only if a probe is refused as well.
//!
//! ```text
//!   statx(file) ── EPERM, ENOSYS ──► who refuses: the file system, a seccomp filter, the kernel?
//!                                    │  the probe: the same call with arguments that name no file
//!                                    ├─ EFAULT, EINVAL: the file system, and for this file alone
//!                                    └─ EPERM, ENOSYS: the others. The call is never made again
//! ```

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU8, Ordering};

use rustix::io::Errno;

use crate::interrupted;

/// How many times a call is made if each attempt is interrupted. A signal interrupts one attempt; a
/// file system that always answers EINTR would otherwise block the program for ever.
pub(super) const TRIES: u32 = 8;

/// Makes a call, and retries it a few times if it is interrupted. After a signal that ends the
/// program there is no retry.
///
/// # Errors
/// The errors of the call, EINTR included.
#[inline]
pub(super) fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    match call() {
        Err(Errno::INTR) => again(call),
        answer => answer,
    }
}

#[cold]
fn again<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    for _ in 1..TRIES {
        if interrupted() {
            break;
        }
        match call() {
            Err(Errno::INTR) => {}
            answer => return answer,
        }
    }
    Err(Errno::INTR)
}

/// The outcome of a raw system call: -1 means that errno holds the error.
#[inline]
pub(super) fn outcome(answer: libc::c_long) -> Result<usize, Errno> {
    usize::try_from(answer).map_err(|_| {
        let code = io::Error::last_os_error().raw_os_error();
        Errno::from_raw_os_error(code.unwrap_or(libc::EIO))
    })
}

/// Asks the file system of an open file, which reads and writes `argument`.
///
/// # Errors
/// The errors of the call.
///
/// # Safety
/// The kernel reads and writes no more than a `T`, which is valid whatever its bits.
pub(super) unsafe fn ioctl<T>(
    file: BorrowedFd<'_>,
    request: libc::Ioctl,
    argument: &mut T,
) -> Result<(), Errno> {
    let argument = &raw mut *argument;
    // SAFETY: the caller has promised it, and `argument` is borrowed exclusively.
    retry(|| outcome(unsafe { libc::ioctl(file.as_raw_fd(), request, argument) }.into())).map(drop)
}

/// Whether an error may mean that the kernel does not have the call, or that a filter forbids the
/// call.
pub(super) fn is_refusal(error: Errno) -> bool {
    matches!(error, Errno::NOSYS | Errno::PERM)
}

/// What is known of a system call that some kernels do not have and some seccomp filters forbid.
/// Its state begins as `UNKNOWN`; the first refusal and the probe decide.
#[derive(Debug)]
pub(super) struct Known {
    state: AtomicU8,
    /// Makes the call with arguments that name no file.
    probe: fn() -> Result<usize, Errno>,
}

const UNKNOWN: u8 = 0;
const THERE: u8 = 1;
const MISSING: u8 = 2;

impl Known {
    pub(super) const fn new(probe: fn() -> Result<usize, Errno>) -> Known {
        Known { state: AtomicU8::new(UNKNOWN), probe }
    }

    /// Whether the call should be made: nothing says that the kernel refuses it.
    #[inline]
    pub(super) fn is_there(&self) -> bool {
        self.state.load(Ordering::Relaxed) != MISSING
    }

    /// Makes the call as [`retry`] does. `None`: the kernel refuses it for all files.
    #[inline]
    pub(super) fn call<T>(
        &self,
        call: impl FnMut() -> Result<T, Errno>,
    ) -> Option<Result<T, Errno>> {
        if !self.is_there() {
            return None;
        }
        match retry(call) {
            Err(error) if is_refusal(error) && self.is_refused() => None,
            answer => Some(answer),
        }
    }

    /// Notes that the call was refused for one file, and returns whether it is refused for all
    /// files. The first time, a probe asks the kernel, because the refusal may be the file
    /// system's.
    #[cold]
    pub(super) fn is_refused(&self) -> bool {
        if self.state.load(Ordering::Relaxed) == UNKNOWN {
            let missing = (self.probe)().is_err_and(is_refusal);
            self.state.store(if missing { MISSING } else { THERE }, Ordering::Relaxed);
        }
        !self.is_there()
    }

    #[cfg(test)]
    pub(super) fn forget_call(&self) {
        self.state.store(MISSING, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_call_is_repeated_a_bounded_number_of_times() {
        for (interruptions, calls) in [(0, 1), (1, 2), (TRIES - 1, TRIES), (u32::MAX, TRIES)] {
            let mut made = 0;
            let answer = retry(|| {
                made += 1;
                if made <= interruptions { Err(Errno::INTR) } else { Ok(()) }
            });
            assert_eq!(made, calls);
            assert_eq!(answer.is_ok(), interruptions < TRIES);
        }
    }

    #[test]
    fn a_refusal_counts_only_if_the_call_is_refused_as_such() {
        let refused = Known::new(|| Err(Errno::PERM));
        let present = Known::new(|| Err(Errno::FAULT));
        assert!(refused.is_there() && present.is_there());
        assert!(refused.is_refused() && !refused.is_there());
        assert!(!present.is_refused() && present.is_there());
    }
}
