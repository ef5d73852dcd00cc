//! The FUSE operations: look the answer up, count the request, and send the answer when the latency
//! is over.
//!
//! The answer is computed when the request is read; only the sending waits. Apart from removals and
//! what setattr sets there is no state between requests, so `forget` and the releases have nothing to do and no
//! latency.

use std::any::Any;
use std::ffi::OsStr;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    AccessFlags, BsdFileFlags, Errno, FileAttr, FileHandle, Filesystem, FopenFlags, Generation,
    INodeNo, InitFlags, KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory,
    ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyXattr, Request,
    TimeOrNow,
};

use crate::counters::{Counters, Op};
use crate::delay::Delay;
use crate::dirents::{self, Device, Untyped};
use crate::faults::Failure;
use crate::gone::Gone;
use crate::lies::ENDLESS;
use crate::look::{self, Kind};
use crate::set::{Set, Wanted};
use crate::settings::{Plus, Settings};
use crate::tree::{Entry, Tree};

/// The most background requests (releases, forgets, read-ahead) that the kernel may keep waiting.
/// With its default of 12, many releases would hold lookups up.
const BACKGROUND: u16 = 1_024;

/// The file system as fuser drives it.
pub(crate) struct SlowFs {
    pub(crate) tree: Tree,
    pub(crate) settings: Settings,
    pub(crate) owner: (u32, u32),
    pub(crate) counters: Arc<Counters>,
    pub(crate) delay: Delay,
    pub(crate) device: Device,
    pub(crate) gone: Gone,
    pub(crate) set: Set,
    /// How many requests were answered with EINTR so far.
    pub(crate) interrupted: AtomicU64,
    /// Replies that are never sent. They are dropped with the session, because a dropped reply is
    /// an answer.
    pub(crate) hung: Mutex<Vec<Box<dyn Any + Send>>>,
}

/// Why a request fails.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    Error(Errno),
    Hang,
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Refusal {
        Refusal::Error(errno)
    }
}

impl SlowFs {
    /// Counts a request and sends its answer after the latency, unless the request is to hang.
    fn answer<T: Send + 'static, R: Send + 'static>(
        &self,
        op: Op,
        reply: R,
        result: Result<T, Refusal>,
        (send, refuse): (impl FnOnce(R, T) + Send + 'static, fn(R, Errno)),
    ) {
        match result {
            Ok(value) => self.delayed(op, move || send(reply, value)),
            Err(Refusal::Error(errno)) => self.delayed(op, move || refuse(reply, errno)),
            Err(Refusal::Hang) => {
                self.counters.add(op);
                // No code panics while the list is half changed.
                let mut hung = self.hung.lock().unwrap_or_else(PoisonError::into_inner);
                hung.push(Box::new(reply));
            }
        }
    }

    /// Answers that a request is refused.
    fn refuse<R: Send + 'static>(&self, op: Op, reply: R, why: Refusal, send: fn(R, Errno)) {
        self.answer(op, reply, Err::<(), _>(why), (|_, ()| {}, send));
    }

    /// Fails if a name is set to fail in an operation.
    fn check<N: AsRef<OsStr>>(
        &self,
        op: Op,
        name: impl FnOnce() -> Option<N>,
    ) -> Result<(), Refusal> {
        let Some(failure) = self.settings.faults.of(op, name) else { return Ok(()) };
        Err(Refusal::Error(match failure {
            Failure::Io => Errno::EIO,
            Failure::Denied => Errno::EACCES,
            Failure::Loop => Errno::ELOOP,
            Failure::Stale => Errno::ESTALE,
            Failure::Hang => return Err(Refusal::Hang),
            Failure::Interrupted => {
                let before = self.interrupted.fetch_add(1, Ordering::Relaxed);
                if self.settings.eintr_times.is_some_and(|times| before >= times) {
                    return Ok(());
                }
                Errno::EINTR
            }
        }))
    }

    /// Counts a request and sends its answer after the latency.
    fn delayed(&self, op: Op, send: impl FnOnce() + Send + 'static) {
        self.counters.add(op);
        self.delay.push(op, send);
    }

