//! Digests of files' contents.

use std::io::{self, Read};

use brisk_sys::is_link_loop;

use crate::record::DIGEST;

/// The BLAKE3 digest of all that can be read.
pub(crate) fn of(contents: impl Read) -> io::Result<[u8; DIGEST]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(contents)?;
    Ok(*hasher.finalize().as_bytes())
}

/// Whether a file was removed since it was asked about, or something else has its place. Then its
/// directory has changed, and the next rescan says so.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    let is_no_file = error.raw_os_error().is_none() && error.kind() == io::ErrorKind::InvalidInput;
    is_no_file || error.kind() == io::ErrorKind::NotFound || is_link_loop(error)
}
