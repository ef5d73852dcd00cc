//! The sizes of buffers, and the memory that they may take.
//!
//! A server answers one request a read, of the size of the buffer: where that waits, buffers grow.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use brisk_sys::Buffer;

/// Bytes of records in an ordinary buffer: about a thousand entries. Larger ones gain nothing that
/// can be measured; a page that is never written to costs nothing.
pub(crate) const BUFFER: usize = 64 << 10;
/// By how many bits each buffer is larger than the one before: 64 KiB, 256 KiB, 1 MiB. Of 4,000
/// names with attributes, these make 4 reads, where 64 KiB alone make 12.
const STEP: u32 = 2;
/// How often a directory's buffers grow. A FUSE file system answers at most 1 MiB to a read.
const MOST_STEPS: u8 = 2;
/// Bytes that the grown buffers of a walk may take together.
const POOL: usize = 4 << 20;
/// A read that brought less than this share of its buffer would bring no more to a larger one:
/// older kernels ask a FUSE server for 4 KiB at a time. Attributes take at least 5 of 6 bytes of an
/// answer.
const SHARE: usize = 8;

/// How a directory is read on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadOn {
    /// The first entries of a buffer are asked about before the next one is read.
    pub asks_first: bool,
    /// How often buffers have grown.
    pub steps: u8,
}

impl ReadOn {
    /// The size of the next buffer, in bytes.
    pub fn size(self) -> usize {
        BUFFER << (STEP * u32::from(self.steps))
    }

    /// Whether buffers have grown.
    pub fn has_grown(self) -> bool {
        self.steps > 0
    }

    /// After a read of `len` bytes into `capacity` that waited for a server.
    pub fn grown(self, len: usize, capacity: usize) -> ReadOn {
        let brings_more = len > capacity / SHARE && capacity >= self.size();
        let steps = if brings_more { (self.steps + 1).min(MOST_STEPS) } else { self.steps };
        ReadOn { steps, ..self }
    }
}

/// What is left of the memory for grown buffers.
#[derive(Debug)]
pub(crate) struct Pool(AtomicUsize);

/// A buffer's part of the pool, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    pool: Arc<Pool>,
    bytes: usize,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool(AtomicUsize::new(POOL))
    }
}

impl Pool {
    /// Takes that much, if it is there.
    pub fn take(self: &Arc<Pool>, bytes: usize) -> Option<Lease> {
        let take = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Lease { pool: Arc::clone(self), bytes })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.pool.0.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// A worker's buffers.
#[derive(Default)]
pub(crate) struct ReadBuffers {
    spare: Option<Buffer>,
    /// The part of the pool that the buffer takes which is being filled.
    pub lease: Option<Lease>,
    /// When the first read of the directory ended, where that was looked at.
    pub read_at: Option<Instant>,
}

impl ReadBuffers {
    /// An empty buffer of the ordinary size.
    pub fn ordinary(&mut self) -> Buffer {
        let mut buffer = self.spare.take().unwrap_or_else(|| Buffer::with_capacity(BUFFER));
        buffer.clear();
        buffer
    }

    /// An empty buffer for what comes next of a directory: a large one, if there is room in the
    /// pool.
    pub fn next(&mut self, read_on: ReadOn, pool: &OnceLock<Arc<Pool>>) -> Buffer {
        let size = read_on.size();
        if size > BUFFER {
            self.lease = pool.get_or_init(Arc::default).take(size);
        }
        match &self.lease {
            Some(_) => Buffer::with_capacity(size),
            None => self.ordinary(),
        }
    }

    /// Keeps a buffer for the next directory. The roots' records come in one of another size.
    pub fn give_back(&mut self, buffer: Buffer) {
        self.spare = Some(buffer).filter(|buffer| buffer.capacity() == BUFFER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_grow_where_reads_bring_what_fits() {
        let first = ReadOn { asks_first: true, steps: 0 };
        assert_eq!(first.size(), 64 << 10);
        // 390 names with their attributes fill 64 KiB of an answer, and 12 KiB of records.
        let second = first.grown(12 << 10, 64 << 10);
        assert_eq!(second.size(), 256 << 10);
        let third = second.grown(50 << 10, 256 << 10);
        assert_eq!(third.size(), 1 << 20);
        assert_eq!(third.grown(200 << 10, 1 << 20), third);
        assert!(third.asks_first);
    }

    #[test]
    fn buffers_stay_where_a_larger_one_brings_no_more() {
        let first = ReadOn::default();
        assert_eq!(first.grown(800, 64 << 10), first);
        let second = first.grown(60 << 10, 64 << 10);
        assert_eq!(second.grown(31 << 10, 256 << 10), second);
        // The pool was empty: the read says nothing of a larger buffer.
        assert_eq!(second.grown(60 << 10, 64 << 10), second);
    }

    #[test]
    fn a_pool_is_never_overdrawn() {
        let pool = Arc::<Pool>::default();
        let leases: Vec<_> = (0..9).map_while(|_| pool.take(1 << 20)).collect();
        assert_eq!(leases.len(), 4);
        assert!(pool.take(1).is_none());
        drop(leases);
        assert!(pool.take(POOL).is_some());
    }
}
