//! A program that is run to its end, and what it used: for `brisk bench` and `brisk changed`.

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

    use rustix::io::retry_on_intr;
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    use crate::signals;

    let began = Instant::now();
    let pid = Pid::from_child(&command.spawn()?);
    // Signals are passed on until the child has ended, and no longer: later its process id may be
    // another process's. The wait leaves the child unreaped, so that its id stays its own.
    signals::pass_on_to(pid.as_raw_nonzero().get());
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let ended = retry_on_intr(|| waitid(WaitId::Pid(pid), options));
    signals::pass_on_to(0);
    ended?;
    let mut status = 0;
    // SAFETY: zeros are a valid value of this plain structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let pid = pid.as_raw_nonzero().get();
    // SAFETY: a child of this process that has ended and that no other thread waits for; places for
    // both answers.
    if unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } < 0 {
        return Err(io::Error::last_os_error());
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
