//! `--type`: which types of files are wanted.

use brisk::FileType;

/// What `--type` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeName {
    File,
    Directory,
    Symlink,
    Socket,
    Pipe,
    BlockDevice,
    CharDevice,
    Executable,
    Empty,
}

impl TypeName {
    /// The type that a word of `--type` names.
    pub(crate) fn from_word(word: &str) -> TypeName {
        match word {
            "directory" => TypeName::Directory,
            "symlink" => TypeName::Symlink,
            "socket" => TypeName::Socket,
            "pipe" => TypeName::Pipe,
            "block-device" => TypeName::BlockDevice,
            "char-device" => TypeName::CharDevice,
            "executable" => TypeName::Executable,
            "empty" => TypeName::Empty,
            _ => TypeName::File,
        }
    }
}

/// The types that are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    /// A bit for each wanted `FileType`.
    wanted: u16,
    pub(super) executable_only: bool,
    pub(super) empty_only: bool,
}

impl Types {
    const ALL: u16 = u16::MAX;

    pub(super) fn new(names: &[TypeName]) -> Types {
        let mut wanted = names.iter().fold(0, |bits, name| bits | Types::bits(*name));
        let empty_only = names.contains(&TypeName::Empty);
        let narrowed = Types::bit(FileType::File) | Types::bit(FileType::Directory);
        if empty_only && wanted & narrowed == 0 {
            wanted |= narrowed;
        }
        if names.is_empty() {
            wanted = Types::ALL;
        }
        Types { wanted, executable_only: names.contains(&TypeName::Executable), empty_only }
    }

    fn bits(name: TypeName) -> u16 {
        match name {
            TypeName::File | TypeName::Executable => Types::bit(FileType::File),
            TypeName::Directory => Types::bit(FileType::Directory),
            TypeName::Symlink => Types::bit(FileType::Symlink),
            TypeName::Socket => Types::bit(FileType::Socket),
            TypeName::Pipe => Types::bit(FileType::Fifo),
            TypeName::BlockDevice => Types::bit(FileType::BlockDevice),
            TypeName::CharDevice => Types::bit(FileType::CharDevice),
            TypeName::Empty => 0,
        }
    }

    fn bit(file_type: FileType) -> u16 {
        1 << (file_type as u16)
    }

    pub(super) fn is_all(self) -> bool {
        self.wanted == Types::ALL && !self.executable_only && !self.empty_only
    }

    pub(super) fn contain(self, file_type: FileType) -> bool {
        self.wanted & Types::bit(file_type) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_executable_narrow_the_types() {
        use TypeName::{Directory, Empty, Executable, File, Symlink};
        assert!(Types::new(&[]).is_all());
        let empty = Types::new(&[Empty]);
        assert!(empty.contain(FileType::File) && empty.contain(FileType::Directory));
        assert!(!Types::new(&[Empty, File]).contain(FileType::Directory));
        let linked = Types::new(&[Empty, Symlink]);
        assert!(linked.contain(FileType::Symlink) && linked.contain(FileType::File));
        let executable = Types::new(&[Executable, Directory]);
        assert!(executable.contain(FileType::File) && executable.contain(FileType::Directory));
        assert!(!executable.contain(FileType::Symlink));
    }
}
