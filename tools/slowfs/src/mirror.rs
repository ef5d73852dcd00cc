//! The FUSE operations on a directory tree that exists, for `--mirror`.
//!
//! Tests edit the tree itself, which a kernel that caches nothing (both timeouts are 0) sees at the
//! next request. Each request is answered from the tree as it is when the request is read. A number
//! stands for a path, as in most FUSE file systems: a file that replaces another has the same
//! number, and one that is renamed in the tree has a new number. With `--real-inodes` the number is the tree's, and
//! stands for the path at which it was looked up last.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, InitFlags, KernelConfig, LockOwner, OpenAccMode, OpenFlags, RenameFlags, ReplyAttr,
    ReplyCreate, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyOpen,
    ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use crate::change::Change;
use crate::counters::{Counters, Op};
use crate::delay::Delay;
use crate::known::{Known, Open};
use crate::settings::{Mirror, Plus, Settings};
use crate::shape::ROOT;
use crate::{look, span};

/// The file system as fuser drives it.
pub(crate) struct MirrorFs {
    mirror: Mirror,
    /// How long the kernel may believe attributes, and how long a lookup.
    timeouts: (Duration, Duration),
    readdirplus: Plus,
    delay: Delay,
    counters: Arc<Counters>,
    known: Mutex<Known>,
}

impl MirrorFs {
    pub(crate) fn new(
        mirror: Mirror,
        settings: &Settings,
        delay: Delay,
        counters: Arc<Counters>,
    ) -> MirrorFs {
        let timeouts = (settings.attr_timeout, settings.entry_timeout);
        let known = Mutex::new(Known::new(&mirror.dir, mirror.real_inodes));
        let readdirplus = settings.readdirplus;
        MirrorFs { mirror, timeouts, readdirplus, delay, counters, known }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // No code panics while the maps are half changed.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request and sends its answer after the latency.
    fn answer<T: Send + 'static, R: Send + 'static>(
        &self,
        op: Op,
        reply: R,
        result: io::Result<T>,
        (send, refuse): (impl FnOnce(R, T) + Send + 'static, fn(R, Errno)),
    ) {
        self.counters.add(op);
        self.delay.push(op, move || match result {
            Ok(value) => send(reply, value),
            Err(error) => refuse(reply, error.into()),
        });
    }

    /// The path that an inode number stands for.
    fn path(&self, ino: INodeNo) -> io::Result<PathBuf> {
        self.known().path(ino)
    }

    /// The path of a directory's entry.
    fn below(&self, dir: &Path, name: &OsStr) -> PathBuf {
        let path = dir.join(name);
        if !self.mirror.ignore_case || path.symlink_metadata().is_ok() {
            return path;
        }
        let mut names = fs::read_dir(dir).into_iter().flatten().flatten().map(|it| it.file_name());
        names.find(|it| it.eq_ignore_ascii_case(name)).map_or(path, |it| dir.join(it))
    }

    fn attr(&self, path: &Path) -> io::Result<FileAttr> {
        let meta = fs::symlink_metadata(path)?;
        let time = |secs, nanos| self.time(secs, nanos);
        let mtime = time(meta.mtime(), meta.mtime_nsec());
        Ok(FileAttr {
            ino: INodeNo(self.known().number(path, meta.ino())),
            size: meta.size(),
            blocks: meta.blocks(),
            atime: time(meta.atime(), meta.atime_nsec()),
            mtime,
            ctime: time(meta.ctime(), meta.ctime_nsec()),
            crtime: mtime,
            kind: look::kind_of(&meta),
            perm: (meta.mode() & 0o7777) as u16,
            nlink: meta.nlink() as u32,
            uid: meta.uid(),
            gid: meta.gid(),
            rdev: meta.rdev() as u32,
            blksize: meta.blksize() as u32,
            flags: 0,
        })
    }

    /// A time, rounded down; what is before 1970 becomes 1970.
    fn time(&self, secs: i64, nanos: i64) -> SystemTime {
        let since = Duration::new(secs.try_into().unwrap_or(0), nanos.try_into().unwrap_or(0));
        UNIX_EPOCH + span::truncate(since, self.mirror.granularity)
    }

    fn listed(&self, dir: &Path) -> io::Result<Vec<(u64, FileType, OsString)>> {
        let here = |name: &str| (ROOT, FileType::Directory, name.into());
        let mut entries = vec![here("."), here("..")];
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            // An entry that has gone meanwhile is not listed.
            let Ok(meta) = entry.metadata() else { continue };
            let number = self.known().number(&entry.path(), meta.ino());
            entries.push((number, look::kind_of(&meta), entry.file_name()));
        }
        Ok(entries)
    }

    /// Passes on entries from a position on, until `add` says that the reply is full. Each comes with
    /// the position after it.
    fn fill(
        &self,
        ino: INodeNo,
        handle: FileHandle,
        from: u64,
        mut add: impl FnMut(u64, u64, FileType, &OsStr) -> bool,
    ) -> io::Result<()> {
        if from == 0 {
            let entries = self.listed(&self.path(ino)?)?;
            self.known().open.insert(handle.0, Open::Directory(entries));
        }
        let Some(Open::Directory(entries)) = self.known().open.remove(&handle.0) else {
            return Ok(());
        };
        for ((number, kind, name), next) in entries.iter().zip(1..).skip(from as usize) {
            if add(*number, next, *kind, name) {
                break;
            }
        }
        self.known().open.insert(handle.0, Open::Directory(entries));
        Ok(())
    }

    /// Fills a reply with entries and their attributes.
    fn fill_with_attributes(
        &self,
        ino: INodeNo,
        handle: FileHandle,
        from: u64,
        reply: &mut ReplyDirectoryPlus,
    ) -> io::Result<()> {
        let dir = self.path(ino)?;
        let (attr_ttl, entry_ttl) = self.timeouts;
        // fuser has one timeout for both.
        let ttl = attr_ttl.min(entry_ttl);
        self.fill(ino, handle, from, |_, next, _, name| {
            // An entry that has gone meanwhile is not listed.
            let Ok(attr) = self.attr(&dir.join(name)) else { return false };
            reply.add(attr.ino, next, name, &ttl, &attr, Generation(0))
        })
    }

    /// A file that was opened through the mount, and its handle.
    fn open_file(&self, path: &Path, options: &OpenOptions) -> io::Result<FileHandle> {
        Ok(self.known().keep(Open::File(Arc::new(options.open(path)?))))
    }

    /// Moves an entry, and what is known about it: the kernel goes on with its number.
    fn rename_entry(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        self.known().moved(from, to);
        Ok(())
    }

    fn content(&self, handle: FileHandle, offset: u64, size: u32) -> io::Result<Vec<u8>> {
        let file = self.known().file(handle)?;
        let mut bytes = vec![0; size as usize];
        let length = file.read_at(&mut bytes, offset)?;
        bytes.truncate(length);
        Ok(bytes)
    }
}

impl Filesystem for MirrorFs {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let wanted = match self.readdirplus {
            Plus::Never => InitFlags::empty(),
            Plus::Auto => InitFlags::FUSE_DO_READDIRPLUS | InitFlags::FUSE_READDIRPLUS_AUTO,
            Plus::Always => InitFlags::FUSE_DO_READDIRPLUS,
        } | InitFlags::FUSE_PARALLEL_DIROPS;
        // Options that an old kernel lacks are left out; asking for them would make it refuse the
        // others.
        let known = wanted & config.capabilities();
        let agreed = config.add_capabilities(known);
        agreed.map_err(|_| io::Error::other("the kernel refused the FUSE options"))
    }

