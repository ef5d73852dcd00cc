//! Types of files, and what a symbolic link leads to.

/// The type of a file, as a dirent or a stat reports it. No method makes a system call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileType {
    /// The file system did not report the type (`DT_UNKNOWN`); a stat reports it.
    #[default]
    Unknown,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link. On Windows also a junction or a mounted volume.
    Symlink,
    /// A block device.
    BlockDevice,
    /// A character device.
    CharDevice,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A door or another type that only some systems know.
    Other,
}

impl FileType {
    /// Whether this is a directory.
    #[must_use]
    pub fn is_dir(self) -> bool {
        self == FileType::Directory
    }

    /// Whether this is a regular file.
    #[must_use]
    pub fn is_file(self) -> bool {
        self == FileType::File
    }

    /// Whether this is a symbolic link; never so for a link that the walk follows.
    #[must_use]
    pub fn is_symlink(self) -> bool {
        self == FileType::Symlink
    }

    /// All types, in their order.
    pub const ALL: [FileType; 9] = [
        FileType::Unknown,
        FileType::File,
        FileType::Directory,
        FileType::Symlink,
        FileType::BlockDevice,
        FileType::CharDevice,
        FileType::Fifo,
        FileType::Socket,
        FileType::Other,
    ];

    /// The type in the high bits of a Unix mode.
    #[must_use]
    pub fn from_mode(mode: u32) -> FileType {
        match FileType::from_d_type((mode >> 12) as u8 & 0o17) {
            FileType::Unknown => FileType::Other,
            known => known,
        }
    }

    /// The type as the high bits of a Unix mode; 0 for `Other` and `Unknown`, which have no bits.
    #[must_use]
    pub fn mode_bits(self) -> u32 {
        if self == FileType::Other { 0 } else { u32::from(self.d_type()) << 12 }
    }

    /// The type of a dirent's `d_type`.
    pub(crate) fn from_d_type(d_type: u8) -> FileType {
        TYPES.get(usize::from(d_type)).copied().unwrap_or(FileType::Other)
    }

    /// The type as a dirent's `d_type`.
    pub(crate) fn d_type(self) -> u8 {
        TABLE[self as usize].0
    }

    /// The type of a [`letter`](FileType::letter).
    #[must_use]
    pub fn from_letter(letter: char) -> Option<FileType> {
        FileType::ALL.into_iter().find(|file_type| file_type.letter() == letter)
    }

    /// The letter that `find -printf %y` prints for this type.
    #[must_use]
    pub fn letter(self) -> char {
        TABLE[self as usize].1
    }

    /// The type of a [`word`](FileType::word).
    #[must_use]
    pub fn from_word(word: &str) -> Option<FileType> {
        FileType::ALL.into_iter().find(|file_type| file_type.word() == Some(word))
    }

    /// The word for this type, as `brisk find --type` takes it; `None` for `Unknown`.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        (self != FileType::Unknown).then_some(TABLE[self as usize].2)
    }
}

/// The `d_type` of each type, its letter and its word. The `d_type` shifted by 12 bits is the type
/// in a mode.
const TABLE: [(u8, char, &str); FileType::ALL.len()] = [
    (0, 'U', "unknown"),
    (8, 'f', "file"),
    (4, 'd', "directory"),
    (10, 'l', "symlink"),
    (6, 'b', "block-device"),
    (2, 'c', "char-device"),
    (1, 'p', "pipe"),
    (12, 's', "socket"),
    (14, 'D', "other"),
];

/// The type of each `d_type`.
const TYPES: [FileType; 16] = {
    let mut types = [FileType::Other; 16];
    let mut at = 0;
    while at < TABLE.len() {
        types[TABLE[at].0 as usize] = FileType::ALL[at];
        at += 1;
    }
    types
};

/// What a symbolic link leads to. No method makes a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The link leads to nothing, or to a file that cannot be reached.
    Dangling,
    /// The link leads to a file with this mode, type bits included.
    Mode(u32),
}

impl Target {
    /// The type of the file that the link leads to; `None` if the link dangles.
    #[must_use]
    pub fn file_type(self) -> Option<FileType> {
        match self {
            Target::Dangling => None,
            Target::Mode(mode) => Some(FileType::from_mode(mode)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back() {
        for (at, file_type) in FileType::ALL.into_iter().enumerate() {
            assert_eq!(file_type as usize, at);
            assert_eq!(FileType::from_d_type(file_type.d_type()), file_type);
            assert_eq!(FileType::from_letter(file_type.letter()), Some(file_type));
            let has_bits = ![FileType::Unknown, FileType::Other].contains(&file_type);
            let of_mode = if has_bits { file_type } else { FileType::Other };
            assert_eq!(FileType::from_mode(file_type.mode_bits() | 0o7777), of_mode);
            assert_eq!(file_type.mode_bits() != 0, has_bits);
            if let Some(word) = file_type.word() {
                assert_eq!(FileType::from_word(word), Some(file_type));
            }
        }
        for d_type in [3, 14, 15, 16, 255] {
            assert_eq!(FileType::from_d_type(d_type), FileType::Other);
        }
    }
}
