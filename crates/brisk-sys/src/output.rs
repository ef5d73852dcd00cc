//! Writing files: the one way for every file that brisk writes where a user says.
//!
//! | what is at the place | what is done |
//! |---|---|
//! | nothing, or a regular file | a temporary beside it is written, and renamed when it is whole |
//! | a link | the same, at the place where the link leads |
//! | a device, a pipe, `/dev/stdout`, `/dev/fd/3` | it is written as it is |
//! | a directory, a socket | an error |
//!
//! A temporary gets a random name, and is created only if no file has that name. So two processes
//! never write to one file, even if their process ids are equal (in two containers), and no file of
//! the user's is overwritten or removed. The process that creates a temporary removes it. Only a
//! process that is killed leaves one behind.

use std::ffi::CString;
use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use crate::portable::file::{PREFIX, create_new, create_private, random_name};
use crate::portable::place::{check_link, descriptor, is_socket, open_stream};
use crate::whole::no_regular_file;

pub use crate::portable::file::sync;
pub use crate::portable::place::{open_locked, sync_directory};

/// The most links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// This user alone.
    Owner,
    /// All that the process's umask allows.
    All,
}

/// Where an output goes.
#[derive(Debug, PartialEq, Eq)]
pub enum Medium {
    /// To a regular file with this path, which may be missing. The path leads through no link.
    File(PathBuf),
    /// To a device or a pipe, or to a file that this process has open.
    Stream(PathBuf),
}

/// A file that is being written.
#[derive(Debug)]
pub enum Output {
    /// What takes the place of this regular file.
    File(Temporary, PathBuf),
    /// A device, a pipe, or a file that this process had open.
    Stream(File),
}

/// A file with a random name. It is removed when this is dropped, unless it was renamed.
#[derive(Debug)]
pub struct Temporary {
    path: PathBuf,
    file: File,
    is_renamed: bool,
}

impl Medium {
    /// What is at this path. System calls: one lstat; for each link a stat, a readlink and another
    /// lstat.
    ///
    /// # Errors
    /// The errors of these calls, but not that the file is missing. A directory and a socket. A
    /// link that the system would not follow (see [`follow`]).
    pub fn of(path: &Path) -> io::Result<Medium> {
        let path = follow(path)?;
        if descriptor(&path).is_some() {
            return Ok(Medium::Stream(path));
        }
        let ends_in_name = !path.as_os_str().as_encoded_bytes().last().is_some_and(is_separator);
        match there(&path)? {
            None if path.file_name().is_none() => Err(io::ErrorKind::NotFound.into()),
            Some(meta) if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            None if !ends_in_name => Err(io::ErrorKind::IsADirectory.into()),
            Some(meta) if is_socket(&meta) => Err(socket()),
            Some(meta) if !meta.is_file() => Ok(Medium::Stream(path)),
            _ => Ok(Medium::File(path)),
        }
    }

    /// Opens the output. A pipe is opened when it has a reader: the call waits for one. System
    /// calls: one open, or one fcntl for a file that is open already.
    ///
    /// # Errors
    /// The errors of these calls.
    pub fn open(self, readers: Readers) -> io::Result<Output> {
        Ok(match self {
            Medium::File(path) => Output::File(Temporary::beside(&path, readers)?, path),
            Medium::Stream(path) => Output::Stream(open_stream(&path)?),
        })
    }
}

impl Output {
    /// A file that only this user may read, for what brisk reads again. System calls: as
    /// [`Medium::of`] and [`Medium::open`].
    ///
    /// # Errors
    /// The errors of these calls; [`InvalidInput`](io::ErrorKind::InvalidInput) if there is
    /// anything else than a regular file.
    pub fn private(path: &Path) -> io::Result<Output> {
        match Medium::of(path)? {
            Medium::Stream(_) => Err(no_regular_file()),
            place => place.open(Readers::Owner),
        }
    }

    /// What is written to.
    #[must_use]
    pub fn file(&self) -> &File {
        match self {
            Output::File(temporary, _) => &temporary.file,
            Output::Stream(file) => file,
        }
    }

    /// Puts the file in its place. System calls: one rename, unless this is a stream.
    ///
    /// # Errors
    /// The errors of that call. The temporary is removed.
    pub fn commit(self) -> io::Result<()> {
        match self {
            Output::File(temporary, path) => temporary.rename(&path),
            Output::Stream(_) => Ok(()),
        }
    }
}

