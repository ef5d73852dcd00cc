//! Running commands on results: `-x` (one run a result, in parallel) and `-X` (results in batches).
//!
//! The walk's workers put results into a bounded [`Queue`]; job threads take them out and run
//! commands. [`Commands`] is what the flags say, and [`Execution`] runs it:
//!
//! ```text
//!   visitor ─┐                        ┌─ job thread: for each command: spawn, wait   (-x)
//!   visitor ─┼─► Queue (bounded) ─────┼─ job thread: …
//!   visitor ─┘                        └─ or one batch thread: gather, run each when full (-X)
//! ```
//!
//! As with fd: with more than one job, a command's output is gathered and printed in one piece, and
//! its standard input is empty; with one job, a command inherits both. The commands of one result, or
//! of one batch, run one after the other, and the first that fails ends them for this result or
//! batch. Any failure makes the exit code 1, and so does a failure to write gathered output.

mod batch;
mod command;
mod queue;

use std::io;
use std::panic::resume_unwind;
use std::process::{self, Child, Command, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

pub use command::{Commands, Success};
pub use queue::{Job, Queue};

use brisk_sys::limits::is_out_of_descriptors;
use brisk_sys::threads;

use crate::front::messages::Caller;
use crate::front::standard;
use crate::system::arguments::Room;
use crate::write::out::Out;
use batch::Batch;
use brisk_sys::threads::lock;
use command::not_started;
use queue::Jobs;

/// Results that may wait, per job thread. With 64 a thread seldom finds the queue empty while the
/// walk reads its next directory, and a walk far ahead holds a few kilobytes.
const WAITING_PER_JOB: usize = 64;

/// Pieces of results that may wait for a batch: half a megabyte.
const WAITING_FOR_BATCH: usize = 8;

/// How long a job thread waits before it tries again to start a command.
const RETRY: Duration = Duration::from_millis(5);

/// How often it tries while no command runs that could end: for a second, in which the walk may
/// close directories.
const TRIES: u32 = 200;

/// Where the gathered output of commands goes.
#[derive(Default)]
struct Gathered {
    stdout: Out,
    /// Whether standard error failed to take some output.
    lost_errors: bool,
}

/// Commands, and everything that is needed to run them.
pub struct Execution<'a> {
    /// The name under which the program was called.
    pub caller: Caller,
    /// What to run.
    pub commands: &'a Commands,
    /// Job threads for `-x`; with one, commands share this program's standard input and output.
    pub jobs: usize,
    /// Write a zero byte behind the output for each result (`-0` with `-x`).
    pub null: bool,
    /// The most results one `-X` command receives; 0 for as many as fit.
    pub batch_size: usize,
    /// Prints a message: about a command that could not be started, or about lost output.
    pub complain: &'a (dyn Fn(&str) + Sync),
    /// How many commands run whose output is gathered.
    pub running: Mutex<usize>,
    /// Notified whenever such a command has ended.
    pub ended: Condvar,
}

