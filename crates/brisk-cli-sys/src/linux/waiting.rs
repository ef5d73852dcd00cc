//! Waiting for several things at once, signals among them.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper};

use super::signals::{HeldBack, interrupted};
use crate::StreamEnds;

/// Waits until one of these can be read, the reader of standard output has gone, a signal has come,
/// or it is `until`. With `input`, standard input is read and thrown away, until it ends. System
/// calls: two rt_sigprocmask, a ppoll, and a read if there is input.
#[must_use]
pub fn wait(handles: &[BorrowedFd<'_>], input: bool, until: Option<Instant>) -> StreamEnds {
    let held = HeldBack::new();
    // A signal that comes after this look is held back, and then ends the wait.
    if interrupted() {
        return StreamEnds::default();
    }
    // Errors and the end of the other side are always told.
    let mut awaited = vec![PollFd::new(rustix::stdio::stdout(), PollFlags::empty())];
    let readable = |handle| PollFd::new(handle, PollFlags::POLLIN);
    awaited.extend(input.then(|| readable(rustix::stdio::stdin())));
    awaited.extend(handles.iter().copied().map(readable));
    let time = until.map(|until| TimeSpec::from(until.saturating_duration_since(Instant::now())));
    if ppoll(&mut awaited, time, Some(held.before)).is_err() {
        return StreamEnds::default();
    }
    let happened = |at: usize| awaited[at].any().unwrap_or(true);
    StreamEnds { output_closed: happened(0), input_ended: input && happened(1) && input_ended() }
}

/// Waits until standard output takes at least a page. `false`: a signal has come. System calls: two
/// rt_sigprocmask and a ppoll.
#[must_use]
pub fn wait_for_output() -> bool {
    let held = HeldBack::new();
    let mut output = [PollFd::new(rustix::stdio::stdout(), PollFlags::POLLOUT)];
    // Faults of standard output are reported by the write.
    while !interrupted() {
        if ppoll(&mut output, None, Some(held.before)) != Err(nix::errno::Errno::EINTR) {
            return true;
        }
    }
    false
}

/// Reads what there is.
fn input_ended() -> bool {
    let mut buffer = [0; 4096];
    matches!(rustix::io::read(rustix::stdio::stdin(), &mut buffer), Ok(0) | Err(_))
}

/// What can be read once the process has ended; `None` before Linux 5.3.
pub(crate) fn end_of(process: Pid) -> Option<OwnedFd> {
    pidfd_open(process, PidfdFlags::empty()).ok()
}

/// Makes processes whose parents end children of this one, which reaps them. The first process of a
/// container often reaps none, and a group with a process that is not reaped is never gone.
pub(crate) fn adopt_orphans() {
    let _ = set_child_subreaper(Some(getpid()));
}
