//! [`Scan`]: a Parquet file of entries, read one row group at a time.

use std::fmt;
use std::fs::File;
use std::io;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, TimestampNanosecondType, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use brisk::{FileType, Timestamp};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use crate::group::TYPES;
use crate::rows::Digest;
use crate::{Column, SCHEMA_KEY, SCHEMA_VERSION, pages, seal};

/// The rows of a batch: enough that the calls are not felt, and few enough for a core's cache.
const BATCH: usize = 4096;

/// The bytes of a page's header that are looked at: it has its CRC behind three numbers of at most
/// five bytes.
const HEADER: usize = 32;

/// The columns that are read.
const READ: [Column; 16] = [
    Column::Path,
    Column::PathBytes,
    Column::Type,
    Column::Size,
    Column::Mode,
    Column::Uid,
    Column::Gid,
    Column::Inode,
    Column::Mtime,
    Column::Ctime,
    Column::Target,
    Column::TargetBytes,
    Column::Blake3,
    Column::Btime,
    Column::Depth,
    Column::Device,
];

/// A Parquet file that `brisk scan` has written.
pub struct Scan {
    file: File,
    metadata: ArrowReaderMetadata,
    is_sealed: bool,
}

/// Why a file is no table that can be read.
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
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Unreadable(error) => write!(f, "the table cannot be read: {error}"),
            Unusable::Damaged => f.write_str("the table is damaged"),
            Unusable::Foreign => f.write_str("the file is no table of brisk scan"),
            Unusable::Version(version) => {
                write!(f, "the table is of version {version}, which this brisk does not read")
            }
            Unusable::Missing(column) => write!(f, "the table has no column '{}'", column.name()),
            Unusable::Type(column) => {
                write!(f, "the column '{}' has values of another type", column.name())
            }
            Unusable::Compressed => f.write_str("the table is compressed, and not with zstd"),
        }
    }
}

impl std::error::Error for Unusable {}

impl Scan {
    /// Reads the metadata of a file. A table with a seal is read whole before, to see whether any
    /// bit of it has changed.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or is no table of entries with paths.
    pub fn of(file: File) -> Result<Scan, Unusable> {
        let is_sealed = match seal::is_whole(&file).map_err(Unusable::Unreadable)? {
            Some(false) => return Err(Unusable::Damaged),
            seal => seal.is_some(),
        };
        let metadata = ArrowReaderMetadata::load(&file, Default::default()).map_err(why)?;
        let length = file.metadata().map_err(Unusable::Unreadable)?.len();
        if !is_inside(metadata.metadata(), length) {
            return Err(Unusable::Damaged);
        }
        let columns = metadata.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
        let is_read = |form| matches!(form, Compression::UNCOMPRESSED | Compression::ZSTD(_));
        let mut forms = columns.map(ColumnChunkMetaData::compression);
        let scan = Scan { file, metadata: metadata.clone(), is_sealed };
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
        match READ.iter().find(is_other) {
            Some(column) => Err(Unusable::Type(*column)),
            None if !forms.all(is_read) => Err(Unusable::Compressed),
            None => Ok(scan),
        }
    }

    /// Whether damage is noticed: the table has a seal, or each page that is read has a CRC. The
    /// first page of each column tells that of the others.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_checked(&self) -> Result<bool, Unusable> {
        if self.is_sealed {
            return Ok(true);
        }
        let names = READ.map(Column::name);
        let columns =
            self.metadata.metadata().row_groups().iter().flat_map(|group| group.columns());
        for column in columns.filter(|column| names.contains(&&*column.column_path().string())) {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let header = seal::read(&self.file, start.cast_unsigned(), HEADER);
            if !pages::has_crc(&header.map_err(Unusable::Unreadable)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What the file's metadata has under this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let pairs = self.metadata.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == key)?.value.as_deref()
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

    /// The records of a row group.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn group(&self, group: usize) -> Result<Records, Unusable> {
        let file = self.file.try_clone().map_err(Unusable::Unreadable)?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let names = READ.iter().map(|column| column.name());
        let mask = ProjectionMask::columns(builder.parquet_schema(), names);
        let builder = builder.with_projection(mask).with_row_groups(vec![group]);
        Ok(Records(builder.with_batch_size(BATCH).build().map_err(why)?))
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
fn why(error: ParquetError) -> Unusable {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) if error.raw_os_error().is_some() => Unusable::Unreadable(*error),
            _ => Unusable::Damaged,
        },
        _ => Unusable::Damaged,
    }
}

