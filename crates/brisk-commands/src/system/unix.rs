//! Unix: names by the C library, `/` between the components of a path.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::Owner;
use nix::unistd::{Gid, Group, SysconfVar, Uid, User, sysconf};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
use rustix::path::Arg;

/// The separator in displayed paths, unless the user names another one.
pub(crate) const SEPARATOR: &str = "/";

/// Whether files have modes, and owners with numbers; if not, they have Windows's attributes.
pub(crate) const HAS_MODES: bool = true;

/// The name of a user or a group.
pub(crate) fn owner_name(owner: Owner) -> Option<String> {
    match owner {
        Owner::User(id) => Some(User::from_uid(Uid::from_raw(id)).ok()??.name),
        Owner::Group(id) => Some(Group::from_gid(Gid::from_raw(id)).ok()??.name),
    }
}

/// The number of the group that the user with this name has from the start.
pub(crate) fn group_of(name: &str) -> Option<u32> {
    Some(User::from_name(name).ok()??.gid.as_raw())
}

/// The bits that new files of this process lack. System calls: two umask, because there is no other
/// way to ask. No other thread makes files meanwhile.
#[cfg_attr(
    target_os = "linux",
    expect(clippy::useless_conversion, reason = "on other systems a mode has 16 bits")
)]
pub(crate) fn umask() -> u32 {
    let mask = rustix::process::umask(Mode::empty());
    rustix::process::umask(mask);
    mask.as_raw_mode().into()
}

/// This machine's name.
pub fn host_name() -> Vec<u8> {
    rustix::system::uname().nodename().to_bytes().to_vec()
}

/// The most bytes that all arguments and the environment of a command may take, and the most of one
/// argument. The kernel refuses a single argument of 32 pages.
pub(crate) fn argument_room() -> (usize, usize) {
    let known = |variable| sysconf(variable).ok().flatten().and_then(|n| usize::try_from(n).ok());
    let page = known(SysconfVar::PAGE_SIZE).unwrap_or(4096);
    // Without an answer: the least that current POSIX systems grant. One page less, for rounding
    // and for the program's name, which the kernel copies as well.
    let total = known(SysconfVar::ARG_MAX).unwrap_or(128 << 10).saturating_sub(page);
    (total, 32 * page - 1)
}

/// The absolute path, with links resolved.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// A root as the walk takes it.
pub fn root(path: &Path) -> PathBuf {
    path.to_owned()
}

/// The configuration of the whole system.
pub(crate) fn system_configuration() -> Option<PathBuf> {
    Some(PathBuf::from("/etc/brisk/config.toml"))
}

/// Where the user's configuration is kept.
pub(crate) fn user_configuration() -> Option<PathBuf> {
    user_directory("XDG_CONFIG_HOME", ".config")
}

/// Where programs keep what they can make again.
pub(crate) fn user_cache() -> Option<PathBuf> {
    user_directory("XDG_CACHE_HOME", ".cache")
}

/// Where programs keep what they must not lose.
pub(crate) fn user_state() -> Option<PathBuf> {
    user_directory("XDG_STATE_HOME", ".local/state")
}

fn user_directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| std::env::home_dir().map(|home| home.join(below_home)))
}

/// Gives standard output a larger buffer if it is a pipe: a megabyte, the most that Linux grants to
/// all users. With the usual 64 KiB a fast writer and its reader wait for each other at every
/// write.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn widen_output() {
    // Not a pipe, or no more room for this user: the usual buffer stays.
    let _ = rustix::pipe::fcntl_setpipe_size(rustix::stdio::stdout(), 1 << 20);
}

/// Other systems widen pipes by themselves.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn widen_output() {}

/// Writes to standard output. [`io::Stdout`] would copy everything once more into its line buffer,
/// and lose what is written to a closed descriptor. System calls: one write.
pub(crate) fn write_output(bytes: &[u8]) -> io::Result<usize> {
    Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
}

/// Writes to standard error. System calls: one write.
pub(crate) fn write_error(bytes: &[u8]) -> io::Result<usize> {
    Ok(rustix::io::write(rustix::stdio::stderr(), bytes)?)
}

/// The exit code that a shell reports for a command that has ended: 128 plus its number for a
/// signal.
pub(crate) fn ended(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// Makes the file if it is missing, and locks it until the returned file is closed. `None`: another
/// process has locked the file, and the caller does not want to wait. A link is not followed, and
/// the reader of a pipe is not waited for. System calls: open, fstat, flock.
pub(crate) fn lock(path: &Path, wait: bool) -> io::Result<Option<File>> {
    use rustix::fs::{FlockOperation, OFlags, flock};
    use std::os::unix::fs::OpenOptionsExt;
    let mut how = File::options();
    how.create(true).truncate(false).read(true).write(true).mode(0o600);
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = how.custom_flags(flags.bits() as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let operation = match wait {
        true => FlockOperation::LockExclusive,
        false => FlockOperation::NonBlockingLockExclusive,
    };
    match rustix::io::retry_on_intr(|| flock(&file, operation)) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Makes a symbolic link.
pub(crate) use std::os::unix::fs::symlink as make_link;

/// Makes a directory that this user alone may enter.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

/// Makes entries in an open directory, so that their paths may be of any length, and so that a call
/// costs no lookup but the entry's own.
pub(crate) struct Making(OwnedFd);

impl Making {
    pub(crate) fn at(path: &Path) -> io::Result<Making> {
        Making::open(CWD, path)
    }

    fn open(from: BorrowedFd<'_>, path: impl Arg) -> io::Result<Making> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Making(openat(from, path, flags, Mode::empty())?))
    }

    pub(crate) fn directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(mkdirat(&self.0, name, Mode::from_raw_mode(0o777))?)
    }

    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?.into())
    }

    /// Opens a file to read it.
    pub(crate) fn reader(&self, name: &OsStr) -> io::Result<File> {
        Ok(openat(&self.0, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// Asks for an entry's metadata.
    pub(crate) fn stat(&self, name: &OsStr) -> io::Result<()> {
        Ok(statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).map(drop)?)
    }

    /// Lists a directory; returns how many entries it has.
    pub(crate) fn list(&self, name: &OsStr) -> io::Result<usize> {
        let entries = Dir::new(self.below(name)?.0)?.collect::<Result<Vec<_>, _>>()?;
        Ok(entries.len())
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// A directory in this one.
    pub(crate) fn below(&self, name: &OsStr) -> io::Result<Making> {
        Making::open(self.0.as_fd(), name)
    }
}

/// Writes the file system that holds `path` back, so that no measured run waits for these writes.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn write_back(path: &Path) {
    if let Ok(directory) = File::open(path) {
        // If the system refuses, times vary more.
        let _ = rustix::fs::syncfs(directory);
    }
}

/// Writes all file systems back, so that no measured run waits for these writes.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn write_back(_path: &Path) {
    rustix::fs::sync();
}

/// A terminal needs no preparation.
pub(crate) fn prepare_terminal() {}

/// Runs another program in the place of this one. Returns only if that fails; `Ok` is the exit code
/// where the system runs it beside this one.
pub(crate) fn replace_by(command: &mut Command) -> io::Result<u8> {
    Err(CommandExt::exec(command))
}
