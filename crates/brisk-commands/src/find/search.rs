//! The visitor of `brisk find`: what is done with each result. It is printed, counted, removed, or
//! put into a list or into the queue to commands.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Instant;

use brisk::filter::{Early, Scratch};
use brisk::{
    Act, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Leaving, Needs,
    Operation, Parallel, Pause, Select, Visitor,
};
use brisk_cli_sys::signals;

use super::exec::{Job, Queue};
use super::lists::NewResults;
use super::output::Lines;
use super::plan::{Action, Plan};
use super::print::LineMemory;
use crate::front::messages::{self, Caller};
use crate::ls::long::{Long, Writer};
use crate::show::fields::FieldsByType;
use crate::show::quoting::quoted;

/// One worker of a search.
pub(crate) struct Search<'p> {
    plan: &'p Plan,
    lines: Lines,
    /// The queue to the commands, if any are run.
    queue: Option<&'p Queue>,
    /// Requests that the walk has not counted yet.
    requests: u64,
    /// Results that were counted instead of printed, or removed.
    counted: u64,
    /// Results that are in no list yet.
    new_results: NewResults,
    /// Results that are not in the queue yet.
    jobs: Vec<Job>,
    memory: LineMemory,
    /// Whether each result is printed as its path alone, by `append_plain`.
    is_plain: bool,
    /// The fields that a result's line needs.
    line_fields: FieldsByType,
    /// What makes the lines of `--list-details`.
    details: Option<(&'p Long, Writer<'p>)>,
    /// Memory for asking the filter about entries that are left out.
    scratch: Scratch,
}

/// The fields that are shown or counted of results.
pub(super) fn line_fields(plan: &Plan) -> FieldsByType {
    match &plan.action {
        Action::Print => plan.printer.line_fields(),
        Action::Lists(lists) if lists.by_size() => FieldsByType::new(size_of_file),
        _ => FieldsByType::default(),
    }
}