impl Execution<'_> {
    /// Runs `walk`, and runs commands on the results that it puts into the queue.
    ///
    /// Where the system refuses threads, or has no address space for them, results wait in the
    /// queue, and the commands run when the walk is done.
    pub fn run<R>(&self, walk: impl FnOnce(&Queue) -> R) -> (R, Success) {
        let is_batch = self.commands.is_batch;
        let consumers = if is_batch { 1 } else { self.jobs.max(1) };
        let waiting = if is_batch { WAITING_FOR_BATCH } else { consumers * WAITING_PER_JOB };
        let (queue, jobs) = Jobs::queue(Some(waiting), !is_batch);
        let gathered = Mutex::default();
        let consume = || self.consume(&jobs, &gathered);
        let (result, outcome) = thread::scope(|scope| {
            let start = |count| {
                let builder = threads::one_of(count)?.name("job".to_owned());
                builder.spawn_scoped(scope, consume).ok()
            };
            let started: Vec<_> = (1..=consumers).filter_map(start).collect();
            if started.is_empty() {
                let (queue, jobs) = Jobs::queue(None, !is_batch);
                let result = walk(&queue);
                drop(queue);
                return (result, self.consume(&jobs, &gathered));
            }
            let result = walk(&queue);
            drop(queue);
            let ended = started.into_iter().map(thread::ScopedJoinHandle::join);
            let outcomes = ended.map(|job| job.unwrap_or_else(|panic| resume_unwind(panic)));
            (result, outcomes.fold(Success::Fine, Success::max))
        });
        let gathered = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
        (result, outcome.max(self.finish(gathered)))
    }

    /// Reports which output of commands was lost.
    fn finish(&self, mut gathered: Gathered) -> Success {
        let printed = gathered.stdout.finish();
        let printed = printed.inspect_err(|e| (self.complain)(&standard::why_lost(self.caller, e)));
        if printed.is_err() || gathered.lost_errors { Success::Failed } else { Success::Fine }
    }

    /// One job thread's work, until the queue is closed and empty.
    fn consume(&self, jobs: &Jobs, gathered: &Mutex<Gathered>) -> Success {
        if self.commands.is_batch {
            return self.run_batches(jobs);
        }
        let mut outcome = Success::Fine;
        for job in jobs.each() {
            let mut outputs = Vec::new();
            let ran = self.run_in_turn(&job, &mut outputs);
            self.print(&outputs, gathered);
            if let Err(message) = ran {
                outcome = Success::Failed;
                message.inspect(|message| (self.complain)(message));
            }
        }
        outcome
    }

    /// Runs the commands on one result, and stops at the first that fails. The error holds a
    /// message if that command could not be started.
    fn run_in_turn(
        &self,
        job: &Job,
        outputs: &mut Vec<process::Output>,
    ) -> Result<(), Option<String>> {
        for line in self.commands.lines() {
            let mut command = line.command(|argument| vec![argument.argument(job)]);
            let ended = if self.jobs > 1 {
                self.gather_output(&mut command).map(|output| {
                    let status = output.status;
                    outputs.push(output);
                    status
                })
            } else {
                command.status()
            };
            match ended {
                Ok(status) if status.success() => {}
                Ok(_) => return Err(None),
                Err(error) => return Err(Some(not_started(&command, &error))),
            }
        }
        Ok(())
    }

    /// Runs a command, and gathers its output. Where the process has no descriptor left for the
    /// command's pipes, or the system no process, waits until other commands have ended.
    fn gather_output(&self, command: &mut Command) -> io::Result<process::Output> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().or_else(|error| self.start_later(command, error))?;
        *lock(&self.running) += 1;
        let output = child.wait_with_output();
        *lock(&self.running) -= 1;
        self.ended.notify_all();
        output
    }

    /// Tries again to start a command. One job thread does at a time: those of many would take the
    /// few descriptors from each other.
    #[cold]
    fn start_later(&self, command: &mut Command, mut error: io::Error) -> io::Result<Child> {
        let mut running = lock(&self.running);
        let mut tries = 0;
        while is_out_of_descriptors(&error) || error.kind() == io::ErrorKind::WouldBlock {
            tries = if *running > 0 { 0 } else { tries + 1 };
            if tries > TRIES {
                break;
            }
            let waited = self.ended.wait_timeout(running, RETRY);
            running = waited.unwrap_or_else(PoisonError::into_inner).0;
            match command.spawn() {
                Ok(child) => return Ok(child),
                Err(again) => error = again,
            }
        }
        Err(error)
    }

    /// Prints what the commands of one result wrote, in one piece. Commands run for their effects:
    /// lost output does not stop them.
    fn print(&self, outputs: &[process::Output], gathered: &Mutex<Gathered>) {
        if outputs.is_empty() && !self.null {
            return;
        }
        let mut gathered = lock(gathered);
        for output in outputs {
            let _ = gathered.stdout.write(&output.stdout);
            gathered.lost_errors |= !standard::eprint(&output.stderr);
        }
        if self.null {
            let _ = gathered.stdout.write(b"\0");
        }
    }

    /// Gathers results and runs the commands whenever they have as many as all of them can take.
    /// The first command that cannot be started ends the search.
    fn run_batches(&self, jobs: &Jobs) -> Success {
        let batch = Batch::new(self.commands, self.batch_size, Room::granted());
        gather(batch, jobs).unwrap_or_else(|message| {
            jobs.stop();
            (self.complain)(&message);
            Success::Failed
        })
    }
}

fn gather(mut batch: Batch<'_>, jobs: &Jobs) -> Result<Success, String> {
    let mut outcome = Success::Fine;
    for job in jobs.each() {
        outcome = outcome.max(batch.push(&job)?);
    }
    Ok(outcome.max(batch.finish()?))
}

#[cfg(all(test, unix))]
mod tests;
