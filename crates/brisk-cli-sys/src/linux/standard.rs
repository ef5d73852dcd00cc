//! Standard descriptors that are missing: a program opens them before any other file can get their
//! numbers.
//!
//! The Rust runtime would open `/dev/null` for them, for reading and writing, and output would be
//! lost without an error. GNU's programs open it in the wrong direction, so that each use fails as
//! it does without a descriptor (EBADF). This module does the same before the runtime looks.

/// Opens the missing ones of the three standard descriptors in such a way that using them fails.
pub extern "C" fn open_missing() {
    for descriptor in 0..=2 {
        // SAFETY: the call only asks about a number.
        let is_open = unsafe { libc::fcntl(descriptor, libc::F_GETFD) } != -1;
        if !is_open {
            open(descriptor);
        }
    }
}

/// Opens a file as `descriptor`, which is the lowest free number. Programs that this program runs
/// inherit it.
#[cold]
fn open(descriptor: libc::c_int) {
    let way = if descriptor == 0 { libc::O_WRONLY } else { libc::O_RDONLY };
    // SAFETY: the path ends in NUL and lives for ever.
    let opened = unsafe { libc::open(c"/dev/null".as_ptr(), way) };
    if opened == -1 {
        // There is no /dev here. A directory can be neither read nor written as a file.
        // SAFETY: the path ends in NUL and exists as long as the program.
        unsafe { libc::open(c"/".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY) };
    }
}
