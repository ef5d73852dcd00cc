//! [`ProcessGroup`]: a program that runs in a process group of its own, so that it can be stopped
//! with all that it has started.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, test_kill_process_group,
    waitid,
};

use crate::native::waiting::{adopt_orphans, end_of};
use crate::signals;

/// The longest time between two looks at a group that is about to end.
const LONGEST_STEP: Duration = Duration::from_millis(8);

/// How long a group that was killed is waited for, at least: a process may be in a system call that
/// does not return, or its parent, outside the group, may not reap it.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// The signals that have a name here.
const NAMED: [(&str, Signal); 7] = [
    ("HUP", Signal::HUP),
    ("INT", Signal::INT),
    ("KILL", Signal::KILL),
    ("QUIT", Signal::QUIT),
    ("TERM", Signal::TERM),
    ("USR1", Signal::USR1),
    ("USR2", Signal::USR2),
];

/// A signal that asks a program to end; the default is SIGTERM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopSignal(Signal);

impl Default for StopSignal {
    fn default() -> StopSignal {
        StopSignal(Signal::TERM)
    }
}

impl StopSignal {
    /// The signal of this name, in any case and with `SIG` or without it, or with this number.
    #[must_use]
    pub fn named(name: &str) -> Option<StopSignal> {
        let name = name.to_ascii_uppercase();
        let short = name.strip_prefix("SIG").unwrap_or(&name);
        let known = NAMED.iter().find(|(known, _)| *known == short).map(|(_, signal)| *signal);
        known.or_else(|| Signal::from_named_raw(name.parse().ok()?)).map(StopSignal)
    }
}

/// A program and what it has started, unless that left the group. The program is reaped when this is
/// dropped; before that its number is no other group's.
#[derive(Debug)]
pub struct ProcessGroup {
    leader: Pid,
    /// Can be read once the program has ended.
    handle: Option<OwnedFd>,
    status: Option<ExitStatus>,
}

impl ProcessGroup {
    /// Starts a program. If a second signal ends this program, the group is killed. System calls on
    /// Linux: prctl, those of the start, pidfd_open.
    ///
    /// # Errors
    /// The program could not be started.
    pub fn start(command: &mut Command) -> io::Result<ProcessGroup> {
        adopt_orphans();
        let leader = Pid::from_child(&command.process_group(0).spawn()?);
        signals::kill_with_program(leader.as_raw_nonzero().get());
        Ok(ProcessGroup { leader, handle: end_of(leader), status: None })
    }

    /// How the program has ended, if it has. One waitid.
    ///
    /// # Errors
    /// Another part of this process has waited for the program.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let status = retry_on_intr(|| waitid(WaitId::Pid(self.leader), options))?;
            self.status = status.as_ref().map(exit_status);
        }
        Ok(self.status)
    }

    /// What can be read once the program has ended; `None` where the system has no such thing.
    #[must_use]
    pub fn handle(&self) -> Option<BorrowedFd<'_>> {
        self.handle.as_ref().map(AsFd::as_fd)
    }

    /// Sends the signal to the group, and kills what is left of it after `patience`. Returns when
    /// the group is gone.
    pub fn stop(self, signal: StopSignal, patience: Duration) {
        self.send(signal.0);
        if !self.is_gone_within(patience) {
            self.send(Signal::KILL);
            self.is_gone_within(patience.max(AFTER_KILL));
        }
    }

    fn send(&self, signal: Signal) {
        // The group may be gone.
        let _ = kill_process_group(self.leader, signal);
    }

    /// Waits until the group is gone, but not for longer than this. Returns whether it is gone.
    #[expect(clippy::disallowed_methods, reason = "no event tells that a group is gone")]
    fn is_gone_within(&self, time: Duration) -> bool {
        let began = Instant::now();
        let mut step = Duration::from_millis(1);
        loop {
            reap();
            if test_kill_process_group(self.leader) == Err(Errno::SRCH) {
                return true;
            }
            if began.elapsed() >= time {
                return false;
            }
            std::thread::sleep(step);
            step = (step * 2).min(LONGEST_STEP);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        signals::kill_with_program(0);
        reap();
    }
}

/// Reaps the children that have ended: the program, and orphans. This process has no others.
fn reap() {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    while matches!(waitid(WaitId::All, options), Ok(Some(_)) | Err(Errno::INTR)) {}
}

fn exit_status(status: &WaitIdStatus) -> ExitStatus {
    let code = status.exit_status().map(|code| code << 8);
    ExitStatus::from_raw(code.or(status.terminating_signal()).unwrap_or(0))
}
