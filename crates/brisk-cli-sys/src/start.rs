//! The program's `main`, without the start of the standard library where that is possible.
//!
//! Before `main` the Rust runtime reads `/proc/self/maps`, to find the end of the stack, and installs
//! handlers that tell a stack overflow from other faults, with a stack of their own in each thread.
//! That takes a tenth of a listing of ten files. Without it a stack overflow still ends the
//! program, by SIGSEGV, but prints no message. With glibc the arguments need no runtime: the
//! standard library takes them from the C library's initialisation.

/// Defines `main`, which calls `$run`, a `fn() -> u8`, and ends the program with the exit code that
/// the function returns. SIGPIPE is ignored, as under the Rust runtime, so that a write to a closed
/// pipe is an error.
///
/// The program needs `#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)),
/// no_main)]`. System calls there: one rt_sigaction.
#[macro_export]
macro_rules! main {
    ($run:path) => {
        #[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
        fn main() -> ::std::process::ExitCode {
            ::std::process::ExitCode::from($run())
        }

        // SAFETY: the program has no other function of this name: it is built with `no_main`.
        #[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ::std::ffi::c_int {
            $crate::start::ignore_closed_pipes();
            $run().into()
        }
    };
}

/// Makes a write to a pipe without a reader fail, instead of ending the program.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn ignore_closed_pipes() {
    // SAFETY: the call takes two numbers; no code of this program runs on the signal.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