impl<'p> Search<'p> {
    /// The first worker of a search.
    pub(crate) fn new(plan: &'p Plan, lines: Lines, queue: Option<&'p Queue>) -> Search<'p> {
        let prints = matches!(plan.action, Action::Print);
        let line_fields = line_fields(plan);
        let asks = !(plan.filter.fields(FileType::Unknown) | line_fields.any()).is_empty();
        let lines = if asks { lines.exposing() } else { lines };
        let takes_all = plan.remaining.is_none()
            && !plan.prune
            && !plan.lists_ignored
            && plan.left_out.is_none()
            && plan.dry_run.is_none();
        Search {
            lines,
            memory: LineMemory::default(),
            is_plain: prints && takes_all && plan.printer.is_plain(),
            line_fields,
            plan,
            queue,
            requests: 0,
            counted: 0,
            new_results: NewResults::default(),
            jobs: Vec::new(),
            details: plan
                .printer
                .details()
                .filter(|_| prints)
                .map(|details| (&**details, details.writer())),
            scratch: Scratch::default(),
        }
    }

    /// Hands over the results that are left. After a signal the lists that are not full are
    /// dropped.
    ///
    /// # Errors
    /// A list was not written.
    pub(crate) fn close(mut self) -> io::Result<()> {
        if let Some(queue) = self.queue {
            // The commands say what went wrong.
            let _ = queue.push(&mut self.jobs);
        }
        if matches!(self.plan.action, Action::Count) {
            self.lines.take_back_exposed();
            self.lines.bytes().extend_from_slice(format!("{}\n", self.counted).as_bytes());
            self.lines.end_line(b"");
            let _ = self.lines.keep_or_sink();
        }
        if matches!(self.plan.action, Action::Delete) {
            self.plan.removed.store(self.counted, Ordering::Relaxed);
        }
        let mut done = Ok(());
        if let Action::Lists(lists) = &self.plan.action
            && !signals::interrupted()
        {
            let _ = lists.take(&mut self.new_results, true);
            done = lists.finish();
        }
        self.lines.close();
        done
    }

    /// The hot path, for results that are not held back and whose lines are only paths. Otherwise
    /// `consider` prints.
    fn append_plain(&mut self, dir: &Directory<'_>, entries: &[Entry<'_>]) -> Flow {
        if !self.plan.found.load(Ordering::Relaxed) {
            self.plan.found.store(true, Ordering::Relaxed);
        }
        let whole = dir.prefix();
        let paths = &self.plan.printer.paths;
        let end = self.plan.printer.end;
        let out = self.lines.bytes();
        if let Some(prefix) = paths.shared_prefix(whole) {
            for entry in entries {
                append_line(prefix, entry, end, out);
            }
        } else {
            for entry in entries {
                let dashed = entry.name().starts_with(b"-");
                append_line(if dashed { whole } else { b"" }, entry, end, out);
            }
        }
        self.lines.keep_or_sink()
    }

    /// Does with a result what the plan says.
    fn consider(&mut self, entry: &Entry<'_>) -> Flow {
        let plan = self.plan;
        if plan.prune {
            entry.prune();
        }
        let Some(left) = plan.count_result() else { return Flow::Stop };
        plan.found.store(true, Ordering::Relaxed);
        if let Some(has_dir) = plan.dry_run.as_ref().filter(|_| entry.file_type().is_dir()) {
            has_dir.store(true, Ordering::Relaxed);
        }
        let flow = match &plan.action {
            Action::Quiet => Flow::Stop,
            Action::Delete => self.delete(entry),
            Action::Print => self.print(plan, entry),
            Action::Count => {
                self.counted += 1;
                Flow::Continue
            }
            Action::Lists(_) => self.list(plan, entry),
            Action::Run => self.enqueue(plan, entry),
        };
        if left == 1 { Flow::Stop } else { flow }
    }

    /// Counts an entry that is hidden or ignored: a directory, and what would be a result as far as
    /// its name and type show.
    fn count_left_out(&mut self, entry: &Entry<'_>) {
        // A filter may prune, too.
        let by_rules = || entry.directory().rules().is_some_and(|rules| entry.is_ignored_by(rules));
        if let Some(left_out) = self.plan.left_out.as_ref().filter(|_| entry.is_pruned()) {
            let matches = self.plan.filter.early(entry, &mut self.scratch) == Early::Yes;
            left_out.matching.fetch_add(matches.into(), Ordering::Relaxed);
            let is_dir = entry.file_type().is_dir() && by_rules();
            left_out.dirs.fetch_add(is_dir.into(), Ordering::Relaxed);
        }
    }

    /// With `--ignored`, takes what the rules refuse; the filter is asked later.
    #[cold]
    fn select_ignored(&self, entry: &Entry<'_>) -> Select {
        let file_type = entry.file_type();
        if !entry.is_refused() || !entry.is_pruned() {
            return Select::Enter;
        }
        Select::Take(self.plan.filter.fields(file_type) | self.line_fields.of(file_type))
    }

    /// Whether an entry that the rules refuse passes the filter.
    fn is_wanted(&mut self, entry: &Entry<'_>) -> bool {
        let filter = &self.plan.filter;
        match filter.early(entry, &mut self.scratch) {
            Early::No => false,
            Early::Yes => true,
            Early::Ask(_) => filter.judge(entry, &mut self.scratch),
        }
    }

    /// Removes a result: a directory that is entered when the walk leaves it.
    fn delete(&mut self, entry: &Entry<'_>) -> Flow {
        let is_dir = entry.file_type().is_dir();
        if is_dir && !entry.is_pruned() && entry.depth() < self.plan.max_depth {
            entry.mark();
            return Flow::Continue;
        }
        self.requests += 1;
        match if is_dir { entry.remove_dir() } else { entry.unlink() } {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let error = Error::new(Operation::Remove, entry.path(), entry.depth(), error);
                self.failed(&error)
            }
            removed => {
                self.counted += u64::from(removed.is_ok());
                Flow::Continue
            }
        }
    }

    fn print(&mut self, plan: &Plan, entry: &Entry<'_>) -> Flow {
        if let Some((details, _)) = self.details {
            self.memory.path.clear();
            plan.printer.path(entry, &mut self.memory.path);
            details.add(&self.memory.path, entry, self.lines.page(), &mut self.requests);
            return Flow::Continue;
        }
        plan.printer.line(entry, &mut self.memory, self.lines.bytes());
        let LineMemory { path, key, .. } = &mut self.memory;
        match plan.printer.sort {
            None => self.lines.end_line(path),
            Some(sort) => {
                key.clear();
                sort.key(entry, path, key);
                self.lines.end_line(key);
            }
        }
        Flow::Continue
    }

    fn list(&mut self, plan: &Plan, entry: &Entry<'_>) -> Flow {
        plan.printer.line(entry, &mut self.memory, &mut self.new_results.lines);
        let is_file = entry.file_type() == FileType::File;
        let size = entry.meta().filter(|_| is_file).and_then(brisk::Meta::size);
        self.new_results.end_line(size.unwrap_or(0));
        Flow::Continue
    }

    fn enqueue(&mut self, plan: &Plan, entry: &Entry<'_>) -> Flow {
        let path = &mut self.memory.slashed;
        path.clear();
        plan.printer.slashed(entry, path);
        self.jobs.push(Job::from(&**path));
        Flow::Continue
    }

    fn end_entries(&mut self) -> Flow {
        match self.queue {
            Some(queue) if queue.takes(&self.jobs) => {
                let began = Instant::now();
                let flow = queue.push(&mut self.jobs);
                self.lines.add_wait(began.elapsed());
                flow
            }
            Some(_) => Flow::Continue,
            None => {
                if let Action::Lists(lists) = &self.plan.action
                    && lists.take(&mut self.new_results, false) == Flow::Stop
                {
                    return Flow::Stop;
                }
                if let Some((details, writer)) = &mut self.details
                    && !self.lines.is_holding_back()
                {
                    self.lines.make(|page, out| details.write(writer, page.iter(), out));
                }
                self.lines.keep_or_sink()
            }
        }
    }

    /// The message about an error. Where results are removed, no mount is entered.
    #[cold]
    fn error_text(&self, error: &Error) -> String {
        let removes = matches!(self.plan.action, Action::Delete);
        if removes && error.io().kind() == io::ErrorKind::CrossesDevices {
            let path = quoted(error.path());
            return format!("not entering {path}: it is a mount point");
        }
        messages::error_text(error)
    }

    #[cold]
    pub(super) fn failed(&mut self, error: &Error) -> Flow {
        let count = self.plan.errors.fetch_add(1, Ordering::Relaxed) + 1;
        let limit = self.plan.max_errors;
        // That a directory is left as it is, and why, is told even where other errors are not.
        let is_left_alone = error.operation() == Operation::LearnRules;
        let of_rules = is_left_alone || error.operation() == Operation::ReadIgnoreFile;
        self.plan.skipped_for_rules.fetch_or(is_left_alone, Ordering::Relaxed);
        // Other workers may still come to errors beyond the limit.
        if (self.plan.show_errors || of_rules && self.plan.changes_files) && count <= limit {
            self.plan.messenger.complain(&self.error_text(error));
        }
        if count >= limit { Flow::Stop } else { Flow::Continue }
    }
}