/// The records of a row group, in batches.
pub struct Records(ParquetRecordBatchReader);

impl Iterator for Records {
    type Item = Result<Batch, Unusable>;

    fn next(&mut self) -> Option<Result<Batch, Unusable>> {
        let read = self.0.next()?.map_err(|error| match error {
            ArrowError::IoError(_, error) if error.raw_os_error().is_some() => {
                Unusable::Unreadable(error)
            }
            _ => Unusable::Damaged,
        });
        Some(read.map(|batch| Batch::new(&batch)))
    }
}

/// Some records of a row group.
pub struct Batch {
    len: usize,
    /// As [`READ`]; `None` for a column that the file does not have.
    arrays: [Option<ArrayRef>; READ.len()],
}

/// An entry. What the table does not have, or did not know, is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The path's bytes.
    pub path: &'a [u8],
    /// The type.
    pub file_type: Option<FileType>,
    /// The size in bytes.
    pub size: Option<u64>,
    /// Permission bits.
    pub mode: Option<u16>,
    /// The owner's number.
    pub uid: Option<u32>,
    /// The group's number.
    pub gid: Option<u32>,
    /// The inode number.
    pub inode: Option<u64>,
    /// The time of the last change of content.
    pub mtime: Option<Timestamp>,
    /// The time of the last change of metadata.
    pub ctime: Option<Timestamp>,
    /// Where a link points.
    pub target: Option<&'a [u8]>,
    /// The digest of the content.
    pub digest: Option<&'a Digest>,
    /// The time of creation.
    pub btime: Option<Timestamp>,
    /// How deep the entry is: a root has 0.
    pub depth: Option<u32>,
    /// The device.
    pub device: Option<u64>,
}

impl Batch {
    fn new(batch: &RecordBatch) -> Batch {
        let arrays = READ.map(|column| batch.column_by_name(column.name()).cloned());
        Batch { len: batch.num_rows(), arrays }
    }

    /// The records.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        (0..self.len).map(|at| self.record(at))
    }

    fn record(&self, at: usize) -> Record<'_> {
        let arrays =
            self.arrays.each_ref().map(|array| array.as_ref().filter(|array| array.is_valid(at)));
        let [path, path_bytes, file_type, size, mode, uid, gid, inode, mtime, ctime, ..] = arrays;
        let [.., target, target_bytes, digest, btime, depth, device] = arrays;
        let number =
            |array: Option<&ArrayRef>| Some(array?.as_primitive_opt::<UInt64Type>()?.value(at));
        let id =
            |array: Option<&ArrayRef>| Some(array?.as_primitive_opt::<UInt32Type>()?.value(at));
        let time = |array: Option<&ArrayRef>| {
            Some(timestamp(array?.as_primitive_opt::<TimestampNanosecondType>()?.value(at)))
        };
        Record {
            path: exact(path, path_bytes, at).unwrap_or_default(),
            file_type: file_type.and_then(|array| type_of(array, at)),
            size: number(size),
            mode: mode.and_then(|array| Some(array.as_primitive_opt::<UInt16Type>()?.value(at))),
            uid: id(uid),
            gid: id(gid),
            inode: number(inode),
            mtime: time(mtime),
            ctime: time(ctime),
            target: exact(target, target_bytes, at),
            digest: digest
                .and_then(|array| array.as_fixed_size_binary_opt()?.value(at).try_into().ok()),
            btime: time(btime),
            depth: id(depth),
            device: number(device),
        }
    }
}

/// The bytes of a text, which the column `bytes` has where the text is not exact.
fn exact<'a>(
    text: Option<&'a ArrayRef>,
    bytes: Option<&'a ArrayRef>,
    at: usize,
) -> Option<&'a [u8]> {
    match bytes {
        Some(bytes) => Some(bytes.as_binary_opt::<i32>()?.value(at)),
        None => Some(text?.as_string_opt::<i32>()?.value(at).as_bytes()),
    }
}

fn type_of(array: &ArrayRef, at: usize) -> Option<FileType> {
    let words = array.as_dictionary_opt::<Int8Type>()?;
    let word = words.values().as_string_opt::<i32>()?.value(words.key(at)?);
    let known = TYPES.iter().find(|(_, known)| *known == word);
    Some(known.map_or(FileType::Other, |(file_type, _)| *file_type))
}

fn timestamp(nanos: i64) -> Timestamp {
    let second = 1_000_000_000;
    Timestamp { secs: nanos.div_euclid(second), nanos: nanos.rem_euclid(second) as u32 }
}
