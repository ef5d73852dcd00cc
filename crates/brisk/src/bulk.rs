//! Storage that answers in bulk: how a directory is read on where reading it waits for a server.
//!
//! READDIRPLUS brings attributes with a listing. Clients of it (FUSE in its automatic mode, NFS)
//! ask for attributes with the next read only if a lookup followed the last one. So where metadata
//! is wanted and a read has waited, a worker asks about the first entries of a buffer before the
//! next one is read:
//!
//! ```text
//!   read ─► short, and waited? ─► ask about 1 or 2 ─┬─ at once ─► read on, ask about the rest
//!     │ no                                          └─ waited ─► read on in parallel,
//!     └─► fill the buffer                                   here and below
//! ```
//!
//! The entries of such a buffer are asked about in the order of the listing: a server that fetches
//! attributes ahead of the requests does so in this order.
//!
//! A server answers one request a read, of the size of the buffer: where it waits, buffers grow.
//!
//! A local disk reaches none of this: its reads are quick, and a short read is the directory's end.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use brisk_sys::{Buffer, Dir};

use crate::driver::Driver;
use crate::queue::{Chunk, Reading, Unit};
use crate::sched::lock;
use crate::stuck::quickly_read;
use crate::tree::Node;
use crate::worker::{BUFFER, Worker};

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
/// Bytes of records below which a short read is taken for all of a directory: the smallest answer
/// with attributes is 4 KiB, which hold 600 bytes of records and more.
const LEAST: usize = 512;
/// The same where a visitor must be shown whether the listing is complete: to ignore files, an
/// incomplete one costs up to four requests. An answer of 64 KiB holds 9,800 bytes of records and
/// more.
const LEAST_LISTED: usize = 8 << 10;
/// Nanoseconds. An answer that took longer did not come with the listing.
const READY: u32 = 100_000;
/// Entries that are asked about before the next read, until one answers at once: the first may cost
/// a request that tells what the file system lacks, as extended attributes, and a worker may be
/// preempted.
const FIRST: usize = 2;

/// How a directory is read on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadOn {
    /// The first entries of a buffer are asked about before the next one is read.
    pub asks_first: bool,
    /// How often buffers have grown.
    steps: u8,
}

/// Nanoseconds that `calls` requests about one entry took, if they did not wait for a server.
fn ready(took: Duration, calls: u64) -> Option<u32> {
    let nanos = u32::try_from(took.as_nanos()).unwrap_or(u32::MAX).max(1);
    (calls > 0 && nanos <= READY).then_some(nanos)
}

impl ReadOn {
    /// The size of the next buffer, in bytes.
    fn size(self) -> usize {
        BUFFER << (STEP * u32::from(self.steps))
    }

