//! [`Usage`]: what is added up, and how.

use super::links::HardLinks;
use crate::Walk;

/// Of which types of files the size counts as apparent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Apparent {
    /// Regular files and symbolic links, as in GNU du from version 9.2 on.
    #[default]
    Contents,
    /// All, directories too, as in GNU du before.
    All,
}

/// What is added up over the trees of a [`Walk`].
///
/// # What counts
/// Every entry that the walk meets, the roots included. Which mounts are entered and which links
/// are followed is the walk's to say. An entry that vanishes during the walk does not count, and is
/// no error. A followed link that leads nowhere counts itself, and its directory is not complete. A
/// directory that cannot be read is one error, and counts with its own entry. A root that lies in
/// another one counts once, in the one that comes first ([`HardLinks::Each`]: in both). With
/// [`Follow::Always`](crate::Follow::Always) each file and directory counts once, where it is met
/// first ([`Walk::unique`]), unless each link counts.
///
/// # Cost
/// For each entry one statx with `SIZE` and `BLOCKS`, with `NLINK` and `INO` unless each link
/// counts, and what the observer wants; for a directory through its own handle. A root that is a
/// directory costs one statx more, and so does each directory if the walk keeps to one device or
/// delivers entries once. A directory that cannot be opened is asked about by its path. Memory:
/// about 170 bytes and the name for each directory that is not left or has to wait for the end; 24
/// bytes for each file with several links. A file with one link takes no lock.
///
/// # Platforms
/// Where a system does not report blocks or links, these count as 0 and as one link.
#[derive(Clone, Debug)]
pub struct Usage {
    /// Which entries are met. In an ordered walk the directories are delivered in that order, each
    /// after those below it; those whose sums may still change ([`HardLinks::FirstSorted`]) come at
    /// the end. In depth order siblings come as in GNU du: those of a directory with more than
    /// 10,000 entries by inode, 100,000 entries at a time; on tmpfs, NFS, SMB and Lustre only if
    /// all links are followed.
    pub walk: Walk,
    /// How hard links count; [`HardLinks::FirstSorted`] by default.
    pub links: HardLinks,
    /// Of which types the size is apparent; [`Apparent::Contents`] by default.
    pub apparent: Apparent,
    /// Counts the extents that several files share (reflinks) once, where they are met first; off
    /// by default. With several workers the directory that is first differs from run to run, unless
    /// the walk is sorted; the sum of all does not. Hard links then count where they are met first
    /// too ([`HardLinks::FirstMet`]). A compressed extent is shared where the files have it at the
    /// same position. Files that cannot be read, and those of file systems without extents, count
    /// whole. Linux: openat, one ioctl (FIEMAP) for 64 extents and close for each regular file. No
    /// effect on other systems.
    pub reflinks: bool,
    /// The sums become what the file system would get back if exactly the entries of a directory
    /// were removed: [`allocated`](field@super::Sums::allocated) at most, and
    /// [`apparent`](field@super::Sums::apparent) at least. Off by default. A file counts once all its
    /// names are in the directory or below it, an extent once all files that use it are. Who uses an
    /// extent is known on btrfs with CAP_SYS_ADMIN. Elsewhere an extent with other users than one
    /// file counts at most: on XFS where two files of the directory use it, otherwise where one
    /// does. There the bound leaves out what overwritten parts of files may still take
    /// ([`Report::hides_overwritten`](field@super::Report::hides_overwritten)). On file systems that
    /// brisk does not know, nothing is sure. All directories are delivered at the end;
    /// [`links`](field@Usage::links) and [`reflinks`](field@Usage::reflinks) have no effect, and
    /// [`entries`](field@super::Sums::entries) are names. Linux: one statfs for
    /// each device. For each regular file with blocks, on file systems that share extents, openat, one
    /// ioctl (FIEMAP) for 64 extents and close; on btrfs with CAP_SYS_ADMIN openat, an ioctl for each
    /// 64 KiB of the list of extents and one more, one for each extent, and close. Memory: about
    /// 100 bytes for each shared extent of a file.
    pub frees: bool,
    /// Lets the file system answer from sums that it keeps. Set this only if the sizes of the roots
    /// are all that is needed (no number of entries, nothing below the roots), and if the observer
    /// lets everything count. Off by default. CephFS answers: `ceph.dir.rbytes` is the bytes of all
    /// files below a directory, which then count as allocated and as apparent. That number may be a
    /// few seconds old, and leaves out what is mounted below. Not asked where there are ignore rules,
    /// a filter, a depth limit, fields that the observer wants, reflinks, links that count each, or links that
    /// are followed. System calls: one statfs a root; on CephFS one getxattr instead of a walk.
    pub shortcuts: bool,
}

impl Usage {
    /// Adds up what this walk meets, by the defaults.
    #[must_use]
    pub fn new(walk: Walk) -> Usage {
        let (links, apparent) = Default::default();
        Usage { walk, links, apparent, reflinks: false, frees: false, shortcuts: false }
    }
}
