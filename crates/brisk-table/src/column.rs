//! [`Column`]: the schema.

use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};
use brisk::{Fields, FileType};

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Column {
    /// The path as the walk spells it, from the root as the user gave it. Parquet and Arrow have
    /// U+FFFD for what is not UTF-8, and so they do in other columns of names.
    Path,
    /// The last component of the path; of a root, the root as given.
    Name,
    /// The path of the directory that holds the entry, without a separator at its end. Null for a
    /// root.
    Parent,
    /// How deep the entry is: a root has 0.
    Depth,
    /// `file`, `directory`, `symlink`, `pipe`, `socket`, `block-device`, `char-device` or `other`.
    Type,
    /// The size in bytes, as stat reports it.
    Size,
    /// Allocated blocks of 512 bytes.
    Blocks,
    /// Permission bits with setuid, setgid and sticky.
    Mode,
    /// The owner's number.
    Uid,
    /// The group's number.
    Gid,
    /// The owner's name. Null if the system knows none.
    User,
    /// The group's name. Null if the system knows none.
    Group,
    /// The number of hard links.
    Nlink,
    /// The inode number.
    Inode,
    /// The device, as `st_dev`.
    Device,
    /// The time of the last access.
    Atime,
    /// The time of the last change of content.
    Mtime,
    /// The time of the last change of metadata.
    Ctime,
    /// The time of creation.
    Btime,
    /// Where a symbolic link points: the text that is stored in the link.
    Target,
    /// The BLAKE3 digest of a regular file's content.
    Blake3,
    /// The number of rows below a directory.
    BelowEntries,
    /// The sum of `size` of the rows below a directory that are no directories.
    BelowBytes,
    /// The sum of `blocks` of the rows below a directory.
    BelowBlocks,
    /// The bytes of a path that is not UTF-8; null where `path` is exact. Parquet and Arrow have this
    /// column behind `path`, and no other form has it.
    PathBytes,
    /// The bytes of a target that is not UTF-8, as `path_bytes`.
    TargetBytes,
}

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// A path, a name or a target.
    Text,
    /// The bytes of a text that is not UTF-8.
    Bytes,
    /// One of a few words.
    Word,
    /// The name of a user or a group.
    Owner,
    /// Permission bits.
    Mode,
    /// A number of 32 bits.
    Short,
    /// A number of 64 bits.
    Long,
    Time,
    Digest,
}

/// The schema: each column, its name, the kind of its values, and the metadata that it needs. The
/// columns of bytes are the last, because they cannot be chosen.
const SCHEMA: [(Column, &str, ValueKind, Fields); 26] = [
    (Column::Path, "path", ValueKind::Text, Fields::empty()),
    (Column::Name, "name", ValueKind::Text, Fields::empty()),
    (Column::Parent, "parent", ValueKind::Text, Fields::empty()),
    (Column::Depth, "depth", ValueKind::Short, Fields::empty()),
    (Column::Type, "type", ValueKind::Word, Fields::empty()),
    (Column::Size, "size", ValueKind::Long, Fields::SIZE),
    (Column::Blocks, "blocks", ValueKind::Long, Fields::BLOCKS),
    (Column::Mode, "mode", ValueKind::Mode, Fields::MODE),
    (Column::Uid, "uid", ValueKind::Short, Fields::UID),
    (Column::Gid, "gid", ValueKind::Short, Fields::GID),
    (Column::User, "user", ValueKind::Owner, Fields::UID),
    (Column::Group, "group", ValueKind::Owner, Fields::GID),
    (Column::Nlink, "nlink", ValueKind::Short, Fields::NLINK),
    (Column::Inode, "inode", ValueKind::Long, Fields::INO),
    (Column::Device, "device", ValueKind::Long, Fields::DEV),
    (Column::Atime, "atime", ValueKind::Time, Fields::ATIME),
    (Column::Mtime, "mtime", ValueKind::Time, Fields::MTIME),
    (Column::Ctime, "ctime", ValueKind::Time, Fields::CTIME),
    (Column::Btime, "btime", ValueKind::Time, Fields::BTIME),
    (Column::Target, "target", ValueKind::Text, Fields::LINK_TARGET),
    (Column::Blake3, "blake3", ValueKind::Digest, Fields::empty()),
    (Column::BelowEntries, "below_entries", ValueKind::Long, Fields::empty()),
    (Column::BelowBytes, "below_bytes", ValueKind::Long, Fields::SIZE),
    (Column::BelowBlocks, "below_blocks", ValueKind::Long, Fields::BLOCKS),
    (Column::PathBytes, "path_bytes", ValueKind::Bytes, Fields::empty()),
    (Column::TargetBytes, "target_bytes", ValueKind::Bytes, Fields::LINK_TARGET),
];

