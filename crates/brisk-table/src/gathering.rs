//! [`Gathering`]: the rows of all workers, until there are enough for a group.

use std::io;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

use brisk_sys::threads::{self, lock};

use crate::group::Group;
use crate::rows::Rows;
use crate::{SCHEMA_KEY, SCHEMA_VERSION};

/// The rows of a group. They take about 20 MiB until they are encoded. The rows of a smaller group
/// have less in common, and take more bytes an entry.
const GROUP: usize = 64 << 10;

/// The rows that a worker gathers before it passes them on: enough that the lock is not felt, and
/// few enough that 128 workers hold no more than eight groups.
const HANDFUL: usize = 4 << 10;

/// The least rows of a group that is written at the end, unless there are no more. Encoding them
/// takes as long as starting a hundred threads.
const LEAST_AT_END: usize = 8 << 10;

/// Where groups go. Called from any worker; encodes in the calling thread.
pub trait Sink: Send + Sync {
    /// Writes a group.
    ///
    /// # Errors
    /// What the file or its encoder says.
    fn write(&self, group: &Group) -> io::Result<()>;

    /// Ends the file, whose metadata has these keys and values.
    ///
    /// # Errors
    /// What the file says.
    fn finish(self: Box<Self>, metadata: &[(String, String)]) -> io::Result<()>;
}

/// The rows of all workers, until they are enough for a group.
pub struct Gathering {
    pending: Mutex<Pending>,
    sink: Box<dyn Sink>,
}

#[derive(Default)]
struct Pending {
    parts: Vec<Rows>,
    /// The rows of all parts.
    rows: usize,
    /// How many rows were taken.
    taken: u64,
    /// The first error of the sink.
    error: Option<io::Error>,
}

impl Gathering {
    /// Groups go to this sink.
    #[must_use]
    pub fn new(sink: Box<dyn Sink>) -> Gathering {
        Gathering { pending: Mutex::default(), sink }
    }

    /// Takes a worker's rows if they are a handful. If a group is complete, the calling worker
    /// writes it. `false`: the sink has failed, and [`finish`](Gathering::finish) says why.
    pub fn offer(&self, rows: &mut Rows) -> bool {
        rows.len() < HANDFUL || self.take(rows)
    }

    /// Takes a worker's rows, however few. Returns what [`offer`](Gathering::offer) returns.
    pub fn take(&self, rows: &mut Rows) -> bool {
        if rows.is_empty() {
            return true;
        }
        let rows = std::mem::take(rows);
        let mut pending = lock(&self.pending);
        pending.taken += rows.len() as u64;
        pending.rows += rows.len();
        pending.parts.push(rows);
        if pending.rows < GROUP {
            return pending.error.is_none();
        }
        pending.rows = 0;
        let parts = std::mem::take(&mut pending.parts);
        drop(pending);
        let Err(error) = self.sink.write(&Group::new(parts)) else { return true };
        lock(&self.pending).error.get_or_insert(error);
        false
    }

    /// How many rows were taken.
    pub fn taken(&self) -> u64 {
        lock(&self.pending).taken
    }

    /// Writes what is left, and ends the file, whose metadata has these keys and values besides the
    /// version of the schema.
    ///
    /// # Errors
    /// The first error of the sink.
    pub fn finish(self, mut metadata: Vec<(String, String)>) -> io::Result<()> {
        let rest = self.pending.into_inner().unwrap_or_else(PoisonError::into_inner);
        rest.error.map_or(Ok(()), Err)?;
        write_all(&*self.sink, rest.parts)?;
        metadata.insert(0, (SCHEMA_KEY.to_owned(), SCHEMA_VERSION.to_string()));
        self.sink.finish(&metadata)
    }
}

/// Writes rows as several groups at once, so that no core waits for the last group.
fn write_all(sink: &dyn Sink, parts: Vec<Rows>) -> io::Result<()> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let rows: usize = parts.iter().map(Rows::len).sum();
    let least = rows.div_ceil(cores).max(LEAST_AT_END);
    let mut groups: Vec<Vec<Rows>> = Vec::new();
    let mut room = 0_usize;
    for part in parts {
        match groups.last_mut() {
            Some(group) if room > 0 => {
                room = room.saturating_sub(part.len());
                group.push(part);
            }
            _ => {
                room = least.saturating_sub(part.len());
                groups.push(vec![part]);
            }
        }
    }
    let groups: Mutex<Vec<Vec<Rows>>> = Mutex::new(groups);
    let count = lock(&groups).len();
    let write_some = || {
        let next = || lock(&groups).pop();
        std::iter::from_fn(next).try_for_each(|parts| sink.write(&Group::new(parts)))
    };
    // If the system refuses a thread, the others write its group.
    threads::run(count, write_some)
}
