//! The way to the journal: by handles from `/` on, through directories that only root and this user
//! can change.
//!
//! ```text
//!   "/" ── home ── alice ── .local ── state ── brisk ── rm
//!    └── each is opened relative to the handle before it, never through a link, and checked by its
//!        own handle: what was checked is what is used, whatever is renamed or linked meanwhile
//!
//!   other users can write to a directory
//!     without the sticky bit   refused: they can exchange what is in it
//!     with it (as in /tmp)     root's and this user's directories in it stay where they are; a link
//!                              in it is refused
//!   a link elsewhere           root's or this user's, taken apart and walked in the same way; refused
//!                              in the place of the last two directories, which are brisk's
//! ```

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use brisk_sys::{Backend, Dir, Links, Xattr};
use nix::unistd::{Gid, Group, Uid, User};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::front::messages::cause;
use crate::show::quoting::quoted;

/// To pass through a directory takes only the permission to search it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SEARCH: OFlags = OFlags::RDONLY;

/// Only a directory is opened, and no link is followed.
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The most links on the way: as many as the kernel follows.
const MAX_LINKS: u32 = 40;

/// Opens the directory `own` below `base` for reading; `None` if there is none. The components of
/// `own` are this user's alone; those of `base` are root's or this user's. `makes`: whether missing
/// directories are made.
///
/// # Errors
/// Why the directory is not trusted, or the system's error.
pub(super) fn reach(base: &Path, own: &[&str], makes: bool) -> Result<Option<OwnedFd>, String> {
    let mut way = TrustedDir { here: top()?, path: "/".into(), shared: false, makes, links: 0 };
    if !way.walk(base)? {
        return Ok(None);
    }
    for name in own {
        match way.step(OsStr::new(name))? {
            Hop::Entered(stat) => way.must_be_ours(&stat)?,
            Hop::Link(_) => return Err(format!("{}: it is a link", quoted(&way.path.join(name)))),
            Hop::Missing => return Ok(None),
        }
    }
    let flags = OFlags::RDONLY | DIRECTORY;
    let opened = rustix::fs::openat(&way.here, c".", flags, Mode::empty());
    opened.map(Some).map_err(|error| said(&way.path, error))
}

/// A directory that was reached, and its path.
struct TrustedDir {
    here: OwnedFd,
    /// Its path without links.
    path: PathBuf,
    /// Whether other users can make entries here, although they cannot rename or remove root's and
    /// this user's.
    shared: bool,
    /// Whether missing directories are made.
    makes: bool,
    links: u32,
}

enum Hop {
    Entered(Stat),
    /// The entry is a link; this is its target.
    Link(PathBuf),
    Missing,
}

