//! `brisk changed --watch`: [`Watch`] takes batch after batch from the library's watcher, and prints
//! it or runs COMMAND on it.
//!
//! ```text
//!        ┌──────────────────────── accept ◄── printed, or COMMAND has succeeded
//!        ▼                                          ▲
//!   Watcher::next ──► a batch ──► print, or start COMMAND ──► COMMAND failed, or was stopped:
//!        ▲                                                    the batch is in the next one again
//!        └── waiting::wait: events, COMMAND's end, a signal, the reader's leaving, a time
//! ```

pub(super) mod flags;
mod rounds;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use brisk::Flow;
use brisk_cli_sys::group::ProcessGroup;
use brisk_cli_sys::{signals, waiting};
use brisk_state::{ChangeBatch, Rescan, RescanError, RootedPath, Scanned, Watcher};
use brisk_sys::paths::bytes_to_path;

use super::command::{FAILED_WITH_COMMAND, NOT_FOUND, Prepared, prepare};
use super::files::Files;
use super::flags::Options;
use super::rescanned::Rescanned;
use super::telling::{complain_about_errors, has_work, print, statistics, tell_recorded};
use crate::front::Refusal;
use crate::front::messages::{Caller, unnumbered};
use crate::front::progress::Messenger;
use crate::show::changes::lines::Form;
use crate::show::quoting::quoted;
use crate::system;
use crate::write::out::{Out, output_is_terminal};
use rounds::Rounds;

/// Moves the cursor to the top and clears the terminal, with the lines that have scrolled away.
const CLEAR: &[u8] = b"\x1b[H\x1b[2J\x1b[3J";

/// How often COMMAND's end is looked for where it cannot be waited for.
const LOOK: Duration = Duration::from_millis(10);

/// A watch that goes on.
pub(super) struct Watch<'o> {
    options: &'o Options,
    files: &'o Files,
    form: &'o Form,
    watcher: Watcher,
    /// The progress of the first look.
    progress: Arc<Messenger>,
    run: Option<Started>,
    rounds: Rounds,
    /// Why COMMAND did not succeed, as the user was told.
    told: Option<String>,
    /// Whether no batch has come.
    is_first: bool,
    /// Whether there is nothing more to do.
    is_over: bool,
    /// The exit code of a watch that ends now.
    code: u8,
    /// When a batch, or COMMAND, was last done with.
    idle_since: Instant,
}

/// COMMAND, once it was started. With --restart what it has started may go on after its end.
struct Started {
    group: ProcessGroup,
    /// What it works on, until it has ended.
    work: Option<(ChangeBatch, Prepared)>,
}