/// What lists of equal sizes need of an entry.
fn size_of_file(file_type: FileType) -> Fields {
    if file_type == FileType::File { Fields::SIZE } else { Fields::empty() }
}

#[inline]
fn append_line(prefix: &[u8], entry: &Entry<'_>, end: u8, out: &mut Vec<u8>) {
    let name = entry.name();
    out.reserve(prefix.len() + name.len() + 2);
    brisk::unstable::append(out, prefix);
    brisk::unstable::append(out, name);
    if entry.file_type() == FileType::Directory {
        out.push(b'/');
    }
    out.push(end);
}

impl Visitor for Search<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        Needs {
            complete_rules: self.plan.changes_files,
            refused: self.plan.left_out.is_some() || self.plan.lists_ignored,
            // fd's ls reports these.
            vanished: self.details.is_some() && self.plan.caller == Caller::Fd,
            ..Needs::fields(self.line_fields.any())
        }
    }

    fn enter(&mut self, _: &Entry<'_>, (): &()) -> Enter<()> {
        if self.plan.gives_up() { Enter::Stop } else { Enter::Read(()) }
    }

    #[inline(always)]
    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        if self.plan.lists_ignored {
            return self.select_ignored(entry);
        }
        if entry.is_refused() {
            return Select::Take(Fields::empty());
        }
        Select::Take(self.line_fields.of(entry.file_type()))
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        if self.plan.gives_up() {
            return Flow::Stop;
        }
        self.lines.take_back_exposed();
        if self.is_plain && !self.lines.is_holding_back() {
            return self.append_plain(dir, entries);
        }
        for entry in entries {
            if entry.is_refused() && !(self.plan.lists_ignored && self.is_wanted(entry)) {
                self.count_left_out(entry);
            } else if self.consider(entry) == Flow::Stop {
                let _ = self.end_entries();
                return Flow::Stop;
            }
        }
        self.end_entries()
    }

    fn error(&mut self, error: Error) -> Flow {
        self.failed(&error)
    }

    fn flush(&mut self, Pause { write_is_cheap, met }: Pause) -> Flushed {
        let flow = match &self.plan.action {
            _ if signals::interrupted() => Flow::Stop,
            Action::Lists(lists) => lists.take(&mut self.new_results, write_is_cheap),
            _ => self.lines.pause(write_is_cheap),
        };
        self.plan.messenger.add(met, 0);
        let requests = std::mem::take(&mut self.requests);
        Flushed { flow, waited: self.lines.waited(), requests }
    }
}

impl Parallel for Search<'_> {
    fn fork(&self, _: usize) -> Self {
        Search::new(self.plan, Lines::new(&self.lines.sink), self.queue)
    }

    fn merge(&mut self, mut other: Self) {
        self.counted += other.counted;
        match &self.plan.action {
            Action::Count | Action::Delete => {}
            Action::Lists(lists) => drop(lists.take(&mut other.new_results, true)),
            _ => drop(other.close()),
        }
    }
}

/// How results are removed.
impl Act for Search<'_> {
    const REMOVES: bool = true;

    fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        if !dir.is_marked() || dir.directory().rules().is_some_and(|rules| !rules.is_complete()) {
            return Flow::Continue;
        }
        self.requests += 1;
        let Err(error) = dir.remove() else {
            self.counted += 1;
            return Flow::Continue;
        };
        let here = dir.directory();
        self.failed(&Error::new(Operation::Remove, here.path().to_owned(), here.depth(), error))
    }
}
