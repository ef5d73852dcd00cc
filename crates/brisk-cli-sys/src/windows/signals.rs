//! The interrupt key, turned into a flag, so that the program can stop cleanly. Only the command
//! line tool calls this; no library may.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether a thread is waiting for standard input.
static READING: AtomicBool = AtomicBool::new(false);

/// Makes the first Ctrl-C or Ctrl-Break set a flag; the second ends the program as usual.
pub fn notice_interrupts() {
    // SAFETY: `note` only exchanges an atomic, which is safe on the thread that the system makes
    // for it.
    unsafe { SetConsoleCtrlHandler(Some(note), 1) };
}

/// Makes the key end the program as usual.
pub fn end_at_once() {
    // SAFETY: the call removes `note`, if it was added.
    unsafe { SetConsoleCtrlHandler(Some(note), 0) };
}

/// Whether the key was pressed. Makes no system call.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// The usual exit code of an interrupted program.
#[must_use]
pub fn exit_code() -> u8 {
    130
}

/// Reads from standard input, and waits until there is something to read. The interrupt key ends
/// the program during the wait.
///
/// # Errors
/// The system's error; [`io::ErrorKind::Interrupted`] if the key was pressed before.
pub fn read_input(buffer: &mut [u8]) -> io::Result<usize> {
    // `note` does the same in the opposite order, so that a key press between the two is not lost.
    READING.store(true, Ordering::SeqCst);
    let read = if interrupted() {
        Err(io::ErrorKind::Interrupted.into())
    } else {
        io::stdin().read(buffer)
    };
    READING.store(false, Ordering::SeqCst);
    read
}

/// Returns 1 if the event was handled; returns 0 for other events (closing the window, logging
/// off), so that the system handles them.
unsafe extern "system" fn note(event: u32) -> i32 {
    const KEYS: [u32; 2] = [0, 1];
    if !KEYS.contains(&event) {
        return 0;
    }
    let first = !INTERRUPTED.swap(true, Ordering::SeqCst);
    brisk_sys::interrupt();
    super::waiting::end_waits();
    i32::from(first && !READING.load(Ordering::SeqCst))
}
