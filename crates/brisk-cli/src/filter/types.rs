//! `--type`: which types of files are wanted.

use brisk::FileType;

use crate::front::Words;

/// Files and directories: what `empty` means unless one of them is named.
const MAY_BE_EMPTY: u16 = bit(FileType::File) | bit(FileType::Directory);

/// The types that are wanted: all, unless some are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types {
    /// A bit for each type that is named.
    named: u16,
    /// A bit for each type that is not wanted.
    unwanted: u16,
    pub(super) executable_only: bool,
    pub(super) empty_only: bool,
}

const fn bit(file_type: FileType) -> u16 {
    1 << (file_type as u16)
}

impl Types {
    pub(crate) const WORDS: Words = Words::new(
        "file f | directory d dir | symlink l | block-device b | char-device c | executable x | \
         empty e | socket s | pipe p",
    );

    /// The words without the directory.
    pub(crate) const OF_FILES: Words = Words::new(
        "file f | symlink l | block-device b | char-device c | executable x | empty e | socket s | \
         pipe p",
    );

    /// Adds what a word of `--type` names.
    pub(crate) fn add(&mut self, word: &str) {
        self.executable_only |= word == "executable";
        self.empty_only |= word == "empty";
        let word = if word == "executable" { "file" } else { word };
        self.named |= FileType::from_word(word).map_or(0, bit);
        let implied = self.empty_only && self.named & MAY_BE_EMPTY == 0;
        self.unwanted = !(self.named | if implied { MAY_BE_EMPTY } else { 0 });
    }

    pub(super) fn is_all(self) -> bool {
        self == Types::default()
    }

    pub(super) fn contain(self, file_type: FileType) -> bool {
        self.unwanted & bit(file_type) == 0
    }

    /// Whether directories alone are wanted.
    pub(super) fn is_directory(self) -> bool {
        self.named == bit(FileType::Directory)
    }

    #[cfg(test)]
    pub(crate) fn of(words: &[&str]) -> Types {
        let mut types = Types::default();
        words.iter().for_each(|word| types.add(word));
        types
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_executable_narrow_the_types() {
        let all = Types::of(&[]);
        assert!(all.is_all() && all.contain(FileType::Socket) && all.contain(FileType::Unknown));
        let empty = Types::of(&["empty"]);
        assert!(empty.contain(FileType::File) && empty.contain(FileType::Directory));
        assert!(!empty.is_all() && !empty.contain(FileType::Symlink));
        assert!(!Types::of(&["empty", "file"]).contain(FileType::Directory));
        let linked = Types::of(&["empty", "symlink"]);
        assert!(linked.contain(FileType::Symlink) && linked.contain(FileType::File));
        let executable = Types::of(&["executable", "directory"]);
        assert!(executable.contain(FileType::File) && executable.contain(FileType::Directory));
        assert!(!executable.contain(FileType::Symlink));
    }
}
