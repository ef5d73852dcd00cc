//! The owner of a file, by name. The system is asked once for each owner, because it may have to
//! ask another machine.

use std::collections::HashMap;
use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle};
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use windows_sys::Win32::Security::{
    GetKernelObjectSecurity, LookupAccountSidW, OWNER_SECURITY_INFORMATION,
};

use super::call::bytes_of;
use crate::nt::{owner, wtf8};

/// The access right to read a security descriptor.
pub(super) const READ_CONTROL: u32 = 0x2_0000;

/// The size, in bytes, of the longest answer: 20 bytes of the descriptor, and an identifier with a
/// header of 8 bytes and the most parts that there can be, 15 of 4 bytes.
const ROOM: usize = 20 + 8 + 15 * 4;

/// The space for a name, and for a domain, in units of UTF-16. Windows's names have at most 256.
const LONGEST_NAME: usize = 512;

/// Names by identifiers.
type Names = HashMap<Vec<u8>, Box<[u8]>>;

static KNOWN: Mutex<Option<Names>> = Mutex::new(None);

/// The owner of an open file, `DOMAIN\name`; the identifier as text if the system knows no name.
/// One GetKernelObjectSecurity, and one LookupAccountSid for each owner.
pub(super) fn of(file: BorrowedHandle<'_>) -> io::Result<Option<Box<[u8]>>> {
    let mut space = [0_u64; ROOM.div_ceil(8)];
    let mut length = 0;
    let place = space.as_mut_ptr().cast();
    let room = size_of_val(&space) as u32;
    let handle = file.as_raw_handle();
    let wanted = OWNER_SECURITY_INFORMATION;
    // SAFETY: the handle is borrowed, hence open. `place` has `room` bytes, and the call writes the
    // length to `length`.
    if unsafe { GetKernelObjectSecurity(handle, wanted, place, room, &raw mut length) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let Some(identifier) = owner::of(bytes_of(&space, length as usize)) else { return Ok(None) };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(name) = known.get(identifier) {
        return Ok(Some(name.clone()));
    }
    let name = name(identifier).or_else(|| owner::text(identifier).map(String::into_bytes));
    let Some(name) = name.map(Vec::into_boxed_slice) else { return Ok(None) };
    known.insert(identifier.to_vec(), name.clone());
    Ok(Some(name))
}

/// The name of an account: its domain, a `\`, and its own name.
fn name(identifier: &[u8]) -> Option<Vec<u8>> {
    let mut aligned = [0_u32; ROOM / 4];
    for (part, bytes) in aligned.iter_mut().zip(identifier.chunks_exact(4)) {
        *part = u32::from_ne_bytes(bytes.try_into().ok()?);
    }
    let mut name = [0_u16; LONGEST_NAME];
    let mut domain = [0_u16; LONGEST_NAME];
    let mut name_length = LONGEST_NAME as u32;
    let mut domain_length = LONGEST_NAME as u32;
    let mut kind = 0;
    let sid = aligned.as_mut_ptr().cast();
    // SAFETY: `sid` is a whole identifier. `name` and `domain` have as many units as their lengths
    // say, and the call writes the kind to `kind`.
    let done = unsafe {
        LookupAccountSidW(
            null(),
            sid,
            name.as_mut_ptr(),
            &raw mut name_length,
            domain.as_mut_ptr(),
            &raw mut domain_length,
            &raw mut kind,
        )
    };
    if done == 0 {
        return None;
    }
    let mut whole = Vec::new();
    let mut append = |text: &[u16]| {
        let units = text.iter().take_while(|unit| **unit != 0);
        let bytes: Vec<u8> = units.flat_map(|unit| unit.to_le_bytes()).collect();
        wtf8::append_utf16le(&mut whole, &bytes);
    };
    append(&domain);
    if domain[0] != 0 {
        append(&[u16::from(b'\\')]);
    }
    append(&name);
    Some(whole)
}
