//! [`TableEntry`]: a row that was read, and [`Batch`]: some of them.

use std::ffi::CString;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int32Type, TimestampNanosecondType, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, RecordBatch, StringArray,
};
use brisk::{Fields, FileType, Meta};

use crate::Column;
use crate::column::{ValueKind, type_place};

/// A BLAKE3 digest.
pub type Digest = [u8; 32];

/// The texts of a record besides the path.
pub(crate) const TEXTS: [Column; 4] = [Column::Target, Column::Blake3, Column::User, Column::Group];

/// What a row has in columns of numbers, times and types, each at the place of its column. A time
/// is the bits of its nanoseconds, a type its [`type_place`]. A value that is not present
/// is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// A bit for each column that has a value, texts too.
    pub present: u32,
    pub values: [u64; Column::Target as usize],
}

impl Numbers {
    #[inline]
    fn set(&mut self, column: Column, value: u64) {
        self.present |= 1 << column as u8;
        self.values[column as usize] = value;
    }

    pub fn has(&self, column: Column) -> bool {
        self.present & 1 << column as u8 != 0
    }
}

/// The columns of numbers: one bit each.
const NUMBERS: u32 = {
    let mut bits = (1 << Column::Target as u8) - 1 - bit(Column::Path);
    let mut at = 0;
    while at < TEXTS.len() {
        bits &= !bit(TEXTS[at]);
        at += 1;
    }
    bits
};

pub(crate) const fn bit(column: Column) -> u32 {
    1 << column as u8
}

/// The places of those columns, among these, that hold numbers.
pub(crate) fn numbers(mut columns: u32) -> impl Iterator<Item = usize> {
    columns &= NUMBERS;
    std::iter::from_fn(move || {
        let at = columns.trailing_zeros();
        columns &= columns.wrapping_sub(1);
        (at < u32::BITS).then_some(at as usize)
    })
}

/// An entry. What the table does not have, or did not know, is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry<'a> {
    /// The path's bytes.
    pub path: &'a [u8],
    pub(crate) numbers: &'a Numbers,
    /// As [`TEXTS`].
    pub(crate) texts: [Option<&'a [u8]>; TEXTS.len()],
}

impl<'a> TableEntry<'a> {
    /// What the record has in a column of numbers: a size, a mode, an owner.
    #[must_use]
    pub fn number(&self, column: Column) -> Option<u64> {
        let is_number = self.numbers.has(column) && column.kind() != ValueKind::Owner;
        self.numbers.values.get(column as usize).copied().filter(|_| is_number)
    }

    /// The metadata that the record has.
    #[must_use]
    pub fn meta(&self) -> Meta {
        let number = |at| (Column::at(at).fields(FileType::Unknown), self.numbers.values[at]);
        let file_type = self.file_type().map(|own| (Fields::TYPE, own.mode_bits().into()));
        let mut meta: Meta = numbers(self.numbers.present).map(number).chain(file_type).collect();
        if let Some(target) = self.text(Column::Target).and_then(|text| CString::new(text).ok()) {
            meta.set_link_target(target);
        }
        meta
    }

    /// The type.
    #[must_use]
    pub fn file_type(&self) -> Option<FileType> {
        let place = self.number(Column::Type)? as usize;
        FileType::ALL.get(place + 1).copied()
    }

    /// The target of a link, the digest, or the name of an owner.
    #[must_use]
    pub fn text(&self, column: Column) -> Option<&'a [u8]> {
        self.texts[TEXTS.iter().position(|text| *text == column)?]
    }

    /// The digest of the content.
    #[must_use]
    pub fn digest(&self) -> Option<&'a Digest> {
        self.text(Column::Blake3)?.try_into().ok()
    }
}

/// Some records of a row group.
pub struct Batch {
    numbers: Vec<Numbers>,
    path: Text,
    texts: [Text; TEXTS.len()],
}

