//! [`Counting`]: the visitor that adds up.

use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::slice::Chunks;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use brisk_sys::{BorrowedHandle, Links as Follows, handle_of, stat_path};

use super::account::Account;
use super::ceph;
use super::extents::Extents;
use super::frees::{Frees, Removable, Unfreed};
use super::links::{HardLinks, Links};
use super::observer::{Observer, Total};
use super::roots::Watched;
use super::settings::{Apparent, Usage};
use super::sums::{Balance, Sums};
use crate::filter::Filter;
use crate::sched::lock;
use crate::walk::Root;
use crate::{
    Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Follow, Meta, Needs,
    Operation, Outcome, Parallel, Pause, Select, Stats, Visitor, Walk,
};

/// What the observers of all workers share.
pub(super) struct Count<'a> {
    pub usage: &'a Usage,
    /// One worker walks in order, and delivers each file once. With several, directories that are
    /// read ahead would be left although they are not the first way to what they hold.
    pub has_turns: bool,
    /// What is asked of every entry that counts.
    pub fields: Fields,
    pub watched: Watched,
    /// The place above the roots: it holds the roots that are files, and the sums of the others.
    pub top: Arc<Account>,
    pub links: Mutex<Links>,
    pub extents: Mutex<Extents>,
    /// What the entries free, if that is asked.
    pub frees: Option<Frees>,
    /// Directories that were left, but whose sums are final at the end; each after those below it.
    pub waiting: Mutex<Vec<(Arc<Account>, Outcome)>>,
    /// An observer has ended the count.
    pub stopped: AtomicBool,
}

/// The visitor that adds up.
pub(super) struct Counting<'a, O> {
    pub count: &'a Count<'a>,
    pub observer: O,
    /// Requests that were made since the last flush.
    pub requests: u64,
}

impl Count<'_> {
    /// Counts these groups of roots one after the other.
    pub fn run<O: Observer>(&self, observer: O, groups: Chunks<'_, Root>) -> (O, Unfreed, Stats) {
        let mut stats = Stats::default();
        let mut counting = Counting { count: self, observer, requests: 0 };
        for roots in groups {
            let mut roots = roots.to_vec();
            roots.retain(|root| !counting.is_told(&root.path));
            if !roots.is_empty() && !self.stopped.load(Relaxed) {
                let walk = Walk { roots, ..self.usage.walk.clone() };
                let walked;
                (counting, walked) = walk.visit_parallel(counting);
                stats.add_later(&walked);
            }
        }
        let unfreed = self.frees.as_ref().map(Frees::settle).unwrap_or_default();
        let waiting = std::mem::take(&mut *lock(&self.waiting)).into_iter();
        for (account, outcome) in waiting.take_while(|_| !self.stopped.load(Relaxed)) {
            _ = counting.deliver(&account, None, outcome);
        }
        (counting.observer, unfreed, stats)
    }

    /// Whether the entry is a directory that the walk enters: it counts when it is opened. The walk
    /// prunes a directory whose metadata it could not get.
    #[inline]
    fn is_entered(&self, entry: &Entry<'_>) -> bool {
        let is_dir = entry.file_type().is_dir() && entry.depth() < self.usage.walk.max_depth;
        is_dir && !(entry.is_pruned() && entry.meta().is_none())
    }

    /// How many bytes of a file share their place with bytes that have counted.
    #[cold]
    fn shared(&self, entry: &Entry<'_>, meta: &Meta) -> u64 {
        // Of a file that this user may not read, and of a file system without extents, none is
        // known to be shared.
        let found = Removable::new(entry, meta).and_then(|file| file.shared());
        let (Some(found), Some(dev)) = (found, meta.dev()) else { return 0 };
        let mut extents = lock(&self.extents);
        found.iter().map(|extent| extents.add(dev, extent)).sum()
    }

    /// One statx of a directory, by its path.
    #[cold]
    fn stat(&self, path: &Path) -> io::Result<Meta> {
        let follows = Follows::followed(self.usage.walk.follow != Follow::Never);
        stat_path(self.usage.walk.backend, path, self.fields, follows)
    }

    /// Remembers that the observer has ended the count.
    fn obey(&self, flow: Flow) -> Flow {
        self.stopped.fetch_or(flow == Flow::Stop, Relaxed);
        flow
    }
}

