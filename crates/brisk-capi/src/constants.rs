//! The numbers of the header.

use std::ffi::c_int;

/// A callback's answer: go on.
pub const BRISK_CONTINUE: c_int = 0;

/// A callback's answer: end the work, or call this function no more. What other threads have begun to
/// call goes on.
pub const BRISK_STOP: c_int = 1;

/// The answer of a brisk_visitor's `enter` alone: do not enter this directory.
pub const BRISK_PRUNE: c_int = 2;

/// In `fields`: the permissions, and the type's bits of st_mode.
pub const BRISK_FIELD_MODE: u32 = 0x2;

/// In `fields`: the number of hard links.
pub const BRISK_FIELD_NLINK: u32 = 0x4;

/// In `fields`: the owner.
pub const BRISK_FIELD_UID: u32 = 0x8;

/// In `fields`: the group.
pub const BRISK_FIELD_GID: u32 = 0x10;

/// In `fields`: the time of the last access.
pub const BRISK_FIELD_ATIME: u32 = 0x20;

/// In `fields`: the time of the last change of content.
pub const BRISK_FIELD_MTIME: u32 = 0x40;

/// In `fields`: the time of the last change of metadata.
pub const BRISK_FIELD_CTIME: u32 = 0x80;

/// In `fields`: the inode number as stat reports it.
pub const BRISK_FIELD_INO: u32 = 0x100;

/// In `fields`: the size in bytes.
pub const BRISK_FIELD_SIZE: u32 = 0x200;

/// In `fields`: the allocated blocks of 512 bytes.
pub const BRISK_FIELD_BLOCKS: u32 = 0x400;

/// In `fields`: the time of creation.
pub const BRISK_FIELD_BTIME: u32 = 0x800;

/// In `fields`: the id of the mount (Linux 5.8 and later).
pub const BRISK_FIELD_MNT_ID: u32 = 0x1000;

/// In `fields`: the device that holds the file, and the one that a device file stands for.
pub const BRISK_FIELD_DEV: u32 = 0x10000;

/// In `fields`: where a symbolic link points, as text. Costs one readlinkat a link.
pub const BRISK_FIELD_LINK_TARGET: u32 = 0x80000;

/// In `fields`: the mode of what a symbolic link leads to. Costs one statx a link.
pub const BRISK_FIELD_TARGET: u32 = 0x100000;

/// In `fields`: Windows's file attributes. No other system has them.
pub const BRISK_FIELD_ATTRIBUTES: u32 = 0x1000_0000;

/// In `order`: as directories are read, which is fastest.
pub const BRISK_ORDER_ANY: u32 = 0;

/// In `order`: by level, nothing of depth n + 1 before everything of depth n.
pub const BRISK_ORDER_BREADTH: u32 = 1;

/// In `order`: each directory before what is below it, which stays together.
pub const BRISK_ORDER_DEPTH: u32 = 2;

/// In `order`: each directory after what is below it.
pub const BRISK_ORDER_DEPTH_POST: u32 = 3;

/// In `order`: as BRISK_ORDER_DEPTH, but all entries of a directory come before what is in its
/// subdirectories.
pub const BRISK_ORDER_DEPTH_SIBLINGS: u32 = 4;

/// In `order`: as BRISK_ORDER_DEPTH, siblings by the bytes of their names.
pub const BRISK_ORDER_SORTED: u32 = 5;

/// In `order`: as BRISK_ORDER_DEPTH_POST, siblings by the bytes of their names.
pub const BRISK_ORDER_SORTED_POST: u32 = 6;

/// In `order`: as BRISK_ORDER_DEPTH_SIBLINGS, siblings by the bytes of their names.
pub const BRISK_ORDER_SORTED_SIBLINGS: u32 = 7;

/// In `follow`: no links.
pub const BRISK_FOLLOW_NEVER: u32 = 1;

/// In `follow`: all links. One that leads to a directory above it is an error.
pub const BRISK_FOLLOW_ALWAYS: u32 = 2;

/// In `follow`: the links that are given as roots.
pub const BRISK_FOLLOW_ROOTS: u32 = 3;

/// In `mounts`: all mount points are entered.
pub const BRISK_MOUNTS_CROSS: u32 = 0;

/// In `mounts`: those of the root's device are entered.
pub const BRISK_MOUNTS_SAME_DEVICE: u32 = 1;

/// In `mounts`: none is entered; each is an error with EXDEV.
pub const BRISK_MOUNTS_SAME_MOUNT: u32 = 2;

/// In `ignore`: hidden entries.
pub const BRISK_IGNORE_HIDDEN: u32 = 1;

/// In `ignore`: what git ignores, in its repositories.
pub const BRISK_IGNORE_GIT: u32 = 2;

/// In `ignore`: what files named .ignore say.
pub const BRISK_IGNORE_FILES: u32 = 4;

/// In `flags`: directories that are named are emptied, and stay.
pub const BRISK_REMOVE_KEEP_ROOTS: u32 = 1;

/// In `flags`: a path at which nothing exists is not a failure.
pub const BRISK_REMOVE_IGNORE_MISSING: u32 = 2;

/// In `flags`: file systems that are mounted below are emptied too. Otherwise each is a failure.
pub const BRISK_REMOVE_CROSS_MOUNTS: u32 = 4;

/// In `flags`: nothing is removed; the result says what would be.
pub const BRISK_REMOVE_DRY_RUN: u32 = 8;

/// In `flags`: everything is kept, as `cp -a` does: modes, owners, times, hard links, extended
/// attributes.
pub const BRISK_COPY_ARCHIVE: u32 = 1;

/// In `flags`: a directory at the destination is a failure, and stays as it is.
pub const BRISK_COPY_NEW: u32 = 2;

/// In `flags`: existing files stay as they are.
pub const BRISK_COPY_KEEP: u32 = 4;

/// In `flags`: existing files are overwritten only if type, size, time of modification or, with
/// BRISK_COPY_ARCHIVE, mode or owners differ.
pub const BRISK_COPY_CHANGED: u32 = 8;

/// In `flags`: what the source does not have is removed from existing directories.
pub const BRISK_COPY_DELETE: u32 = 16;

/// In `flags`: nothing is copied; the result says what would be.
pub const BRISK_COPY_DRY_RUN: u32 = 32;

/// In `flags`: the destination's file system is written to disk at the end.
pub const BRISK_COPY_SYNC: u32 = 64;

/// In `flags`: a file has changed only if its contents have.
pub const BRISK_CHANGED_CONTENT: u32 = 1;

/// In `flags`: a change of ctime alone is none.
pub const BRISK_CHANGED_NO_CTIME: u32 = 2;

/// In `flags`: an entry with a new path is deleted and added, not renamed.
pub const BRISK_CHANGED_NO_RENAMES: u32 = 4;

/// In `links`: a file with several hard links counts once.
pub const BRISK_LINKS_ONCE: u32 = 0;

/// In `links`: it counts as often as it is met.
pub const BRISK_LINKS_EACH: u32 = 1;
