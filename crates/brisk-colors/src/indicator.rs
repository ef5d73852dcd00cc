//! The key of an entry, and so the very sequence that GNU ls writes before its name, even one that
//! changes nothing.

use crate::parse::Key;
use crate::{Colors, MetadataColors};
use brisk::{FileType, Meta, Target};

impl Colors {
    /// The sequence that GNU ls writes before an entry with this name, this type and the known
    /// metadata, `None` if it writes none. An empty sequence and `0` are sequences too.
    ///
    /// This never makes a system call and never allocates.
    #[must_use]
    pub fn indicator_of(&self, name: &[u8], kind: FileType, meta: Option<&Meta>) -> Option<&[u8]> {
        let meta = meta.filter(|_| self.metadata == MetadataColors::On);
        let nlink = meta.and_then(Meta::nlink).unwrap_or(1);
        let key = match kind {
            FileType::Symlink => self.link_key(meta.and_then(Meta::target), nlink)?,
            _ => {
                let mode = meta.and_then(Meta::mode).unwrap_or(0);
                let capable = meta.and_then(Meta::has_capability).unwrap_or(false);
                self.key(kind, mode, nlink, capable)
            }
        };
        self.sequence(key, name)
    }

    /// The sequence before a link's target `text` in `ls -l`. `meta` is the link's own metadata,
    /// with the type that the link leads to if [`fields`](Colors::fields) asks for it.
    #[must_use]
    pub fn target_indicator(&self, text: &[u8], meta: Option<&Meta>) -> Option<&[u8]> {
        let nlink = meta.and_then(Meta::nlink).unwrap_or(1);
        let key = match meta.and_then(Meta::target) {
            // The number of links is the link's own, as in GNU ls.
            Some(Target::Mode(mode)) => self.key(FileType::from_mode(mode), mode, nlink, false),
            _ if self.sequences.is_colored(Key::Missing) => Key::Missing,
            _ => Key::Orphan,
        };
        self.sequence(key, text)
    }

    /// Suffixes decide only where nothing else made the file special: an executable x.tar is `ex`.
    fn sequence(&self, key: Key, name: &[u8]) -> Option<&[u8]> {
        if key == Key::File
            && let Some(style) = self.suffixes.find(name)
        {
            return style;
        }
        self.sequences.get(key)
    }

    /// The key of an entry that is not a link.
    pub(super) fn key(&self, kind: FileType, mode: u32, nlink: u64, capable: bool) -> Key {
        match kind {
            FileType::File => self.file_key(mode, nlink, capable),
            FileType::Directory => self.directory_key(mode),
            FileType::Symlink => Key::Link,
            FileType::Fifo => Key::Fifo,
            FileType::Socket => Key::Socket,
            FileType::BlockDevice => Key::Block,
            FileType::CharDevice => Key::Char,
            FileType::Other => Key::Door,
            // The entry's type is unknown: GNU ls paints it like an orphan.
            _ => Key::Orphan,
        }
    }

    /// A link's key; `None` if it has no sequence. A target that was not asked for counts as
    /// missing, which matters with `ln=target` alone: see [`Colors::fields`].
    fn link_key(&self, target: Option<Target>, nlink: u64) -> Option<Key> {
        if self.metadata == MetadataColors::Off {
            return (!self.as_target).then_some(Key::Link);
        }
        Some(match target {
            Some(Target::Mode(mode)) if self.as_target => {
                self.key(FileType::from_mode(mode), mode, nlink, false)
            }
            Some(Target::Mode(_)) => Key::Link,
            _ if self.as_target || self.sequences.is_colored(Key::Orphan) => Key::Orphan,
            _ => Key::Link,
        })
    }

    /// A regular file's key by GNU's priority: su, sg, ca, ex, mh, fi.
    fn file_key(&self, mode: u32, nlink: u64, capable: bool) -> Key {
        let colored = |key| self.sequences.is_colored(key);
        if mode & 0o4000 != 0 && colored(Key::SetUid) {
            Key::SetUid
        } else if mode & 0o2000 != 0 && colored(Key::SetGid) {
            Key::SetGid
        } else if capable && colored(Key::Capability) {
            Key::Capability
        } else if mode & 0o111 != 0 && colored(Key::Executable) {
            Key::Executable
        } else if nlink > 1 && colored(Key::MultiLink) {
            Key::MultiLink
        } else {
            Key::File
        }
    }

    /// A directory's key by GNU's priority: tw, ow, st, di.
    fn directory_key(&self, mode: u32) -> Key {
        let colored = |key| self.sequences.is_colored(key);
        if mode & 0o1002 == 0o1002 && colored(Key::StickyOtherWritable) {
            Key::StickyOtherWritable
        } else if mode & 0o002 != 0 && colored(Key::OtherWritable) {
            Key::OtherWritable
        } else if mode & 0o1000 != 0 && colored(Key::Sticky) {
            Key::Sticky
        } else {
            Key::Directory
        }
    }
}
