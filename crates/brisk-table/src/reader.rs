//! [`Scan`]: a Parquet file of entries, read one row group at a time.

use std::fs::File;
use std::io;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, TimestampNanosecondType, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use brisk::{FileType, Timestamp};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};

use crate::group::TYPES;
use crate::parquet::unwrapped;
use crate::rows::Digest;
use crate::{Column, SCHEMA_KEY};

/// The rows of a batch: few, because a program that merges the groups of a file reads all of them
/// at once.
const BATCH: usize = 4096;

/// The columns that are read.
const READ: [Column; 11] = [
    Column::Path,
    Column::Type,
    Column::Size,
    Column::Mode,
    Column::Uid,
    Column::Gid,
    Column::Inode,
    Column::Mtime,
    Column::Ctime,
    Column::LinkTarget,
    Column::Blake3,
];

/// A Parquet file that `brisk scan` has written.
pub struct Scan {
    file: File,
    metadata: ArrowReaderMetadata,
}

impl Scan {
    /// Opens the file and reads its metadata.
    ///
    /// # Errors
    /// What the system says, or that the file is no table of entries.
    pub fn open(path: &Path) -> io::Result<Scan> {
        let file = File::open(path)?;
        let metadata = ArrowReaderMetadata::load(&file, Default::default()).map_err(unwrapped)?;
        let scan = Scan { file, metadata };
        match scan.metadata.schema().index_of(Column::Path.name()) {
            Ok(_) if scan.get(SCHEMA_KEY).is_some() => Ok(scan),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "not a table of brisk scan")),
        }
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

    /// The records of a row group.
    ///
    /// # Errors
    /// What the system says, or that the file is damaged.
    pub fn group(&self, group: usize) -> io::Result<Records> {
        let file = self.file.try_clone()?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let names = READ.iter().map(|column| column.name());
        let mask = ProjectionMask::columns(builder.parquet_schema(), names);
        let builder = builder.with_projection(mask).with_row_groups(vec![group]);
        Ok(Records(builder.with_batch_size(BATCH).build().map_err(unwrapped)?))
    }
}

/// The records of a row group, in batches.
pub struct Records(ParquetRecordBatchReader);

impl Iterator for Records {
    type Item = io::Result<Batch>;

    fn next(&mut self) -> Option<io::Result<Batch>> {
        Some(self.0.next()?.map_err(io::Error::other).map(|batch| Batch::new(&batch)))
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
    pub link_target: Option<&'a [u8]>,
    /// The digest of the content.
    pub digest: Option<&'a Digest>,
}

impl Batch {
    fn new(batch: &RecordBatch) -> Batch {
        let arrays = READ.map(|column| batch.column_by_name(column.name()).cloned());
        Batch { len: batch.num_rows(), arrays }
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The record at this place.
    #[must_use]
    pub fn record(&self, at: usize) -> Record<'_> {
        let [path, file_type, size, mode, uid, gid, inode, mtime, ctime, link_target, digest] =
            self.arrays.each_ref().map(|array| array.as_ref().filter(|array| array.is_valid(at)));
        let number =
            |array: Option<&ArrayRef>| Some(array?.as_primitive_opt::<UInt64Type>()?.value(at));
        let id =
            |array: Option<&ArrayRef>| Some(array?.as_primitive_opt::<UInt32Type>()?.value(at));
        let time = |array: Option<&ArrayRef>| {
            Some(timestamp(array?.as_primitive_opt::<TimestampNanosecondType>()?.value(at)))
        };
        Record {
            path: path
                .and_then(|array| array.as_binary_opt::<i32>())
                .map_or(b"", |array| array.value(at)),
            file_type: file_type.and_then(|array| type_of(array, at)),
            size: number(size),
            mode: mode.and_then(|array| Some(array.as_primitive_opt::<UInt16Type>()?.value(at))),
            uid: id(uid),
            gid: id(gid),
            inode: number(inode),
            mtime: time(mtime),
            ctime: time(ctime),
            link_target: link_target
                .and_then(|array| Some(array.as_binary_opt::<i32>()?.value(at))),
            digest: digest
                .and_then(|array| array.as_fixed_size_binary_opt()?.value(at).try_into().ok()),
        }
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
