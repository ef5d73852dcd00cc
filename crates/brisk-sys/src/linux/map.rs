//! Mapping a private file into memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::ptr::{NonNull, null_mut, slice_from_raw_parts_mut};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

/// A file that is mapped for reading, until this value is dropped.
#[derive(Debug)]
pub(crate) struct Mapping(NonNull<[u8]>);

// SAFETY: the pages belong to the process, not to a thread, and are only read.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

/// The mode bits with which users other than the owner may write.
const OTHERS_WRITE: u32 = 0o022;

impl Mapping {
    /// Maps a file; `None` if the file is empty, if other users may write to it, or if the kernel
    /// refuses.
    pub(crate) fn of(file: &File) -> io::Result<Option<Mapping>> {
        let meta = file.metadata()?;
        let user = rustix::process::geteuid().as_raw();
        let is_private = [0, user].contains(&meta.uid()) && meta.mode() & OTHERS_WRITE == 0;
        let length = usize::try_from(meta.len()).unwrap_or(0);
        if !meta.is_file() || !is_private || length == 0 {
            return Ok(None);
        }
        // POPULATE: the whole content will be read. One call brings in a page in a tenth of the
        // time that a page fault takes.
        let flags = MapFlags::PRIVATE | MapFlags::POPULATE;
        // SAFETY: the kernel chooses an address that nothing uses.
        let mapped = unsafe { mmap(null_mut(), length, ProtFlags::READ, flags, file, 0) };
        // Some file systems cannot map their files.
        let Ok(start) = mapped else { return Ok(None) };
        let bytes = slice_from_raw_parts_mut(start.cast::<u8>(), length);
        Ok(NonNull::new(bytes).map(Mapping))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: `of` has mapped that many bytes, and `drop` alone unmaps them. No process writes
        // to them: only the file's owner may, and `Mapped` demands that the owner replaces the
        // file instead.
        unsafe { self.0.as_ref() }
    }
}

impl Mapping {
    /// Gives the pages back to the system; they come back when they are read.
    pub(crate) fn give_back(&self) {
        // SAFETY: the pages are the file's, and were not written to, so they have the same bytes
        // when they come back.
        let _ = unsafe { madvise(self.0.as_ptr().cast(), self.0.len(), Advice::LinuxDontNeed) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `of` has mapped these bytes, and nothing borrows them any more.
        let unmapped = unsafe { munmap(self.0.as_ptr().cast(), self.0.len()) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}
