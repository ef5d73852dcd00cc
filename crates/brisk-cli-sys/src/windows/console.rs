//! The console: escape sequences and UTF-8.

use windows_sys::Win32::System::Console::{
    ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle, STD_ERROR_HANDLE,
    STD_OUTPUT_HANDLE, SetConsoleMode, SetConsoleOutputCP,
};

const UTF8: u32 = 65001;

/// Prepares the console, if there is one: it then understands colours and links, and takes bytes as
/// UTF-8.
pub fn prepare() {
    // SAFETY: a call with a number; without a console it fails.
    unsafe { SetConsoleOutputCP(UTF8) };
    [STD_OUTPUT_HANDLE, STD_ERROR_HANDLE].into_iter().for_each(switch_on);
}

fn switch_on(which: u32) {
    // SAFETY: a call with a number; the handle that it returns stays the system's.
    let handle = unsafe { GetStdHandle(which) };
    let mut mode = 0;
    // SAFETY: `mode` is a place for the answer; a handle that is no console's is refused.
    let is_console = unsafe { GetConsoleMode(handle, &raw mut mode) } != 0;
    if is_console {
        // SAFETY: the previous call has shown that the handle is a console's.
        unsafe { SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) };
    }
}
