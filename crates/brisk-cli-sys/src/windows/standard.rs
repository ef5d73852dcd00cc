//! Standard handles: which of them children inherit.

use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
};

/// Keeps this process's standard handles from its children. A child inherits every handle that is
/// marked so, and a pipe that it holds has no end for its reader.
pub fn keep_from_children() {
    for which in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        // SAFETY: a call with a number; the handle that it returns stays the system's.
        let handle = unsafe { GetStdHandle(which) };
        // SAFETY: a call with a handle and numbers; what is no handle is refused.
        unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0) };
    }
}