    /// After a read of `len` bytes into `capacity` that waited for a server.
    fn grown(self, len: usize, capacity: usize) -> ReadOn {
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
    fn take(self: &Arc<Pool>, bytes: usize) -> Option<Lease> {
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

/// What a worker leaves to others while the first entries of a chunk are asked about: if they are
/// not answered, the guard takes it.
pub(crate) struct Rest<S> {
    /// Where the records begin that were not asked about.
    from: usize,
    next: Unit<S>,
}

impl<V: Driver> Worker<'_, '_, V> {
    /// Reads the first records of a directory: one read where that waits for a server and metadata
    /// is wanted, else as many as fill the buffer.
    pub fn read_first(
        &mut self,
        node: &Node<V::State>,
        handle: &Dir,
        buffer: &mut Buffer,
    ) -> (std::io::Result<bool>, ReadOn) {
        let read_on = ReadOn::default();
        if !self.asks_first(node) {
            return self.read_through(handle, buffer, read_on);
        }
        let complete = self.read_once(handle, buffer);
        let least = if self.shared.needs.listing { LEAST_LISTED } else { LEAST };
        // Attributes leave no room to fill a buffer with records: a full one is a local disk's.
        let is_short = buffer.len() < buffer.capacity() / 4 * 3;
        let may_go_on = matches!(complete, Ok(false)) && is_short && buffer.len() >= least;
        if may_go_on && self.has_waited(buffer.len()) {
            let grown = read_on.grown(buffer.len(), buffer.capacity());
            return (complete, ReadOn { asks_first: true, ..grown });
        }
        match complete {
            Ok(false) => self.read_through(handle, buffer, read_on),
            ended => (ended, read_on),
        }
    }

    /// Reads the next buffer of a directory, as the first answers of the buffer before have decided.
    pub fn read_next(
        &mut self,
        reading: &mut Reading<V::State>,
        buffer: &mut Buffer,
    ) -> std::io::Result<bool> {
        if !reading.read_on.asks_first {
            let (complete, read_on) = self.read_through(&reading.handle, buffer, reading.read_on);
            reading.read_on = read_on;
            return complete;
        }
        let complete = self.read_once(&reading.handle, buffer);
        if self.has_waited(buffer.len()) {
            reading.read_on = reading.read_on.grown(buffer.len(), buffer.capacity());
        }
        complete
    }

    /// Fills the buffer. A directory that goes on after a short read is a server's: its next buffer
    /// is larger.
    fn read_through(
        &mut self,
        handle: &Dir,
        buffer: &mut Buffer,
        read_on: ReadOn,
    ) -> (std::io::Result<bool>, ReadOn) {
        let before = buffer.len();
        let fill = handle.fill(buffer);
        self.stats.calls.read += u64::from(fill.calls);
        let went_on = fill.calls > 1 || before > 0 && buffer.len() > before || read_on.steps > 0;
        let grows = went_on && matches!(fill.complete, Ok(false));
        let read_on = if grows { read_on.grown(buffer.len(), buffer.capacity()) } else { read_on };
        (fill.complete, read_on)
    }

    fn read_once(&mut self, handle: &Dir, buffer: &mut Buffer) -> std::io::Result<bool> {
        let fill = handle.read(buffer);
        self.stats.calls.read += u64::from(fill.calls);
        fill.complete
    }

    /// Whether entries of this directory will probably be asked about, and their answers may have
    /// come with the listing.
    fn asks_first(&self, node: &Node<V::State>) -> bool {
        let plan = &self.shared.plan;
        let asks = !plan.likely.is_empty() || plan.asks_for_itself();
        asks && !self.shared.removes && node.expected_wait() <= READY
    }

    /// Whether what was read since the last unit took longer than from memory. The clock is looked
    /// at here, and for that not before the first request.
    fn has_waited(&mut self, bytes: usize) -> bool {
        let now = Instant::now();
        let waited = now - self.last > quickly_read(bytes);
        self.read_at = (!waited && !self.shared.needs.listing).then_some(now);
        waited
    }

    /// An empty buffer for what comes next of a directory: a large one, if there is room in the
    /// pool.
    pub fn next_buffer(&mut self, read_on: ReadOn) -> Buffer {
        let size = read_on.size();
        if size > BUFFER {
            let pool = self.shared.pool.get_or_init(Arc::default);
            self.lease = pool.take(size);
        }
        match &self.lease {
            Some(_) => Buffer::with_capacity(size),
            None => self.spare_buffer(),
        }
    }

    /// Asks about the first entries of a chunk, has the directory read on, and returns what is left
    /// of the chunk. Nothing is left if the answers do not come and the guard has taken the rest
    /// over.
    pub fn ask_first(
        &mut self,
        chunk: &Arc<Chunk<V::State>>,
        next: Unit<V::State>,
    ) -> Range<usize> {
        let end = chunk.buffer.len();
        let (mut from, mut waits) = (0, false);
        *lock(&chunk.rest) = Some(Rest { from, next });
        for _ in 0..FIRST {
            let mut records = chunk.buffer.entries_and_dots(from..end, self.shared.dots);
            records.next();
            let first = from..end - records.remaining();
            from = first.end;
            match &mut *lock(&chunk.rest) {
                Some(rest) => rest.from = from,
                None => return end..end,
            }
            let (began, calls) = (Instant::now(), self.stats.calls.total());
            self.sift(chunk, first);
            let calls = self.stats.calls.total() - calls;
            if let Some(nanos) = ready(began.elapsed(), calls) {
                chunk.reading.node.expect_wait(nanos);
                waits = false;
                break;
            }
            waits |= calls > 0;
        }
        let Some(Rest { mut next, .. }) = lock(&chunk.rest).take() else { return end..end };
        if let Unit::Continue(reading, _) = &mut next {
            reading.read_on.asks_first = !waits;
        }
        self.add(next);
        from..end
    }

    /// Queues what a worker left that waits for the first answers of a chunk.
    pub fn take_rest(&mut self, chunk: &Arc<Chunk<V::State>>, size: usize) {
        let Some(Rest { from, next }) = lock(&chunk.rest).take() else { return };
        self.add(next);
        let end = chunk.buffer.len();
        let records = chunk.buffer.entries_and_dots(from..end, self.shared.dots);
        self.split(chunk, records, end, size);
    }
}

impl<S> Chunk<S> {
    /// Whether its entries are to be asked about in order, because each answer of so many
    /// nanoseconds came with the listing.
    pub fn asks_in_order(&self, nanos: u64) -> bool {
        self.reading.read_on.asks_first && nanos <= u64::from(READY)
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

    #[test]
    fn one_answer_says_whether_attributes_came_along() {
        assert_eq!(ready(Duration::from_micros(3), 1), Some(3_000));
        assert_eq!(ready(Duration::from_millis(1), 1), None);
        assert_eq!(ready(Duration::from_micros(3), 0), None);
    }
}
