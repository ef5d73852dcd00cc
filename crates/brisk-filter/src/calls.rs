//! Questions about single files that no metadata field answers. The system calls are relative to
//! the directory that listed the file, and are counted.

use std::io;
use std::path::Path;

use brisk::{Entry, Fields, FileType};
use brisk_sys::{Backend, Links, stat_path};

use crate::system;

/// Whether the directory has no entries. System calls: an open, one or two reads, a close.
pub(crate) fn is_empty_directory(entry: &Entry<'_>, calls: &mut u64) -> io::Result<bool> {
    let answer = match entry.is_empty_dir() {
        // In ordered walks the directory that listed this one may be closed by now.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => by_path(&entry.path()),
        answer => answer,
    };
    *calls += match &answer {
        Ok(true) => 3,
        Ok(false) => 2,
        Err(_) => 1,
    };
    answer
}

fn by_path(path: &Path) -> io::Result<bool> {
    Ok(std::fs::read_dir(path)?.next().is_none())
}

/// The kernel's answer: one faccessat2.
pub(crate) fn may_execute(entry: &Entry<'_>, calls: &mut u64) -> io::Result<bool> {
    *calls += 1;
    Ok(match entry.may_execute() {
        // The directory that listed the file is closed by now, or the system has no such call.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            system::may_execute(&entry.path())
        }
        answer => answer.unwrap_or(false),
    })
}

/// The kernel's answer to whether this user may read (`r`), write (`w`) or execute a file: one
/// faccessat2. Links are followed.
pub(crate) fn may(entry: &Entry<'_>, wanted: u8, calls: &mut u64) -> io::Result<bool> {
    *calls += 1;
    Ok(system::may(entry, wanted))
}

/// The type of what a link leads to, or that of the link itself if it is dangling. System calls:
/// one or two statx.
pub(crate) fn type_behind(entry: &Entry<'_>, calls: &mut u64) -> io::Result<FileType> {
    let mut ask = |links| {
        *calls += 1;
        let asked = match links {
            Links::Follow => entry.stat_target(Fields::TYPE),
            Links::NoFollow => entry.stat(Fields::TYPE),
        };
        match asked {
            // As above.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                stat_path(Backend::Native, &entry.path(), Fields::TYPE, links)
            }
            asked => asked,
        }
    };
    let meta = ask(Links::Follow).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ask(Links::NoFollow),
        _ => Err(error),
    });
    Ok(meta?.file_type().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_directory_is_one() {
        let dir = tempfile::tempdir().unwrap();
        assert!(by_path(dir.path()).unwrap());
        std::fs::write(dir.path().join("x"), "").unwrap();
        assert!(!by_path(dir.path()).unwrap());
        assert!(by_path(&dir.path().join("x")).is_err());
    }
}
