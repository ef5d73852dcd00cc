//! [`Changer`]: the visitor that changes entries for one worker. As GNU's programs do, it sets a
//! directory's mode before the walk enters the directory, and its owners after everything below it.

use std::io;

use brisk_sys::change::{set_mode, set_owners, stat};
use brisk_sys::mode::ModeChange;
use brisk_sys::{Identity, Ids, Links, Pins};

use super::observer::{Done, Observer, Report, Status};
use super::settings::{Change, To};
use crate::entry::bytes_to_path_buf;
use crate::{
    Act, At, Directory, Entry, Error, Fields, FileType, Flow, Flushed, Follow, Leaving, Meta,
    Needs, Operation, Outcome, Parallel, Pause, Select, Visitor,
};

/// One worker.
pub(super) struct Changer<'a, O> {
    change: &'a Change,
    /// [`Change::fields`], or more.
    fields: Fields,
    /// [`Change::asks_again`].
    asks_again: bool,
    /// The root of the file system, if it is refused.
    root: Option<Identity>,
    pub observer: O,
    pub report: Report,
    /// The path of the entry that is being changed, and its depth.
    path: Vec<u8>,
    depth: usize,
    /// Whether the walk has just reported a loop: a link to a directory above the link. What the
    /// link leads to is changed all the same.
    is_loop: bool,
    /// Requests since the last flush.
    requests: u64,
}

/// An entry that is to be changed.
struct ToChange<'a> {
    at: At<'a>,
    file_type: FileType,
    /// Whether type and metadata are those of what a link leads to.
    follow: Links,
    meta: Option<&'a Meta>,
}

impl<'a, O: Observer> Changer<'a, O> {
    /// `fields`: what is asked of every entry.
    pub fn new(change: &'a Change, fields: Fields, root: Option<Identity>, observer: O) -> Self {
        Changer {
            change,
            fields,
            asks_again: change.asks_again(),
            root,
            observer,
            report: Report::default(),
            path: Vec::new(),
            depth: 0,
            is_loop: false,
            requests: 0,
        }
    }

    fn entry(&mut self, entry: &Entry<'_>) {
        self.path.clear();
        entry.path_into(&mut self.path);
        self.depth = entry.depth();
        let file_type = entry.file_type();
        let is_dir = file_type.is_dir();
        // The walk has already reported that it got no metadata of the entry.
        let is_unknown = entry.meta().is_none() && (is_dir || !self.fields.is_empty());
        if is_unknown || self.refuses(entry) {
            return entry.prune();
        }
        let change = self.change;
        let is_entered = is_dir && self.depth < change.walk.max_depth && !entry.is_pruned();
        match &change.to {
            To::Owners(ids) if is_entered => {
                let now = entry.meta().map(Ids::of).unwrap_or_default();
                if change.always || self.asks_again || !ids.allow(now) {
                    entry.mark();
                } else {
                    self.tell(Status::Retained, file_type, entry.meta());
                }
            }
            // Where roots are followed, one that is still a link here could not be.
            To::Mode(_) if file_type == FileType::Symlink && self.depth == 0 => {
                let target = entry.at().and_then(|at| self.stat(at, Links::Follow));
                let why = target.err().unwrap_or_else(|| io::ErrorKind::NotFound.into());
                self.fail(Operation::Follow, why);
                self.tell(Status::Unseen, file_type, None);
            }
            To::Mode(_) if file_type == FileType::Symlink => {
                self.tell(Status::NoMode, file_type, None);
            }
            _ => match entry.at() {
                Ok(at) => {
                    let follow = Links::followed(entry.is_followed_link());
                    self.change(ToChange { at, file_type, follow, meta: entry.meta() });
                }
                Err(error) => self.fail(Operation::Stat, error),
            },
        }
    }

