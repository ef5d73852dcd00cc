//! Standard descriptors that are missing, for programs: opened before any file could take their
//! place.
//!
//! The Rust runtime would open `/dev/null` for them, for reading and writing: what is written to
//! standard output would be lost without a word. GNU's programs open it the wrong way round, so
//! that each use fails as it does without a descriptor (EBADF). This module does the same before
//! the runtime looks.

/// Has the program open its missing standard descriptors before `main`. For programs alone, as an
/// item beside `main`: a library must not. System calls: three fcntl.
#[macro_export]
macro_rules! open_missing_before_main {
    () => {
        #[used]
        // SAFETY: the section holds functions that the C library calls before `main`, with
        // arguments that this one does not look at; it needs nothing that is initialised later.
        #[unsafe(link_section = ".init_array")]
        static OPEN_MISSING: extern "C" fn() = $crate::standard::open_missing;
    };
}

/// Opens those of the three standard descriptors that are missing, so that using them fails.
pub extern "C" fn open_missing() {
    for descriptor in 0..=2 {
        // SAFETY: the call only asks about a number.
        let is_open = unsafe { libc::fcntl(descriptor, libc::F_GETFD) } != -1;
        if !is_open {
            open(descriptor);
        }
    }
}

/// Opens a file as `descriptor`, which is the lowest free one. The programs that are run inherit
/// it.
#[cold]
fn open(descriptor: libc::c_int) {
    let way = if descriptor == 0 { libc::O_WRONLY } else { libc::O_RDONLY };
    // SAFETY: the path ends in NUL and lives for ever.
    let opened = unsafe { libc::open(c"/dev/null".as_ptr(), way) };
    if opened == -1 {
        // A place without /dev. A directory can be neither read nor written as a file.
        // SAFETY: the path ends in NUL and lives for ever.
        unsafe { libc::open(c"/".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY) };
    }
}
