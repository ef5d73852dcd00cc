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

    /// The type in the high bits of a Unix mode.
    #[must_use]
    pub fn from_mode(mode: u32) -> FileType {
        match mode & 0o170_000 {
            0o100_000 => FileType::File,
            0o040_000 => FileType::Directory,
            0o120_000 => FileType::Symlink,
            0o060_000 => FileType::BlockDevice,
            0o020_000 => FileType::CharDevice,
            0o010_000 => FileType::Fifo,
            0o140_000 => FileType::Socket,
            _ => FileType::Other,
        }
    }

    /// The type as the high bits of a Unix mode; 0 for `Other` and `Unknown`, which have no bits.
    #[must_use]
    pub fn mode_bits(self) -> u32 {
        match self {
            FileType::File => 0o100_000,
            FileType::Directory => 0o040_000,
            FileType::Symlink => 0o120_000,
            FileType::BlockDevice => 0o060_000,
            FileType::CharDevice => 0o020_000,
            FileType::Fifo => 0o010_000,
            FileType::Socket => 0o140_000,
            FileType::Other | FileType::Unknown => 0,
        }
    }

    /// All types.
    pub const ALL: [FileType; 9] = [
        FileType::File,
        FileType::Directory,
        FileType::Symlink,
        FileType::BlockDevice,
        FileType::CharDevice,
        FileType::Fifo,
        FileType::Socket,
        FileType::Other,
        FileType::Unknown,
    ];

    /// The type of a [`letter`](FileType::letter).
    #[must_use]
    pub fn from_letter(letter: char) -> Option<FileType> {
        FileType::ALL.into_iter().find(|file_type| file_type.letter() == letter)
    }

    /// The letter that `find -printf %y` prints for this type.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            FileType::File => 'f',
            FileType::Directory => 'd',
            FileType::Symlink => 'l',
            FileType::BlockDevice => 'b',
            FileType::CharDevice => 'c',
            FileType::Fifo => 'p',
            FileType::Socket => 's',
            FileType::Other => 'D',
            FileType::Unknown => 'U',
        }
    }
}

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
