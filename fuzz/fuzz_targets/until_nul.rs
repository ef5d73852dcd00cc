//! Names are cut at their first NUL, eight bytes at a time, as the standard library does it.

#![no_main]

use std::ffi::CStr;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Every alignment of the same bytes.
    for from in 0..bytes.len().min(8) {
        let bytes = &bytes[from..];
        assert_eq!(brisk_sys::until_nul(bytes), CStr::from_bytes_until_nul(bytes).ok());
    }
});
