//! Reads a directory's records, also from servers that answer in bulk.
//!
//! READDIRPLUS brings attributes with a listing. Its clients (FUSE in its automatic mode, NFS) ask
//! for attributes with the next read only if a lookup followed the last one. So where metadata is
//! wanted and a read has waited, a worker asks about the first entries of a buffer before it reads
//! the next one:
//!
//! ```text
//!   read ─► short, and waited? ─► ask about 1 or 2 ─┬─ at once ─► read on, ask about the rest
//!     │ no                                          └─ waited ─► read on in parallel,
//!     └─► fill the buffer                                   here and below
//! ```
//!
//! The worker asks about the entries of such a buffer in the order of the listing, because a server
//! that prefetches attributes does so in that order.
//!
//! On a local disk none of this happens: its reads are quick. A short read is mostly the
//! last one; the file system's mark, or a read of no bytes, tells whether it was.

use std::io;
use std::time::{Duration, Instant};

use brisk_sys::clock::ThreadClock;
use brisk_sys::{Buffer, Dir};

use crate::drive::task::{Chunk, DirNode, Reading, WalkKind};
use crate::drive::worker::Worker;
use crate::ignore::Rules;
use crate::read::buffers::ReadMode;
use crate::visitor::Visitor;

/// The bytes of records below which a short read counts as a whole directory. The smallest answer
/// with attributes is 4 KiB and holds at least 600 bytes of records.
const LEAST: usize = 512;
/// The same in a walk with ignore rules: there an incomplete listing costs up to four requests. An
/// answer of 64 KiB holds at least 9,800 bytes of records.
const LEAST_WITH_RULES: usize = 8 << 10;
/// A request that takes more nanoseconds than this was answered by the server: its answer had not
/// come with the listing.
const READY: u32 = 100_000;

/// The longest time that opening and reading a directory takes from memory, without the time for
/// its records.
const OPENED: Duration = Duration::from_micros(30);
/// The time to add for each kibibyte of records.
const READ: Duration = Duration::from_micros(5);

/// How long opening a directory and reading this many bytes of records takes at most, from memory.
pub(crate) fn longest_cached_read(bytes: usize) -> Duration {
    OPENED + READ * u32::try_from(bytes >> 10).unwrap_or(u32::MAX)
}

/// The nanoseconds that `calls` requests about one entry took, if they were answered at once; `None`
/// if they waited for a server, or if there were none. A thread that did not sleep waited for none,
/// however long it had no processor.
pub(crate) fn time_if_immediate(took: Duration, slept: bool, calls: u64) -> Option<u32> {
    let nanos = u32::try_from(took.as_nanos()).unwrap_or(u32::MAX).max(1);
    (calls > 0 && (nanos <= READY || !slept)).then_some(nanos.min(READY))
}

/// How often the calling thread has slept, where the system tells.
pub(crate) fn sleeps() -> Option<u64> {
    ThreadClock::quick().map(|used| used.voluntary)
}

/// Whether one worker asks about all of a chunk's entries in order, because answers that take this
/// many nanoseconds came with the listing.
pub(crate) fn answers_came_with_listing<K: WalkKind>(chunk: &Chunk<K>, nanos: u64) -> bool {
    chunk.reading.read_mode.requests_first && nanos <= u64::from(READY)
}

/// Reads the first records of a directory. Makes one read, and stops there if it waited for a
/// server and metadata is wanted. Otherwise, and in a removal, reads until the buffer is full.
pub(crate) fn read_first<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    node: &DirNode<K>,
    handle: &Dir,
    buffer: &mut Buffer,
) -> (io::Result<bool>, ReadMode) {
    let read_mode = ReadMode::default();
    let requests = worker.shared.settings.plan.will_request() && !K::REMOVES;
    if !requests || node.expected_wait() > READY {
        return read_through(handle, buffer, read_mode, &mut worker.stats.calls.read);
    }
    let at_end = read_once(handle, buffer, &mut worker.stats.calls.read);
    let least = if rules_want_listing(worker) { LEAST_WITH_RULES } else { LEAST };
    // Attributes take most of an answer, so a buffer full of records comes from a local disk.
    let is_short = buffer.len() < buffer.capacity() / 4 * 3;
    let may_go_on = matches!(at_end, Ok(false)) && is_short && buffer.len() >= least;
    if may_go_on && read_waited(worker, buffer.len()) {
        let grown = read_mode.grown(buffer.len(), buffer.capacity());
        return (at_end, ReadMode { requests_first: true, ..grown });
    }
    match at_end {
        Ok(false) => read_through(handle, buffer, read_mode, &mut worker.stats.calls.read),
        ended => (ended, read_mode),
    }
}

/// Whether a directory's names may show files of ignore rules.
pub(crate) fn rules_want_listing<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &Worker<'_, V, K>,
) -> bool {
    worker.shared.settings.rules.as_ref().is_some_and(Rules::wants_listing)
}

/// Reads the next buffer of a directory: with one read if the worker asks about the first entries
/// of each buffer, else with as many reads as fill the buffer.
pub(crate) fn read_next<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    reading: &mut Reading<K>,
    buffer: &mut Buffer,
) -> io::Result<bool> {
    let calls = &mut worker.stats.calls.read;
    if !reading.read_mode.requests_first {
        let (at_end, read_mode) = read_through(&reading.handle, buffer, reading.read_mode, calls);
        reading.read_mode = read_mode;
        return at_end;
    }
    let at_end = read_once(&reading.handle, buffer, calls);
    if read_waited(worker, buffer.len()) {
        reading.read_mode = reading.read_mode.grown(buffer.len(), buffer.capacity());
    }
    at_end
}

/// Fills the buffer. A directory that has more after a short read is on a server, and its next
/// buffer is larger.
fn read_through(
    handle: &Dir,
    buffer: &mut Buffer,
    read_mode: ReadMode,
    calls: &mut u64,
) -> (io::Result<bool>, ReadMode) {
    let before = buffer.len();
    let fill = handle.fill(buffer);
    *calls += u64::from(fill.calls);
    let went_on = fill.calls > 1 || before > 0 && buffer.len() > before || read_mode.growths > 0;
    let grows = went_on && matches!(fill.at_end, Ok(false));
    let read_mode =
        if grows { read_mode.grown(buffer.len(), buffer.capacity()) } else { read_mode };
    (fill.at_end, read_mode)
}

fn read_once(handle: &Dir, buffer: &mut Buffer, calls: &mut u64) -> io::Result<bool> {
    let fill = handle.read(buffer);
    *calls += u64::from(fill.calls);
    fill.at_end
}

/// Whether reading took longer than from memory. The clock's value is kept for the first request,
/// which begins now.
fn read_waited<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    bytes: usize,
) -> bool {
    let now = Instant::now();
    let waited = now - worker.piece_began > longest_cached_read(bytes);
    let is_known = !waited && !rules_want_listing(worker);
    worker.buffers.read_at = is_known.then_some(now);
    waited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_says_whether_attributes_came_along() {
        let of =
            |micros, slept, calls| time_if_immediate(Duration::from_micros(micros), slept, calls);
        assert_eq!(of(3, true, 1), Some(3_000));
        assert_eq!(of(1_000, true, 1), None);
        assert_eq!(of(1_000, false, 1), Some(READY));
        assert_eq!(of(3, false, 0), None);
    }
}
