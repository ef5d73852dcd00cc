//! [`Changer`]: the visitor that changes files for one worker. A mode is set before the walk enters
//! the directory, owners once everything below it is done, as GNU's programs do.

use std::io;

use brisk::{
    Act, At, Breath, Directory, Entry, Error, Fields, FileType, Flow, Leaving, Meta, Needs,
    Operation, Outcome, Parallel, Select, Visitor,
};
use brisk_cli_sys::signals;
use brisk_sys::change::{set_mode, set_owners, stat};
use brisk_sys::{Ids, Links, Pins};

use super::mode::ModeChange;
use super::owners::named;
use super::plan::{Change, Count, Plan};
use super::talk::{self, Status};
use crate::front::messages::failure;
use crate::show::quoting::{in_message, leading};
use crate::show::safe::path_bytes;
use crate::sync::lock;
use crate::system::handle;

/// One worker.
pub(super) struct Changer<'p> {
    plan: &'p Plan<'p>,
    /// The path of the file that is being changed.
    path: Vec<u8>,
    /// The walk has just reported a link to a directory above it, which is changed all the same.
    is_loop: bool,
    /// Files since the last breath.
    done: u64,
    /// Requests since the last breath.
    requests: u64,
}

/// A file that is to be changed.
struct Target<'a> {
    at: At<'a>,
    file_type: FileType,
    is_root: bool,
    /// Whether type and metadata are those of what a link leads to.
    followed: bool,
    meta: Option<&'a Meta>,
}

