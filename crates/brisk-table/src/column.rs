//! [`Column`]: the schema.

use std::fmt;
use std::str::FromStr;
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

impl Column {
    /// Every column that can be chosen, in the order of the schema.
    pub const ALL: [Column; 24] = [
        Column::Path,
        Column::Name,
        Column::Parent,
        Column::Depth,
        Column::Type,
        Column::Size,
        Column::Blocks,
        Column::Mode,
        Column::Uid,
        Column::Gid,
        Column::User,
        Column::Group,
        Column::Nlink,
        Column::Inode,
        Column::Device,
        Column::Atime,
        Column::Mtime,
        Column::Ctime,
        Column::Btime,
        Column::Target,
        Column::Blake3,
        Column::BelowEntries,
        Column::BelowBytes,
        Column::BelowBlocks,
    ];

    /// The sums of what is below a directory.
    pub const SUMS: [Column; 3] = [Column::BelowEntries, Column::BelowBytes, Column::BelowBlocks];

    /// The columns that a table has unless the caller chooses: all that cost no more than a statx,
    /// and the targets of links. Not those that are computed from the path.
    pub fn defaults() -> impl Iterator<Item = Column> {
        let others = [Column::Name, Column::Parent, Column::Blake3];
        let unwanted =
            move |column: &Column| others.contains(column) || Self::SUMS.contains(column);
        Column::ALL.into_iter().filter(move |column| !unwanted(column))
    }

    /// The name in the schema.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Column::Path => "path",
            Column::PathBytes => "path_bytes",
            Column::Name => "name",
            Column::Parent => "parent",
            Column::Depth => "depth",
            Column::Type => "type",
            Column::Size => "size",
            Column::Blocks => "blocks",
            Column::Mode => "mode",
            Column::Uid => "uid",
            Column::Gid => "gid",
            Column::User => "user",
            Column::Group => "group",
            Column::Nlink => "nlink",
            Column::Inode => "inode",
            Column::Device => "device",
            Column::Atime => "atime",
            Column::Mtime => "mtime",
            Column::Ctime => "ctime",
            Column::Btime => "btime",
            Column::Target => "target",
            Column::TargetBytes => "target_bytes",
            Column::Blake3 => "blake3",
            Column::BelowEntries => "below_entries",
            Column::BelowBytes => "below_bytes",
            Column::BelowBlocks => "below_blocks",
        }
    }

    /// The metadata that the column needs of an entry of this type.
    #[must_use]
    pub fn fields(self, file_type: FileType) -> Fields {
        match self {
            Column::Size | Column::BelowBytes => Fields::SIZE,
            Column::Blocks | Column::BelowBlocks => Fields::BLOCKS,
            Column::Mode => Fields::MODE,
            Column::Uid | Column::User => Fields::UID,
            Column::Gid | Column::Group => Fields::GID,
            Column::Nlink => Fields::NLINK,
            Column::Inode => Fields::INO,
            Column::Device => Fields::DEV,
            Column::Atime => Fields::ATIME,
            Column::Mtime => Fields::MTIME,
            Column::Ctime => Fields::CTIME,
            Column::Btime => Fields::BTIME,
            Column::Target | Column::TargetBytes => match file_type {
                FileType::Symlink | FileType::Unknown => Fields::LINK_TARGET,
                _ => Fields::empty(),
            },
            _ => Fields::empty(),
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
        match self {
            Column::PathBytes | Column::TargetBytes => DataType::Binary,
            Column::Path | Column::Name | Column::Parent | Column::Target => DataType::Utf8,
            Column::Type | Column::User | Column::Group if plain => DataType::Utf8,
            Column::Type => dictionary(DataType::Int8),
            Column::User | Column::Group => dictionary(DataType::Int32),
            Column::Mode => DataType::UInt16,
            Column::Depth | Column::Uid | Column::Gid | Column::Nlink => DataType::UInt32,
            Column::Atime | Column::Mtime | Column::Ctime | Column::Btime => {
                DataType::Timestamp(TimeUnit::Nanosecond, Some(Arc::from("UTC")))
            }
            Column::Blake3 => DataType::FixedSizeBinary(32),
            Column::Size
            | Column::Blocks
            | Column::Inode
            | Column::Device
            | Column::BelowEntries
            | Column::BelowBytes
            | Column::BelowBlocks => DataType::UInt64,
        }
    }
}

/// A name that no column has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownColumn;

impl fmt::Display for UnknownColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Column::ALL.iter().map(|column| column.name()).collect();
        write!(f, "no such column; columns are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownColumn {}

impl FromStr for Column {
    type Err = UnknownColumn;

    fn from_str(name: &str) -> Result<Column, UnknownColumn> {
        Column::ALL.into_iter().find(|column| column.name() == name).ok_or(UnknownColumn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_is_found_by_its_name_and_stands_at_its_place() {
        for (at, column) in Column::ALL.into_iter().enumerate() {
            assert_eq!(column.name().parse(), Ok(column));
            assert_eq!(column as usize, at);
        }
        assert_eq!("frob".parse::<Column>(), Err(UnknownColumn));
    }

    #[test]
    fn by_default_nothing_is_computed_from_the_path_or_read_from_files() {
        let names: Vec<_> = Column::defaults().map(Column::name).collect();
        assert_eq!(names.len(), 18);
        assert!(!names.contains(&"name") && !names.contains(&"blake3"));
    }
}
