//! [`Running`]: the actions of a command line, which the calling thread does in order.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use brisk::filter::Scratch;
use brisk::unstable::append;
use brisk::{Entry, Flow, Meta};
use brisk_filter::find::{Action, ExecKind, File};

use super::exec::{Children, Program};
use super::plan::Plan;
use super::printf::{Formatting, Printf};
use crate::front::messages::{Caller, cause};
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;

/// An action, ready to be done.
enum Deed {
    Print { to: usize, format: Arc<Printf> },
    Quit,
    Delete,
    Run(Program),
}

/// All actions, by number, and what they share.
#[derive(Default)]
pub(super) struct Running {
    deeds: Vec<Deed>,
    pub(super) formatting: Formatting,
    pub(super) children: Children,
    /// `-quit` was reached, or nothing more can be done.
    pub(super) is_over: bool,
    /// What waits at the end is left out.
    pub(super) forgets: bool,
}

impl Running {
    /// Prepares an action: reads its format, opens its file.
    ///
    /// # Errors
    /// Why it cannot be done, for the user.
    pub(super) fn add(&mut self, action: &Action, files: &[OsString]) -> Result<(), String> {
        let deed = match action {
            Action::Print { to, end } => self.print(*to, files, Some(&[b'%', b'p', *end]))?,
            Action::Printf { to, format } => self.print(*to, files, Some(format))?,
            Action::Ls { to } => self.print(*to, files, None)?,
            Action::Quit => Deed::Quit,
            Action::Delete => Deed::Delete,
            Action::Exec { words, kind, in_directory, asks } => {
                Deed::Run(Program::new(words, *kind == ExecKind::Batch, *in_directory, *asks)?)
            }
        };
        self.deeds.push(deed);
        Ok(())
    }

    /// What prints in this format, or without one as -ls does.
    fn print(
        &mut self,
        to: Option<File>,
        files: &[OsString],
        format: Option<&[u8]>,
    ) -> Result<Deed, String> {
        let outputs = &mut self.children.outputs;
        let to = to.map_or(Ok(0), |File(at)| outputs.open(&files[at]))?;
        // A NUL is -print0's, which shows names as they are. None can be typed.
        let is_raw = format.is_some_and(|format| format.contains(&0));
        let shows = outputs.is_terminal(to) && !is_raw;
        let warn = &mut |message: String| Caller::Find.complain(&message);
        let parse = |format| Printf::parse(format, shows, warn);
        let format = format.map_or_else(|| Ok(Printf::long()), parse)?;
        Ok(Deed::Print { to, format: Arc::new(format) })
    }

    /// Whether programs are run.
    pub(super) fn runs_programs(&self) -> bool {
        self.deeds.iter().any(|deed| matches!(deed, Deed::Run(_)))
    }

    /// The formats of the actions that print.
    pub(super) fn formats(&self) -> Vec<Option<Arc<Printf>>> {
        let format = |deed: &Deed| match deed {
            Deed::Print { format, .. } => Some(Arc::clone(format)),
            _ => None,
        };
        self.deeds.iter().map(format).collect()
    }

    /// The formats, if all that is done is to append to standard output, or to gather paths for one
    /// program, and nothing is said of failures: that can be done before an entry's turn.
    pub(super) fn drafted(&self) -> Option<Vec<Arc<Printf>>> {
        if matches!(&self.deeds[..], [Deed::Run(program)] if program.gathers_paths()) {
            let path = Printf::parse(b"%p\0", false, &mut |_| ());
            return path.ok().map(|path| vec![Arc::new(path)]);
        }
        let drafted = |deed: &Deed| match deed {
            Deed::Print { to: 0, format } if format.can_be_drafted() => Some(Arc::clone(format)),
            _ => None,
        };
        self.deeds.iter().map(drafted).collect()
    }

    /// The turn of entries that were drafted has come.
    pub(super) fn adopt(&mut self, draft: &[u8]) {
        self.take(|lines| append(lines, draft));
    }

    /// Prints what is appended, or gathers it for the one program.
    pub(super) fn take(&mut self, add: impl FnOnce(&mut Vec<u8>)) {
        match &mut self.deeds[..] {
            [Deed::Run(program)] => program.add_all(add, &mut self.children),
            _ => add(self.children.outputs.lines(0)),
        }
        self.is_over |= self.children.is_over;
    }