impl TrustedDir {
    /// Goes on by a path; `false` if the path leads nowhere.
    fn walk(&mut self, path: &Path) -> Result<bool, String> {
        // The next component is the last.
        let mut rest: Vec<OsString> = reversed(path);
        while let Some(name) = rest.pop() {
            if name == "/" {
                self.here = top()?;
                self.path = PathBuf::from("/");
                self.look(false)?;
                continue;
            }
            match self.step(&name)? {
                Hop::Entered(_) => {}
                Hop::Link(target) => rest.extend(reversed(&target)),
                Hop::Missing => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Enters a directory, or finds a link that may be followed.
    fn step(&mut self, name: &OsStr) -> Result<Hop, String> {
        let stat = match self.find(name) {
            Err(Errno::NOENT) if !self.makes => return Ok(Hop::Missing),
            found => found.map_err(|error| said(&self.path.join(name), error))?,
        };
        if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
            return self.link(name, &stat).map(Hop::Link);
        }
        let opened = rustix::fs::openat(&self.here, name, SEARCH | DIRECTORY, Mode::empty());
        self.here = opened.map_err(|error| said(&self.path.join(name), error))?;
        self.path.push(name);
        let was_shared = std::mem::take(&mut self.shared);
        self.look(was_shared).map(Hop::Entered)
    }

    /// The metadata of the entry of this name. If there is no such entry, makes a directory where
    /// one is wanted.
    fn find(&self, name: &OsStr) -> Result<Stat, Errno> {
        let ask = || rustix::fs::statat(&self.here, name, AtFlags::SYMLINK_NOFOLLOW);
        match ask() {
            Err(Errno::NOENT) if self.makes => {
                match rustix::fs::mkdirat(&self.here, name, Mode::RWXU) {
                    // Another process made it first.
                    Ok(()) | Err(Errno::EXIST) => ask(),
                    Err(error) => Err(error),
                }
            }
            found => found,
        }
    }

    fn link(&mut self, name: &OsStr, stat: &Stat) -> Result<PathBuf, String> {
        let failed = |error| said(&self.path.join(name), error);
        if self.shared {
            return Err(format!(
                "{}: it is a link in a directory that other users can write to",
                quoted(&self.path.join(name))
            ));
        }
        if !is_trusted(stat.st_uid) {
            return Err(format!("{}: it is another user's", quoted(&self.path.join(name))));
        }
        if self.links == MAX_LINKS {
            return Err(failed(Errno::LOOP));
        }
        self.links += 1;
        let target = rustix::fs::readlinkat(&self.here, name, Vec::new()).map_err(failed)?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// Checks that the open directory is root's or this user's, and takes note of whether other
    /// users can write to it.
    fn look(&mut self, in_shared: bool) -> Result<Stat, String> {
        let stat = rustix::fs::fstat(&self.here).map_err(|error| said(&self.path, error))?;
        // In a directory that other users can write to, an owner outside of this namespace may be
        // one of them.
        let fine = is_trusted(stat.st_uid) && !(in_shared && is_outside(stat.st_uid));
        if !fine {
            return Err(format!("{}: it is another user's", quoted(&self.path)));
        }
        let mode = Mode::from_raw_mode(stat.st_mode);
        let others = mode.contains(Mode::WOTH)
            || mode.contains(Mode::WGRP) && !self.is_private_group(stat.st_gid);
        if others && !mode.contains(Mode::SVTX) {
            return Err(format!("{}: other users can write to it", quoted(&self.path)));
        }
        self.shared = others;
        Ok(stat)
    }

    /// Checks that the directory is this user's and that no other user can write to it.
    fn must_be_ours(&self, stat: &Stat) -> Result<(), String> {
        if stat.st_uid != euid() {
            return Err(format!("{}: it is another user's", quoted(&self.path)));
        }
        if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
            return Err(format!("{}: other users can write to it", quoted(&self.path)));
        }
        Ok(())
    }

    /// Whether a group's right to write is this user's (or root's) alone: the group has the user's
    /// name and no other member, and no access list extends the mode's bits.
    fn is_private_group(&self, gid: u32) -> bool {
        let user = |uid| User::from_uid(Uid::from_raw(uid)).ok().flatten();
        let users: Vec<User> = [0, euid()].into_iter().filter_map(user).collect();
        let Ok(Some(group)) = Group::from_gid(Gid::from_raw(gid)) else { return false };
        let owns = |user: &User| user.name == group.name && user.gid == group.gid;
        let known = |name: &String| users.iter().any(|user| user.name == *name);
        users.iter().any(owns) && group.mem.iter().all(known) && self.has_no_access_list()
    }

    /// Asks by path. Only root and this user can redirect this path, since each directory on it was
    /// checked.
    fn has_no_access_list(&self) -> bool {
        let asked = Dir::open_path_only(Backend::Native, &self.path)
            .and_then(|here| here.attributes(c".", Links::NoFollow));
        match asked {
            Ok(Xattr::Known(attributes)) => !attributes.acl,
            Ok(Xattr::Unsupported) => true,
            Err(error) => error.kind() == io::ErrorKind::Unsupported,
        }
    }
}

fn top() -> Result<OwnedFd, String> {
    let root = Path::new("/");
    let opened = rustix::fs::openat(CWD, root, SEARCH | DIRECTORY, Mode::empty());
    opened.map_err(|error| said(root, error))
}

/// The components, the last one first: they are taken from the end.
fn reversed(path: &Path) -> Vec<OsString> {
    let components = path.components().rev();
    let named = components.filter(|component| *component != Component::CurDir);
    named.map(|component| component.as_os_str().to_owned()).collect()
}

/// Whether entries of this owner cannot harm the user who runs the program.
fn is_trusted(uid: u32) -> bool {
    uid == 0 || uid == euid() || is_outside(uid)
}

/// Whether this number stands for all users without a number in this user namespace, the system's
/// root among them. No process in the namespace is one of these users.
fn is_outside(uid: u32) -> bool {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    if uid == 0 || read("/proc/sys/kernel/overflowuid").trim().parse() != Ok(uid) {
        return false;
    }
    let map = read("/proc/self/uid_map");
    let is_mapped = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        let Some(Ok(first)) = numbers.next() else { return true };
        let Some(Ok(count)) = numbers.nth(1) else { return true };
        (first..first + count).contains(&u64::from(uid))
    };
    !map.is_empty() && !map.lines().any(is_mapped)
}

pub(super) fn euid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn said(path: &Path, error: Errno) -> String {
    format!("{}: {}", quoted(path), cause(&error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn chmod(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refused(base: &Path) -> String {
        reach(base, &["brisk", "rm"], true).unwrap_err()
    }

    #[test]
    fn what_is_missing_is_made_or_left() {
        let place = tempfile::tempdir().unwrap();
        let base = place.path().join("state");
        assert!(matches!(reach(&base, &["brisk"], false), Ok(None)));
        assert!(!base.exists());
        assert!(matches!(reach(&base, &["brisk"], true), Ok(Some(_))));
        let mode = std::fs::metadata(base.join("brisk")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn links_lead_on_where_only_we_can_write() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("elsewhere")).unwrap();
        symlink("./elsewhere/../elsewhere", place.path().join("link")).unwrap();
        let base = place.path().join("link");
        assert!(matches!(reach(&base, &["brisk"], true), Ok(Some(_))));
        assert!(place.path().join("elsewhere/brisk").exists());
        symlink("/loop", place.path().join("loop")).unwrap();
        std::fs::remove_file(place.path().join("loop")).unwrap();
        symlink("loop", place.path().join("loop")).unwrap();
        assert!(refused(&place.path().join("loop")).contains("symbolic links"));
        // Sticky, and writable by other users: they may have made the link.
        chmod(place.path(), 0o1777);
        assert!(
            refused(&base).contains(": it is a link in a directory that other users can write to")
        );
        std::fs::create_dir(place.path().join("mine")).unwrap();
        assert!(reach(&place.path().join("mine"), &["brisk"], true).is_ok());
        chmod(place.path(), 0o777);
        assert!(refused(&place.path().join("mine")).ends_with("': other users can write to it"));
    }

    #[test]
    fn our_own_directories_are_no_links() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("other")).unwrap();
        symlink("other", place.path().join("brisk")).unwrap();
        assert!(refused(place.path()).ends_with("/brisk': it is a link"));
        std::fs::remove_file(place.path().join("brisk")).unwrap();
        std::fs::write(place.path().join("brisk"), "").unwrap();
        assert!(refused(place.path()).ends_with("/brisk': Not a directory"));
    }
}
