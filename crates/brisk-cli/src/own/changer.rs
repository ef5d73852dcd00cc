//! [`Changer`]: the visitor that changes files for one worker. A mode is set before the walk enters
//! the directory, owners once everything below it is done, as GNU's programs do.

use std::io;

use brisk::{
    Act, At, Directory, Entry, Error, Fields, FileType, Flow, Flushed, Leaving, Meta, Needs,
    Operation, Outcome, Parallel, Select, Visitor,
};
use brisk_cli_sys::signals;
use brisk_sys::change::{set_mode, set_owners, stat};
use brisk_sys::mode::ModeChange;
use brisk_sys::{Links, Pins};

use super::options::Lines;
use super::owners::{Owners, ids_of, named};
use super::plan::{Change, Plan};
use super::talk::{self, States, Status};
use crate::front::messages::{at_root, failure, mounted};
use crate::show::quoting::{in_message, leading};
use crate::show::safe::path_bytes;
use crate::sync::lock;
use crate::system::handle;

/// What became of files: how many there are of each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub changed: u64,
    /// They are as they should be.
    pub retained: u64,
    pub failed: u64,
}

/// One worker.
pub(super) struct Changer<'p> {
    plan: &'p Plan<'p>,
    pub counts: Counts,
    /// The path of the file that is being changed.
    path: Vec<u8>,
    /// The walk has just reported a link to a directory above it, which is changed all the same.
    is_loop: bool,
    /// Files since the last flush.
    done: u64,
    /// Requests since the last flush.
    requests: u64,
}

/// A file that is to be changed.
struct Target<'a> {
    at: At<'a>,
    file_type: FileType,
    /// Whether type and metadata are those of what a link leads to.
    links: Links,
    meta: Option<&'a Meta>,
}