impl Batch {
    pub(crate) fn new(batch: &RecordBatch) -> Batch {
        let mut numbers = vec![Numbers::default(); batch.num_rows()];
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if let Some(column) = Column::named(field.name()) {
                fill(&mut numbers, column, array);
            }
        }
        let texts = TEXTS.map(|column| Text::of(batch, column));
        Batch { numbers, path: Text::of(batch, Column::Path), texts }
    }

    /// The records.
    pub fn records(&self) -> impl Iterator<Item = TableEntry<'_>> {
        self.numbers.iter().enumerate().map(|(at, numbers)| TableEntry {
            path: self.path.at(at).unwrap_or_default(),
            numbers,
            texts: self.texts.each_ref().map(|text| text.at(at)),
        })
    }
}

/// Takes over a column, unless it is one of texts.
fn fill(numbers: &mut [Numbers], column: Column, array: &ArrayRef) {
    match column.kind() {
        ValueKind::Mode => fill_from::<UInt16Type>(numbers, column, array, u64::from),
        ValueKind::Short => fill_from::<UInt32Type>(numbers, column, array, u64::from),
        ValueKind::Long => fill_from::<UInt64Type>(numbers, column, array, |number| number),
        ValueKind::Time => {
            fill_from::<TimestampNanosecondType>(numbers, column, array, i64::cast_unsigned);
        }
        ValueKind::Word => {
            let words = array.as_dictionary::<Int8Type>();
            let place = |word: Option<&str>| {
                let known = word.and_then(FileType::from_word).unwrap_or(FileType::Other);
                type_place(known).unwrap_or_default() as u64
            };
            let places: Vec<u64> = words.values().as_string::<i32>().iter().map(place).collect();
            for (row, key) in numbers.iter_mut().zip(words.keys()) {
                if let Some(place) = key.and_then(|key| places.get(key as usize)) {
                    row.set(column, *place);
                }
            }
        }
        ValueKind::Text | ValueKind::Bytes | ValueKind::Owner | ValueKind::Digest => {}
    }
}

fn fill_from<T: ArrowPrimitiveType>(
    numbers: &mut [Numbers],
    column: Column,
    array: &ArrayRef,
    of: impl Fn(T::Native) -> u64,
) {
    for (row, value) in numbers.iter_mut().zip(array.as_primitive::<T>()) {
        if let Some(value) = value {
            row.set(column, of(value));
        }
    }
}

/// A column of texts.
enum Text {
    Missing,
    /// The bytes stand in the second array where the text is not exact.
    Name(StringArray, Option<BinaryArray>),
    Owner(DictionaryArray<Int32Type>, StringArray),
    Digest(FixedSizeBinaryArray),
}

impl Text {
    fn of(batch: &RecordBatch, column: Column) -> Text {
        let Some(array) = batch.column_by_name(column.name()) else { return Text::Missing };
        match column.kind() {
            ValueKind::Owner => {
                let words = array.as_dictionary::<Int32Type>();
                Text::Owner(words.clone(), words.values().as_string().clone())
            }
            ValueKind::Digest => Text::Digest(array.as_fixed_size_binary().clone()),
            _ => {
                let bytes = column.bytes().and_then(|bytes| batch.column_by_name(bytes.name()));
                Text::Name(array.as_string().clone(), bytes.map(|bytes| bytes.as_binary().clone()))
            }
        }
    }

    #[inline]
    fn at(&self, at: usize) -> Option<&[u8]> {
        match self {
            Text::Missing => None,
            Text::Name(_, Some(bytes)) if bytes.is_valid(at) => Some(bytes.value(at)),
            Text::Name(text, _) => text.is_valid(at).then(|| text.value(at).as_bytes()),
            Text::Owner(words, names) => Some(names.value(words.key(at)?).as_bytes()),
            Text::Digest(digests) => digests.is_valid(at).then(|| digests.value(at)),
        }
    }
}
