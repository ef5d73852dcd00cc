//! Programs that are started by posix_spawn.

use std::env;
use std::ffi::{CStr, CString, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitOptions, waitpid};

/// Runs a program to its end. As every child of the standard library, it gets SIGPIPE's default.
///
/// # Errors
/// The program could not be started.
pub(crate) fn run<'w>(words: impl Iterator<Item = &'w CStr>) -> io::Result<ExitStatus> {
    let actions = PosixSpawnFileActions::init()?;
    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_sigdefault(&SigSet::from(Signal::SIGPIPE))?;
    attributes.set_flags(PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF)?;
    let words: Vec<&CStr> = words.collect();
    let program = words.first().ok_or(io::ErrorKind::InvalidInput)?;
    let child = posix_spawnp(program, &actions, &attributes, &words, &environment())?;
    let child = Pid::from_raw(child.as_raw());
    let ended = retry_on_intr(|| waitpid(child, WaitOptions::empty()))?;
    Ok(ended.map_or_else(ExitStatus::default, |(_, status)| ExitStatus::from_raw(status.as_raw())))
}

/// This process's environment.
fn environment() -> Vec<CString> {
    let line = |(name, value): (OsString, OsString)| {
        CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).ok()
    };
    env::vars_os().filter_map(line).collect()
}

/// Whether posix_spawn returns the error of a failed exec: that of glibc before 2.24 does not.
#[cfg(target_env = "gnu")]
pub(crate) fn reports_errors() -> bool {
    // SAFETY: the function takes nothing.
    let version = unsafe { libc::gnu_get_libc_version() };
    // SAFETY: it is a string that is never changed or freed.
    let version = unsafe { CStr::from_ptr(version) };
    let version = version.to_str().unwrap_or_default();
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(2), Some(24))
}

/// Whether posix_spawn returns the error of a failed exec.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn reports_errors() -> bool {
    true
}
