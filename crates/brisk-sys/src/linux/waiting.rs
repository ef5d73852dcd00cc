//! Waiting for the other end of a pipe or a device, a tenth of a second at most, so that a caller
//! can stop.

use std::fs::File;
use std::io;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Timespec;
use rustix::io::Errno;

/// Waits until a pipe or a device can be read, but not after a signal, and a tenth of a second at
/// most; returns whether it can. A pipe cannot before it has had a writer. One poll.
///
/// # Errors
/// The errors of the call.
pub fn wait_to_read(file: &File) -> io::Result<bool> {
    wait(file, PollFlags::IN)
}

/// The same until a pipe or a device takes more.
///
/// # Errors
/// The errors of the call.
pub fn wait_to_write(file: &File) -> io::Result<bool> {
    wait(file, PollFlags::OUT)
}

/// Waits a tenth of a second, but not after a signal: then a pipe may have a reader. One poll.
pub fn wait_for_reader() {
    let _ = poll(&mut [], Some(&TENTH));
}

/// How long a call waits at most.
const TENTH: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

fn wait(file: &File, until: PollFlags) -> io::Result<bool> {
    let mut asked = [PollFd::new(file, until)];
    match poll(&mut asked, Some(&TENTH)) {
        Err(Errno::INTR) => Ok(false),
        ready => Ok(ready? > 0),
    }
}
