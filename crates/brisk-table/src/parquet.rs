//! [`ParquetFile`]: the table as Parquet.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use brisk_sys::threads::lock;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use crate::Column;
use crate::arrays::{Arrays, Owners};
use crate::column::ValueKind;
use crate::gathering::Sink;
use crate::group::Group;
use crate::seal::Sealing;

/// A Parquet file. Each group becomes a row group, which the worker that brings it encodes and
/// compresses; only copying the finished row group to the file is done under a lock. The file has
/// a seal.
pub struct ParquetFile<W: Write + Send> {
    file: Mutex<SerializedFileWriter<Sealing<W>>>,
    encoders: Mutex<ArrowRowGroupWriterFactory>,
    table: Arrays,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// What `to` says.
    pub fn new(to: W, columns: &[Column], owners: Owners) -> io::Result<ParquetFile<W>> {
        let table = Arrays::new(columns, owners, false);
        let properties = Some(properties(&table.columns));
        let writer = ArrowWriter::try_new(Sealing::new(to), table.schema.clone(), properties);
        let (file, encoders) =
            writer.and_then(ArrowWriter::into_serialized_writer).map_err(unwrapped)?;
        Ok(ParquetFile { file: Mutex::new(file), encoders: Mutex::new(encoders), table })
    }

    fn write_group(&self, group: &Group) -> Result<(), ParquetError> {
        let mut encoders = lock(&self.encoders).create_column_writers(0)?;
        for start in (0..group.len()).step_by(BLOCK) {
            let rows = start..group.len().min(start + BLOCK);
            for (at, encoder) in encoders.iter_mut().enumerate() {
                let array = self.table.array(group, rows.clone(), at)?;
                for leaf in compute_leaves(self.table.schema.field(at), &array)? {
                    encoder.write(&leaf)?;
                }
            }
        }
        let finished = encoders.into_iter().map(ArrowColumnWriter::close);
        let finished = finished.collect::<Result<Vec<_>, _>>()?;
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
        let mut file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in metadata {
            file.append_key_value_metadata(KeyValue::new(key.clone(), value.clone()));
        }
        file.flush()?;
        file.inner_mut().begin_end();
        file.finish().map_err(unwrapped)?;
        file.inner_mut().finish()
    }
}

/// The rows whose columns are made at once: all their metadata stays in a core's cache meanwhile.
const BLOCK: usize = 2 << 10;

/// How columns are encoded. Sorted paths differ from their predecessors in a few bytes, so they are
/// stored as differences, and so are small numbers. Many files have the same times, because file
/// systems take them from a clock that ticks every few milliseconds: dictionaries. Access times are
/// finer, and are stored as they are, like sizes.
fn properties(columns: &[Column]) -> WriterProperties {
    let level = ZstdLevel::default();
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        // A page is compressed by itself. Its limit is a mebibyte, and no number of rows.
        .set_data_page_row_count_limit(usize::MAX)
        .set_max_row_group_row_count(None);
    for &column in columns {
        let encoding = match (column, column.kind()) {
            (Column::Size | Column::Atime | Column::Blake3, _) => Encoding::PLAIN,
            (_, ValueKind::Word | ValueKind::Owner | ValueKind::Time) => continue,
            (_, ValueKind::Text | ValueKind::Bytes) => Encoding::DELTA_BYTE_ARRAY,
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