    /// Entries of one directory are done: writes lines that are many, or have waited.
    pub(super) fn end_lines(&mut self) -> Flow {
        let flow = self.children.outputs.end_lines();
        if self.is_over { Flow::Stop } else { flow }
    }

    /// Evaluates the expression, and does the actions that it comes to.
    /// `ask` gets the metadata that the entry has not.
    pub(super) fn evaluate<'m>(
        &mut self,
        plan: &Plan,
        entry: &Entry<'m>,
        ask: &dyn Fn() -> Option<&'m Meta>,
        scratch: &mut Scratch,
    ) {
        if !self.is_over {
            let tell = |errors: &mut Vec<io::Error>| {
                for error in errors.drain(..) {
                    plan.complain_about(&entry.path(), &error);
                }
            };
            let mut act = |act, errors: &mut Vec<io::Error>| {
                tell(errors);
                self.act(plan, act, entry, ask)
            };
            plan.filter.judge_and_do(entry, scratch, ask, &mut act);
            // What failed before -quit has been told.
            if self.is_over {
                scratch.failed.clear();
            }
            tell(&mut scratch.failed);
        }
    }

    /// The turn of an entry of this depth has come: what waits for another directory is run.
    pub(super) fn reached(&mut self, depth: usize) {
        for deed in &mut self.deeds {
            if let Deed::Run(program) = deed {
                program.reached(depth, &mut self.children);
            }
        }
        self.is_over |= self.children.is_over;
    }

    /// Does an action. Returns its value as a test.
    fn act<'m>(
        &mut self,
        plan: &Plan,
        act: u16,
        entry: &Entry<'m>,
        ask: &dyn Fn() -> Option<&'m Meta>,
    ) -> bool {
        let Running { deeds, formatting, children, is_over, .. } = self;
        if *is_over {
            return false;
        }
        match &mut deeds[usize::from(act)] {
            Deed::Print { to, format } => {
                let lacks = entry.meta().is_none() && !format.fields(entry).is_empty();
                let known = lacks.then(ask).flatten().map(|meta| entry.with_meta(meta));
                let entry = known.as_ref().unwrap_or(entry);
                let is_done = format.append(entry, formatting, children.outputs.lines(*to));
                formatting.messages.drain(..).for_each(|message| plan.tell(&message));
                is_done
            }
            Deed::Quit => {
                *is_over = true;
                true
            }
            Deed::Delete => delete(plan, entry),
            Deed::Run(program) => {
                let holds = program.act(entry, children);
                *is_over |= children.is_over;
                holds
            }
        }
    }

    /// Runs what waits for `-exec {} +`, and writes the rest. Returns whether anything failed.
    pub(super) fn finish(&mut self) -> bool {
        let Running { deeds, children, formatting, forgets, is_over } = self;
        // GNU find ends those that run in directories last, but when it leaves a directory before.
        let turn = |program: &Program| match program.in_directory {
            true if !*is_over && program.waits_below() => 0,
            in_directory => 1 + u8::from(in_directory),
        };
        for now in 0..if *forgets { 1 } else { 3 } {
            for deed in &mut *deeds {
                if let Deed::Run(program) = deed
                    && turn(program) == now
                    && !children.is_over
                {
                    program.finish(children);
                }
            }
        }
        let messages = children.outputs.finish();
        messages.iter().for_each(|message| Caller::Find.complain(message));
        children.failed || formatting.has_failed || !messages.is_empty()
    }
}

/// Removes an entry. The working directory itself stays, as with GNU find.
fn delete(plan: &Plan, entry: &Entry<'_>) -> bool {
    if entry.name() == b"." {
        return true;
    }
    let is_dir = entry.file_type().is_dir() && !entry.is_followed_link();
    let removed = if is_dir { entry.remove_dir() } else { entry.unlink() };
    match removed {
        Ok(()) => true,
        Err(error) if plan.ignores_races && error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => {
            let path = as_argument(path_bytes(&entry.path()));
            plan.complain(&format!("cannot delete {path}: {}", cause(&error)));
            false
        }
    }
}
