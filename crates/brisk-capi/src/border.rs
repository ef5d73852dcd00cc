//! The border between C and Rust: a panic does not cross it, an error becomes an object of C, and the
//! caller's functions are called.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::constants::BRISK_CONTINUE;
use crate::error::Error;

/// Where a function leaves its error: NULL if the caller does not want it, and what it points at
/// need not be initialised.
pub type ErrorOut<'a> = Option<&'a mut MaybeUninit<Option<Box<Error>>>>;

/// Does the work of a function. Where that fails or panics, the function returns `failed`.
pub fn guarded<T>(out: ErrorOut<'_>, failed: T, work: impl FnOnce() -> Result<T, Error>) -> T {
    let result = catch_unwind(AssertUnwindSafe(work));
    let result = result.unwrap_or_else(|panic| Err(panicked(&*panic)));
    let (value, error) = match result {
        Ok(value) => (value, None),
        Err(error) => (failed, Some(Box::new(error))),
    };
    if let Some(out) = out {
        out.write(error);
    }
    value
}

/// The error for a panic, which is an error in the library.
#[cold]
pub fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(|text| &**text));
    Error::new(c"panic", b"", libc::EIO, text.unwrap_or("an error in brisk"))
}

/// Receives an error, which belongs to the library and is valid until the function returns.
/// Returns BRISK_CONTINUE or BRISK_STOP.
pub type ErrorFunction = Option<unsafe extern "C" fn(data: *mut c_void, error: &Error) -> c_int>;

/// Calls a function for each of these things, as C has them, until it refuses.
///
/// # Safety
/// The function may be called with `data`.
pub unsafe fn tell<T, C: for<'a> From<&'a T>>(
    function: Option<unsafe extern "C" fn(data: *mut c_void, thing: &C) -> c_int>,
    data: *mut c_void,
    things: &[T],
) {
    let Some(function) = function else { return };
    // SAFETY: the caller promises it.
    let goes_on = |thing: &T| unsafe { function(data, &C::from(thing)) } == BRISK_CONTINUE;
    let _ = things.iter().all(goes_on);
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;
    use crate::error::{brisk_error_operation, brisk_error_text};

    #[test]
    fn a_panic_becomes_an_error() {
        let mut out = MaybeUninit::uninit();
        let number = 7;
        let value = guarded(Some(&mut out), -1, || match number {
            7 => panic!("because of {number}"),
            other => Ok(other),
        });
        assert_eq!(value, -1);
        // SAFETY: `guarded` has written it.
        let error = unsafe { out.assume_init() };
        // SAFETY: both are strings of an error that is alive.
        let text = |text| unsafe { CStr::from_ptr(text) };
        assert_eq!(text(brisk_error_operation(error.as_deref())), c"panic");
        assert_eq!(text(brisk_error_text(error.as_deref())), c"because of 7");
    }

    #[test]
    fn without_an_error_the_caller_gets_null() {
        let mut out = MaybeUninit::uninit();
        assert_eq!(guarded(Some(&mut out), -1, || Ok(1)), 1);
        // SAFETY: `guarded` has written it.
        assert!(unsafe { out.assume_init() }.is_none());
        assert_eq!(guarded(None, -1, || Err(Error::argument("nobody hears of it"))), -1);
    }
}
