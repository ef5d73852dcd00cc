//! Answers to readdir: filling fuser's buffer, and the one form that fuser cannot express.
//!
//! fuser has no file type for DT_UNKNOWN. For `--unknown-types` the answer is therefore encoded
//! here and written to the FUSE device directly. fuser's own reply is still filled, because it
//! knows how much fits. When it is dropped afterwards, it writes an EIO for a request that is
//! answered already; the kernel refuses that without any effect.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

use fuser::{FileType, INodeNo, ReplyDirectory, RequestId};

use crate::look::Kind;
use crate::tree::Entry;

/// Length of `struct fuse_out_header`: u32 length, i32 error, u64 request number.
const OUT_HEADER: usize = 16;

/// The FUSE device, set once the tree is mounted.
pub(crate) type Device = Arc<OnceLock<File>>;

/// The d_type of a kind.
pub(crate) fn file_type(kind: Kind) -> FileType {
    match kind {
        Kind::Dir => FileType::Directory,
        Kind::Regular => FileType::RegularFile,
        Kind::LinkToFile | Kind::LinkToDir | Kind::Dangling => FileType::Symlink,
    }
}

/// Fills the reply with entries until it is full. With each entry goes the position after it.
pub(crate) fn fill(reply: &mut ReplyDirectory, entries: impl Iterator<Item = (u64, Entry)>) {
    for (next, entry) in entries {
        let kind = file_type(entry.kind);
        if reply.add(INodeNo(entry.ino), next, kind, entry.name) {
            break;
        }
    }
}

/// An answer whose entries all have the type DT_UNKNOWN.
pub(crate) struct Untyped {
    bytes: Vec<u8>,
}

impl Untyped {
    /// As many entries as `reply` has room for.
    pub(crate) fn fill(
        request: RequestId,
        reply: &mut ReplyDirectory,
        entries: impl Iterator<Item = (u64, Entry)>,
    ) -> Untyped {
        let mut answer = Untyped { bytes: vec![0; OUT_HEADER] };
        for (next, entry) in entries {
            let kind = file_type(entry.kind);
            if reply.add(INodeNo(entry.ino), next, kind, &entry.name) {
                break;
            }
            answer.push(entry.ino, next, entry.name.as_bytes());
        }
        let length = answer.bytes.len() as u32;
        answer.bytes[0..4].copy_from_slice(&length.to_ne_bytes());
        answer.bytes[8..16].copy_from_slice(&request.0.to_ne_bytes());
        answer
    }

    /// Appends a `struct fuse_dirent`: u64 inode, u64 next offset, u32 name length, u32 type,
    /// the name, zeros up to a multiple of eight bytes.
    fn push(&mut self, ino: u64, offset: u64, name: &[u8]) {
        const DT_UNKNOWN: u32 = 0;
        self.bytes.extend_from_slice(&ino.to_ne_bytes());
        self.bytes.extend_from_slice(&offset.to_ne_bytes());
        self.bytes.extend_from_slice(&(name.len() as u32).to_ne_bytes());
        self.bytes.extend_from_slice(&DT_UNKNOWN.to_ne_bytes());
        self.bytes.extend_from_slice(name);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    /// Writes the answer in one piece, as the FUSE device wants it, and drops fuser's reply.
    pub(crate) fn send(self, device: &Device, reply: ReplyDirectory) {
        let written = device.get().map_or_else(
            || Err(io::Error::from(io::ErrorKind::NotConnected)),
            |mut device| device.write(&self.bytes),
        );
        match written {
            Ok(_) => drop(reply),
            Err(_) => reply.error(fuser::Errno::EIO),
        }
    }
}
