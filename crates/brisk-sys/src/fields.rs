//! Sets of metadata fields, and of reasons why a file cannot be removed.

bitflags::bitflags! {
    /// A set of metadata fields, named as statx names them. The low bits are statx's own mask.
    ///
    /// On Linux, one statx fills the fields of [`Fields::STATX`], and `DEV` with them. Each of the
    /// others costs the calls that its line names. On Windows, most fields come with the names in a
    /// directory.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Fields: u32 {
        /// The file type. A directory read usually returns it at no extra cost.
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
        /// Inode number as stat reports it. The number in a dirent differs at mount points and on
        /// overlayfs.
        const INO = 0x100;
        /// Size in bytes.
        const SIZE = 0x200;
        /// Allocated blocks of 512 bytes.
        const BLOCKS = 0x400;
        /// Time of creation.
        const BTIME = 0x800;
        /// Id of the mount that the file was reached through (Linux 5.8 and later).
        const MNT_ID = 0x1000;
        /// Device that holds the file.
        const DEV = 1 << 16;
        /// Whether more than the mode decides about access: an access control list, a security
        /// context. Linux: one listxattrat.
        const ACCESS = 1 << 17;
        /// Whether a regular file has capabilities. Linux: one getxattrat or listxattrat.
        const CAPS = 1 << 18;
        /// Where a symbolic link points, as text. Linux: one readlinkat.
        const LINK_TARGET = 1 << 19;
        /// What a symbolic link leads to. Linux: one statx that follows the link.
        const TARGET = 1 << 20;
        /// The security context. Linux: one getxattrat. Windows: the owner's name.
        const CONTEXT = 1 << 21;
        /// Windows's file attributes (hidden, read-only, …). No other system has them.
        const ATTRIBUTES = 1 << 28;
    }
}

impl Fields {
    /// The bits of statx's mask. The other fields come with every answer or need other calls.
    pub const STATX: Fields = Fields::from_bits_truncate(0x1fff);

    /// The fields that are read from extended attributes.
    pub const XATTR: Fields = Fields::ACCESS.union(Fields::CAPS).union(Fields::CONTEXT);
}

bitflags::bitflags! {
    /// What prevents a file's removal, whatever the permissions of its directory. Only Linux
    /// reports it, with every statx.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Pins: u8 {
        /// The file can be neither changed nor removed (`chattr +i`).
        const IMMUTABLE = 0x1;
        /// The file can only grow, and nothing can be removed from such a directory (`chattr +a`).
        const APPEND_ONLY = 0x2;
        /// A file system is mounted on the file.
        const MOUNT_POINT = 0x4;
    }
}
