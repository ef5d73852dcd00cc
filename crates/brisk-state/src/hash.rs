//! Digests of files' contents.

use std::io;
use std::path::Path;

use brisk::{Entry, Error, Operation};

use crate::record::DIGEST;

/// The BLAKE3 digest of a regular file's contents.
pub(crate) fn digest(file: &Path) -> io::Result<[u8; DIGEST]> {
    let file = brisk_sys::whole::open_regular(file)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok(*hasher.finalize().as_bytes())
}

/// The error of an entry whose contents cannot be read.
pub(crate) fn error(entry: &Entry<'_>, error: io::Error) -> Error {
    Error::new(Operation::ReadFile, entry.path(), entry.depth(), error)
}