    /// Whether an entry must stay as it is: the root of the file system, or a mount point, which may
    /// be a file. If so, reports that.
    fn refuses(&mut self, entry: &Entry<'_>) -> bool {
        let Some(meta) = entry.meta() else { return false };
        let is_mount = self.depth > 0 && meta.pins().contains(Pins::MOUNT_POINT);
        if self.root.is_some() && meta.identity() == self.root {
            self.fail(Operation::ChangeRoot, io::ErrorKind::ResourceBusy.into());
        } else if is_mount && !self.change.cross_mounts {
            self.fail(Operation::Open, io::ErrorKind::CrossesDevices.into());
        } else {
            return false;
        }
        true
    }

    fn change(&mut self, target: ToChange<'_>) {
        let fresh;
        let mut target = target;
        if self.may_have_changed(&target) {
            match self.stat(target.at, target.follow) {
                Ok(meta) => fresh = meta,
                Err(error) => return self.fail(Operation::Stat, error),
            }
            target.meta = Some(&fresh);
        }
        match &self.change.to {
            To::Mode(change) => self.change_mode(&target, change),
            To::Owners(ids) => self.change_owners(&target, *ids),
        }
    }

    /// Whether it matters that another name of the file may have been changed since the entry was
    /// asked about: a second change may give another mode (`u=g,g=o`), or change nothing.
    fn may_have_changed(&self, target: &ToChange<'_>) -> bool {
        let is_linked = target.meta.and_then(Meta::nlink).is_some_and(|links| links > 1);
        let Some(mode) = target.meta.and_then(Meta::mode).filter(|_| is_linked) else {
            return false;
        };
        let gives_another = match &self.change.to {
            To::Mode(change) => change.of(change.of(mode, false), false) != change.of(mode, false),
            To::Owners(_) => false,
        };
        !target.file_type.is_dir() && (self.change.exact || gives_another)
    }

    fn change_mode(&mut self, target: &ToChange<'_>, change: &ModeChange) {
        let Some(old) = target.meta.and_then(Meta::mode) else { return };
        let new = change.of(old, target.file_type.is_dir());
        let At { base, name } = target.at;
        let mut status =
            self.call(old != new, || set_mode(base, name, new, target.follow).map(|()| true));
        // The system may have cleared setuid, setgid or sticky without an error.
        let may_differ = new > 0o777 && self.change.exact && !self.change.dry_run;
        if status == Status::Changed && may_differ {
            match self.stat(target.at, target.follow) {
                Ok(meta) if meta.mode() == Some(old) => status = Status::Retained,
                Ok(_) => {}
                Err(error) => self.fail(Operation::StatChanged, error),
            }
        }
        self.tell(status, target.file_type, target.meta);
    }