impl<O: Observer> Counting<'_, O> {
    /// What one file or directory takes.
    fn sums(&self, file_type: FileType, meta: &Meta) -> Sums {
        let has_content = self.count.usage.apparent == Apparent::All
            || matches!(file_type, FileType::File | FileType::Symlink);
        Sums {
            allocated: meta.blocks().unwrap_or(0).saturating_mul(512),
            apparent: if has_content { meta.size().unwrap_or(0) } else { 0 },
            entries: 1,
            newest: self.observer.time(meta),
        }
    }

    /// Adds what a directory takes or frees itself.
    fn add_dir(
        &mut self,
        account: &Account,
        dir: &Directory<'_>,
        meta: &Meta,
        handle: Option<BorrowedHandle<'_>>,
    ) {
        let sums = match &self.count.frees {
            None => self.sums(FileType::Directory, meta),
            Some(frees) => {
                let newest = self.observer.time(meta);
                Sums { newest, ..frees.directory(meta, handle, dir.path()) }
            }
        };
        *lock(&account.own) += sums;
        self.observer.opened(dir, sums);
    }

    /// Whether an unread directory counts. A vanished one does not, nor does a loop: that directory
    /// was counted where it stands.
    #[cold]
    fn counts_unread(&mut self, dir: &Directory<'_>, account: &Account) -> bool {
        if account.is_open.load(Relaxed) {
            return false;
        }
        let meta = match self.count.stat(dir.path()) {
            Ok(meta) if meta.file_type().is_none_or(FileType::is_dir) => meta,
            result => {
                let is_hidden = result.is_err_and(|error| error.kind() != ErrorKind::NotFound);
                is_hidden.then(|| account.mark(|account| &account.failed));
                return false;
            }
        };
        account.mark(|account| &account.failed);
        let counts = !self.count.watched.has_counted(&meta);
        if counts && account.counts {
            self.add_dir(account, dir, &meta, None);
        }
        counts
    }

    /// What an entry that is not entered takes or frees: by itself, and as a part of its directory.
    /// `None` if it does not count.
    fn file(
        &mut self,
        entry: &Entry<'_>,
        meta: &Meta,
        here: &Arc<Account>,
    ) -> Option<(Sums, Sums)> {
        if !self.observer.matches(entry) || self.count.watched.has_counted(meta) {
            return None;
        }
        let Some(frees) = &self.count.frees else {
            let sums = self.taken(entry, meta, here);
            return Some((sums, sums));
        };
        self.requests += 3;
        let (mut alone, mut part) = frees.entry(&Removable::new(entry, meta)?, here);
        alone.newest = self.observer.time(meta);
        part.newest = alone.newest;
        Some((alone, part))
    }

    /// What an entry takes that is not entered; 0 if it has counted.
    fn taken(&mut self, entry: &Entry<'_>, meta: &Meta, here: &Arc<Account>) -> Sums {
        let count = self.count;
        let mut sums = self.sums(entry.file_type(), meta);
        let rule = count.usage.links;
        let is_linked = !entry.file_type().is_dir() && meta.nlink().is_some_and(|links| links > 1);
        let id = (meta.dev().unwrap_or(0), meta.ino().unwrap_or(entry.ino()));
        let here = Some(here).filter(|_| rule == HardLinks::FirstSorted);
        if is_linked && rule != HardLinks::Each && !lock(&count.links).claim(id, here, sums) {
            // By the rule of the first in sorted order each link's directory has the file's time.
            let newest = here.and(sums.newest);
            return Sums { newest, ..Sums::default() };
        }
        let may_share = entry.file_type() == FileType::File && sums.allocated > 0;
        if count.usage.reflinks && may_share {
            self.requests += 3;
            sums.allocated = sums.allocated.saturating_sub(count.shared(entry, meta));
        }
        sums
    }

    /// Delivers the sums of a directory, and adds them to its parent's. `path`: if it is known.
    fn deliver(&mut self, account: &Account, path: Option<&Path>, outcome: Outcome) -> Flow {
        let own = *lock(&account.own);
        let mut all = own;
        all += *lock(&account.below);
        let outcome = match outcome {
            Outcome::Complete if account.failed.load(Relaxed) => Outcome::Partial,
            outcome => outcome,
        };
        if let Some(parent) = account.parent() {
            *lock(&parent.below) += all;
        }
        let own = own.shown();
        let all = all.shown();
        let depth = account.depth();
        let path = &*path.map_or_else(|| account.path().into(), Cow::Borrowed);
        // All that is walked counts where a file system may answer.
        let answered = self.count.usage.shortcuts && all.entries == 0;
        let total = Total { path, depth, own, all, outcome, answered };
        self.count.obey(self.observer.directory(&total))
    }

    /// Delivers the sums of a root, if the file system knows them.
    pub fn is_told(&mut self, root: &Path) -> bool {
        let Some(bytes) = ceph::answer(self.count.usage, root) else { return false };
        let account = Account::below(&self.count.top, root.as_os_str().as_encoded_bytes(), false);
        *lock(&account.own) += Sums { allocated: bytes, apparent: bytes, ..Sums::default() };
        _ = self.deliver(&account, None, Outcome::Complete);
        true
    }
}

