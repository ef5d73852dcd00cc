//! `cp -r` as a visitor that acts: names, modes and contents. It is the third way of acting, beside
//! removing and changing modes, and shows that the contract between walk and visitor suffices.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

use brisk::{
    Act, Directory, Enter, Entry, Error, Fields, FileType, Flow, Follow, HandleBudget, Leaving,
    Parallel, Permit, Select, Visitor, Walk,
};
use rustix::fs::{
    Mode, OFlags, ResolveFlags, copy_file_range, fchmod, mkdirat, openat, openat2, readlinkat,
    symlinkat,
};

use crate::tree::{files, grow};

/// Copies trees into the directory `into`.
struct Copier<'a> {
    into: BorrowedFd<'a>,
    budget: &'a Arc<HandleBudget>,
    errors: Vec<String>,
}

/// The copy of a directory.
#[derive(Default)]
struct Copy {
    /// Its path in the directory that everything is copied into.
    path: Vec<u8>,
    /// Its handle, if the budget had one.
    kept: Option<(OwnedFd, Permit)>,
}

const READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const WRITE: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL);

impl Copier<'_> {
    /// Opens the copy of a directory, without following a link.
    fn open(&self, path: &[u8]) -> io::Result<OwnedFd> {
        let path = if path.is_empty() { b"." } else { path };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        Ok(openat2(self.into, path, READ | OFlags::DIRECTORY, Mode::empty(), resolve)?)
    }

    fn copy(into: BorrowedFd<'_>, entry: &Entry<'_>) -> io::Result<()> {
        let at = entry.at()?;
        let name = name_of(entry);
        match entry.file_type() {
            FileType::Directory => mkdirat(into, name, Mode::RWXU)?,
            FileType::Symlink => {
                symlinkat(readlinkat(at.as_fd(), at.name(), Vec::new())?, into, name)?
            }
            FileType::File => {
                let from = openat(at.as_fd(), at.name(), READ, Mode::empty())?;
                let to = openat(into, name, WRITE | OFlags::CLOEXEC, Mode::RUSR)?;
                while copy_file_range(&from, None, &to, None, 1 << 30)? > 0 {}
                let mode = entry.meta().and_then(|meta| meta.mode()).unwrap_or(0);
                fchmod(to, Mode::from_raw_mode(mode))?;
            }
            _ => return Err(io::ErrorKind::Unsupported.into()),
        }
        Ok(())
    }
}

/// The name of the copy: a root's is the last component of its path.
fn name_of<'a>(entry: &Entry<'a>) -> &'a [u8] {
    entry.file_name().as_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}

impl Visitor for Copier<'_> {
    type State = Copy;

    fn select(&mut self, _: &Copy, entry: &Entry<'_>) -> Select {
        Select::Take(if entry.file_type().is_file() { Fields::MODE } else { Fields::empty() })
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &Copy) -> Enter<Copy> {
        let mut path = parent.path.clone();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name_of(entry));
        let kept = self.budget.permit().and_then(|permit| Some((self.open(&path).ok()?, permit)));
        Enter::Read(Copy { path, kept })
    }

    fn entries(&mut self, _: &Directory<'_>, to: &Copy, entries: &[Entry<'_>]) -> Flow {
        let opened = if to.kept.is_none() { Some(self.open(&to.path)) } else { None };
        for entry in entries {
            let copied = match (&to.kept, &opened) {
                (Some((kept, _)), _) => Self::copy(kept.as_fd(), entry),
                (_, Some(Ok(opened))) => Self::copy(opened.as_fd(), entry),
                _ => Err(io::ErrorKind::NotFound.into()),
            };
            if let Err(error) = copied {
                self.errors.push(format!("{}: {error}", entry.path().display()));
                entry.prune();
            }
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error.to_string());
        Flow::Continue
    }
}

impl Parallel for Copier<'_> {
    fn fork(&self, _: usize) -> Self {
        Copier { errors: Vec::new(), ..*self }
    }

    fn merge(&mut self, other: Self) {
        self.errors.extend(other.errors);
    }
}

impl Act for Copier<'_> {
    /// A directory gets its mode last: it may be one that nothing can be written to.
    fn leaving(&mut self, dir: &Leaving<'_>, copy: &Copy, _: &Copy) -> Flow {
        let copied = dir.stat(Fields::MODE).and_then(|meta| {
            let mode = Mode::from_raw_mode(meta.mode().unwrap_or(0));
            match &copy.kept {
                Some((kept, _)) => Ok(fchmod(kept, mode)?),
                None => Ok(fchmod(self.open(&copy.path)?, mode)?),
            }
        });
        if let Err(error) = copied {
            self.errors.push(format!("{}: {error}", dir.directory().path().display()));
        }
        Flow::Continue
    }
}

/// What a tree holds: type and mode of each entry, with its contents or target.
fn described(root: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let all = Walk::new(root).follow(Follow::Never).into_iter().map(|entry| {
        let path = entry.expect("it can be read").path().to_owned();
        let mode = fs::symlink_metadata(&path).expect("it is there").mode();
        let held = match fs::read_link(&path) {
            Ok(target) => target.into_os_string().into_encoded_bytes(),
            Err(_) => fs::read(&path).unwrap_or_default(),
        };
        let path = path.strip_prefix(root).expect("it is below");
        (path.to_str().expect("ASCII").to_owned(), (mode, held))
    });
    all.collect()
}

#[test]
fn a_visitor_that_acts_can_copy_a_tree() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let root = place.path().join("t");
    grow(place.path(), "t/ t/a/ t/a/b/ t/a/b/c/ t/a/b/c/f:70000 t/a/g:12 t/l->a/g t/d/ t/many/");
    files(&root.join("many"), 1200, 40);
    for (path, mode) in [("a/g", 0o4755), ("d", 0o2500), ("a/b", 0o555)] {
        fs::set_permissions(root.join(path), Permissions::from_mode(mode)).expect("it is ours");
    }
    let expected = described(&root);
    for threads in [1, 4] {
        for handles in [0, 16, 1000] {
            let into = tempfile::tempdir().expect("a scratch directory");
            let budget = HandleBudget::new(handles);
            let handle = fs::File::open(into.path()).expect("it is there");
            let copier = Copier { into: handle.as_fd(), budget: &budget, errors: Vec::new() };
            let walk = Walk::new(&root).follow(Follow::Never).threads(NonZeroUsize::new(threads));
            let (copier, _) = walk.handle_budget(&budget).act(copier);
            assert_eq!(copier.errors, [""; 0]);
            assert!(described(&into.path().join("t")) == expected, "{threads} {handles}");
        }
    }
}
