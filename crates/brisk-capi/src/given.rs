//! What a caller gives: strings, lists of strings, structures that begin with their size.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::path::Path;
use std::slice::from_raw_parts;

use brisk_sys::paths::bytes_to_path;

use crate::error::Error;

/// A structure that may grow at its end in later versions. It begins with its size as the caller
/// knows it, which the caller sets.
///
/// # Safety
/// The type is `repr(C)`, its first field is `size: usize`, and it may be all zeros.
pub unsafe trait Growing: Copy {}

/// No structure of any version is larger: a larger size was not set.
const MAX_SIZE: usize = 4096;

/// # Safety
/// `given` points at a size.
unsafe fn size_of_given<T>(given: *const T) -> Result<usize, Error> {
    // SAFETY: the caller promises it.
    let size = unsafe { given.cast::<usize>().read() };
    if (size_of::<usize>()..=MAX_SIZE).contains(&size) {
        Ok(size)
    } else {
        Err(Error::argument("the size of a structure is not set"))
    }
}

/// The caller's options, with zeros for what the caller's version does not have; all zeros if they
/// are NULL.
///
/// # Errors
/// The size was not set, or the caller asks for something that this version does not have.
///
/// # Safety
/// `given` is NULL, or points at as many bytes as it says.
pub unsafe fn options<T: Growing>(given: *const T) -> Result<T, Error> {
    let mut own = MaybeUninit::<T>::zeroed();
    if !given.is_null() {
        // SAFETY: the caller promises it.
        let size = unsafe { size_of_given(given) }?;
        // SAFETY: the caller promises that there are so many bytes.
        let bytes = unsafe { from_raw_parts(given.cast::<u8>(), size) };
        let (known, unknown) = bytes.split_at(size.min(size_of::<T>()));
        if unknown.iter().any(|byte| *byte != 0) {
            return Err(Error::argument("an option that this version of brisk does not have"));
        }
        let to = own.as_mut_ptr().cast::<u8>();
        // SAFETY: `known` is no longer than `own`.
        unsafe { to.copy_from_nonoverlapping(known.as_ptr(), known.len()) };
    }
    // SAFETY: `Growing` promises that zeros are a value, and C's bytes are those of the same fields.
    Ok(unsafe { own.assume_init() })
}

/// Where a result goes: a structure of the caller's, of which as much is written as it has.
pub struct OutStruct<T> {
    at: *mut T,
    size: usize,
}

impl<T: Growing> OutStruct<T> {
    /// # Errors
    /// It is NULL, or its size was not set.
    ///
    /// # Safety
    /// `at` is NULL, or points at as many bytes as it says while the `OutStruct` lives.
    pub unsafe fn new(at: *mut T) -> Result<OutStruct<T>, Error> {
        if at.is_null() {
            return Err(Error::argument("a structure for the result is NULL"));
        }
        // SAFETY: the caller promises it.
        let size = unsafe { size_of_given(at) }?;
        Ok(OutStruct { at, size: size.min(size_of::<T>()) })
    }

    /// Writes the result. Its size becomes the number of bytes that were written.
    pub fn write(&self, value: &T) {
        let from = std::ptr::from_ref(value).cast::<u8>();
        // SAFETY: `new` was promised that there are so many bytes, and `value` has as many.
        unsafe { self.at.cast::<u8>().copy_from_nonoverlapping(from, self.size) };
        // SAFETY: the size is the first field.
        unsafe { self.at.cast::<usize>().write(self.size) };
    }
}

/// A string's bytes; `None` if it is NULL.
///
/// # Safety
/// `text` is NULL or a string, which stays while the result is used.
pub unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller promises it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// The strings of an array.
///
/// # Errors
/// The array or one of the strings is NULL.
///
/// # Safety
/// `first` is NULL, or points at `count` strings, which stay while the result is used.
pub unsafe fn strings<'a>(
    first: *const *const c_char,
    count: usize,
) -> Result<Vec<&'a [u8]>, Error> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if first.is_null() {
        return Err(Error::argument("an array of strings is NULL"));
    }
    // SAFETY: the caller promises it.
    let all = unsafe { from_raw_parts(first, count) };
    // SAFETY: the caller promises that each is a string.
    let strings = all.iter().map(|text| unsafe { bytes(*text) });
    let is_null = || Error::argument("a string is NULL");
    strings.map(|text| text.ok_or_else(is_null)).collect()
}

/// The paths of an array, of which there is at least one.
///
/// # Errors
/// There is none, or one is NULL.
///
/// # Safety
/// As [`strings`].
pub unsafe fn paths<'a>(first: *const *const c_char, count: usize) -> Result<Vec<&'a Path>, Error> {
    // SAFETY: the caller promises it.
    let strings = unsafe { strings(first, count) }?;
    if strings.is_empty() {
        return Err(Error::argument("there is no path"));
    }
    Ok(strings.into_iter().map(bytes_to_path).collect())
}

/// What one of the numbers that an option can have stands for.
///
/// # Errors
/// It is none of them.
pub fn choice<T: Copy>(number: u32, values: &[T], what: &str) -> Result<T, Error> {
    let no_such = || Error::argument(format_args!("no such {what}: {number}"));
    values.get(number as usize).copied().ok_or_else(no_such)
}

/// Whether only bits of `known` are set.
///
/// # Errors
/// Another one is.
pub fn check_bits(bits: u32, known: u32, what: &str) -> Result<(), Error> {
    match bits & !known {
        0 => Ok(()),
        other => Err(Error::argument(format_args!("no such {what}: {other:#x}"))),
    }
}
