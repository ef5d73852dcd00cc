//! A program that is run to its end, and what it used: for `brisk bench`.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// A program that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Wall time.
    pub wall: Duration,
    /// Processor time in user mode.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// Peak memory in bytes.
    pub peak: u64,
}

/// Runs a program to its end. Signals that this program notices are passed on to it.
///
/// # Errors
/// The program could not be started.
#[cfg(unix)]
pub fn run(command: &mut Command) -> io::Result<Ended> {
    use std::os::unix::process::ExitStatusExt;

    use crate::signals;

    let began = Instant::now();
    let child = command.spawn()?;
    let pid = libc::pid_t::try_from(child.id()).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut status = 0;
    // Signals are passed on until the child has ended, and no longer: later its process id may be
    // another process's.
    signals::pass_on_to(pid);
    let ended = wait_for_end(pid);
    signals::pass_on_to(0);
    ended?;
    // SAFETY: zeros are a valid value of this plain structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: a child of this process that no other thread waits for; places for both answers.
        let waited = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
        let error = io::Error::last_os_error();
        if waited >= 0 {
            break;
        }
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let time = |time: libc::timeval| {
        let micros = u64::try_from(time.tv_usec).unwrap_or(0);
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0)) + Duration::from_micros(micros)
    };
    Ok(Ended {
        status: ExitStatus::from_raw(status),
        wall: began.elapsed(),
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
        peak: u64::try_from(usage.ru_maxrss).unwrap_or(0) << 10,
    })
}

/// Waits until a child has ended, and leaves it unreaped, so that no other process can get its id.
#[cfg(unix)]
fn wait_for_end(pid: libc::pid_t) -> io::Result<()> {
    let id = libc::id_t::try_from(pid).map_err(|_| io::ErrorKind::InvalidData)?;
    loop {
        let mut told = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
        let options = libc::WEXITED | libc::WNOWAIT;
        // SAFETY: a child of this process that no other thread waits for; a place for the answer.
        let waited = unsafe { libc::waitid(libc::P_PID, id, told.as_mut_ptr(), options) };
        let error = io::Error::last_os_error();
        if waited == 0 {
            return Ok(());
        }
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Runs a program to its end.
///
/// # Errors
/// The program could not be started.
#[cfg(windows)]
pub fn run(command: &mut Command) -> io::Result<Ended> {
    use std::os::windows::io::AsRawHandle;

    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::GetProcessTimes;

    let began = Instant::now();
    let mut child = command.spawn()?;
    let status = child.wait()?;
    let wall = began.elapsed();
    let mut times = [FILETIME::default(); 4];
    let [created, exited, system, user] = &mut times;
    // SAFETY: the process has ended and its handle is still open; four places for the answers.
    unsafe { GetProcessTimes(child.as_raw_handle(), created, exited, system, user) };
    let time = |time: &FILETIME| {
        let ticks = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        Duration::from_nanos(ticks * 100)
    };
    // Peak memory can be asked for only while the process runs.
    Ok(Ended { status, wall, user: time(&times[3]), system: time(&times[2]), peak: 0 })
}
