//! The console: escape sequences and UTF-8.

use windows_sys::Win32::System::Console::{
    ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle, STD_ERROR_HANDLE,
    STD_OUTPUT_HANDLE, SetConsoleMode, SetConsoleOutputCP,
};

const UTF8: u32 = 65001;

/// Prepares the console, if there is one: it then understands colours and links, and takes bytes as
/// UTF-8. Returns whether standard output will understand escape sequences.
pub fn prepare() -> bool {
    // SAFETY: a call with a number; without a console it fails.
    unsafe { SetConsoleOutputCP(UTF8) };
    let on_output = switch_on(STD_OUTPUT_HANDLE);
    switch_on(STD_ERROR_HANDLE);
    on_output
}

fn switch_on(which: u32) -> bool {
    // SAFETY: a call with a number; the handle that it returns stays the system's.
    let handle = unsafe { GetStdHandle(which) };
    let mut mode = 0;
    // SAFETY: `mode` is a place for the answer; a handle that is no console's is refused.
    let is_console = unsafe { GetConsoleMode(handle, &raw mut mode) } != 0;
    // SAFETY: the previous call has shown that the handle is a console's.
    is_console && unsafe { SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) } != 0
}
