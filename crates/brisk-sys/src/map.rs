//! A private file as bytes in memory, without a copy where the system can map files.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;

use crate::native::Mapping;

/// The whole content of a file, as it is while this value exists.
///
/// # Files that may be mapped
///
/// A mapping changes when another process writes to the file in place, and reading it raises SIGBUS
/// after another process has truncated the file. So this type is for private files that are only
/// ever replaced: written to a temporary and renamed, after which the mapping still shows the old
/// content. The system enforces most of that: a file is mapped only if it is a regular one that
/// belongs to this user or to root and that the group and others cannot write. Any other file is
/// read into memory. There remains a process of the same user that writes to the file in place.
#[derive(Debug)]
pub struct Mapped(Content);

#[derive(Debug)]
enum Content {
    Mapping(Mapping),
    Read(Vec<u8>),
}

impl Mapped {
    /// The content of an open file, from its beginning. Linux: fstat, then one mmap that brings in
    /// all pages; where the file may not be mapped, the calls of
    /// [`read_to_end`](Read::read_to_end), which begin at the file's position. Other systems: these
    /// calls.
    ///
    /// # Errors
    /// The errors of these calls.
    pub fn of(file: &File) -> io::Result<Mapped> {
        if let Some(mapping) = Mapping::of(file)? {
            return Ok(Mapped(Content::Mapping(mapping)));
        }
        Mapped::read(file)
    }

    /// Gives the memory of a mapping back to the system until it is read again. Linux: one madvise.
    pub fn give_back(&self) {
        if let Content::Mapping(mapping) = &self.0 {
            mapping.give_back();
        }
    }

    /// As [`of`](Mapped::of), but the content is always read. For libraries: a process that another
    /// program runs in must not end because a file was truncated in place.
    ///
    /// # Errors
    /// The errors of [`read_to_end`](Read::read_to_end).
    pub fn read(mut file: &File) -> io::Result<Mapped> {
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        Ok(Mapped(Content::Read(content)))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Content::Mapping(mapping) => mapping.bytes(),
            Content::Read(content) => content,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    use std::io::Write;

    use super::*;

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn is_mapped(mapped: &Mapped) -> bool {
        matches!(mapped.0, Content::Mapping(_))
    }

    #[test]
    fn a_file_is_its_content_whatever_its_length() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let path = place.path().join("file");
        for length in [0, 1, 4095, 4096, 4097, 100_000] {
            let content: Vec<u8> = (0..length).map(|at| at as u8).collect();
            fs::write(&path, &content).expect("a file");
            let mapped = Mapped::of(&File::open(&path).expect("a file")).expect("readable");
            assert_eq!(*mapped, content[..]);
        }
    }

    #[test]
    fn the_old_content_stays_when_the_file_is_replaced() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let path = place.path().join("file");
        fs::write(&path, "old").expect("a file");
        let mapped = Mapped::of(&File::open(&path).expect("a file")).expect("readable");
        fs::write(place.path().join("new"), "newer").expect("a file");
        fs::rename(place.path().join("new"), &path).expect("renamed");
        assert_eq!(*mapped, *b"old");
        fs::remove_file(&path).expect("removed");
        assert_eq!(*mapped, *b"old");
    }

    #[test]
    fn a_directory_has_no_content() {
        let place = tempfile::tempdir().expect("a scratch directory");
        assert!(File::open(place.path()).and_then(|dir| Mapped::of(&dir)).is_err());
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn only_what_others_cannot_write_is_mapped() {
        use std::os::unix::fs::PermissionsExt;
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(b"content").expect("written");
        for (mode, expected) in [(0o600, true), (0o644, true), (0o664, false), (0o606, false)] {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(file.path(), permissions).expect("its owner may");
            let mapped = Mapped::of(&File::open(file.path()).expect("a file")).expect("readable");
            assert_eq!((is_mapped(&mapped), &*mapped), (expected, &b"content"[..]), "{mode:o}");
        }
        let mapped = Mapped::read(file.as_file()).expect("readable");
        assert!(!is_mapped(&mapped));
        let (reader, mut writer) = io::pipe().expect("a pipe");
        writer.write_all(b"piped").expect("written");
        drop(writer);
        let piped = File::from(std::os::fd::OwnedFd::from(reader));
        let mapped = Mapped::of(&piped).expect("readable");
        assert_eq!((is_mapped(&mapped), &*mapped), (false, &b"piped"[..]));
    }
}
