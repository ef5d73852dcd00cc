//! [`ChangeRequest`]: ReadDirectoryChangesW, which the system answers when something has changed.
//! [`WaitEvent`]: what it signals then.

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::Duration;

use windows_sys::Wdk::Storage::FileSystem::FILE_DIRECTORY_FILE;
use windows_sys::Win32::Foundation::{
    ERROR_IO_INCOMPLETE, ERROR_NOTIFY_ENUM_DIR, ERROR_OPERATION_ABORTED,
};
use windows_sys::Win32::Storage::FileSystem::{FILE_LIST_DIRECTORY, ReadDirectoryChangesW};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Threading::{
    CreateEventW, INFINITE, ResetEvent, SetEvent, WaitForSingleObject,
};

use super::call::{Opening, Reparse, bytes_of, open_asynchronous};

/// An event of Windows's that stays signalled until it is reset.
#[derive(Debug)]
pub(super) struct WaitEvent(OwnedHandle);

impl WaitEvent {
    pub fn new() -> io::Result<WaitEvent> {
        // SAFETY: without attributes and a name, the call reads nothing.
        let event = unsafe { CreateEventW(null(), 1, 0, null()) };
        if event.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call succeeded, so that the handle is open, and this value alone owns it.
        Ok(WaitEvent(unsafe { OwnedHandle::from_raw_handle(event) }))
    }

    pub fn set(&self) {
        // SAFETY: the handle is open.
        unsafe { SetEvent(self.0.as_raw_handle()) };
    }

    pub fn reset(&self) {
        // SAFETY: the handle is open.
        unsafe { ResetEvent(self.0.as_raw_handle()) };
    }

    /// Waits until the event is signalled, or for this time.
    pub fn wait(&self, time: Option<Duration>) {
        // Rounded up, so that the wait does not end too early again and again.
        let millis = |time: Duration| time.as_nanos().div_ceil(1_000_000);
        let millis = time.and_then(|time| u32::try_from(millis(time)).ok()).unwrap_or(INFINITE);
        // SAFETY: the handle is open.
        unsafe { WaitForSingleObject(self.0.as_raw_handle(), millis) };
    }
}

impl AsHandle for WaitEvent {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.0.as_handle()
    }
}

/// A request to be told what changes in a directory. The system writes its answer at any time while
/// the request is pending.
#[derive(Debug)]
pub(super) struct ChangeRequest {
    dir: OwnedHandle,
    event: Arc<WaitEvent>,
    /// These two come from boxes, and belong to the system while the request is pending.
    block: *mut OVERLAPPED,
    space: *mut [u64],
    is_pending: bool,
    is_recursive: bool,
    filter: u32,
}

// SAFETY: the boxes belong to this value and the system, whichever thread has the value.
unsafe impl Send for ChangeRequest {}

impl ChangeRequest {
    /// Asks what changes in an open directory and, if it `is_recursive`, in all below it, with space
    /// for an answer of this many words. `filter` has FILE_NOTIFY_CHANGE_ values. One NtCreateFile
    /// and one ReadDirectoryChangesW.
    ///
    /// # Errors
    /// Those of the calls: file systems may refuse.
    pub fn new(
        dir: BorrowedHandle<'_>,
        event: &Arc<WaitEvent>,
        is_recursive: bool,
        filter: u32,
        words: usize,
    ) -> io::Result<ChangeRequest> {
        let opening = Opening {
            access: FILE_LIST_DIRECTORY,
            options: FILE_DIRECTORY_FILE,
            reparse: Reparse::Follow,
        };
        let mut request = ChangeRequest {
            dir: open_asynchronous(dir, &[u16::from(b'.')], opening)?,
            event: Arc::clone(event),
            block: Box::into_raw(Box::default()),
            space: Box::into_raw(vec![0; words].into()),
            is_pending: false,
            is_recursive,
            filter,
        };
        request.ask()?;
        Ok(request)
    }

    /// Asks again, after an answer. What has changed meanwhile is in the next one. One
    /// ReadDirectoryChangesW.
    ///
    /// # Errors
    /// Those of the call.
    pub fn ask(&mut self) -> io::Result<()> {
        assert!(!self.is_pending, "BUG: a request that is pending");
        let event = self.event.as_handle().as_raw_handle();
        // SAFETY: nothing is pending, so that only this value uses the block.
        unsafe { *self.block = OVERLAPPED { hEvent: event, ..OVERLAPPED::default() } };
        let length = u32::try_from(size_of::<u64>() * self.space.len()).unwrap_or(0);
        // SAFETY: the handle is open. The block and the space, which has `length` bytes, stay until
        // the request is not pending any more: see `drop`. So does the event.
        let is_asked = unsafe {
            ReadDirectoryChangesW(
                self.dir.as_raw_handle(),
                self.space.cast::<c_void>(),
                length,
                i32::from(self.is_recursive),
                self.filter,
                null_mut(),
                self.block,
                None,
            )
        };
        self.is_pending = is_asked != 0;
        if self.is_pending { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The answer, if there is one: `nt::notices` decodes it. `Ok(None)`: the request has ended with
    /// the thread that made it, and what has changed is in the answer to the next one. Makes no system
    /// call.
    pub fn answer(&mut self) -> Option<io::Result<Option<&[u8]>>> {
        let ended = self.ended().filter(|_| self.is_pending)?;
        self.is_pending = false;
        let length = match ended {
            Ok(length) => length,
            Err(error) if is(&error, ERROR_NOTIFY_ENUM_DIR) => 0,
            Err(error) if is(&error, ERROR_OPERATION_ABORTED) => return Some(Ok(None)),
            Err(error) => return Some(Err(error)),
        };
        // SAFETY: the request is not pending any more, so that only this value uses the space.
        let words: &[u64] = unsafe { &*self.space };
        Some(Ok(Some(bytes_of(words, length as usize))))
    }

    /// How the request has ended, with the length of the answer; `None` if it is pending.
    fn ended(&self) -> Option<io::Result<u32>> {
        let mut length = 0;
        // A wait here would end by the answer to another request, which signals the same event.
        // SAFETY: the handle is open. The block is that of the handle's only request.
        let is_ended = unsafe {
            GetOverlappedResult(self.dir.as_raw_handle(), self.block, &raw mut length, 0)
        };
        if is_ended != 0 {
            return Some(Ok(length));
        }
        let error = io::Error::last_os_error();
        if is(&error, ERROR_IO_INCOMPLETE) { None } else { Some(Err(error)) }
    }
}

fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error() == Some(code.cast_signed())
}

impl Drop for ChangeRequest {
    fn drop(&mut self) {
        if self.is_pending {
            // SAFETY: the handle is open. The block is that of the handle's pending request.
            unsafe { CancelIoEx(self.dir.as_raw_handle(), self.block) };
            // The system ends it soon, and then writes to the block for the last time.
            while self.ended().is_none() {
                std::thread::yield_now();
            }
        }
        // SAFETY: the pointer comes from a box, and the system does not write there any more.
        drop(unsafe { Box::from_raw(self.block) });
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(self.space) });
    }
}
