//! [`Finder`]: the visitor, which evaluates the expression.

use std::cell::OnceCell;
use std::io;

use brisk::filter::{Early, Scratch};
use brisk::{
    Act, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, InTurn, Leaving, Meta,
    Needs, Operation, Parallel, Pause, Visitor,
};
use brisk_sys::append;

use super::exec::Children;
use super::outputs::{failed, identity};
use super::plan::{Mode, Plan};
use super::printf::Formatting;
use super::running::Running;
use crate::show::quoting::as_argument;
use crate::show::safe::{os_str, path_bytes};

/// A worker of the search. The calling thread's does the actions; the others read ahead.
pub(super) struct Finder<'p> {
    plan: &'p Plan,
    running: Option<Running>,
    /// What the formats of a draft need.
    drafting: Formatting,
    scratch: Scratch,
    /// By depth, the metadata of directories that were opened and whose turn has not come.
    opened: Vec<Option<Meta>>,
}

impl<'p> Finder<'p> {
    pub(super) fn new(plan: &'p Plan, running: Running) -> Finder<'p> {
        let drafting = running.formatting.fork();
        Finder { running: Some(running), ..Finder::reader(plan, drafting) }
    }

    fn reader(plan: &'p Plan, drafting: Formatting) -> Finder<'p> {
        Finder { plan, running: None, drafting, scratch: Scratch::default(), opened: Vec::new() }
    }

    /// The next starting points are searched; `slashed`: they end in slashes.
    pub(super) fn begin(&mut self, slashed: bool) {
        self.drafting.slashed = slashed;
        if let Some(running) = &mut self.running {
            running.formatting.slashed = slashed;
        }
    }

    /// Whether nothing more is done.
    pub(super) fn is_over(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.is_over)
    }

    /// A starting point had no name: GNU find then leaves out what waits for `+` at the end, unless
    /// `-quit` was reached.
    pub(super) fn forget(&mut self) {
        if let Some(running) = &mut self.running {
            running.forgets = !running.is_over;
        }
    }

    /// Ends the actions. Returns whether anything failed.
    pub(super) fn finish(mut self) -> bool {
        self.running.as_mut().is_some_and(Running::finish) | self.plan.has_failed()
    }

    /// Asks for what the expression needs to know of an entry whose turn has come, and evaluates it.
    fn act_on(&mut self, entry: &Entry<'_>) {
        let Finder { plan, running: Some(running), scratch, opened, .. } = self else { return };
        let opened = opened.get_mut(entry.depth()).filter(|_| entry.file_type().is_dir());
        let meta = opened.and_then(Option::take).map_or_else(OnceCell::new, |it| Some(it).into());
        running.reached(entry.depth());
        if entry.depth() < plan.min_depth || running.is_over {
            return;
        }
        let fields = match plan.filter.early(entry, scratch) {
            Early::No => return,
            Early::Yes => Fields::empty(),
            Early::Ask(fields) => fields,
        };
        let asked = || (!fields.is_empty()).then(|| stat(plan, entry, fields)).flatten();
        let ask = || meta.get_or_init(asked).as_ref();
        // GNU find reads directories' metadata with them, and with -L also what links lead to.
        let is_first = plan.knows_first(entry) && !fields.is_empty();
        let known = is_first.then(&ask).flatten().map(|meta| entry.with_meta(meta));
        running.evaluate(plan, known.as_ref().unwrap_or(entry), &ask, scratch);
        // GNU find enters no directory whose metadata it cannot get.
        if known.map_or(is_first, |known| known.is_pruned()) {
            entry.prune();
        }
    }
}

/// Whether the entry is a link whose target cannot be reached, of which there is a message.
fn is_unreached(entry: &Entry<'_>) -> bool {
    entry.is_followed_link() && entry.file_type() == FileType::Unknown
}

/// Asks for metadata. If they cannot be had, says so.
fn stat(plan: &Plan, entry: &Entry<'_>, fields: Fields) -> Option<Meta> {
    let meta = entry.stat(fields).map_err(|error| match error.kind() {
        _ if is_unreached(entry) => {}
        io::ErrorKind::NotFound if plan.ignores_races => {}
        _ => plan.complain_of_unreached(failed(entry.path().as_os_str(), &error)),
    });
    meta.ok()
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
        Needs { vanished: true, links: true, ..Needs::default() }
    }

