//! [`ParquetFile`]: the table as Parquet.

use std::io::{self, Write};
use std::sync::Mutex;

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use crate::Column;
use crate::arrays::{Owners, Table};
use crate::gathering::{Sink, lock};
use crate::group::Group;

/// A Parquet file. Each group becomes a row group, which the worker that brings it encodes and
/// compresses; only copying the finished row group to the file is done under a lock.
pub struct ParquetFile<W: Write + Send> {
    file: Mutex<SerializedFileWriter<W>>,
    encoders: ArrowRowGroupWriterFactory,
    table: Table,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// What `to` says.
    pub fn new(to: W, columns: &[Column], owners: Owners) -> io::Result<ParquetFile<W>> {
        let table = Table::new(columns, owners, false);
        let schema = table.schema.clone();
        let writer = ArrowWriter::try_new(to, schema, Some(properties(columns)));
        let (file, encoders) =
            writer.and_then(ArrowWriter::into_serialized_writer).map_err(unwrapped)?;
        Ok(ParquetFile { file: Mutex::new(file), encoders, table })
    }

    fn write_group(&self, group: &Group) -> Result<(), ParquetError> {
        let mut finished = Vec::with_capacity(self.table.columns.len());
        let encoders = self.encoders.create_column_writers(0)?;
        // Column by column, so that one array at a time is in memory.
        for (at, mut encoder) in encoders.into_iter().enumerate() {
            let array = self.table.array(group, at)?;
            for leaf in compute_leaves(self.table.schema.field(at), &array)? {
                encoder.write(&leaf)?;
            }
            finished.push(encoder.close()?);
        }
        let mut file = lock(&self.file);
        let mut row_group = file.next_row_group()?;
        for column in finished {
            column.append_to_row_group(&mut row_group)?;
        }
        row_group.close()?;
        Ok(())
    }
}

impl<W: Write + Send> Sink for ParquetFile<W> {
    fn write(&self, group: &Group) -> io::Result<()> {
        self.write_group(group).map_err(unwrapped)
    }

    fn finish(self: Box<Self>, metadata: &[(String, String)]) -> io::Result<()> {
        let file = self.file.into_inner();
        let mut file = file.unwrap_or_else(std::sync::PoisonError::into_inner);
        for (key, value) in metadata {
            let (key, value) = (key.clone(), Some(value.clone()));
            file.append_key_value_metadata(KeyValue { key, value });
        }
        file.finish().map_err(unwrapped)?;
        file.flush()
    }
}

/// How columns are encoded. Sorted paths differ from their predecessors in a few bytes, so they are
/// stored as differences, and so are numbers: on a tree of npm packages an entry takes 20 bytes
/// like this, 24.5 with dictionaries.
fn properties(columns: &[Column]) -> WriterProperties {
    let level = ZstdLevel::default();
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(None);
    for &column in columns {
        let encoding = match column {
            Column::Type | Column::User | Column::Group => continue,
            Column::Path | Column::Text | Column::Name | Column::Parent | Column::LinkTarget => {
                Encoding::DELTA_BYTE_ARRAY
            }
            Column::Blake3 => Encoding::PLAIN,
            _ => Encoding::DELTA_BINARY_PACKED,
        };
        let path = ColumnPath::from(column.name());
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, encoding);
    }
    properties.build()
}

/// The system's error, if it is one.
pub(crate) fn unwrapped(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
