//! [`Batches`]: the table in memory, as a stream of Arrow's C data interface.

use std::io;
use std::sync::{Arc, Mutex};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use brisk_sys::threads::lock;

use crate::Column;
use crate::arrays::{Arrays, Owners};
use crate::arrow::unwrapped;
use crate::gathering::Sink;
use crate::group::Group;

/// The table in memory: a batch for each group. Types and names of owners are plain text. A clone
/// has the same batches.
#[derive(Clone)]
pub struct Batches {
    table: Arc<Arrays>,
    batches: Arc<Mutex<Vec<RecordBatch>>>,
}

impl Batches {
    /// No batch yet.
    #[must_use]
    pub fn new(columns: &[Column], owners: Owners) -> Batches {
        let table = Arc::new(Arrays::new(columns, owners, true));
        Batches { table, batches: Arc::default() }
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        lock(&self.batches).iter().map(RecordBatch::num_rows).sum()
    }

    /// A stream of the batches, which are not copied, and of the batches of further groups, each of
    /// which is made when it is asked for.
    #[must_use]
    pub fn stream(
        &self,
        further: impl Iterator<Item = Group> + Send + 'static,
    ) -> FFI_ArrowArrayStream {
        let table = Arc::clone(&self.table);
        let batches = lock(&self.batches).clone().into_iter().map(Ok);
        let batches = batches.chain(further.map(move |group| table.batch(&group)));
        let schema = self.table.schema.clone();
        FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, schema)))
    }
}

impl Sink for Batches {
    fn write(&self, group: &Group) -> io::Result<()> {
        let batch = self.table.batch(group).map_err(unwrapped)?;
        lock(&self.batches).push(batch);
        Ok(())
    }

    fn finish(self: Box<Self>, _: &[(String, String)]) -> io::Result<()> {
        Ok(())
    }
}
