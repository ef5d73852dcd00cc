//! What a caller's functions answer, and how they hear of errors when the work is done.

use std::ffi::{c_int, c_void};

use crate::constants::BRISK_CONTINUE;
use crate::error::Error;

/// Gets an error, which is the library's, and is valid until the function returns. Answers
/// BRISK_CONTINUE or BRISK_STOP.
pub type ErrorFunction = Option<unsafe extern "C" fn(data: *mut c_void, error: &Error) -> c_int>;

/// Calls a function for each error, until it refuses.
///
/// # Safety
/// The function may be called with `data`.
pub unsafe fn tell_errors<'a, T: 'a>(
    function: ErrorFunction,
    data: *mut c_void,
    errors: impl IntoIterator<Item = &'a T>,
) where
    Error: From<&'a T>,
{
    let Some(function) = function else { return };
    for error in errors {
        // SAFETY: the caller promises it.
        let answer = unsafe { function(data, &Error::from(error)) };
        if answer != BRISK_CONTINUE {
            return;
        }
    }
}
