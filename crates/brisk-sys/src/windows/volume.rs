//! The file system of a directory, and its volume.

use std::ffi::OsString;
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::BorrowedHandle;
use std::path::{Path, PathBuf};

use windows_sys::Wdk::Storage::FileSystem::{FileFsAttributeInformation, FileFsDeviceInformation};

use super::call::{bytes_of, final_path, query_volume};
use super::stat;
use crate::nt::volume::{device, kind};
use crate::volume::kind::{Mount, Volume};

/// Three NtQueryVolumeInformationFile.
pub(crate) fn volume_of(dir: BorrowedHandle<'_>) -> io::Result<Volume> {
    // Longer names than any file system has.
    let mut attributes = [0; 32];
    let mut device = [0; 1];
    let length = query_volume(dir, FileFsAttributeInformation, &mut attributes)?;
    query_volume(dir, FileFsDeviceInformation, &mut device)?;
    let kind = kind(bytes_of(&attributes, length), bytes_of(&device, 8));
    let kind = kind.ok_or(io::ErrorKind::InvalidData)?;
    Ok(Volume { kind, fsid: stat::volume(dir)?, has_nanoseconds: true })
}

/// None: what is mounted at a directory is behind a reparse point, which no walk enters. Makes no
/// system call.
///
/// # Errors
/// None.
pub fn mounts_below(_: &Path) -> io::Result<Vec<Mount>> {
    Ok(Vec::new())
}

/// The path that opens the volume of a directory. One GetFinalPathNameByHandle.
pub(super) fn device_of(dir: BorrowedHandle<'_>) -> io::Result<PathBuf> {
    let path = final_path(dir)?;
    let device = device(&path).ok_or(io::ErrorKind::Unsupported)?;
    Ok(OsString::from_wide(device).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Dir, handle_of};

    /// Wine has no journal: there the volume is asked for it and refuses.
    #[test]
    fn a_directory_has_a_volume() {
        let place = tempfile::tempdir().expect("a directory");
        let dir = Dir::open_path_only(Backend::Native, place.path()).expect("the directory");
        let (dev, _) = dir.identity().expect("its identity");
        let handle = handle_of(&dir).expect("a handle");
        let volume = volume_of(handle).expect("its file system");
        assert_eq!((volume.fsid, volume.has_nanoseconds), (dev, true));
        assert_eq!(mounts_below(place.path()).expect("no mounts"), []);
        if let Ok(path) = device_of(handle) {
            let path = path.into_os_string().into_string().expect("a GUID");
            assert!(path.starts_with(r"\\?\Volume{") && path.ends_with('}'), "{path}");
        }
        let journal =
            crate::usn::open_volume(handle).and_then(|open| crate::usn::journal_of(&open));
        if let Ok(journal) = journal {
            assert!(journal.first <= journal.next, "{journal:?}");
        }
    }
}