impl<'p> Changer<'p> {
    pub fn new(plan: &'p Plan<'p>) -> Changer<'p> {
        let path = Vec::new();
        Changer { plan, path, is_loop: false, done: 0, requests: 0 }
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
        let filters = plan.filters.as_ref();
        if !filters.is_none_or(|filters| filters.by_metadata(entry, &mut self.requests)) {
            return;
        }
        self.done += 1;
        if is_dir && plan.options.recursive && matches!(plan.change, Change::Owners { .. }) {
            return entry.mark();
        }
        match entry.at() {
            Ok(at) => self.change(&Target {
                at,
                file_type: entry.file_type(),
                is_root: entry.depth() == 0,
                followed: entry.is_followed_link(),
                meta: entry.meta(),
            }),
            Err(error) => self.fail("cannot access", &error),
        }
    }

    /// Whether a directory must stay as it is: it is the root, or a mount point. A message says so.
    fn refuses(&self, entry: &Entry<'_>) -> bool {
        let plan = self.plan;
        let Some(meta) = entry.meta() else { return false };
        let path = || in_message(&self.path);
        if plan.root.is_some() && meta.identity() == plan.root {
            let path = path();
            let also = if path == "'/'" { "" } else { " (same as '/')" };
            plan.fail(&format!("it is dangerous to operate recursively on {path}{also}"));
            plan.report.complain("use --no-preserve-root to override this failsafe");
            return true;
        }
        let is_mount = entry.depth() > 0 && meta.pins().contains(Pins::MOUNT_POINT);
        let is_refused = is_mount && !plan.crosses_mounts;
        if is_refused {
            plan.fail(&format!("skipping {}, since it's a mount point", path()));
        }
        is_refused
    }

    fn change(&mut self, target: &Target<'_>) {
        match &self.plan.change {
            Change::Mode(change, surprises) => self.change_mode(target, change, *surprises),
            Change::Owners { to, names, dereference } => {
                self.change_owners(target, *to, names, *dereference);
            }
        }
    }

    fn change_mode(&mut self, target: &Target<'_>, change: &ModeChange, surprises: bool) {
        if target.file_type == FileType::Symlink {
            // A link that is an argument would be followed if it led to a file.
            if !target.is_root {
                return self.tell(Status::NotApplied, || (None, None));
            }
            let path = in_message(&self.path);
            self.plan.fail(&format!("cannot operate on dangling symlink {path}"));
            return self.tell(Status::Unseen, || (None, None));
        }
        let Some(old) = target.meta.and_then(Meta::mode) else { return };
        let is_dir = target.file_type.is_dir();
        let new = change.of(old, is_dir);
        let links = Links::followed(target.followed);
        let mut status = self.call(old != new, "changing permissions of", || {
            set_mode(handle(&target.at), target.at.name(), new, links).map(|()| true)
        });
        // The system may have cleared setuid, setgid or sticky without a word.
        if status == Status::Changed && new > 0o777 && self.plan.is_verbose() {
            match self.stat(target, Fields::MODE, links) {
                Ok(meta) if meta.mode() != Some(old) => {}
                Ok(_) => status = Status::Retained,
                Err(error) => self.fail("getting new attributes of", &error),
            }
        }
        let before = if status == Status::Retained { new } else { old };
        self.tell(status, || (Some(talk::mode(before)), Some(talk::mode(new))));
        let naive = change.without_umask().of(old, is_dir);
        if surprises && new & !naive != 0 && status != Status::Failed {
            let name = leading(&self.path);
            let is = talk::permissions(new);
            let expected = talk::permissions(naive);
            self.plan.counts.add(Count::Failed);
            let why = format!("{name}: new permissions are {is}, not {expected}");
            self.plan.report.complain(&why);
        }
    }

    fn change_owners(
        &mut self,
        target: &Target<'_>,
        to: Ids,
        names: &[Option<String>; 2],
        dereference: bool,
    ) {
        let plan = self.plan;
        let is_link = target.file_type == FileType::Symlink;
        let mut referent = None;
        if is_link && dereference {
            match self.stat(target, Fields::UID | Fields::GID, Links::Follow) {
                Ok(meta) => referent = Some(meta),
                Err(error) => {
                    self.fail("cannot dereference", &error);
                    return self.tell(Status::Unseen, || (None, talk::owners(names)));
                }
            }
        }
        let meta = referent.as_ref().or(target.meta);
        let [user, group] = [meta.and_then(Meta::uid), meta.and_then(Meta::gid)];
        let has = |ids: Ids| {
            let is = |wanted: Option<u32>, id| wanted.is_none() || wanted == id;
            is(ids.user, user) && is(ids.group, group)
        };
        let from = plan.options.from;
        let what = if to.user.is_some() { "changing ownership of" } else { "changing group of" };
        let links = Links::followed(dereference && (is_link || target.followed));
        let status = match from == Ids::default() || has(from) {
            true => self.call(!has(to), what, || {
                set_owners(handle(&target.at), target.at.name(), to, from, links)
            }),
            false => Status::Retained,
        };
        self.tell(status, || {
            let [mut user, mut group] = named(Ids { user, group });
            user = user.filter(|_| names[0].is_some());
            group = group.filter(|_| names[1].is_some());
            (talk::owners(&[user, group]), talk::owners(names))
        });
    }

    /// Makes a call, if it is needed and more than a trial.
    fn call(
        &mut self,
        differs: bool,
        what: &str,
        set: impl FnOnce() -> io::Result<bool>,
    ) -> Status {
        let Plan { options, always, .. } = self.plan;
        if !differs && (options.dry_run || !always) {
            return Status::Retained;
        }
        if options.dry_run {
            return Status::WouldChange;
        }
        self.requests += 1;
        match set() {
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
    fn fail(&self, what: &str, error: &io::Error) {
        self.plan.fail(&failure(what, &self.path, error));
    }

    /// Counts the file, and prints its line. `states`: before and after.
    fn tell(&self, status: Status, states: impl FnOnce() -> (Option<String>, Option<String>)) {
        let plan = self.plan;
        match status {
            Status::Changed | Status::WouldChange => plan.counts.add(Count::Changed),
            Status::Retained => plan.counts.add(Count::Retained),
            _ => {}
        }
        if plan.tells_of(status) {
            let line = talk::line(&self.path, status, plan.change.noun(), states());
            let mut out = lock(&plan.out);
            out.bytes.extend_from_slice(line.as_bytes());
            // What cannot be printed is reported at the end.
            let _ = out.end_line();
        }
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
        match &plan.filters {
            None => Select::Take(fields),
            Some(filters) => filters.select(entry, fields, &mut self.path),
        }
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
            Operation::Open if is_mount => {
                let path = in_message(&self.path);
                self.plan.fail(&format!("skipping {path}, since it's a mount point"));
            }
            Operation::Open | Operation::Reopen | Operation::Read => {
                self.fail("cannot read directory", error.io());
            }
            _ => self.fail("cannot access", error.io()),
        }
        self.tell(Status::Unseen, || (None, self.plan.change.after()));
        Flow::Continue
    }

    fn breathe(&mut self, slow: bool) -> Breath {
        let plan = self.plan;
        plan.report.add(std::mem::take(&mut self.done), 0);
        if slow && plan.is_verbose() {
            let _ = lock(&plan.out).flush();
        }
        let flow = if signals::interrupted() { Flow::Stop } else { Flow::Continue };
        Breath { flow, requests: std::mem::take(&mut self.requests), ..Breath::default() }
    }
}

impl Parallel for Changer<'_> {
    fn fork(&self, _: usize) -> Self {
        Changer::new(self.plan)
    }

    fn merge(&mut self, other: Self) {
        self.done += other.done;
        self.requests += other.requests;
    }
}

impl Act for Changer<'_> {
    fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        // As GNU's programs leave a directory that cannot be read.
        let is_unread = dir.outcome() == Outcome::Unread && !std::mem::take(&mut self.is_loop);
        if !dir.is_marked() || is_unread {
            return Flow::Continue;
        }
        self.path.clear();
        self.path.extend_from_slice(path_bytes(dir.directory().path()));
        let followed = dir.is_followed_link();
        let is_root = dir.directory().depth() == 0;
        let fields = self.plan.fields;
        let left = dir.at().and_then(|at| {
            let file_type = FileType::Directory;
            let mut target = Target { at, file_type, is_root, followed, meta: None };
            let meta = match fields.is_empty() {
                true => None,
                false => Some(self.stat(&target, fields, Links::followed(followed))?),
            };
            target.meta = meta.as_ref();
            self.change(&target);
            Ok(())
        });
        if let Err(error) = left {
            self.fail("cannot access", &error);
        }
        Flow::Continue
    }
}
