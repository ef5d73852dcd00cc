//! Digests of files' contents.

use std::io::{self, Read};
use std::path::Path;

use brisk_sys::whole::open_regular;

use crate::record::DIGEST;

/// The BLAKE3 digest of a regular file's contents.
pub(crate) fn digest(file: &Path) -> io::Result<[u8; DIGEST]> {
    of(open_regular(file)?)
}

/// The BLAKE3 digest of all that can be read.
pub(crate) fn of(contents: impl Read) -> io::Result<[u8; DIGEST]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(contents)?;
    Ok(*hasher.finalize().as_bytes())
}
