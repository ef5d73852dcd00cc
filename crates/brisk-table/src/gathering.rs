//! [`Gathering`]: rows of all workers, until they are enough for a group.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::group::Group;
use crate::rows::Rows;
use crate::{SCHEMA_KEY, SCHEMA_VERSION};

/// The rows of a group. Column by column, a group of this size is encoded at the speed of a larger
/// one, and costs its worker about 40 MiB meanwhile.
const GROUP: usize = 128 << 10;

/// The rows that a worker gathers before it hands them on: enough that the lock is not felt, and
/// few enough that 128 workers hold no more than four groups.
const HANDFUL: usize = 4 << 10;

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
    pending: Mutex<Rows>,
    sink: Box<dyn Sink>,
}

impl Gathering {
    /// Groups go to this sink.
    #[must_use]
    pub fn new(sink: Box<dyn Sink>) -> Gathering {
        Gathering { pending: Mutex::default(), sink }
    }

    /// Takes a worker's rows if they are a handful. If a group is complete, the calling worker
    /// writes it.
    ///
    /// # Errors
    /// What the sink says.
    pub fn offer(&self, rows: &mut Rows) -> io::Result<()> {
        if rows.len() < HANDFUL { Ok(()) } else { self.take(rows) }
    }

    /// Takes all of a worker's rows.
    ///
    /// # Errors
    /// What the sink says.
    pub fn take(&self, rows: &mut Rows) -> io::Result<()> {
        let rows = std::mem::take(rows);
        let mut pending = lock(&self.pending);
        pending.append(rows);
        if pending.len() < GROUP {
            return Ok(());
        }
        let group = std::mem::take(&mut *pending);
        drop(pending);
        self.sink.write(&Group::new(group))
    }

    /// Writes what is left, and ends the file, whose metadata has these keys and values besides the
    /// version of the schema.
    ///
    /// # Errors
    /// What the sink says.
    pub fn finish(self, mut metadata: Vec<(String, String)>) -> io::Result<()> {
        let rest = self.pending.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !rest.is_empty() {
            self.sink.write(&Group::new(rest))?;
        }
        metadata.insert(0, (SCHEMA_KEY.to_owned(), SCHEMA_VERSION.to_string()));
        self.sink.finish(&metadata)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
