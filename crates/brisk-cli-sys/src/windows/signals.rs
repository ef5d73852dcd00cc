//! The interrupt key: turned into a flag, for programs that want to stop cleanly. The command line
//! tool alone calls this; no library may.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Standard input is waited for.
static READING: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C or Ctrl-Break sets a flag; the second ends the program as usual.
pub fn notice_interrupts() {
    // SAFETY: `note` only exchanges an atomic, which is safe on the thread that the system makes for it.
    unsafe { SetConsoleCtrlHandler(Some(note), 1) };
}

/// Whether the key was pressed. Makes no system call.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// The usual exit code of a program that was interrupted.
#[must_use]
pub fn exit_code() -> u8 {
    130
}

/// Reads what there is of standard input, waiting for it. The interrupt key meanwhile ends the
/// program.
///
/// # Errors
/// What the operating system says; [`io::ErrorKind::Interrupted`] if the key was pressed before.
pub fn read_input(buffer: &mut [u8]) -> io::Result<usize> {
    // In this order, and the other way round in `note`: a key between the two is not lost.
    READING.store(true, Ordering::SeqCst);
    let read = if interrupted() {
        Err(io::ErrorKind::Interrupted.into())
    } else {
        io::stdin().read(buffer)
    };
    READING.store(false, Ordering::SeqCst);
    read
}

/// 1 for what is dealt with, 0 for what goes its usual way: closing windows, logging off.
unsafe extern "system" fn note(event: u32) -> i32 {
    const KEYS: [u32; 2] = [0, 1];
    if !KEYS.contains(&event) {
        return 0;
    }
    let first = !INTERRUPTED.swap(true, Ordering::SeqCst);
    brisk_sys::interrupt();
    i32::from(first && !READING.load(Ordering::SeqCst))
}
