//! The sizes of read buffers, and the [`Pool`] of memory for large ones.
//!
//! A server gets one request for each read, of the size of the buffer. Where a read waits for a
//! server, the buffers of that directory grow.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use brisk_sys::Buffer;

use crate::tree::{HandleBudget, Permit};

/// The bytes of an ordinary buffer: records of about a thousand entries. Larger buffers bring no
/// gain that can be measured; a page that is never written to costs nothing.
pub(crate) const BUFFER: usize = 64 << 10;
/// The bits by which each buffer's size is shifted from the one before: 64 KiB, 256 KiB, 1 MiB.
/// Reading 4,000 names with attributes takes 4 such reads, and 12 reads of 64 KiB.
const GROWTH_BITS: u32 = 2;
/// How many times a directory's buffers may grow: a FUSE file system answers a read with 1 MiB at
/// most.
const MAX_GROWTHS: u8 = 2;
/// The bytes that all grown buffers of a walk may take together: four of the largest.
const POOL: usize = 4 << 20;
/// Buffers grow only after a read that fills at least one part in this many. Attributes take at
/// least 5 of 6 bytes of an answer, so records that fill an eighth may be a full answer. A read of
/// fewer bytes would not bring more into a larger buffer (older kernels ask a FUSE server for 4 KiB
/// at a time).
const SHARE: usize = 8;

/// How the next buffers of a directory are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadMode {
    /// The metadata of a buffer's first entries is requested before the next buffer is read.
    pub requests_first: bool,
    /// How many times buffers have grown.
    pub growths: u8,
}

impl ReadMode {
    /// The size of the next buffer, in bytes.
    pub fn size(self) -> usize {
        BUFFER << (GROWTH_BITS * u32::from(self.growths))
    }

    /// How to read on after a read of `len` bytes into a buffer of `capacity` bytes that waited for
    /// a server.
    pub fn grown(self, len: usize, capacity: usize) -> ReadMode {
        let brings_more = len > capacity / SHARE && capacity >= self.size();
        let growths = if brings_more { (self.growths + 1).min(MAX_GROWTHS) } else { self.growths };
        ReadMode { growths, ..self }
    }
}

/// The memory for grown buffers: a budget of bytes, not of handles.
pub(crate) type Pool = HandleBudget;
/// So many bytes of it.
pub(crate) type Lease = Permit;

/// A worker's buffers.
#[derive(Default)]
pub(crate) struct ReadBuffers {
    spare: Option<Buffer>,
    /// The right to the buffer that the worker reads into, if that has grown.
    pub lease: Option<Lease>,
    /// When the last read ended, if the worker looked at the clock then.
    pub read_at: Option<Instant>,
}

impl ReadBuffers {
    /// An empty buffer of the ordinary size.
    pub fn ordinary(&mut self) -> Buffer {
        let mut buffer = self.spare.take().unwrap_or_else(|| Buffer::with_capacity(BUFFER));
        buffer.clear();
        buffer
    }

    /// An empty buffer for the next read of a directory: a large one if the pool has room.
    pub fn next(&mut self, read_mode: ReadMode, pool: &OnceLock<Arc<Pool>>) -> Buffer {
        let size = read_mode.size();
        if size > BUFFER {
            self.lease = pool.get_or_init(|| Pool::new(POOL)).take(size);
        }
        match &self.lease {
            Some(_) => Buffer::with_capacity(size),
            None => self.ordinary(),
        }
    }

    /// Stores a buffer for the next directory, unless its size is not the ordinary one.
    pub fn give_back(&mut self, buffer: Buffer) {
        self.spare = Some(buffer).filter(|buffer| buffer.capacity() == BUFFER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_grow_where_reads_bring_what_fits() {
        let first = ReadMode { requests_first: true, growths: 0 };
        assert_eq!(first.size(), 64 << 10);
        // 390 names with their attributes fill 64 KiB of an answer, and 12 KiB of records.
        let second = first.grown(12 << 10, 64 << 10);
        assert_eq!(second.size(), 256 << 10);
        let third = second.grown(50 << 10, 256 << 10);
        assert_eq!(third.size(), 1 << 20);
        assert_eq!(third.grown(200 << 10, 1 << 20), third);
        assert!(third.requests_first);
    }

    #[test]
    fn buffers_stay_where_a_larger_one_brings_no_more() {
        let first = ReadMode::default();
        assert_eq!(first.grown(800, 64 << 10), first);
        let second = first.grown(60 << 10, 64 << 10);
        assert_eq!(second.grown(31 << 10, 256 << 10), second);
        // The pool was empty: the read says nothing of a larger buffer.
        assert_eq!(second.grown(60 << 10, 64 << 10), second);
    }
}
