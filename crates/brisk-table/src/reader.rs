//! [`Scan`]: a Parquet file of entries, read one row group at a time.

use std::fmt;
use std::fs::File;
use std::io;
use std::sync::Mutex;

use brisk_sys::threads::lock;
use bytes::Bytes;
use bytes::buf::Reader;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use crate::record::Batch;
use crate::{Column, SCHEMA_KEY, SCHEMA_VERSION, seal};

/// The rows of a batch: enough that the calls are not felt, and few enough for a core's cache.
const BATCH: usize = 4096;

/// A Parquet file that `brisk scan` has written.
pub struct Scan {
    /// A file has one place at which it is read, so one thread reads at a time.
    file: Mutex<File>,
    metadata: ArrowReaderMetadata,
    /// The columns that are read.
    columns: Vec<Column>,
    is_sealed: bool,
}

/// Why a file is not a table that can be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unusable {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is no Parquet file, or is cut off or damaged.
    Damaged,
    /// The file is a Parquet file of another program.
    Foreign,
    /// The schema is of this other version.
    Version(u32),
    /// The table lacks this column.
    Missing(Column),
    /// The values of this column are of another type.
    Type(Column),
    /// Another program has compressed the values, in a way that is not zstd.
    Compressed,
    /// The temporary file in which the rows are sorted cannot be written.
    Unsorted(io::Error),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Unreadable(error) => write!(f, "the table cannot be read: {error}"),
            Unusable::Damaged => f.write_str("the table is damaged"),
            Unusable::Foreign => f.write_str("the file is not a table of brisk scan"),
            Unusable::Version(version) => {
                write!(f, "the table has version {version}, which this brisk cannot read")
            }
            Unusable::Missing(column) => write!(f, "the table has no column '{}'", column.name()),
            Unusable::Type(column) => {
                write!(f, "the column '{}' has values of another type", column.name())
            }
            Unusable::Compressed => f.write_str("the table is compressed, and not with zstd"),
            Unusable::Unsorted(error) => write!(f, "the table cannot be sorted: {error}"),
        }
    }
}

impl std::error::Error for Unusable {}

impl Scan {
    /// Reads the metadata of a file, of which paths and these columns will be read, as far as it
    /// has them and they are not computed from others. A table with a seal is read whole before, to
    /// see whether any bit of it has changed.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or is not a table of entries with paths.
    pub fn of(file: File, columns: &[Column]) -> Result<Scan, Unusable> {
        let is_sealed = match seal::is_whole(&file).map_err(Unusable::Unreadable)? {
            Some(false) => return Err(Unusable::Damaged),
            seal => seal.is_some(),
        };
        let metadata = ArrowReaderMetadata::load(&file, Default::default());
        let metadata = metadata.map_err(|error| why(crate::parquet::unwrapped(error)))?;
        let length = file.metadata().map_err(Unusable::Unreadable)?.len();
        if !is_inside(metadata.metadata(), length) {
            return Err(Unusable::Damaged);
        }
        let chunks = metadata.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
        let is_read = |form| matches!(form, Compression::UNCOMPRESSED | Compression::ZSTD(_));
        let mut forms = chunks.map(ColumnChunkMetaData::compression);
        let is_computed =
            |column: &Column| matches!(column, Column::Path | Column::Name | Column::Parent);
        let is_stored = |column: &Column| !is_computed(column) && !Column::SUMS.contains(column);
        let wanted = columns.iter().copied().filter(is_stored).chain([Column::Path]);
        let columns = wanted.flat_map(|column| [Some(column), column.bytes()]).flatten().collect();
        let file = Mutex::new(file);
        let scan = Scan { file, metadata: metadata.clone(), columns, is_sealed };
        let version = scan.get(SCHEMA_KEY).and_then(|version| version.parse().ok());
        match version.ok_or(Unusable::Foreign)? {
            SCHEMA_VERSION => {}
            version => return Err(Unusable::Version(version)),
        }
        scan.require(Column::Path)?;
        let texts = [Column::Path, Column::Target].into_iter().filter(|text| scan.has(*text));
        texts.filter_map(Column::bytes).try_for_each(|bytes| scan.require(bytes))?;
        let schema = scan.metadata.schema();
        let of = |column: &Column| schema.field_with_name(column.name());
        let is_other = |column: &&Column| {
            of(column).is_ok_and(|field| field.data_type() != column.field(false).data_type())
        };
        match scan.columns.iter().find(is_other) {
            Some(column) => Err(Unusable::Type(*column)),
            None if !forms.all(is_read) => Err(Unusable::Compressed),
            None => Ok(scan),
        }
    }

