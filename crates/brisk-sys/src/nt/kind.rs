//! The type of a file, by its attributes and its reparse tag.
//!
//! A reparse point is a link only if its tag has the name-surrogate bit (symbolic links, junctions,
//! mounted volumes). All others (compressed by WOF, deduplicated, cloud placeholders) are ordinary
//! files and directories, which a driver completes when they are opened. Listing never opens them.

use crate::FileType;

/// The file attributes that brisk uses, each a bit, named as Windows names them.
pub mod attribute {
    /// FILE_ATTRIBUTE_READONLY
    pub const READONLY: u32 = 0x1;
    /// FILE_ATTRIBUTE_HIDDEN
    pub const HIDDEN: u32 = 0x2;
    /// FILE_ATTRIBUTE_SYSTEM
    pub const SYSTEM: u32 = 0x4;
    /// FILE_ATTRIBUTE_DIRECTORY
    pub const DIRECTORY: u32 = 0x10;
    /// FILE_ATTRIBUTE_ARCHIVE
    pub const ARCHIVE: u32 = 0x20;
    /// FILE_ATTRIBUTE_DEVICE
    pub const DEVICE: u32 = 0x40;
    /// FILE_ATTRIBUTE_REPARSE_POINT
    pub const REPARSE_POINT: u32 = 0x400;
    /// FILE_ATTRIBUTE_COMPRESSED
    pub const COMPRESSED: u32 = 0x800;
    /// FILE_ATTRIBUTE_OFFLINE
    pub const OFFLINE: u32 = 0x1000;
    /// FILE_ATTRIBUTE_ENCRYPTED
    pub const ENCRYPTED: u32 = 0x4000;
    /// FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS
    pub const RECALL_ON_DATA_ACCESS: u32 = 0x40_0000;
}

/// Reparse tags: numbers that say what a reparse point is.
pub mod tag {
    /// The bit that is set in a tag if the reparse point stands for another name.
    pub const NAME_SURROGATE: u32 = 0x2000_0000;
    /// A junction or a mounted volume.
    pub const MOUNT_POINT: u32 = 0xa000_0003;
    /// A symbolic link.
    pub const SYMLINK: u32 = 0xa000_000c;
    /// A symbolic link made by the Linux subsystem.
    pub const LX_SYMLINK: u32 = 0xa000_001d;
    /// A Unix socket.
    pub const AF_UNIX: u32 = 0x8000_0023;
    /// A named pipe made by the Linux subsystem.
    pub const LX_FIFO: u32 = 0x8000_0024;
    /// A character device made by the Linux subsystem.
    pub const LX_CHR: u32 = 0x8000_0025;
    /// A block device made by the Linux subsystem.
    pub const LX_BLK: u32 = 0x8000_0026;
    /// A file that the Windows overlay filter completes: a compressed system file.
    pub const WOF: u32 = 0x8000_0017;
    /// A deduplicated file.
    pub const DEDUP: u32 = 0x8000_0013;
    /// A cloud placeholder. The fifth hexadecimal digit of the tag varies.
    pub const CLOUD: u32 = 0x9000_001a;
    /// The bits of a cloud placeholder's tag that do not vary.
    const CLOUD_MASK: u32 = 0xffff_0fff;

    /// Whether a directory with this tag holds its own content, so that a removal may descend into
    /// it. Makes no system call.
    #[must_use]
    pub fn is_ordinary(tag: u32) -> bool {
        tag == WOF || tag == DEDUP || tag & CLOUD_MASK == CLOUD
    }
}

/// The type of a file. A directory that is a reparse point without a tag counts as a link: Wine
/// shows links so. Makes no system call.
#[must_use]
pub fn file_type(attributes: u32, reparse_tag: u32) -> FileType {
    let is_dir = attributes & attribute::DIRECTORY != 0;
    if attributes & attribute::REPARSE_POINT != 0 {
        match reparse_tag {
            tag::AF_UNIX => return FileType::Socket,
            tag::LX_FIFO => return FileType::Fifo,
            tag::LX_CHR => return FileType::CharDevice,
            tag::LX_BLK => return FileType::BlockDevice,
            0 if is_dir => return FileType::Symlink,
            surrogate if surrogate & tag::NAME_SURROGATE != 0 => return FileType::Symlink,
            _ => {}
        }
    }
    if is_dir { FileType::Directory } else { FileType::File }
}

/// Whether a removal may descend into a file: it is a directory, and holds its own content. A
/// reparse point whose tag is not known to be ordinary is removed itself. Makes no system call.
#[must_use]
pub fn may_descend(attributes: u32, reparse_tag: u32) -> bool {
    attributes & attribute::DIRECTORY != 0
        && (attributes & attribute::REPARSE_POINT == 0 || tag::is_ordinary(reparse_tag))
}

#[cfg(test)]
mod tests {
    use super::attribute::*;
    use super::*;

    #[test]
    fn only_tags_with_the_surrogate_bit_are_links() {
        let file = ARCHIVE | REPARSE_POINT;
        let dir = DIRECTORY | REPARSE_POINT;
        // (attributes, tag) → (type, may deleting descend)
        let table = [
            (ARCHIVE, 0, FileType::File, false),
            (0, 0, FileType::File, false),
            (DIRECTORY, 0, FileType::Directory, true),
            (DIRECTORY | HIDDEN | SYSTEM | READONLY, 0, FileType::Directory, true),
            // Without the attribute, the field of the tag holds the size of extended attributes.
            (ARCHIVE, tag::SYMLINK, FileType::File, false),
            (file, tag::SYMLINK, FileType::Symlink, false),
            (dir, tag::SYMLINK, FileType::Symlink, false),
            (dir, tag::MOUNT_POINT, FileType::Symlink, false),
            (file, tag::LX_SYMLINK, FileType::Symlink, false),
            (dir, 0, FileType::Symlink, false),
            (file, 0, FileType::File, false),
            (file, tag::WOF, FileType::File, false),
            (file, tag::DEDUP, FileType::File, false),
            (dir, tag::DEDUP, FileType::Directory, true),
            (dir, tag::CLOUD, FileType::Directory, true),
            (dir, 0x9000_601a, FileType::Directory, true),
            (file, 0x9000_701a, FileType::File, false),
            (file, 0x8000_001b, FileType::File, false),
            (dir, 0x8000_4711, FileType::Directory, false),
            (file, tag::AF_UNIX, FileType::Socket, false),
            (file, tag::LX_FIFO, FileType::Fifo, false),
        ];
        for (attributes, tag, kind, descend) in table {
            assert_eq!(file_type(attributes, tag), kind, "{attributes:#x} {tag:#x}");
            assert_eq!(may_descend(attributes, tag), descend, "{attributes:#x} {tag:#x}");
        }
    }
}
