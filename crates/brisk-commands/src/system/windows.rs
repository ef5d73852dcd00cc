//! Windows: no numeric owners, `\` between the components of displayed paths.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use brisk_sys::paths::{bytes_to_path, with_slashes};

use super::Owner;

/// The separator in displayed paths, unless the user names another one.
pub(crate) const SEPARATOR: &str = r"\";

/// Whether files have modes, and owners with numbers; if not, they have Windows's attributes.
pub(crate) const HAS_MODES: bool = false;

/// Users and groups have no numbers here.
pub(crate) fn owner_name(_owner: Owner) -> Option<String> {
    None
}

/// Users have no groups here.
pub(crate) fn group_of(_name: &str) -> Option<u32> {
    None
}

/// There are no modes here.
pub(crate) fn umask() -> u32 {
    0
}

/// The process that makes a pipe fixes its room.
pub(crate) fn widen_output() {}

/// Writes to standard output; text for a console is written in the console's encoding.
#[expect(clippy::disallowed_methods, reason = "this is what the rest of the command calls instead")]
pub(crate) fn write_output(bytes: &[u8]) -> io::Result<usize> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()?;
    Ok(bytes.len())
}

/// Writes to standard error; text for a console is written in the console's encoding.
pub(crate) fn write_error(bytes: &[u8]) -> io::Result<usize> {
    io::stderr().write(bytes)
}

/// The exit code of a command that has ended; 255 for one that no byte holds.
pub(crate) fn ended(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// The pause between two attempts to open a file that another process has open: no user notices
/// it.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// What Windows answers if another process has the file open and shares it with none.
const SHARING_VIOLATION: i32 = 32;

/// Makes the file if it is missing, and keeps other processes from opening it until the returned
/// file is closed. `None`: another process has it, and the caller does not want to wait.
#[expect(clippy::disallowed_methods, reason = "Windows tells no process that a file is closed")]
pub(crate) fn lock(path: &Path, wait: bool) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    loop {
        let mut how = File::options();
        match how.create(true).truncate(false).write(true).share_mode(0).open(path) {
            Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) && wait => {
                std::thread::sleep(PAUSE);
            }
            Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => return Ok(None),
            opened => return opened.map(Some),
        }
    }
}

/// This machine's name. Links to files on this machine need none.
pub fn host_name() -> Vec<u8> {
    Vec::new()
}

/// The most bytes that all arguments of a command may take, and the most of one argument. A command
/// line has 32,767 UTF-16 units, of which quotes take some. The environment does not count.
pub(crate) fn argument_room() -> (usize, usize) {
    // The caller subtracts the environment.
    let environment: usize = std::env::vars_os()
        .map(|(name, value)| name.len() + value.len() + 2 + 2 * size_of::<usize>())
        .sum();
    (environment + (24 << 10), 16 << 10)
}

/// The absolute path, with links resolved, and without `\\?\` before a drive.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    let whole = path.canonicalize()?;
    let bytes = whole.as_os_str().as_encoded_bytes();
    Ok(match bytes.strip_prefix(br"\\?\") {
        Some(rest @ [_, b':', b'\\', ..]) => root(bytes_to_path(rest)),
        _ => whole,
    })
}

/// A root as the walk takes it: with `/` between components, unless it is verbatim (`\\?\`).
pub fn root(path: &Path) -> PathBuf {
    bytes_to_path(&with_slashes(path)).to_owned()
}

/// The configuration of the whole system.
pub(crate) fn system_configuration() -> Option<PathBuf> {
    let base = std::env::var_os("ProgramData")?;
    Some(PathBuf::from(base).join("brisk").join("config.toml"))
}

/// Where the user's configuration is kept.
pub(crate) fn user_configuration() -> Option<PathBuf> {
    std::env::var_os("APPDATA").map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Where programs keep what they can make again.
pub(crate) fn user_cache() -> Option<PathBuf> {
    std::env::var_os("LOCALAPPDATA").map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Where programs keep what they must not lose: for this machine alone.
pub(crate) use user_cache as user_state;

/// Makes a symbolic link; few users may make one.
pub(crate) use std::os::windows::fs::symlink_file as make_link;

/// Makes a directory, which inherits its permissions.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

/// Makes entries in a directory.
pub(crate) struct Making(PathBuf);

impl Making {
    pub(crate) fn at(path: &Path) -> io::Result<Making> {
        Ok(Making(path.to_owned()))
    }

    pub(crate) fn directory(&self, name: &OsStr) -> io::Result<()> {
        std::fs::create_dir(self.0.join(name))
    }

    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    /// Opens a file to read it.
    pub(crate) fn reader(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.0.join(name))
    }

    /// Asks for an entry's metadata.
    pub(crate) fn stat(&self, name: &OsStr) -> io::Result<()> {
        std::fs::symlink_metadata(self.0.join(name)).map(drop)
    }

    /// Lists a directory; returns how many entries it has.
    pub(crate) fn list(&self, name: &OsStr) -> io::Result<usize> {
        Ok(std::fs::read_dir(self.0.join(name))?.count())
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        std::fs::rename(self.0.join(from), self.0.join(to))
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_file(self.0.join(name))
    }

    /// A directory in this one.
    pub(crate) fn below(&self, name: &OsStr) -> io::Result<Making> {
        Ok(Making(self.0.join(name)))
    }
}

/// Does nothing: only administrators may write a volume back.
pub(crate) fn write_back(_path: &Path) {}

/// Makes the console understand colours and UTF-8.
pub(crate) fn prepare_terminal() {
    brisk_cli_sys::console::prepare();
}

/// Runs another program in the place of this one: it runs beside this one, whose exit code is that
/// of the other.
pub(crate) fn replace_by(command: &mut Command) -> io::Result<u8> {
    let status = command.status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_have_slashes_unless_they_are_verbatim() {
        assert_eq!(root(Path::new(r"a\b")).as_os_str(), "a/b");
        assert_eq!(root(Path::new(r"\\server\share\x")).as_os_str(), "//server/share/x");
        assert_eq!(root(Path::new(r"\\?\C:\x")).as_os_str(), r"\\?\C:\x");
        assert_eq!(root(Path::new("C:x")).as_os_str(), "C:x");
    }
}
