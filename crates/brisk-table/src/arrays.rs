//! The columns of a group as Arrow arrays.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, PrimitiveArray, RecordBatch,
    StringArray, TimestampNanosecondArray, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use brisk::{FileType, Timestamp};

use crate::Column;
use crate::column::type_place;
use crate::group::{Group, RowRef, Value};

/// How names of users and groups are found.
#[derive(Clone, Copy, Debug)]
pub struct Owners {
    /// The name of a user.
    pub user: fn(u32) -> Option<String>,
    /// The name of a group.
    pub group: fn(u32) -> Option<String>,
}

/// The columns of a file.
#[derive(Clone, Debug)]
pub(crate) struct Arrays {
    pub columns: Vec<Column>,
    pub schema: SchemaRef,
    owners: Owners,
}

impl Arrays {
    /// `plain`: words and names of owners are text instead of dictionaries.
    pub fn new(columns: &[Column], owners: Owners, plain: bool) -> Arrays {
        let with_bytes = columns.iter().flat_map(|column| [Some(*column), column.bytes()]);
        let columns: Vec<_> = with_bytes.flatten().collect();
        let fields: Vec<_> = columns.iter().map(|column| column.field(plain)).collect();
        Arrays { columns, schema: Arc::new(Schema::new(fields)), owners }
    }

    /// All columns of a group.
    pub fn batch(&self, group: &Group) -> Result<RecordBatch, ArrowError> {
        let columns = 0..self.columns.len();
        let arrays = columns.map(|at| self.array(group, 0..group.len(), at));
        RecordBatch::try_new(self.schema.clone(), arrays.collect::<Result<_, _>>()?)
    }

    /// The column number `at` of these rows of a group.
    pub fn array(
        &self,
        group: &Group,
        rows: Range<usize>,
        at: usize,
    ) -> Result<ArrayRef, ArrowError> {
        let column = self.columns[at];
        let rows = group.rows(rows);
        let narrow = |row: RowRef<'_>| row.number(column);
        Ok(match self.schema.field(at).data_type() {
            DataType::Binary => {
                Arc::new(BinaryArray::from_iter(rows.map(|row| inexact(&row.value(column)))))
            }
            DataType::Utf8 => Arc::new(self.text(rows, column)),
            DataType::UInt16 => {
                Arc::new(UInt16Array::from_iter(rows.map(|row| u16::try_from(narrow(row)?).ok())))
            }
            DataType::UInt32 => {
                Arc::new(UInt32Array::from_iter(rows.map(|row| u32::try_from(narrow(row)?).ok())))
            }
            DataType::UInt64 => Arc::new(UInt64Array::from_iter(rows.map(narrow))),
            DataType::Timestamp(..) => {
                let times = rows.map(|row| nanos(row.time(column)?));
                Arc::new(TimestampNanosecondArray::from_iter(times).with_timezone("UTC"))
            }
            DataType::FixedSizeBinary(size) => {
                let digests = rows.map(|row| row.digest());
                Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(digests, *size)?)
            }
            _ if column == Column::Type => Arc::new(types(rows)?),
            _ => Arc::new(self.names(rows, column)?),
        })
    }

    fn text<'a>(&self, rows: impl Iterator<Item = RowRef<'a>>, column: Column) -> StringArray {
        let mut known = OwnerNames::new(self.owners, column);
        let mut builder = StringBuilder::new();
        let mut path = Vec::new();
        for row in rows {
            match row.value(column) {
                Value::Path(prefix, name) => {
                    path.clear();
                    path.extend_from_slice(prefix);
                    path.extend_from_slice(name);
                    builder.append_value(String::from_utf8_lossy(&path));
                }
                Value::Bytes(bytes) => builder.append_value(String::from_utf8_lossy(bytes)),
                Value::Text(text) => builder.append_value(text),
                _ => {
                    let key = row.id(column).and_then(|id| known.key(id));
                    builder.append_option(key.map(|key| &known.names[key as usize]));
                }
            }
        }
        builder.finish()
    }

    fn names<'a>(
        &self,
        rows: impl Iterator<Item = RowRef<'a>>,
        column: Column,
    ) -> Result<DictionaryArray<Int32Type>, ArrowError> {
        let mut known = OwnerNames::new(self.owners, column);
        let keys = rows.map(|row| known.key(row.id(column)?));
        let keys: PrimitiveArray<Int32Type> = keys.collect();
        dictionary(keys, known.names.iter().map(String::as_str))
    }
}

