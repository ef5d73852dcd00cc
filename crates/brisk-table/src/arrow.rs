//! [`ArrowFile`]: the table as an Arrow IPC file.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use brisk_sys::threads::lock;

use crate::Column;
use crate::arrays::{Arrays, Owners};
use crate::gathering::Sink;
use crate::group::Group;

/// An Arrow IPC file. Each group becomes a batch. Types and names of owners are plain text: a file
/// has one dictionary a column, which would have to be complete before the first batch.
pub struct ArrowFile<W: Write + Send> {
    file: Mutex<FileWriter<W>>,
    table: Arrays,
}

impl<W: Write + Send> ArrowFile<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// What `to` says.
    pub fn new(to: W, columns: &[Column], owners: Owners) -> io::Result<ArrowFile<W>> {
        let table = Arrays::new(columns, owners, true);
        let file = FileWriter::try_new(to, &table.schema).map_err(unwrapped)?;
        Ok(ArrowFile { file: Mutex::new(file), table })
    }
}

impl<W: Write + Send> Sink for ArrowFile<W> {
    fn write(&self, group: &Group) -> io::Result<()> {
        let batch = self.table.batch(group).map_err(unwrapped)?;
        lock(&self.file).write(&batch).map_err(unwrapped)
    }

    fn finish(self: Box<Self>, metadata: &[(String, String)]) -> io::Result<()> {
        let mut file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in metadata {
            file.write_metadata(key, value);
        }
        file.finish().and_then(|()| file.flush()).map_err(unwrapped)
    }
}

/// The system's error, if it is one.
pub(crate) fn unwrapped(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}
