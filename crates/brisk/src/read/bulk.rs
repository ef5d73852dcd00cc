//! Reading a directory's records, also where a server answers in bulk.
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
//! A local disk reaches none of this: its reads are quick, and a short read is the directory's end.

use std::io;
use std::time::{Duration, Instant};

use brisk_sys::{Buffer, Dir};

use crate::local::Local;
use crate::read::buffers::ReadOn;
use crate::task::{Chunk, DirNode, Kind, Reading};
use crate::visitor::Visitor;

/// Bytes of records below which a short read is taken for all of a directory: the smallest answer
/// with attributes is 4 KiB, which hold 600 bytes of records and more.
const LEAST: usize = 512;
/// The same where a visitor must be shown whether the listing is complete: to ignore files, an
/// incomplete one costs up to four requests. An answer of 64 KiB holds 9,800 bytes of records and
/// more.
const LEAST_LISTED: usize = 8 << 10;
/// Nanoseconds. An answer that took longer did not come with the listing.
const READY: u32 = 100_000;

/// From memory, a directory is opened and read in less than this,
const OPENED: Duration = Duration::from_micros(30);
/// and this for each kibibyte of its records.
const READ: Duration = Duration::from_micros(5);

/// How long opening and reading so many bytes of records takes at most, from memory.
pub(crate) fn quickly_read(bytes: usize) -> Duration {
    OPENED + READ * u32::try_from(bytes >> 10).unwrap_or(u32::MAX)
}

/// Nanoseconds that `calls` requests about one entry took, if they did not wait for a server.
pub(crate) fn ready(took: Duration, calls: u64) -> Option<u32> {
    let nanos = u32::try_from(took.as_nanos()).unwrap_or(u32::MAX).max(1);
    (calls > 0 && nanos <= READY).then_some(nanos)
}

/// Whether a chunk's entries are to be asked about in order, because each answer of so many
/// nanoseconds came with the listing.
pub(crate) fn asks_in_order<K: Kind>(chunk: &Chunk<K>, nanos: u64) -> bool {
    chunk.reading.read_on.asks_first && nanos <= u64::from(READY)
}

/// Reads the first records of a directory: one read where that waits for a server and metadata is
/// wanted, else as many as fill the buffer.
pub(crate) fn read_first<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    node: &DirNode<K>,
    handle: &Dir,
    buffer: &mut Buffer,
) -> (io::Result<bool>, ReadOn) {
    let read_on = ReadOn::default();
    let asks = local.shared.settings.plan.asks() && !K::REMOVES;
    if !asks || node.expected_wait() > READY {
        return read_through(handle, buffer, read_on, &mut local.stats.calls.read);
    }
    let complete = read_once(handle, buffer, &mut local.stats.calls.read);
    let least = if local.shared.settings.needs.listing { LEAST_LISTED } else { LEAST };
    // Attributes leave no room to fill a buffer with records: a full one is a local disk's.
    let is_short = buffer.len() < buffer.capacity() / 4 * 3;
    let may_go_on = matches!(complete, Ok(false)) && is_short && buffer.len() >= least;
    if may_go_on && has_waited(local, buffer.len()) {
        let grown = read_on.grown(buffer.len(), buffer.capacity());
        return (complete, ReadOn { asks_first: true, ..grown });
    }
    match complete {
        Ok(false) => read_through(handle, buffer, read_on, &mut local.stats.calls.read),
        ended => (ended, read_on),
    }
}

/// Reads the next buffer of a directory, as the first answers of the buffer before have decided.
pub(crate) fn read_next<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    reading: &mut Reading<K>,
    buffer: &mut Buffer,
) -> io::Result<bool> {
    let calls = &mut local.stats.calls.read;
    if !reading.read_on.asks_first {
        let (complete, read_on) = read_through(&reading.handle, buffer, reading.read_on, calls);
        reading.read_on = read_on;
        return complete;
    }
    let complete = read_once(&reading.handle, buffer, calls);
    if has_waited(local, buffer.len()) {
        reading.read_on = reading.read_on.grown(buffer.len(), buffer.capacity());
    }
    complete
}

/// Fills the buffer. A directory that goes on after a short read is a server's: its next buffer is
/// larger.
fn read_through(
    handle: &Dir,
    buffer: &mut Buffer,
    read_on: ReadOn,
    calls: &mut u64,
) -> (io::Result<bool>, ReadOn) {
    let before = buffer.len();
    let fill = handle.fill(buffer);
    *calls += u64::from(fill.calls);
    let went_on = fill.calls > 1 || before > 0 && buffer.len() > before || read_on.has_grown();
    let grows = went_on && matches!(fill.complete, Ok(false));
    let read_on = if grows { read_on.grown(buffer.len(), buffer.capacity()) } else { read_on };
    (fill.complete, read_on)
}

fn read_once(handle: &Dir, buffer: &mut Buffer, calls: &mut u64) -> io::Result<bool> {
    let fill = handle.read(buffer);
    *calls += u64::from(fill.calls);
    fill.complete
}

/// Whether what was read since the last task took longer than from memory. The clock is looked at
/// here, and for that not before the first request.
fn has_waited<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    bytes: usize,
) -> bool {
    let now = Instant::now();
    let waited = now - local.last > quickly_read(bytes);
    let is_known = !waited && !local.shared.settings.needs.listing;
    local.buffers.read_at = is_known.then_some(now);
    waited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_says_whether_attributes_came_along() {
        assert_eq!(ready(Duration::from_micros(3), 1), Some(3_000));
        assert_eq!(ready(Duration::from_millis(1), 1), None);
        assert_eq!(ready(Duration::from_micros(3), 0), None);
    }
}