impl<O: Observer> Visitor for Counting<'_, O> {
    type State = Arc<Account>;

    fn needs(&self) -> Needs {
        Needs { leave: true, ..Needs::fields(self.count.fields) }
    }

    fn top(&self) -> Arc<Account> {
        Arc::clone(&self.count.top)
    }

    #[inline]
    fn select(&mut self, _: &Arc<Account>, entry: &Entry<'_>) -> Select {
        if !self.count.is_entered(entry) {
            return Select::Take(self.count.fields);
        }
        // In an order, what is met first is looked up when its turn comes, if it is taken. So is
        // what the filter has to be asked about once more.
        let is_taken = self.count.has_turns
            || self.count.usage.walk.filter.as_ref().is_some_and(Filter::has_second_pass);
        if is_taken { Select::Take(Fields::empty()) } else { Select::Enter }
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &Arc<Account>) -> Enter<Arc<Account>> {
        Enter::Read(Arc::new(Account::below(parent, entry.name(), !entry.is_refused())))
    }

    /// A directory is asked about by its own handle: its entry in the parent comes without
    /// metadata, and its sums begin here.
    fn opened(&mut self, dir: &Directory<'_>, account: &mut Arc<Account>) -> Enter<()> {
        account.is_open.store(true, Relaxed);
        let count = self.count;
        let fields = if account.counts { count.fields } else { count.watched.fields() };
        if fields.is_empty() {
            return Enter::Read(());
        }
        self.requests += 1;
        match dir.stat(fields) {
            Ok(meta) if count.watched.has_counted(&meta) => return Enter::Prune,
            Ok(meta) if account.counts => {
                self.add_dir(account, dir, &meta, dir.handle.and_then(handle_of));
            }
            Ok(_) => {}
            Err(error) => {
                account.mark(|account| &account.failed);
                let error = Error::new(Operation::Stat, dir.path().to_owned(), dir.depth(), error);
                if self.error(error) == Flow::Stop {
                    return Enter::Stop;
                }
            }
        }
        Enter::Read(())
    }

    fn entries(&mut self, _: &Directory<'_>, here: &Arc<Account>, entries: &[Entry<'_>]) -> Flow {
        let mut all = Balance::default();
        let mut flow = Flow::Continue;
        let count = self.count;
        for entry in entries.iter().filter(|entry| !count.is_entered(entry)) {
            let meta = entry.meta();
            // A link that the walk follows, but cannot.
            let leads_nowhere =
                entry.file_type() == FileType::Symlink && count.usage.walk.follow == Follow::Always;
            if meta.is_none() || leads_nowhere {
                here.mark(|account| &account.failed);
            }
            let counted = meta.and_then(|meta| self.file(entry, meta, here));
            let Some((alone, part)) = counted else { continue };
            all += part;
            flow = self.observer.file(entry, alone);
            if flow == Flow::Stop {
                break;
            }
        }
        *lock(&here.own) += all;
        self.count.obey(flow)
    }

    fn error(&mut self, error: Error) -> Flow {
        // A root that cannot be opened is one error, where it counts.
        let count = self.count;
        let has_counted = |path| count.stat(path).is_ok_and(|meta| count.watched.is_counted(&meta));
        let is_known = error.operation() == Operation::Open
            && !count.watched.is_empty()
            && has_counted(error.path());
        if is_known { Flow::Continue } else { self.count.obey(self.observer.error(error)) }
    }

    fn leave(
        &mut self,
        dir: &Directory<'_>,
        account: &Arc<Account>,
        _: &Arc<Account>,
        outcome: Outcome,
    ) -> Flow {
        if outcome == Outcome::Unread && !self.counts_unread(dir, account) {
            return Flow::Continue;
        }
        if account.waits.load(Relaxed) || self.count.frees.is_some() {
            lock(&self.count.waiting).push((Arc::clone(account), outcome));
            return Flow::Continue;
        }
        // A root's path is as the caller spelled it.
        let path = (account.depth() > 0).then(|| dir.path());
        self.deliver(account, path, outcome)
    }

    fn flush(&mut self, pause: Pause) -> Flushed {
        let mut flushed = self.observer.flush(pause);
        flushed.flow = self.count.obey(flushed.flow);
        flushed.requests += std::mem::take(&mut self.requests);
        flushed
    }
}

impl<O: Observer> Parallel for Counting<'_, O> {
    fn fork(&self, worker: usize) -> Self {
        Counting { count: self.count, observer: self.observer.fork(worker), requests: 0 }
    }

    fn merge(&mut self, other: Self) {
        self.observer.merge(other.observer);
    }
}