    fn opened(&mut self, dir: &Directory<'_>, (): &mut ()) -> Enter<()> {
        // A directory above -mindepth is not delivered.
        if dir.depth() < self.plan.min_depth
            && let Some(running) = &mut self.running
        {
            running.reached(dir.depth());
        }
        if !self.plan.of_dirs.is_empty() {
            self.opened.resize_with(self.opened.len().max(dir.depth() + 1), || None);
            self.opened[dir.depth()] = dir.stat(self.plan.of_dirs).ok();
        }
        Enter::Read(())
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        let plan = self.plan;
        if plan.mode == Mode::Acting {
            entries.iter().for_each(|entry| self.act_on(entry));
        }
        let Some(running) = &mut self.running else { return Flow::Continue };
        match plan.mode {
            Mode::Listing(end) => running.take(|lines| list(dir, entries, end, lines)),
            Mode::Telling => {
                for entry in entries {
                    running.evaluate(plan, entry, &|| None, &mut self.scratch);
                }
            }
            Mode::Acting => {}
        }
        running.end_lines()
    }

    fn error(&mut self, error: Error) -> Flow {
        // GNU find reports directories that have vanished in any case.
        let is_lost = error.operation() == Operation::Stat && error.depth() > 0;
        if self.plan.ignores_races && is_lost && error.io().kind() == io::ErrorKind::NotFound {
            return Flow::Continue;
        }
        // Where both go to one place, a message comes after the lines that were found before.
        if let Some(running) = &mut self.running {
            running.reached(error.depth());
            let _ = running.children.outputs.flush();
        }
        match error.operation() {
            Operation::FollowLoop => self.plan.complain(&loop_at(&error, self.drafting.slashed)),
            // A starting point may be given twice.
            _ if error.depth() == 0 => {
                self.plan.complain(&failed(error.path().as_os_str(), error.io()));
            }
            operation => {
                // Nothing was asked about the entry before this stat. It may be met twice.
                if operation == Operation::Stat && self.plan.mode != Mode::Acting {
                    self.plan.forget_unreached();
                }
                self.plan.complain_about(error.path(), error.io());
            }
        }
        Flow::Continue
    }

    fn flush(&mut self, pause: Pause) -> Flushed {
        let requests = std::mem::take(&mut self.scratch.requests);
        let Some(running) = &mut self.running else {
            return Flushed { requests, ..Flushed::default() };
        };
        let Children { outputs, waited, .. } = &mut running.children;
        let flow = if pause.write_is_cheap { outputs.flush() } else { Flow::Continue };
        let waited = std::mem::take(waited) + outputs.take_waited();
        Flushed { flow, waited, requests }
    }
}

impl Parallel for Finder<'_> {
    fn fork(&self, _worker: usize) -> Self {
        Finder::reader(self.plan, self.drafting.fork())
    }

    fn merge(&mut self, _other: Self) {}
}

impl InTurn for Finder<'_> {
    fn drafts(&self) -> bool {
        self.plan.drafted.is_some()
    }

    fn draft(&mut self, entries: &[Entry<'_>], lines: &mut Vec<u8>) {
        let Finder { plan, drafting, scratch, .. } = self;
        if let (Mode::Listing(end), [first, ..]) = (plan.mode, entries) {
            return list(first.directory(), entries, end, lines);
        }
        let formats = plan.drafted.as_deref().unwrap_or_default();
        for entry in entries {
            let mut act =
                |act, _: &mut Vec<_>| formats[usize::from(act)].append(entry, drafting, lines);
            plan.filter.judge_and_do(entry, scratch, &|| None, &mut act);
        }
    }

    fn adopt(&mut self, (): &(), draft: &[u8]) -> Flow {
        let Some(running) = &mut self.running else { return Flow::Continue };
        running.adopt(draft);
        running.end_lines()
    }
}

impl Act for Finder<'_> {
    fn leaving(&mut self, _dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        Flow::Continue
    }
}

/// The message about a directory that leads back to one above it. `slashed`: starting points end in
/// slashes, and are shown so.
#[cold]
fn loop_at(error: &Error, slashed: bool) -> String {
    let path = path_bytes(error.path());
    let own = identity(error.path());
    let slashes = (0..path.len()).rev().filter(|at| path[*at] == b'/').zip(1..=error.depth());
    let mut above = slashes.map(|(at, level)| {
        let ends = slashed && level == error.depth();
        &path[..at + usize::from(ends)]
    });
    let above = above.find(|above| identity(os_str(above)) == own).unwrap_or(path);
    let [shown, above] = [path, above].map(as_argument);
    format!("File system loop detected; {shown} is part of the same file system loop as {above}.")
}
