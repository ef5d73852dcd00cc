//! The program's `main`, without the start of the standard library where that is possible.
//!
//! Before `main` the Rust runtime reads `/proc/self/maps`, to find the end of the stack, and installs
//! handlers that tell a stack overflow from other faults, with a stack of their own in each thread.
//! That takes a tenth of a listing of ten files. Without it a stack overflow still ends the
//! program, by SIGSEGV, but prints no message. With glibc the arguments need no runtime: the
//! standard library takes them from the C library's initialisation.

/// Defines `main`, which calls [`prepare_memory`], [`prepare_signals`] and then `$run`, a
/// `fn() -> u8`, and ends the program with the exit code that the function returns. On Linux missing
/// standard descriptors are opened before that, by three fcntl; elsewhere the Rust runtime opens
/// them.
///
/// The program needs `#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)),
/// no_main)]`. System calls there: one getrlimit, three rt_sigaction.
#[macro_export]
macro_rules! main {
    ($run:path) => {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        #[used]
        // SAFETY: the section holds functions that the C library calls before `main`. This function
        // does not look at its arguments, and needs nothing that is initialised later.
        #[unsafe(link_section = ".init_array")]
        static OPEN_MISSING: extern "C" fn() = $crate::standard::open_missing;

        #[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
        fn main() -> ::std::process::ExitCode {
            $crate::start::prepare_memory();
            $crate::start::prepare_signals();
            ::std::process::ExitCode::from($run())
        }

        // SAFETY: the program has no other function of this name: it is built with `no_main`.
        #[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ::std::ffi::c_int {
            $crate::start::prepare_memory();
            $crate::start::prepare_signals();
            $run().into()
        }
    };
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub use crate::native::memory::prepare as prepare_memory;

/// There is no such limit that the program knows of.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn prepare_memory() {}

/// Sets what signals do, whatever the parent has set.
///
/// | signal | what is set | why |
/// |---|---|---|
/// | SIGPIPE | ignored | A write to a pipe without a reader is an error, and does not end the program |
/// | SIGXFSZ | caught | The same for a write beyond the limit of a file's size (`ulimit -f`). Programs that brisk starts get the default action back, because the system resets what is caught |
/// | SIGCHLD | the default action | If a parent has it ignored, the system forgets how children ended |
///
/// A SIGXFSZ that the parent ignores stays ignored, here and in the programs that brisk starts.
#[cfg(unix)]
pub fn prepare_signals() {
    set(libc::SIGPIPE, libc::SIG_IGN);
    set(libc::SIGCHLD, libc::SIG_DFL);
    let caught = do_nothing as extern "C" fn(libc::c_int) as libc::sighandler_t;
    if set(libc::SIGXFSZ, caught) == libc::SIG_IGN {
        set(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// There are no such signals.
#[cfg(not(unix))]
pub fn prepare_signals() {}

/// Sets what a signal does; returns what it did before.
#[cfg(unix)]
fn set(signal: libc::c_int, action: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: the action is a constant of the system's, or `do_nothing`, which touches nothing.
    unsafe { libc::signal(signal, action) }
}

#[cfg(unix)]
extern "C" fn do_nothing(_: libc::c_int) {}