    fn lookup(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.path(parent).and_then(|dir| self.attr(&self.below(&dir, name)));
        let (attr_ttl, entry_ttl) = self.timeouts;
        let send = move |reply: ReplyEntry, attr| {
            reply.entry_with_ttls(&attr_ttl, &entry_ttl, &attr, Generation(0));
        };
        self.answer(Op::Lookup, reply, found, (send, ReplyEntry::error));
    }

    fn forget(&self, _req: &Request, _ino: INodeNo, _lookups: u64) {
        self.counters.add(Op::Forget);
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        let found = self.path(ino).and_then(|path| self.attr(&path));
        let (ttl, _) = self.timeouts;
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
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let change = Change { mode, user, group, size, atime, mtime };
        let path = self.path(ino);
        let found = path.and_then(|path| change.apply(&path).and_then(|()| self.attr(&path)));
        let (ttl, _) = self.timeouts;
        let send = move |reply: ReplyAttr, attr| reply.attr(&ttl, &attr);
        self.answer(Op::Setattr, reply, found, (send, ReplyAttr::error));
    }

    fn readlink(&self, _req: &Request, ino: INodeNo, reply: ReplyData) {
        let target = self.path(ino).and_then(fs::read_link);
        let send = |reply: ReplyData, target: PathBuf| reply.data(target.as_os_str().as_bytes());
        self.answer(Op::Readlink, reply, target, (send, ReplyData::error));
    }