    fn change_owners(&mut self, target: &ToChange<'_>, to: Ids) {
        let from = self.change.from;
        let is_link = target.file_type == FileType::Symlink;
        let follows = self.change.dereference && (is_link || target.follow == Links::Follow);
        let follow = Links::followed(follows);
        let followed;
        let mut before = target.meta;
        // Whether the walk follows links at this depth. One that is still a link could not be.
        let is_broken = match self.change.walk.follow {
            Follow::Never => false,
            Follow::Roots => self.depth == 0,
            Follow::Always => true,
        };
        if is_link && (follows || is_broken) {
            match self.stat(target.at, Links::Follow) {
                Ok(meta) if follows => {
                    followed = meta;
                    before = Some(&followed);
                }
                Ok(_) => {}
                // As with GNU's programs, a link that leads nowhere is changed itself.
                Err(error) if !follows && error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    self.fail(Operation::Follow, error);
                    return self.tell(Status::Unseen, target.file_type, None);
                }
            }
        }
        let now = before.map(Ids::of).unwrap_or_default();
        let At { base, name } = target.at;
        let status = if from.allow(now) {
            self.call(!to.allow(now), || set_owners(base, name, to, from, follow))
        } else {
            Status::Retained
        };
        self.tell(status, target.file_type, before);
    }

    /// Makes the call that changes an entry, if it is needed and this is no dry run.
    fn call(&mut self, differs: bool, set: impl FnOnce() -> io::Result<bool>) -> Status {
        let done = if self.change.dry_run || !differs && !self.change.always {
            Ok(true)
        } else {
            self.requests += 1;
            set()
        };
        match done {
            Ok(done) if done && differs => Status::Changed,
            Ok(_) => Status::Retained,
            Err(error) => {
                self.fail(Operation::Change, error);
                Status::Failed
            }
        }
    }

    fn stat(&mut self, at: At<'_>, follow: Links) -> io::Result<Meta> {
        self.requests += 1;
        stat(at.base, at.name, self.fields, follow)
    }

    /// Reports that something failed with the entry.
    #[cold]
    fn fail(&mut self, operation: Operation, why: io::Error) {
        let path = bytes_to_path_buf(&self.path);
        self.report.failed += 1;
        self.observer.error(Error::new(operation, path, self.depth, why));
    }

    /// Counts the entry, and reports what became of it.
    fn tell(&mut self, status: Status, file_type: FileType, before: Option<&Meta>) {
        self.report.changed += u64::from(status == Status::Changed);
        self.report.retained += u64::from(status == Status::Retained);
        self.observer.done(&Done { path: &self.path, file_type, status, before });
    }

    /// Changes a directory after everything below it.
    fn leave(&mut self, dir: &Leaving<'_>) -> io::Result<()> {
        let at = dir.at()?;
        let follow = Links::followed(dir.is_followed_link());
        let mut target = ToChange { at, file_type: FileType::Directory, follow, meta: None };
        let meta = self.asks_again.then(|| self.stat(at, follow)).transpose()?;
        target.meta = meta.as_ref();
        self.change(target);
        Ok(())
    }
}

impl<O: Observer> Visitor for Changer<'_, O> {
    type State = ();

    fn needs(&self) -> Needs {
        // GNU's programs change what a link leads to, even if that is a directory above the link.
        Needs { loops: true, ..Needs::fields(self.fields) }
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        let mut fields = self.fields;
        if entry.file_type().is_dir() {
            // Any statx says whether the directory can be reached, and whether it is a mount point.
            fields |= Fields::UID;
        }
        if self.root.is_some() && (entry.depth() == 0 || entry.is_followed_link()) {
            fields |= Fields::DEV | Fields::INO;
        }
        Select::Take(fields)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        entries.iter().for_each(|entry| self.entry(entry));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        if error.operation() == Operation::FollowLoop {
            self.is_loop = true;
            return Flow::Continue;
        }
        self.path.clear();
        self.path.extend_from_slice(error.path().as_os_str().as_encoded_bytes());
        self.report.failed += 1;
        self.observer.error(error);
        self.tell(Status::Unseen, FileType::Unknown, None);
        Flow::Continue
    }

    fn flush(&mut self, pause: Pause) -> Flushed {
        let mut flushed = self.observer.flush(pause);
        self.report.stopped |= flushed.flow == Flow::Stop;
        flushed.requests += std::mem::take(&mut self.requests);
        flushed
    }
}

impl<O: Observer> Parallel for Changer<'_, O> {
    fn fork(&self, worker: usize) -> Self {
        Changer::new(self.change, self.fields, self.root, self.observer.fork(worker))
    }

    fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.report.add(&other.report);
        self.observer.merge(other.observer);
    }
}

impl<O: Observer> Act for Changer<'_, O> {
    fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        // GNU's programs do not change the owners of a directory that they cannot read.
        let is_unread = dir.outcome() == Outcome::Unread && !std::mem::take(&mut self.is_loop);
        if dir.is_marked() && !is_unread {
            let here = dir.directory();
            self.depth = here.depth();
            self.path.clear();
            // A root's path is as the caller spelled it.
            let is_root = self.depth == 0;
            let path = here.path().as_os_str().as_encoded_bytes();
            self.path.extend_from_slice(if is_root { dir.name.to_bytes() } else { path });
            self.leave(dir).unwrap_or_else(|error| self.fail(Operation::Stat, error));
        }
        Flow::Continue
    }
}