impl Column {
    /// The sums of what is below a directory.
    pub const SUMS: [Column; 3] = [Column::BelowEntries, Column::BelowBytes, Column::BelowBlocks];

    /// Every column that can be chosen, in the order of the schema.
    pub fn all() -> impl Iterator<Item = Column> {
        SCHEMA.iter().map(|(column, ..)| *column).filter(|column| column.kind() != ValueKind::Bytes)
    }

    /// The columns that a table has unless the caller chooses: all that cost no more than a statx,
    /// and the targets of links. Not those that are computed from the path.
    pub fn defaults() -> impl Iterator<Item = Column> {
        let others = [Column::Name, Column::Parent, Column::Blake3];
        let unwanted =
            move |column: &Column| others.contains(column) || Self::SUMS.contains(column);
        Column::all().filter(move |column| !unwanted(column))
    }

    /// The column with this name, if there is one that can be chosen.
    #[must_use]
    pub fn named(name: &str) -> Option<Column> {
        Column::all().find(|column| column.name() == name)
    }

    /// The column at this place in the schema.
    pub(crate) fn at(place: usize) -> Column {
        SCHEMA[place].0
    }

    /// The name in the schema.
    #[must_use]
    pub const fn name(self) -> &'static str {
        SCHEMA[self as usize].1
    }

    pub(crate) const fn kind(self) -> ValueKind {
        SCHEMA[self as usize].2
    }

    /// The metadata that the column needs of an entry of this type.
    #[must_use]
    pub fn fields(self, file_type: FileType) -> Fields {
        let (.., fields) = SCHEMA[self as usize];
        match file_type {
            FileType::Symlink | FileType::Unknown => fields,
            _ => fields - Fields::LINK_TARGET,
        }
    }

    /// The column of the bytes, if this one is a text that cannot always hold them.
    pub(crate) fn bytes(self) -> Option<Column> {
        match self {
            Column::Path => Some(Column::PathBytes),
            Column::Target => Some(Column::TargetBytes),
            _ => None,
        }
    }

    /// The column in Arrow's schema. `plain`: words and names of owners are text instead of
    /// dictionaries.
    pub(crate) fn field(self, plain: bool) -> Field {
        let required = matches!(self, Column::Path | Column::Depth);
        Field::new(self.name(), self.data_type(plain), !required)
    }

    fn data_type(self, plain: bool) -> DataType {
        let dictionary = |keys| DataType::Dictionary(Box::new(keys), Box::new(DataType::Utf8));
        match self.kind() {
            ValueKind::Text => DataType::Utf8,
            ValueKind::Bytes => DataType::Binary,
            ValueKind::Word | ValueKind::Owner if plain => DataType::Utf8,
            ValueKind::Word => dictionary(DataType::Int8),
            ValueKind::Owner => dictionary(DataType::Int32),
            ValueKind::Mode => DataType::UInt16,
            ValueKind::Short => DataType::UInt32,
            ValueKind::Long => DataType::UInt64,
            ValueKind::Time => DataType::Timestamp(TimeUnit::Nanosecond, Some(Arc::from("UTC"))),
            ValueKind::Digest => DataType::FixedSizeBinary(32),
        }
    }
}

/// The place of a type in the dictionary of types: [`FileType::ALL`] without the unknown one.
pub(crate) fn type_place(file_type: FileType) -> Option<usize> {
    (file_type as usize).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_is_found_by_its_name_and_stands_at_its_place() {
        for (at, entry) in SCHEMA.iter().enumerate() {
            assert_eq!(entry.0 as usize, at);
        }
        assert!(Column::all().all(|column| Column::named(column.name()) == Some(column)));
        assert_eq!(Column::all().count(), 24);
        assert_eq!(Column::named("frob"), None);
    }

    #[test]
    fn by_default_nothing_is_computed_from_the_path_or_read_from_files() {
        let names: Vec<_> = Column::defaults().map(Column::name).collect();
        assert_eq!(names.len(), 18);
        assert!(!names.contains(&"name") && !names.contains(&"blake3"));
    }
}