impl Temporary {
    /// Creates a file in the same directory as another one, which need not exist. System calls: one
    /// open; getrandom, once for each thread.
    ///
    /// # Errors
    /// The errors of open.
    pub fn beside(file: &Path, readers: Readers) -> io::Result<Temporary> {
        let path = directory(file).join(random_name());
        let file = match readers {
            Readers::Owner => create_private(&path)?,
            Readers::All => create_new(&path)?,
        };
        Ok(Temporary { path, file, is_renamed: false })
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is written to.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    fn rename(mut self, to: &Path) -> io::Result<()> {
        fs::rename(&self.path, to)?;
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_renamed {
            // If that fails, another process has removed the file, or the file stays.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a file of this name is a temporary: one that is written now, or one that a killed
/// process left.
#[must_use]
pub fn is_temporary(name: &[u8]) -> bool {
    let digits = name.strip_prefix(PREFIX.as_bytes());
    digits.is_some_and(|digits| digits.len() == 16 && digits.iter().all(u8::is_ascii_hexdigit))
}

/// The name of a temporary file or directory, with this number. Makes no system call.
#[must_use]
pub fn temporary_name(number: u64) -> CString {
    CString::new(format!("{PREFIX}{number:016x}")).expect("BUG: no NUL is in it")
}

/// A number that no other process comes upon. System calls: getrandom, once for each thread.
#[must_use]
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A path up to its last separator, which is its end. Makes no system call.
#[must_use]
pub fn prefix_of(path: &[u8]) -> &[u8] {
    &path[..path.iter().rposition(is_separator).map_or(0, |last| last + 1)]
}

/// The path where the links at `path` lead; the file may be missing. As Linux does by default
/// (`fs.protected_symlinks`), the call follows no link of another user in a directory like `/tmp`,
/// where each user may create files: root would write wherever that user likes. System calls: one
/// lstat; for each link a stat, a readlink and another lstat.
///
/// # Errors
/// The errors of these calls, but not that the file is missing;
/// [`PermissionDenied`](io::ErrorKind::PermissionDenied) at such a link.
pub fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match there(&path)? {
            Some(meta) if meta.is_symlink() && descriptor(&path).is_none() => {
                let dir = directory(&path);
                // The check comes first: the owner of a link in such a directory alone can change
                // it.
                check_link(&meta, dir)?;
                path = dir.join(fs::read_link(&path)?);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("Too many levels of symbolic links"))
}

fn there(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        meta => meta.map(Some),
    }
}

/// The directory of a file; for a bare name, the current one. Makes no system call.
#[must_use]
pub fn directory(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_separator(byte: &u8) -> bool {
    std::path::is_separator(char::from(*byte))
}

#[cold]
fn socket() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "Is a socket")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let names = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry"));
        let mut names: Vec<_> =
            names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn write(path: &Path, text: &str) -> io::Result<()> {
        let output = Medium::of(path)?.open(Readers::All)?;
        output.file().write_all(text.as_bytes())?;
        output.commit()
    }

    #[test]
    fn a_file_is_replaced_when_it_is_whole_and_nothing_else_is_left() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let path = place.path().join("file");
        for text in ["one", "two"] {
            write(&path, text).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        }
        let output = Output::private(&path).expect("a file");
        output.file().write_all(b"three").expect("written");
        assert!(is_temporary(names(place.path())[0].as_bytes()), "{:?}", names(place.path()));
        drop(output);
        assert_eq!(names(place.path()), ["file"]);
        assert_eq!(fs::read_to_string(&path).expect("a file"), "two");
    }

    #[test]
    fn no_two_temporaries_have_one_name() {
        let all: std::collections::HashSet<String> = (0..1000).map(|_| random_name()).collect();
        assert_eq!(all.len(), 1000);
        assert!(all.iter().all(|name| is_temporary(name.as_bytes())));
        for name in [".brisk-tmp-", ".brisk-tmp-0123456789abcde", ".brisk-tmp-0123456789abcdeg"] {
            assert!(!is_temporary(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_a_file_is_refused() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let kind = |path: &Path| Medium::of(path).expect_err("refused").kind();
        assert_eq!(kind(place.path()), io::ErrorKind::IsADirectory);
        assert_eq!(kind(&place.path().join("new/")), io::ErrorKind::IsADirectory);
        assert_eq!(kind("".as_ref()), io::ErrorKind::NotFound);
        assert!(write(&place.path().join("none/file"), "").is_err());
        assert_eq!(names(place.path()), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_what_is_there_or_not() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().expect("a scratch directory");
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("d")).expect("a directory");
        symlink("d/second", at("first")).expect("a link");
        symlink("../file", at("d/second")).expect("a link");
        for text in ["one", "two"] {
            write(&at("first"), text).expect("written");
            assert_eq!(fs::read_to_string(at("file")).expect("a file"), text);
            assert_eq!(names(place.path()), ["d", "file", "first"]);
        }
        symlink("loop", at("loop")).expect("a link");
        assert!(write(&at("loop"), "").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_stream_is_written_as_it_is_and_is_no_private_file() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().expect("a scratch directory");
        let at = |name: &str| place.path().join(name);
        let socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("a socket");
        assert!(Medium::of(&at("socket")).is_err());
        drop(socket);
        symlink("/dev/null", at("null")).expect("a link");
        for (path, leads) in [("/dev/null", "/dev/null"), ("/dev/fd/7", "/dev/fd/7")] {
            assert_eq!(Medium::of(path.as_ref()).expect("a place"), Medium::Stream(leads.into()));
            assert!(Output::private(path.as_ref()).is_err());
        }
        assert_eq!(Medium::of(&at("null")).expect("a place"), Medium::Stream("/dev/null".into()));
        write("/dev/null".as_ref(), "gone").expect("written");
    }

    /// A file that the process has open keeps its position.
    #[cfg(unix)]
    #[test]
    fn an_open_file_is_continued() {
        use std::os::fd::AsRawFd;
        let place = tempfile::tempdir().expect("a scratch directory");
        let path = place.path().join("file");
        let mut file = File::create(&path).expect("a file");
        file.write_all(b"before ").expect("written");
        let number = PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()));
        write(&number, "between ").expect("written");
        file.write_all(b"after").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "before between after");
        assert!(write("/dev/fd/99999".as_ref(), "").is_err());
    }
}
