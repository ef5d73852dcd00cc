//! [`Finder`]: the visitor, which evaluates the expression; [`Running`]: the actions, which the
//! calling thread does in order.

use std::fs;
use std::io;

use brisk::filter::{Early, Scratch};
use brisk::{
    Act, Directory, Entry, Error, Fields, Flow, Flushed, InTurn, Leaving, Needs, Operation,
    Parallel, Pause, Visitor,
};
use brisk_sys::append;

use super::deed::{Deed, Deeds};
use super::exec::Children;
use super::plan::{Mode, Plan};
use super::printf::Formatting;
use crate::front::messages::{Caller, cause};
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;
use crate::show::text::{self, Charset};

/// A worker of the search. The calling thread's does the actions; the others read ahead.
pub(super) struct Finder<'p> {
    plan: &'p Plan,
    running: Option<Running<'p>>,
    /// What formats need that a reader fills in ahead.
    drafting: Formatting,
    scratch: Scratch,
}

/// What the actions need.
pub(super) struct Running<'p> {
    deeds: Deeds,
    formatting: Formatting,
    children: Children<'p>,
    /// `-quit` was reached, or nothing more can be done.
    is_over: bool,
}

impl<'p> Running<'p> {
    pub(super) fn new(
        deeds: Deeds,
        formatting: Formatting,
        complain: &'p (dyn Fn(&str) + Sync),
    ) -> Running<'p> {
        Running { deeds, formatting, children: Children::new(complain), is_over: false }
    }

    /// Evaluates the expression, and does the actions that it comes to.
    fn evaluate(&mut self, plan: &Plan, entry: &Entry<'_>, scratch: &mut Scratch) {
        if !self.is_over {
            plan.filter.judge_acting(entry, scratch, &mut |act| self.act(plan, act, entry));
        }
    }

    /// The turn of an entry of this depth has come: what waits for another directory is run.
    fn reached(&mut self, depth: usize) {
        let Deeds { all, outputs, .. } = &mut self.deeds;
        for deed in all {
            if let Deed::Run(program) = deed {
                program.reached(depth, &mut self.children, &mut || outputs.write_now());
            }
        }
        self.is_over |= self.children.is_over();
    }

    /// Does an action. Returns its value as a test.
    fn act(&mut self, plan: &Plan, act: u16, entry: &Entry<'_>) -> bool {
        if self.is_over {
            return false;
        }
        let Running { deeds: Deeds { all, outputs, long }, formatting, children, is_over } = self;
        match &mut all[usize::from(act)] {
            Deed::Print { to, end } => {
                let is_shown = *end == b'\n' && outputs.is_terminal(*to);
                let lines = outputs.lines(*to);
                let at = lines.len();
                entry.path_into(lines);
                if is_shown {
                    let path = lines.split_off(at);
                    text::with_question_marks(&path, Charset::current(), lines);
                }
                lines.push(*end);
                true
            }
            Deed::Format { to, format } => {
                let is_done = format.append(entry, formatting, outputs.lines(*to));
                formatting.messages.drain(..).for_each(|message| Caller::Find.complain(&message));
                is_done
            }
            Deed::List { to } => {
                long.as_mut().is_some_and(|long| long.append(entry, outputs.lines(*to)))
            }
            Deed::Quit => {
                *is_over = true;
                true
            }
            Deed::Delete => delete(plan, entry),
            Deed::Run(program) => {
                let holds = program.act(entry, children, &mut || outputs.write_now());
                *is_over |= children.is_over();
                holds
            }
        }
    }

    fn flow(&self, flow: Flow) -> Flow {
        if self.is_over { Flow::Stop } else { flow }
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
            Caller::Find.complain(&format!("cannot delete {path}: {}", cause(&error)));
            plan.fail();
            false
        }
    }
}

