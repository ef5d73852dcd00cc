//! The interrupt key: turned into a flag, for programs that want to stop cleanly. The command line
//! tool alone calls this; no library may.

use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C or Ctrl-Break sets a flag; the second ends the program as usual.
pub fn notice_interrupts() {
    // SAFETY: `note` only exchanges an atomic, which is safe on the thread that the system makes for it.
    unsafe { SetConsoleCtrlHandler(Some(note), 1) };
}

/// Whether the key was pressed. Makes no system call.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// 1 for what is dealt with, 0 for what goes its usual way: closing windows, logging off.
unsafe extern "system" fn note(event: u32) -> i32 {
    const KEYS: [u32; 2] = [0, 1];
    i32::from(KEYS.contains(&event) && !INTERRUPTED.swap(true, Ordering::Relaxed))
}