    /// The attributes of an inode.
    fn attr(&self, ino: u64) -> Result<FileAttr, Errno> {
        let kind = if ino < ENDLESS { self.tree.kind(ino) } else { Some(Kind::Regular) };
        kind.map(|kind| self.attr_of(ino, kind)).ok_or(Errno::ENOENT)
    }

    /// The inode of a name, removed or not.
    fn inode(&self, parent: u64, name: &OsStr) -> Result<u64, Errno> {
        let tree = &self.tree;
        let found = tree.lookup(parent, name);
        found.or_else(|| self.settings.lies.lookup(tree, parent, name)).ok_or(Errno::ENOENT)
    }

    /// The attributes of an inode whose kind is known.
    fn attr_of(&self, ino: u64, kind: Kind) -> FileAttr {
        let tree = &self.tree;
        let (size, nlink) = match kind {
            Kind::Dir => (4_096, 2 + tree.shape.level(ino).map_or(0, |level| level.dirs) as u32),
            Kind::Regular => (tree.look.size(ino), 1),
            _ => (tree.target(ino).map_or(0, |target| target.len() as u64), 1),
        };
        let times = tree.look.times(ino);
        let mut attr = FileAttr {
            ino: INodeNo(ino),
            size,
            blocks: size.div_ceil(512),
            atime: times.modified,
            mtime: times.modified,
            ctime: times.changed,
            crtime: times.modified,
            kind: dirents::file_type(kind),
            perm: tree.look.mode(ino, kind),
            nlink,
            uid: self.owner.0,
            gid: self.owner.1,
            rdev: 0,
            blksize: 4_096,
            flags: 0,
        };
        if self.settings.removable {
            self.set.apply(ino, &mut attr);
        }
        attr
    }

    /// The result of a lookup.
    fn found(&self, parent: u64, name: &OsStr) -> Result<FileAttr, Refusal> {
        self.check(Op::Lookup, || Some(name))?;
        let ino = self.inode(parent, name)?;
        if self.gone.has(ino) {
            return Err(Errno::ENOENT.into());
        }
        Ok(self.attr(ino)?)
    }

    /// Removes an entry if it is of the right kind.
    fn remove(&self, parent: u64, name: &OsStr, dir: bool) -> Result<(), Refusal> {
        self.check(if dir { Op::Rmdir } else { Op::Unlink }, || Some(name))?;
        let tree = &self.tree;
        let ino = self.inode(parent, name)?;
        match (tree.kind(ino), dir) {
            (Some(Kind::Dir), false) => return Err(Errno::EISDIR.into()),
            (Some(Kind::Dir), true) => {}
            (_, true) => return Err(Errno::ENOTDIR.into()),
            (_, false) => {}
        }
        let holds = tree.shape.level(ino).filter(|_| dir).map_or(0, |all| all.dirs + all.files);
        if holds > self.gone.of(ino) || dir && self.settings.lies.is_endless(tree, ino) {
            return Err(Errno::ENOTEMPTY.into());
        }
        if self.gone.take(parent, ino) { Ok(()) } else { Err(Errno::ENOENT.into()) }
    }

    /// The entries of a directory from a position on, each with the position after it, or the way
    /// in which the directory is set to fail here.
    fn entries(
        &self,
        op: Op,
        dir: u64,
        from: u64,
    ) -> Result<impl Iterator<Item = (u64, Entry)> + '_, Refusal> {
        let tree = &self.tree;
        let Settings { lies, faults, .. } = &self.settings;
        let listing = lies.listing(tree, dir).ok_or(Errno::ENOTDIR)?;
        let live = lies.live_offsets;
        let (start, left_out) = if live { (0, from as usize) } else { (from, 0) };
        let mut most = usize::MAX;
        if faults.of(op, || tree.name(dir)).is_some() {
            let half = listing.end() / 2;
            if from >= half {
                self.check(op, || tree.name(dir))?;
            } else {
                most = (half - start) as usize;
            }
        }
        let there = listing.from(start).take(most);
        let there = there.filter(move |(_, entry)| entry.ino == dir || !self.gone.has(entry.ino));
        let numbered = there.zip(1..).skip(left_out);
        Ok(numbered.map(move |((next, entry), count)| {
            let ino = if lies.zero_inodes { 0 } else { entry.ino };
            (if live { count } else { next }, Entry { ino, ..entry })
        }))
    }

    /// Contents of a regular file: zeros up to the file's size.
    fn content(&self, ino: u64, offset: u64, size: u32) -> Result<Vec<u8>, Errno> {
        let attr = self.attr(ino)?;
        Ok(vec![0; attr.size.saturating_sub(offset).min(u64::from(size)) as usize])
    }
}

