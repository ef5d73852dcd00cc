//! What the requests to a mirror have left behind: numbers, paths, and what is open.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fuser::{Errno, FileHandle, FileType, INodeNo};

use crate::shape::ROOT;

/// What requests have left behind.
pub(crate) struct Known {
    real_inodes: bool,
    paths: HashMap<u64, PathBuf>,
    numbers: HashMap<PathBuf, u64>,
    pub(crate) open: HashMap<u64, Open>,
    /// How many files and directories were opened so far.
    opened: u64,
}

/// What is open.
pub(crate) enum Open {
    File(Arc<File>),
    /// What the directory holds, read at the first request for entries: a kernel that has asked for
    /// the directory's times before gets names that are not older than these.
    Directory(Vec<(u64, FileType, OsString)>),
}

impl Known {
    pub(crate) fn new(dir: &Path, real_inodes: bool) -> Known {
        Known {
            real_inodes,
            paths: [(ROOT, dir.to_owned())].into(),
            numbers: [(dir.to_owned(), ROOT)].into(),
            open: HashMap::new(),
            opened: 0,
        }
    }

    /// The path that an inode number stands for.
    pub(crate) fn path(&self, ino: INodeNo) -> io::Result<PathBuf> {
        let path = self.paths.get(&ino.0).cloned();
        path.ok_or_else(|| io::Error::from_raw_os_error(Errno::ENOENT.code()))
    }

    /// The number of an entry, which stands for this path from now on.
    pub(crate) fn number(&mut self, path: &Path, real: u64) -> u64 {
        let next = self.paths.len() as u64 + ROOT;
        let number = match self.numbers.get(path) {
            Some(&number) if number == ROOT || !self.real_inodes => number,
            _ if self.real_inodes => real,
            _ => next,
        };
        self.numbers.insert(path.to_owned(), number);
        self.paths.insert(number, path.to_owned());
        number
    }

    /// An entry has another path: the kernel goes on with its number.
    pub(crate) fn moved(&mut self, from: &Path, to: &Path) {
        if let Some(number) = self.numbers.remove(from) {
            self.numbers.insert(to.to_owned(), number);
            self.paths.insert(number, to.to_owned());
        }
    }

    pub(crate) fn keep(&mut self, open: Open) -> FileHandle {
        self.opened += 1;
        self.open.insert(self.opened, open);
        FileHandle(self.opened)
    }

    /// The file of a handle.
    pub(crate) fn file(&self, handle: FileHandle) -> io::Result<Arc<File>> {
        match self.open.get(&handle.0) {
            Some(Open::File(file)) => Ok(Arc::clone(file)),
            _ => Err(io::Error::from_raw_os_error(Errno::EBADF.code())),
        }
    }
}
