//! Signals that ask the program to end, turned into a flag, so that the program can stop cleanly.
//! Only the command line tool calls this; no library may.
//!
//! ```text
//!   the NOTICED signals ──► note: which, when; passed on to a child that is waited for
//!                                 │
//!                interrupted() ◄──┴──► ppoll in `read_input` and in `waiting::wait` ends
//! ```
//!
//! A sender may repeat a signal: timeout(1) signals its child and then the whole group, and a shell
//! repeats the SIGHUP of its terminal. So a second signal ends the program only if it comes later
//! than such a repetition.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// The signals that are noticed.
const NOTICED: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];

/// Nanoseconds after the first signal within which another one counts as its repetition. No user
/// presses a key twice so soon.
const REPETITION: i64 = 200_000_000;

/// The number of the first signal; 0 before.
static CAUGHT: AtomicI32 = AtomicI32::new(0);

/// When the first signal came, in nanoseconds; 0 before.
static CAUGHT_AT: AtomicI64 = AtomicI64::new(0);

/// Whether the first signal ends the program as usual.
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// The child that signals are passed on to; 0 for none.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// The group of processes that the second signal kills; 0 for none.
static GROUP: AtomicI32 = AtomicI32::new(0);

/// Makes the first SIGINT, SIGTERM, SIGHUP or SIGQUIT set a flag. A second signal that is no repetition ends
/// the program as usual. A signal that is ignored stays ignored (`nohup`, shells' background jobs).
/// System calls: at most eight rt_sigaction.
pub fn notice_interrupts() {
    for signal in NOTICED {
        notice(signal as libc::c_int);
    }
}

/// Makes the first signal end the program as usual; one that has come already ends it now. For a
/// program that waits for another one, perhaps for ever, and has nothing to clean up. System calls:
/// none before a signal.
pub fn end_at_once() {
    AT_ONCE.store(true, Ordering::SeqCst);
    if interrupted() {
        end_by(CAUGHT.load(Ordering::SeqCst));
    }
}

/// Makes a second signal kill this group of processes before it ends the program; 0 means none.
pub(crate) fn kill_with_program(group: libc::pid_t) {
    GROUP.store(group, Ordering::Relaxed);
}

/// Whether a signal has come. Makes no system call.
#[must_use]
pub fn interrupted() -> bool {
    CAUGHT.load(Ordering::Relaxed) != 0
}

/// The code that a shell reports for a program that the signal ended: 128 plus its number.
#[must_use]
pub fn exit_code() -> u8 {
    u8::try_from(128 + CAUGHT.load(Ordering::Relaxed)).unwrap_or(u8::MAX)
}

/// Ends the program by SIGPIPE, as if it had not been ignored.
pub fn end_by_broken_pipe() -> ! {
    end_by(libc::SIGPIPE);
    std::process::exit(128 + libc::SIGPIPE)
}

/// Passes signals on to this child until the next call, including a signal that has come already; 0
/// means no child. The caller must not have waited for the child.
pub(crate) fn pass_on_to(child: libc::pid_t) {
    CHILD.store(child, Ordering::Relaxed);
    pass_on(CAUGHT.load(Ordering::Relaxed));
}

/// rustix does not touch errno, which the code that a signal handler interrupts may rely on.
fn pass_on(signal: libc::c_int) {
    let child = rustix::process::Pid::from_raw(CHILD.load(Ordering::Relaxed));
    if let Some(child) = child
        && let Some(signal) = rustix::process::Signal::from_named_raw(signal)
    {
        // The child may have received the signal already and have ended.
        let _ = rustix::process::kill_process(child, signal);
    }
}

/// Reads from standard input, and waits until there is something to read. System calls on Linux:
/// two rt_sigprocmask, ppoll and read.
///
/// # Errors
/// The system's error; [`io::ErrorKind::Interrupted`] once a signal has come, before the call or
/// during it.
pub fn read_input(buffer: &mut [u8]) -> io::Result<usize> {
    let held = HeldBack::new();
    loop {
        // A signal that comes between this look and the wait is held back, and then ends the wait.
        if interrupted() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match held.wait_for_input() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Other faults of standard input are reported by the read.
            _ => break,
        }
    }
    drop(held);
    Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
}

/// Blocks the noticed signals in this thread until this value is dropped.
pub(super) struct HeldBack {
    pub(super) before: SigSet,
}

impl HeldBack {
    pub(super) fn new() -> HeldBack {
        let noticed: SigSet = NOTICED.into_iter().collect();
        let before = noticed.thread_swap_mask(SigmaskHow::SIG_BLOCK);
        HeldBack { before: before.unwrap_or_else(|_| SigSet::empty()) }
    }

    /// Waits until there is something to read. Signals are let in only during the wait.
    fn wait_for_input(&self) -> io::Result<()> {
        let mut input = [PollFd::new(rustix::stdio::stdin(), PollFlags::POLLIN)];
        ppoll(&mut input, None, Some(self.before))?;
        Ok(())
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        // The set was this thread's before.
        let _ = self.before.thread_set_mask();
    }
}

/// Uses only atomics and calls that a signal handler may make.
extern "C" fn note(signal: libc::c_int) {
    let now = nanos();
    let order = Ordering::SeqCst;
    let first = CAUGHT_AT.load(Ordering::Relaxed);
    let _ = CAUGHT_AT.compare_exchange(0, now, order, order);
    let _ = CAUGHT.compare_exchange(0, signal, order, order);
    // `end_at_once` does the same in the opposite order, so that no signal is lost between.
    if AT_ONCE.load(order) || first != 0 && now - first > REPETITION {
        if let Some(group) = rustix::process::Pid::from_raw(GROUP.load(Ordering::Relaxed)) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        return end_by(signal);
    }
    brisk_sys::interrupt();
    pass_on(signal);
}

/// Has the signal end the program: at once, or when the handler that calls this returns.
fn end_by(signal: libc::c_int) {
    // SAFETY: the default action runs no code of this program.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    // SAFETY: raising a signal touches no memory of this program.
    unsafe { libc::raise(signal) };
}

/// Nanoseconds since the machine was started; never 0.
fn nanos() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the answer; the call may be made in a signal handler.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    (now.tv_sec * 1_000_000_000 + now.tv_nsec).max(1)
}

fn notice(signal: libc::c_int) {
    let mut before = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no new action is given; the kernel fills the valid place for the old one.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), before.as_mut_ptr()) };
    // SAFETY: all zeros are a valid `sigaction`, and the kernel has filled it if it could.
    let before = unsafe { before.assume_init() };
    if asked != 0 || before.sa_sigaction == libc::SIG_IGN {
        return;
    }
    // SAFETY: all zeros are a valid `sigaction`: no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = note as extern "C" fn(libc::c_int) as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: `note` does only what a signal handler may do, and exists as long as the program.
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}
