//! Sets of metadata fields, and of what keeps a file where it is.

bitflags::bitflags! {
    /// A set of metadata fields, in statx's words. The low bits are statx's own mask.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Fields: u32 {
        /// The file type; a directory read usually gives it for nothing.
        const TYPE = 0x1;
        /// Permission bits, with setuid, setgid and sticky.
        const MODE = 0x2;
        /// Number of hard links.
        const NLINK = 0x4;
        /// Owner.
        const UID = 0x8;
        /// Group.
        const GID = 0x10;
        /// Time of the last access.
        const ATIME = 0x20;
        /// Time of the last change of content.
        const MTIME = 0x40;
        /// Time of the last change of metadata.
        const CTIME = 0x80;
        /// Inode number as stat reports it; a dirent's differs at mount points and on overlayfs.
        const INO = 0x100;
        /// Size in bytes.
        const SIZE = 0x200;
        /// Allocated blocks of 512 bytes.
        const BLOCKS = 0x400;
        /// Time of creation.
        const BTIME = 0x800;
        /// Mount that the file was reached through.
        const MNT_ID = 0x1000;
        /// Device that holds the file.
        const DEV = 1 << 16;
        /// Whether more than the mode decides about access: an access control list, a security
        /// context.
        const ACCESS = 1 << 17;
        /// Whether a regular file has capabilities.
        const CAPS = 1 << 18;
        /// Where a symbolic link points, as text.
        const LINK_TARGET = 1 << 19;
        /// What a symbolic link leads to.
        const TARGET = 1 << 20;
        /// The security context.
        const CONTEXT = 1 << 21;
        /// Windows's attributes (hidden, read-only, …); no other system has them.
        const ATTRIBUTES = 1 << 28;
    }
}

impl Fields {
    /// The bits that statx's mask has; the rest need no request of their own or another call.
    pub const STATX: Fields = Fields::from_bits_truncate(0x1fff);

    /// What extended attributes tell.
    pub const XATTR: Fields = Fields::ACCESS.union(Fields::CAPS).union(Fields::CONTEXT);
}

bitflags::bitflags! {
    /// What prevents a file's removal, whatever the permissions of its directory. Only Linux tells.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Pins: u8 {
        /// It can be neither changed nor removed (`chattr +i`).
        const IMMUTABLE = 0x1;
        /// It can only grow; from a directory nothing can be removed (`chattr +a`).
        const APPEND_ONLY = 0x2;
        /// A file system is mounted on it.
        const MOUNT_POINT = 0x4;
    }
}