impl<'p> Finder<'p> {
    pub(super) fn new(plan: &'p Plan, running: Running<'p>) -> Finder<'p> {
        let drafting = running.formatting.clone();
        Finder { plan, running: Some(running), drafting, scratch: Scratch::default() }
    }

    /// Whether nothing more is done.
    pub(super) fn is_over(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.is_over)
    }

    /// Ends the actions: runs what waits for `-exec {} +`, and writes the rest. Returns whether
    /// anything failed.
    pub(super) fn finish(self) -> bool {
        let Some(mut running) = self.running else { return self.plan.has_failed() };
        let Running { deeds: Deeds { all, outputs, .. }, children, formatting, .. } = &mut running;
        // GNU find ends those that run in directories last.
        for in_directory in [false, true] {
            for deed in all.iter_mut() {
                if let Deed::Run(program) = deed
                    && program.in_directory == in_directory
                    && !children.is_over()
                {
                    program.finish(children, &mut || outputs.write_now());
                }
            }
        }
        let mut failed = self.plan.has_failed() || children.failed() || formatting.has_failed;
        for message in outputs.finish() {
            Caller::Find.complain(&message);
            failed = true;
        }
        failed
    }

    /// Asks for what the expression needs to know of an entry whose turn has come, and evaluates it.
    fn act_on(&mut self, entry: &Entry<'_>) {
        let Finder { plan, running: Some(running), scratch, .. } = self else { return };
        running.reached(entry.depth());
        if entry.depth() < plan.min_depth || running.is_over {
            return;
        }
        let fields = match plan.filter.early(entry, scratch) {
            Early::No => return,
            Early::Yes => Fields::empty(),
            Early::Ask(fields) => fields,
        };
        if fields.is_empty() {
            return running.evaluate(plan, entry, scratch);
        }
        let meta = match entry.stat(fields) {
            Ok(meta) => meta,
            Err(error) if plan.ignores_races && error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                complain(plan, &entry.path(), &error);
                return;
            }
        };
        if fields.contains(Fields::TARGET)
            && meta.target().is_none()
            && entry.file_type().is_symlink()
            && plan.reports_targets
        {
            let path = entry.path();
            if let Err(error) = fs::metadata(&path) {
                complain(plan, &path, &error);
            }
        }
        let known = entry.with_meta(&meta);
        running.evaluate(plan, &known, scratch);
        if known.is_pruned() {
            entry.prune();
        }
    }
}

/// Says what failed.
#[cold]
fn complain(plan: &Plan, path: &std::path::Path, error: &io::Error) {
    plan.fail();
    Caller::Find.complain(&format!("{}: {}", as_argument(path_bytes(path)), cause(error)));
}

/// Appends the paths of entries of one directory.
fn list(dir: &Directory<'_>, entries: &[Entry<'_>], end: u8, lines: &mut Vec<u8>) {
    let prefix = dir.prefix();
    let names: usize = entries.iter().map(|entry| entry.name().len()).sum();
    lines.reserve(names + entries.len() * (prefix.len() + 1));
    for entry in entries {
        append(lines, prefix);
        append(lines, entry.name());
        lines.push(end);
    }
}

impl Visitor for Finder<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        let vanished = !self.plan.ignores_races;
        Needs { vanished, links: true, ..Needs::default() }
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        let plan = self.plan;
        if plan.mode == Mode::Acting {
            entries.iter().for_each(|entry| self.act_on(entry));
        }
        let Some(running) = &mut self.running else { return Flow::Continue };
        match plan.mode {
            Mode::Listing(end) => list(dir, entries, end, running.deeds.outputs.lines(0)),
            Mode::Telling => {
                for entry in entries {
                    running.evaluate(plan, entry, &mut self.scratch);
                }
            }
            Mode::Acting => {}
        }
        let flow = running.deeds.outputs.end_lines();
        running.flow(flow)
    }

    fn error(&mut self, error: Error) -> Flow {
        if !self.plan.reports(&error) {
            return Flow::Continue;
        }
        let path = as_argument(path_bytes(error.path()));
        self.plan.fail();
        Caller::Find.complain(&match error.operation() {
            Operation::FollowLoop => super::texts::loop_at(error.path(), &self.plan.slashed),
            _ => format!("{path}: {}", cause(error.io())),
        });
        Flow::Continue
    }

    fn flush(&mut self, pause: Pause) -> Flushed {
        let requests = std::mem::take(&mut self.scratch.requests);
        let flow = match &mut self.running {
            Some(running) if pause.slow => running.deeds.outputs.flush(),
            _ => Flow::Continue,
        };
        Flushed { flow, requests, ..Flushed::default() }
    }
}

impl Parallel for Finder<'_> {
    fn fork(&self, _worker: usize) -> Self {
        let drafting = self.drafting.clone();
        Finder { plan: self.plan, running: None, drafting, scratch: Scratch::default() }
    }

    fn merge(&mut self, _other: Self) {}
}

impl InTurn for Finder<'_> {
    fn drafts(&self) -> bool {
        self.plan.drafted.is_some() && self.plan.mode != Mode::Acting
    }

    fn draft(&mut self, entries: &[Entry<'_>], lines: &mut Vec<u8>) {
        let Finder { plan, drafting, scratch, .. } = self;
        if let (Mode::Listing(end), [first, ..]) = (plan.mode, entries) {
            return list(first.directory(), entries, end, lines);
        }
        let drafted = plan.drafted.as_deref().unwrap_or_default();
        for entry in entries {
            let mut act = |act| drafted[usize::from(act)].append(entry, drafting, lines);
            plan.filter.judge_acting(entry, scratch, &mut act);
        }
    }

    fn adopt(&mut self, (): &(), draft: &[u8]) -> Flow {
        let Some(running) = &mut self.running else { return Flow::Continue };
        append(running.deeds.outputs.lines(0), draft);
        let flow = running.deeds.outputs.end_lines();
        running.flow(flow)
    }
}

impl Act for Finder<'_> {
    fn leaving(&mut self, _dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        Flow::Continue
    }
}