/// Names of owners that were asked for, in the order of their first appearance.
struct OwnerNames {
    look_up: fn(u32) -> Option<String>,
    keys: BTreeMap<u32, Option<i32>>,
    /// The last owner, who mostly owns the next file too.
    last: Option<(u32, Option<i32>)>,
    names: Vec<String>,
}

impl OwnerNames {
    fn new(owners: Owners, column: Column) -> OwnerNames {
        let look_up = if column == Column::User { owners.user } else { owners.group };
        OwnerNames { look_up, keys: BTreeMap::new(), last: None, names: Vec::new() }
    }

    /// The place of the owner's name among the names, if the owner has one.
    #[inline]
    fn key(&mut self, id: u32) -> Option<i32> {
        if let Some((last, key)) = self.last
            && last == id
        {
            return key;
        }
        let key = *self.keys.entry(id).or_insert_with(|| {
            self.names.push((self.look_up)(id)?);
            i32::try_from(self.names.len() - 1).ok()
        });
        self.last = Some((id, key));
        key
    }
}

fn dictionary<'a, K: ArrowDictionaryKeyType>(
    keys: PrimitiveArray<K>,
    words: impl Iterator<Item = &'a str>,
) -> Result<DictionaryArray<K>, ArrowError> {
    DictionaryArray::try_new(keys, Arc::new(StringArray::from_iter_values(words)))
}

fn types<'a>(
    rows: impl Iterator<Item = RowRef<'a>>,
) -> Result<DictionaryArray<Int8Type>, ArrowError> {
    let keys = rows.map(|row| type_place(row.file_type()).map(|at| at as i8));
    dictionary(keys.collect(), FileType::ALL.into_iter().filter_map(FileType::word))
}

/// The bytes, if they are not UTF-8. A prefix ends in a separator, so no character is in two parts.
fn inexact<'a>(value: &Value<'a>) -> Option<Cow<'a, [u8]>> {
    let is_text = |bytes| std::str::from_utf8(bytes).is_ok();
    match *value {
        Value::Path(prefix, name) if !is_text(prefix) || !is_text(name) => {
            Some([prefix, name].concat().into())
        }
        Value::Bytes(bytes) if !is_text(bytes) => Some(bytes.into()),
        _ => None,
    }
}

/// Nanoseconds since the epoch. A column holds the years 1677 to 2262; other times are null. The
/// product is wider than the sum: in the lowest second of a column only the nanoseconds bring it
/// back into the range.
#[inline]
fn nanos(time: Timestamp) -> Option<i64> {
    i64::try_from(i128::from(time.secs) * 1_000_000_000 + i128::from(time.nanos)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_holds_every_time_that_its_number_has() {
        for (secs, part, expected) in [
            (0, 0, Some(0)),
            (-1, 999_999_999, Some(-1)),
            (-9_223_372_037, 145_224_192, Some(i64::MIN)),
            (-9_223_372_037, 145_224_191, None),
            (-9_223_372_037, 999_999_999, Some(i64::MIN + 854_775_807)),
            (9_223_372_036, 854_775_807, Some(i64::MAX)),
            (9_223_372_036, 854_775_808, None),
            (i64::MIN, 0, None),
            (i64::MAX, 999_999_999, None),
        ] {
            assert_eq!(nanos(Timestamp { secs, nanos: part }), expected, "{secs}.{part}");
        }
    }
}
