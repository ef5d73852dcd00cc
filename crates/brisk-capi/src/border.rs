//! The border between C and Rust: a panic does not cross it, and an error becomes an object of C.

use std::any::Any;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
