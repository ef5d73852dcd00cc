//! Processes that are waited for up to a time limit, and killed when it is over.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};

/// The variable by which the processes of a round are known, detached ones included.
pub const MARK: &str = "BRISK_ATTACK";

/// The most bytes of a process's output that are looked at.
const TOLD: u64 = 16 << 20;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// Not within the time limit.
    Hung,
}

impl End {
    /// Whether the process ended by a panic or by a signal of its own fault. Shells and strace
    /// report a signal as 128 plus its number.
    pub fn is_abort(self) -> bool {
        const FAULTS: [i32; 7] = [4, 5, 6, 7, 8, 11, 31];
        match self {
            End::Exit(code) => code == 101 || FAULTS.contains(&(code - 128)),
            End::Signal(signal) => FAULTS.contains(&signal),
            End::Hung => false,
        }
    }
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> End {
        status.code().map_or_else(|| End::Signal(status.signal().unwrap_or(0)), End::Exit)
    }
}

/// A process in a process group of its own.
pub struct Watched {
    child: Child,
    stdout: File,
    stderr: File,
}

/// The result of a process.
#[derive(Debug)]
pub struct Ended {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
}

impl Watched {
    /// Starts a process.
    pub fn start(command: &mut Command) -> Watched {
        Watched::start_with(command, tempfile::tempfile().unwrap())
    }

    /// Starts a process whose output goes nowhere: the output may be endless.
    pub fn start_silent(command: &mut Command) -> Watched {
        Watched::start_with(
            command,
            File::options().read(true).write(true).open("/dev/null").unwrap(),
        )
    }

    fn start_with(command: &mut Command, stdout: File) -> Watched {
        let stderr = tempfile::tempfile().unwrap();
        let child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(stdout.try_clone().unwrap())
            .stderr(stderr.try_clone().unwrap())
            .spawn();
        let child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Watched { child, stdout, stderr }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits for the end, up to a limit. Returns whether the process has ended.
    pub fn wait(&self, limit: Duration) -> bool {
        let fd = pidfd_open(self.pid(), PidfdFlags::empty()).unwrap();
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = rustix::event::Timespec::try_from(left).unwrap();
            match poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&timeout)) {
                Ok(0) => return false,
                Ok(_) => return true,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => panic!("poll: {error}"),
            }
        }
    }

    /// Sends a signal to the process alone.
    pub fn signal(&self, signal: Signal) {
        // The process may have ended a moment ago.
        let _ = kill_process(self.pid(), signal);
    }

    /// The most memory the process has used so far, in KiB.
    pub fn peak(&self) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let text = fs::read_to_string(status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    }

    /// Waits up to a limit, then kills the whole process group.
    pub fn finish(mut self, limit: Duration) -> Ended {
        let in_time = self.wait(limit);
        if !in_time {
            let _ = kill_process_group(self.pid(), Signal::KILL);
            // A process that waits for a file system without an answer cannot even be killed.
            if !self.wait(Duration::from_secs(10)) {
                return Ended { end: End::Hung, stdout: String::new(), stderr: String::new() };
            }
        }
        let status = self.child.wait().unwrap();
        let end = if in_time { status.into() } else { End::Hung };
        Ended { end, stdout: beginning(self.stdout), stderr: beginning(self.stderr) }
    }
}

/// The beginning of a file, up to a limit.
fn beginning(mut file: File) -> String {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.take(TOLD).read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The processes that carry a mark in their environment.
pub fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let processes = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let carries = environment.split(|byte| *byte == 0).any(|word| word == wanted.as_bytes());
        if carries { Pid::from_raw(number) } else { None }
    });
    processes.collect()
}

/// Waits until no process carries the mark. When the time is over, kills those that are left, and
/// returns whether there were any.
#[expect(clippy::disallowed_methods, reason = "there is no event for the end of another's child")]
pub fn settle(mark: &str, limit: Duration) -> bool {
    let until = Instant::now() + limit;
    let mut empty = 0;
    loop {
        let left = marked(mark);
        // In the middle of an exec a process has no environment for a moment.
        empty = if left.is_empty() { empty + 1 } else { 0 };
        if empty == 2 {
            return true;
        }
        if Instant::now() > until {
            for pid in left {
                let _ = kill_process(pid, Signal::KILL);
            }
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