impl<'p> Changer<'p> {
    pub fn new(plan: &'p Plan<'p>) -> Changer<'p> {
        let counts = Counts::default();
        Changer { plan, counts, path: Vec::new(), is_loop: false, done: 0, requests: 0 }
    }

    fn entry(&mut self, entry: &Entry<'_>) {
        let plan = self.plan;
        self.path.clear();
        entry.path_into(&mut self.path);
        let is_dir = entry.file_type().is_dir();
        // The walk has reported an entry of which it could not ask.
        let is_unknown = entry.meta().is_none() && (is_dir || !plan.fields.is_empty());
        if is_unknown || is_dir && self.refuses(entry) {
            return entry.prune();
        }
        if !plan.filters.by_metadata(entry, &mut self.requests) {
            return;
        }
        self.done += 1;
        let file_type = entry.file_type();
        let is_link = file_type == FileType::Symlink;
        match &plan.change {
            Change::Owners(owners) if is_dir && plan.options.recursive => {
                let now = entry.meta().map(ids_of).unwrap_or_default();
                if plan.options.always || plan.asks_again || !owners.ids.allow(now) {
                    entry.mark();
                } else {
                    self.counts.retained += 1;
                }
            }
            // A link that is an argument would be followed if it led to a file.
            Change::Mode(_) if is_link && entry.depth() == 0 => {
                let path = in_message(&self.path);
                self.complain(&format!("cannot operate on dangling symlink {path}"));
                self.tell(Status::Unseen, || [None, None]);
            }
            Change::Mode(_) if is_link => self.tell(Status::NotApplied, || [None, None]),
            _ => match entry.at() {
                Ok(at) => {
                    let links = Links::followed(entry.is_followed_link());
                    self.change(&Target { at, file_type, links, meta: entry.meta() });
                }
                Err(error) => self.fail("cannot access", &error),
            },
        }
    }

    /// Whether a directory must stay as it is: it is the root, or a mount point. A message says so.
    fn refuses(&mut self, entry: &Entry<'_>) -> bool {
        let plan = self.plan;
        let Some(meta) = entry.meta() else { return false };
        let is_root = plan.root.is_some() && meta.identity() == plan.root;
        let is_mount = entry.depth() > 0 && meta.pins().contains(Pins::MOUNT_POINT);
        if is_root {
            self.insist(&at_root(&self.path));
        } else if is_mount && !plan.options.cross_mounts {
            self.complain(&mounted(&self.path));
        } else {
            return false;
        }
        true
    }

    fn change(&mut self, target: &Target<'_>) {
        match &self.plan.change {
            Change::Mode(change) => self.change_mode(target, change),
            Change::Owners(owners) => self.change_owners(target, owners),
        }
    }

    fn change_mode(&mut self, target: &Target<'_>, change: &ModeChange) {
        let options = self.plan.options;
        let Some(old) = target.meta.and_then(Meta::mode) else { return };
        let is_dir = target.file_type.is_dir();
        let new = change.of(old, is_dir);
        let mut status = self.call(old != new, "changing permissions of", || {
            set_mode(handle(&target.at), target.at.name(), new, target.links).map(|()| true)
        });
        // The system may have cleared setuid, setgid or sticky without a word.
        let may_differ = new > 0o777 && options.lines > Lines::None && !options.dry_run;
        if status == Status::Changed && may_differ {
            match self.stat(target, Fields::MODE, target.links) {
                Ok(meta) if meta.mode() != Some(old) => {}
                Ok(_) => status = Status::Retained,
                Err(error) => self.fail("getting new attributes of", &error),
            }
        }
        let before = if status == Status::Retained { new } else { old };
        self.tell(status, || [before, new].map(|mode| Some(talk::mode(mode))));
        // A user who types `-w` may not know that the umask keeps some bits.
        if options.dashed.is_some() && status != Status::Failed {
            let naive = change.without_umask().of(old, is_dir);
            if new & !naive != 0 {
                let name = leading(&self.path);
                let [is, expected] = [new, naive].map(talk::permissions);
                let why = format!("{name}: new permissions are {is}, not {expected}");
                self.insist(&why);
            }
        }
    }

    fn change_owners(&mut self, target: &Target<'_>, owners: &Owners) {
        let Owners { ids: to, names, .. } = owners;
        let options = self.plan.options;
        let is_link = target.file_type == FileType::Symlink;
        let follows =
            options.dereference == Some(true) && (is_link || target.links == Links::Follow);
        let links = Links::followed(follows);
        let mut now = target.meta.map(ids_of).unwrap_or_default();
        if is_link && follows {
            match self.stat(target, Fields::UID | Fields::GID, links) {
                Ok(meta) => now = ids_of(&meta),
                Err(error) => {
                    self.fail("cannot dereference", &error);
                    return self.tell(Status::Unseen, || [None, talk::owners(names)]);
                }
            }
        }
        let what = if to.user.is_some() { "changing ownership of" } else { "changing group of" };
        let status = match options.from.allow(now) {
            true => self.call(!to.allow(now), what, || {
                set_owners(handle(&target.at), target.at.name(), *to, options.from, links)
            }),
            false => Status::Retained,
        };
        self.tell(status, || {
            let [user, group] = named(now);
            let before =
                [user.filter(|_| names[0].is_some()), group.filter(|_| names[1].is_some())];
            [talk::owners(&before), talk::owners(names)]
        });
    }

    /// Makes a call, if it is needed and more than a trial.
    fn call(
        &mut self,
        differs: bool,
        what: &str,
        set: impl FnOnce() -> io::Result<bool>,
    ) -> Status {
        let options = self.plan.options;
        let done = if options.dry_run || !differs && !options.always {
            Ok(true)
        } else {
            self.requests += 1;
            set()
        };
        match done {
            Ok(done) if done && differs => Status::Changed,
            Ok(_) => Status::Retained,
            Err(error) => {
                self.fail(what, &error);
                Status::Failed
            }
        }
    }

    fn stat(&mut self, target: &Target<'_>, fields: Fields, links: Links) -> io::Result<Meta> {
        self.requests += 1;
        stat(handle(&target.at), target.at.name(), fields, links)
    }

    /// Says that something failed with the file.
    #[cold]
    fn fail(&mut self, what: &str, error: &io::Error) {
        self.complain(&failure(what, &self.path, error));
    }

    /// Says that something failed, unless the user wants no such messages. The exit code says so.
    #[cold]
    pub fn complain(&mut self, message: &str) {
        if self.plan.options.quiet {
            self.counts.failed += 1;
        } else {
            self.insist(message);
        }
    }

    /// Says what GNU's programs say with --quiet too, a line each.
    #[cold]
    fn insist(&mut self, message: &str) {
        self.counts.failed += 1;
        message.lines().for_each(|line| self.plan.report.complain(line));
    }

    /// Counts the file, and prints its line.
    fn tell(&mut self, status: Status, states: impl FnOnce() -> States) {
        let plan = self.plan;
        let lines = match status {
            Status::Changed => {
                self.counts.changed += 1;
                Lines::Changes
            }
            Status::Retained => {
                self.counts.retained += 1;
                Lines::All
            }
            _ => Lines::All,
        };
        if plan.options.lines < lines {
            return;
        }
        let noun = plan.change.noun();
        let line = talk::line(&self.path, status, noun, plan.options.dry_run, states());
        let mut out = lock(&plan.out);
        out.bytes.extend_from_slice(line.as_bytes());
        // What cannot be printed is reported at the end.
        let _ = out.end_line();
    }

    /// Changes a directory below which everything is done.
    fn leave(&mut self, dir: &Leaving<'_>) -> io::Result<()> {
        let at = dir.at()?;
        let links = Links::followed(dir.is_followed_link());
        let mut target = Target { at, file_type: FileType::Directory, links, meta: None };
        let asks = self.plan.asks_again;
        let meta = asks.then(|| self.stat(&target, self.plan.fields, links)).transpose()?;
        target.meta = meta.as_ref();
        self.change(&target);
        Ok(())
    }
}