impl Filesystem for SlowFs {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let mut wanted = InitFlags::FUSE_PARALLEL_DIROPS | InitFlags::FUSE_ASYNC_READ;
        wanted |= match self.settings.readdirplus {
            Plus::Never => InitFlags::empty(),
            Plus::Auto => InitFlags::FUSE_DO_READDIRPLUS | InitFlags::FUSE_READDIRPLUS_AUTO,
            Plus::Always => InitFlags::FUSE_DO_READDIRPLUS,
        };
        // Options that an old kernel lacks are left out; asking for them would make it refuse the
        // others.
        let known = wanted & config.capabilities();
        let agreed = config.add_capabilities(known).is_ok()
            && config.set_max_background(BACKGROUND).is_ok()
            && config.set_congestion_threshold(BACKGROUND).is_ok();
        if agreed { Ok(()) } else { Err(io::Error::other("the kernel refused the FUSE options")) }
    }

    fn lookup(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.found(parent.0, name);
        let entry_ttl = self.settings.entry_timeout;
        let attr_ttl = self.settings.attr_timeout;
        let send = move |reply: ReplyEntry, attr| {
            reply.entry_with_ttls(&attr_ttl, &entry_ttl, &attr, Generation(0));
        };
        self.answer(Op::Lookup, reply, found, (send, ReplyEntry::error));
    }

    fn forget(&self, _req: &Request, _ino: INodeNo, _lookups: u64) {
        self.counters.add(Op::Forget);
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        let checked = self.check(Op::Getattr, || self.tree.name(ino.0));
        let found = checked.and_then(|()| Ok(self.attr(ino.0)?));
        let ttl = self.settings.attr_timeout;
        let send = move |reply: ReplyAttr, attr| reply.attr(&ttl, &attr);
        self.answer(Op::Getattr, reply, found, (send, ReplyAttr::error));
    }

    fn setattr(
        &self,
        _req: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        user: Option<u32>,
        group: Option<u32>,
        _size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        self.set.set(ino.0, Wanted { mode, user, group });
        let found = self.attr(ino.0).map_err(Refusal::from);
        let ttl = self.settings.attr_timeout;
        let send = move |reply: ReplyAttr, attr| reply.attr(&ttl, &attr);
        self.answer(Op::Setattr, reply, found, (send, ReplyAttr::error));
    }

    fn readlink(&self, _req: &Request, ino: INodeNo, reply: ReplyData) {
        let target = self.tree.target(ino.0);
        self.delayed(Op::Readlink, move || match target {
            Some(target) => reply.data(target.as_bytes()),
            None => reply.error(Errno::EINVAL),
        });
    }

    fn unlink(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.remove(parent.0, name, false);
        self.answer(Op::Unlink, reply, removed, (|reply, ()| reply.ok(), ReplyEmpty::error));
    }

    fn rmdir(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.remove(parent.0, name, true);
        self.answer(Op::Rmdir, reply, removed, (|reply, ()| reply.ok(), ReplyEmpty::error));
    }

    fn open(&self, _req: &Request, _ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        // NOFLUSH: closing a file that was only read then needs no request.
        let flags = FopenFlags::FOPEN_NOFLUSH;
        self.delayed(Op::Open, move || reply.opened(FileHandle(0), flags));
    }

    fn read(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.counters.add(Op::Read);
        match self.content(ino.0, offset, size) {
            Ok(bytes) => reply.data(&bytes),
            Err(errno) => reply.error(errno),
        }
    }

    fn release(
        &self,
        _req: &Request,
        _ino: INodeNo,
        _fh: FileHandle,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.counters.add(Op::Release);
        reply.ok();
    }

    fn opendir(&self, _req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let opened = self.check(Op::Opendir, || self.tree.name(ino.0));
        let send = |reply: ReplyOpen, ()| reply.opened(FileHandle(0), FopenFlags::empty());
        self.answer(Op::Opendir, reply, opened, (send, ReplyOpen::error));
    }

    fn readdir(
        &self,
        req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let entries = match self.entries(Op::Readdir, ino.0, offset) {
            Ok(entries) => entries,
            Err(refusal) => return self.refuse(Op::Readdir, reply, refusal, ReplyDirectory::error),
        };
        if self.settings.unknown_types {
            let answer = Untyped::fill(req.unique(), &mut reply, entries);
            let device = Arc::clone(&self.device);
            self.delayed(Op::Readdir, move || answer.send(&device, reply));
        } else {
            dirents::fill(&mut reply, entries);
            self.delayed(Op::Readdir, move || reply.ok());
        }
    }

    fn readdirplus(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectoryPlus,
    ) {
        let entries = match self.entries(Op::Readdirplus, ino.0, offset) {
            Ok(entries) => entries,
            Err(refusal) => {
                return self.refuse(Op::Readdirplus, reply, refusal, ReplyDirectoryPlus::error);
            }
        };
        // There is one timeout for entry and attributes: the shorter one keeps both limits.
        let ttl = self.settings.entry_timeout.min(self.settings.attr_timeout);
        for (next, entry) in entries {
            let attr = self.attr_of(entry.ino, entry.kind);
            // The kernel must not keep this name, so that it asks again and gets the error.
            let fails = self.settings.faults.of(Op::Lookup, || Some(&entry.name)).is_some();
            let ttl = if fails { Duration::ZERO } else { ttl };
            if reply.add(attr.ino, next, entry.name, &ttl, &attr, Generation(0)) {
                break;
            }
        }
        self.delayed(Op::Readdirplus, move || reply.ok());
    }

    fn releasedir(
        &self,
        _req: &Request,
        _ino: INodeNo,
        _fh: FileHandle,
        _flags: OpenFlags,
        reply: ReplyEmpty,
    ) {
        self.counters.add(Op::Releasedir);
        reply.ok();
    }

    fn statfs(&self, _req: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        self.counters.add(Op::Statfs);
        reply.statfs(0, 0, 0, self.tree.shape.total(), 0, 512, 255, 512);
    }

    fn getxattr(
        &self,
        _req: &Request,
        _ino: INodeNo,
        _name: &OsStr,
        _size: u32,
        reply: ReplyXattr,
    ) {
        // Never ENOSYS: the kernel would not ask again, and the requests are counted.
        let errno = if self.settings.no_xattrs { Errno::EOPNOTSUPP } else { Errno::ENODATA };
        self.delayed(Op::Getxattr, move || reply.error(errno));
    }

    fn listxattr(&self, _req: &Request, _ino: INodeNo, size: u32, reply: ReplyXattr) {
        let refused = self.settings.no_xattrs;
        self.delayed(Op::Listxattr, move || {
            if refused {
                reply.error(Errno::EOPNOTSUPP);
            } else if size == 0 {
                reply.size(0);
            } else {
                reply.data(&[]);
            }
        });
    }

    fn access(&self, req: &Request, ino: INodeNo, mask: AccessFlags, reply: ReplyEmpty) {
        let checked = self.check(Op::Access, || self.tree.name(ino.0));
        let granted = checked.and_then(|()| Ok(self.attr(ino.0)?)).and_then(|attr| {
            let allowed = look::allowed(&attr, req.uid(), req.gid());
            if allowed.contains(mask) { Ok(()) } else { Err(Errno::EACCES.into()) }
        });
        self.answer(Op::Access, reply, granted, (|reply, ()| reply.ok(), ReplyEmpty::error));
    }
}