    fn open(&self, _req: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let mut options = OpenOptions::new();
        options.read(true).write(flags.acc_mode() != OpenAccMode::O_RDONLY);
        let opened = self.path(ino).and_then(|path| self.open_file(&path, &options));
        // The kernel's own copy of the contents may be older than an edit.
        let flags = FopenFlags::FOPEN_NOFLUSH | FopenFlags::FOPEN_DIRECT_IO;
        let send = move |reply: ReplyOpen, handle| reply.opened(handle, flags);
        self.answer(Op::Open, reply, opened, (send, ReplyOpen::error));
    }

    fn read(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.counters.add(Op::Read);
        match self.content(fh, offset, size) {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(error.into()),
        }
    }

    fn release(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.counters.add(Op::Release);
        self.known().open.remove(&fh.0);
        reply.ok();
    }

    fn opendir(&self, _req: &Request, _ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let opened = Ok(self.known().keep(Open::Directory(Vec::new())));
        let send = |reply: ReplyOpen, handle| reply.opened(handle, FopenFlags::empty());
        self.answer(Op::Opendir, reply, opened, (send, ReplyOpen::error));
    }

    fn readdir(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let filled = self.fill(ino, fh, offset, |number, next, kind, name| {
            reply.add(INodeNo(number), next, kind, name)
        });
        let send = |reply: ReplyDirectory, ()| reply.ok();
        self.answer(Op::Readdir, reply, filled, (send, ReplyDirectory::error));
    }

    fn readdirplus(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectoryPlus,
    ) {
        let filled = self.fill_with_attributes(ino, fh, offset, &mut reply);
        let send = |reply: ReplyDirectoryPlus, ()| reply.ok();
        self.answer(Op::Readdirplus, reply, filled, (send, ReplyDirectoryPlus::error));
    }

    fn releasedir(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        reply: ReplyEmpty,
    ) {
        self.counters.add(Op::Releasedir);
        self.known().open.remove(&fh.0);
        reply.ok();
    }

    fn create(
        &self,
        _req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).mode(mode & 0o7777 & !umask);
        let made = self.path(parent).map(|dir| self.below(&dir, name)).and_then(|path| {
            let handle = self.open_file(&path, &options)?;
            Ok((handle, self.attr(&path)?))
        });
        let (attr_ttl, entry_ttl) = self.timeouts;
        let ttl = attr_ttl.min(entry_ttl);
        let flags = FopenFlags::FOPEN_NOFLUSH | FopenFlags::FOPEN_DIRECT_IO;
        let send = move |reply: ReplyCreate, (handle, attr)| {
            reply.created(&ttl, &attr, Generation(0), handle, flags);
        };
        self.answer(Op::Create, reply, made, (send, ReplyCreate::error));
    }

    fn mkdir(
        &self,
        _req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let made = self.path(parent).map(|dir| self.below(&dir, name)).and_then(|path| {
            DirBuilder::new().mode(mode & 0o7777 & !umask).create(&path)?;
            self.attr(&path)
        });
        let (attr_ttl, entry_ttl) = self.timeouts;
        let send = move |reply: ReplyEntry, attr| {
            reply.entry_with_ttls(&attr_ttl, &entry_ttl, &attr, Generation(0));
        };
        self.answer(Op::Mkdir, reply, made, (send, ReplyEntry::error));
    }

    fn rename(
        &self,
        _req: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        _flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let from = self.path(parent).map(|dir| self.below(&dir, name));
        let to = self.path(newparent).map(|dir| self.below(&dir, newname));
        let moved = from.and_then(|from| self.rename_entry(&from, &to?));
        self.answer(Op::Rename, reply, moved, (|reply, ()| reply.ok(), ReplyEmpty::error));
    }

    fn unlink(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.path(parent).and_then(|dir| fs::remove_file(self.below(&dir, name)));
        self.answer(Op::Unlink, reply, removed, (|reply, ()| reply.ok(), ReplyEmpty::error));
    }

    fn rmdir(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.path(parent).and_then(|dir| fs::remove_dir(self.below(&dir, name)));
        self.answer(Op::Rmdir, reply, removed, (|reply, ()| reply.ok(), ReplyEmpty::error));
    }

    fn write(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        self.counters.add(Op::Write);
        let file = self.known().file(fh);
        match file.and_then(|file| file.write_at(data, offset)) {
            Ok(written) => reply.written(written as u32),
            Err(error) => reply.error(error.into()),
        }
    }

    fn statfs(&self, _req: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        self.counters.add(Op::Statfs);
        // As much room as any test needs.
        reply.statfs(1 << 30, 1 << 29, 1 << 29, 1 << 30, 1 << 29, 4_096, 255, 4_096);
    }
}