impl Visitor for Changer<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        // GNU's programs change what a link leads to, also if that is a directory above it.
        Needs { loops: true, ..Needs::fields(self.plan.fields) }
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        let plan = self.plan;
        let mut fields = plan.fields;
        if entry.file_type().is_dir() {
            // Whether it can be reached, and is a mount point.
            fields |= Fields::UID;
        }
        if plan.root.is_some() && (entry.depth() == 0 || entry.is_followed_link()) {
            fields |= Fields::DEV | Fields::INO;
        }
        plan.filters.select(entry, fields, &mut self.path)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        entries.iter().for_each(|entry| self.entry(entry));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.path.clear();
        self.path.extend_from_slice(path_bytes(error.path()));
        let is_mount = error.io().kind() == io::ErrorKind::CrossesDevices;
        match error.operation() {
            Operation::FollowLoop => {
                self.is_loop = true;
                return Flow::Continue;
            }
            Operation::Open if is_mount => self.complain(&mounted(&self.path)),
            Operation::Open | Operation::Reopen | Operation::Read => {
                self.fail("cannot read directory", error.io());
            }
            _ => self.fail("cannot access", error.io()),
        }
        self.tell(Status::Unseen, || match &self.plan.change {
            Change::Mode(_) => [None, None],
            Change::Owners(owners) => [None, talk::owners(&owners.names)],
        });
        Flow::Continue
    }

    fn flush(&mut self, slow: bool) -> Flushed {
        let plan = self.plan;
        plan.report.add(std::mem::take(&mut self.done), 0);
        if slow && plan.options.lines > Lines::None {
            let _ = lock(&plan.out).flush();
        }
        let flow = if signals::interrupted() { Flow::Stop } else { Flow::Continue };
        Flushed { flow, requests: std::mem::take(&mut self.requests), ..Flushed::default() }
    }
}

impl Parallel for Changer<'_> {
    fn fork(&self, _: usize) -> Self {
        Changer::new(self.plan)
    }

    fn merge(&mut self, other: Self) {
        self.done += other.done;
        self.requests += other.requests;
        self.counts.changed += other.counts.changed;
        self.counts.retained += other.counts.retained;
        self.counts.failed += other.counts.failed;
    }
}

impl Act for Changer<'_> {
    fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        // As GNU's programs leave a directory that cannot be read.
        let is_unread = dir.outcome() == Outcome::Unread && !std::mem::take(&mut self.is_loop);
        if dir.is_marked() && !is_unread {
            self.path.clear();
            self.path.extend_from_slice(path_bytes(dir.directory().path()));
            self.leave(dir).unwrap_or_else(|error| self.fail("cannot access", &error));
        }
        Flow::Continue
    }
}
