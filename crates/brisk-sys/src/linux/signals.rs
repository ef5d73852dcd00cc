//! The interrupt key: turned into a flag, for programs that want to stop cleanly. The command line
//! tool alone calls this; no library may.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on the first SIGINT or SIGTERM sets a flag; the second ends the program as usual. A signal
/// that is ignored stays ignored (`nohup`, shells' background jobs). Two or four rt_sigaction.
pub fn notice_interrupts() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        notice(signal);
    }
}

/// Whether a signal has come. Makes no system call.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

extern "C" fn note(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
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
    action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
    // SAFETY: `note` only stores to an atomic, which is safe in a signal handler, and lives for ever.
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}