/// Standard output, whose reader may be slow: a signal ends the wait for it.
struct Patient;

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !waiting::wait_for_output() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // What a pipe takes without a wait.
        system::write_output(&bytes[..bytes.len().min(4096)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Started {
    fn goes_on(&self) -> bool {
        self.work.is_some()
    }
}

fn refused(why: RescanError) -> Refusal {
    unnumbered(&why).into()
}

/// Says that events do not tell what changes somewhere, and what is done instead.
fn tell(part: &Scanned, roots: &[PathBuf], instead: &str) {
    let path = |place: &RootedPath| match &*place.path {
        // With an empty path, a file would get a slash.
        b"" => roots[place.root].clone(),
        path => roots[place.root].join(bytes_to_path(path)),
    };
    let place = part.place.as_ref().map(|place| quoted(&path(place)) + ": ");
    let why = &part.why;
    Caller::Brisk.complain(&format!("{}{why}: {instead}", place.unwrap_or_default()));
}

impl<'o> Watch<'o> {
    /// # Errors
    /// The system cannot give what a watcher needs.
    pub(super) fn new(
        options: &'o Options,
        files: &'o Files,
        form: &'o Form,
        rescan: Rescan,
    ) -> Result<Watch<'o>, Refusal> {
        let saves = files.saves_state.then(|| files.next.clone());
        let (rescan, progress) = options.compare.showing_progress(rescan);
        Ok(Watch {
            options,
            files,
            form,
            watcher: Watcher::new(rescan, saves).map_err(refused)?,
            progress,
            run: None,
            rounds: Rounds::default(),
            told: None,
            is_first: true,
            is_over: false,
            code: 0,
            idle_since: Instant::now(),
        })
    }

    /// Watches until the end; returns the exit code.
    pub(super) fn run(mut self) -> Result<u8, Refusal> {
        let ended = self.go_on();
        if let Some(run) = self.run.take_if(|run| run.goes_on() || self.options.watching.restarts) {
            self.stop(run);
        }
        self.watcher.save().map_err(refused)?;
        ended
    }

    fn go_on(&mut self) -> Result<u8, Refusal> {
        loop {
            self.look_at_command()?;
            if signals::interrupted() {
                return Ok(signals::exit_code());
            }
            let now = Instant::now();
            if self.is_over || self.times_out().is_some_and(|end| end <= now) {
                return Ok(self.code);
            }
            match if self.is_listening() { self.next()? } else { None } {
                Some(batch) => self.take(batch)?,
                None => self.wait(),
            }
        }
    }

    /// The next batch, if there is one now. A root that is gone later than at the start may come
    /// back.
    fn next(&mut self) -> Result<Option<ChangeBatch>, Refusal> {
        let next = self.watcher.next(self.options.watching.settle(), Some(Instant::now()));
        if self.is_first {
            self.progress.close();
        }
        match next {
            Err(why @ RescanError::Root(..)) if !self.is_first => {
                Caller::Brisk.complain(&format!("{}; waiting until it is back", unnumbered(&why)));
                Ok(None)
            }
            batch => batch.map_err(refused),
        }
    }

    /// Whether a batch is wanted now. What changes meanwhile waits in the system's queue.
    fn is_listening(&self) -> bool {
        let restarts = self.options.watching.restarts && !self.options.watching.once;
        restarts || !self.run.as_ref().is_some_and(Started::goes_on)
    }

    fn times_out(&self) -> Option<Instant> {
        let is_idle = !self.run.as_ref().is_some_and(Started::goes_on);
        // The first look is made in any case.
        let time = self.options.watching.timeout.filter(|_| is_idle && !self.is_first)?;
        self.idle_since.checked_add(time)
    }

    fn wait(&mut self) {
        let is_listening = self.is_listening();
        let running = self.run.as_ref().filter(|run| run.goes_on()).map(|run| run.group.handle());
        let looks_at = matches!(running, Some(None)).then(|| Instant::now() + LOOK);
        let next = self.watcher.deadline().filter(|_| is_listening);
        let until = [next, self.times_out(), looks_at].into_iter().flatten().min();
        let events = self.watcher.descriptor().filter(|_| is_listening);
        let handles: Vec<_> = events.into_iter().chain(running.flatten()).collect();
        let seen = waiting::wait(&handles, self.options.watching.stdin_quit, until);
        self.is_over |= seen.output_closed || seen.input_ended;
    }

    /// Deals with a batch.
    fn take(&mut self, batch: ChangeBatch) -> Result<(), Refusal> {
        let report = &batch.report;
        self.idle_since = Instant::now();
        complain_about_errors(self.options, report);
        let is_first = std::mem::take(&mut self.is_first);
        if is_first {
            statistics(self.options, report);
        }
        if !matches!(self.form, Form::Json) {
            // What is looked at again and again is told once.
            let polled = self.watcher.polled();
            let scanned = batch.scanned.iter().filter(|part| !polled.contains(part));
            scanned.for_each(|part| tell(part, &report.roots, "all of it was scanned"));
        }
        match self.options.runs_command() {
            true => self.start(batch, is_first),
            false => self.list(batch, is_first),
        }
    }

    /// Prints a batch, and accepts it.
    fn list(&mut self, batch: ChangeBatch, is_first: bool) -> Result<(), Refusal> {
        let report = &batch.report;
        let rescanned = Rescanned::new(self.options, self.files, report, &batch.scanned);
        let has_changes = !report.changes.is_empty();
        let is_silent_first_run = rescanned.is_silent_first_run(self.form);
        if has_changes {
            self.clear();
        }
        // A head and an end say that the watch has begun, or that something was scanned.
        if has_changes || is_first || !batch.scanned.is_empty() {
            signals::notice_interrupts();
            let (flow, code) = print(&rescanned, self.form, Out::new(Patient));
            if flow == Flow::Stop {
                self.code = code;
                self.is_over = true;
                return Ok(());
            }
        }
        if is_silent_first_run {
            tell_recorded(self.options, report, "what changes from now on is printed");
        } else if has_changes {
            self.code = self.options.compare.exit_code.into();
            self.is_over = self.options.watching.once;
        }
        self.accept(batch)
    }

    /// Accepts a batch. From now on signals are noticed: the state may be written a little later.
    fn accept(&mut self, batch: ChangeBatch) -> Result<(), Refusal> {
        signals::notice_interrupts();
        if self.files.saves_state {
            self.files.make_way()?;
        }
        let roots = batch.report.roots.clone();
        let known = self.watcher.polled().to_vec();
        self.watcher.accept(batch).map_err(refused)?;
        for part in self.watcher.polled().iter().filter(|part| !known.contains(part)) {
            tell(part, &roots, "polling it");
        }
        Ok(())
    }

    fn clear(&self) {
        if self.options.watching.clear && output_is_terminal() {
            let _ = <Out>::default().write(CLEAR);
        }
    }

    /// Starts COMMAND on a batch, if there is something to do.
    fn start(&mut self, batch: ChangeBatch, is_first: bool) -> Result<(), Refusal> {
        let watching = &self.options.watching;
        let report = &batch.report;
        let has_work = match has_work(report) {
            Ok(has_work) => has_work,
            Err(why) => {
                self.tell_failure(why.to_owned());
                return Ok(());
            }
        };
        if is_first && watching.postpone {
            let rescanned = Rescanned::new(self.options, self.files, report, &batch.scanned);
            if !rescanned.is_silent_first_run(self.form) {
                return Ok(());
            }
            tell_recorded(self.options, report, "the command runs on what changes from now on");
            return self.accept(batch);
        }
        if !(has_work || is_first && watching.initial) {
            return self.accept(batch);
        }
        signals::notice_interrupts();
        if let Some(run) = self.run.take() {
            self.stop(run);
        }
        self.rounds.note(report);
        self.clear();
        let rescanned = Rescanned::new(self.options, self.files, report, &batch.scanned);
        let started = prepare(&rescanned).and_then(|mut prepared| {
            let group = ProcessGroup::start(&mut prepared.command);
            group.map_err(|error| prepared.not_started(&error)).map(|group| (group, prepared))
        });
        match started {
            Ok((group, prepared)) => {
                self.run = Some(Started { group, work: Some((batch, prepared)) })
            }
            Err(why) => {
                self.tell_failure(why.message);
                self.code = why.code;
                // A file may still be made; what no directory of PATH has is a typing mistake.
                let is_name = Path::new(&self.options.command[0]).components().count() == 1;
                self.is_over = watching.once || is_name && why.code == NOT_FOUND;
            }
        }
        Ok(())
    }

    fn stop(&self, run: Started) {
        let watching = &self.options.watching;
        run.group.stop(watching.stop_signal.unwrap_or_default(), watching.stop_timeout());
    }

    /// If COMMAND has ended: accepts what it has worked on, if it has succeeded.
    fn look_at_command(&mut self) -> Result<(), Refusal> {
        let Some(run) = self.run.as_mut().filter(|run| run.goes_on()) else { return Ok(()) };
        let ended = run.group.ended().map_err(|error| unnumbered(&error))?;
        let Some(status) = ended else { return Ok(()) };
        self.code = system::ended(status);
        self.rounds.ended = Some(SystemTime::now());
        self.idle_since = Instant::now();
        self.is_over |= self.options.watching.once;
        let work = run.work.take();
        if !self.options.watching.restarts {
            self.run = None;
        }
        let Some((batch, _)) = work.filter(|_| self.code == 0) else {
            let command = quoted(&self.options.command[0]);
            self.tell_failure(format!("{command} failed ({status}); the changes stay pending"));
            return Ok(());
        };
        self.told = None;
        if !batch.report.errors.is_empty() {
            self.code = FAILED_WITH_COMMAND;
        }
        self.accept(batch)
    }

    /// Says why COMMAND did not succeed, unless that was said of its run before.
    fn tell_failure(&mut self, why: String) {
        if self.told.as_ref() != Some(&why) {
            Caller::Brisk.complain(&why);
        }
        self.told = Some(why);
    }
}