    /// Whether the table has a seal, so that any damage is noticed.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// What the file's metadata has under this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs().find(|(own, _)| *own == key).map(|(_, value)| value)
    }

    /// The keys and values of the file's metadata.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.metadata.metadata().file_metadata().key_value_metadata();
        pairs.into_iter().flatten().filter_map(|pair| Some((&*pair.key, pair.value.as_deref()?)))
    }

    /// How many row groups there are. Each is in the order of a sorted walk.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    /// Whether the table has this column.
    #[must_use]
    pub fn has(&self, column: Column) -> bool {
        self.metadata.schema().index_of(column.name()).is_ok()
    }

    /// Says that the caller needs this column.
    ///
    /// # Errors
    /// The table lacks the column.
    pub fn require(&self, column: Column) -> Result<(), Unusable> {
        if self.has(column) { Ok(()) } else { Err(Unusable::Missing(column)) }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.name())
    }

    /// The records of a row group, in batches. The row group is read at once.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn group(
        &self,
        group: usize,
    ) -> Result<impl Iterator<Item = Result<Batch, Unusable>> + use<>, Unusable> {
        let about = self.metadata.metadata().row_group(group);
        let is_wanted = |chunk: &&ColumnChunkMetaData| self.names().any(|name| is_of(chunk, name));
        let places = about.columns().iter().filter(is_wanted).map(ColumnChunkMetaData::byte_range);
        let places = places.map(|(start, length)| (start, start + length));
        let (start, end) = places.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default();
        let bytes = seal::read(&lock(&self.file), start, (end - start) as usize);
        let bytes = bytes.map_err(Unusable::Unreadable)?.into();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
            FilePart { start, bytes },
            self.metadata.clone(),
        );
        let mask = ProjectionMask::columns(builder.parquet_schema(), self.names());
        let builder = builder.with_projection(mask).with_row_groups(vec![group]);
        let records = builder.with_batch_size(BATCH).build();
        let records = records.map_err(|error| why(crate::parquet::unwrapped(error)))?;
        Ok(records.map(|batch| match batch {
            Ok(batch) => Ok(Batch::new(&batch)),
            Err(error) => Err(why(crate::arrow::unwrapped(error))),
        }))
    }
}

fn is_of(chunk: &ColumnChunkMetaData, name: &str) -> bool {
    matches!(chunk.column_path().parts(), [only] if only == name)
}

/// A part of a file that was read.
struct FilePart {
    start: u64,
    bytes: Bytes,
}

impl Length for FilePart {
    fn len(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl ChunkReader for FilePart {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.bytes.get_read(start.saturating_sub(self.start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.bytes.get_bytes(start.saturating_sub(self.start), length)
    }
}

/// Whether each column is where a file of this length can have it. The decoder panics at others.
fn is_inside(metadata: &ParquetMetaData, length: u64) -> bool {
    metadata.row_groups().iter().all(|group| {
        let is_column_inside = |column: &ColumnChunkMetaData| {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let numbers = [start, column.data_page_offset(), column.compressed_size()];
            let [start, data, size] = numbers.map(|number| u64::try_from(number).ok());
            let end = start.zip(size).and_then(|(start, size)| start.checked_add(size));
            let is_count = (0..=i64::from(u32::MAX)).contains(&column.num_values());
            is_count && data <= end && end.is_some_and(|end| end <= length)
        };
        group.num_rows() >= 0 && group.columns().iter().all(is_column_inside)
    })
}

/// An error of the decoder that is none of the system means that the file is damaged.
#[cold]
fn why(error: io::Error) -> Unusable {
    match error.raw_os_error() {
        Some(_) => Unusable::Unreadable(error),
        None => Unusable::Damaged,
    }
}
