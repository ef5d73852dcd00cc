//! [`Copy`]: how to copy.

use crate::Walk;

/// How trees and files are copied. The defaults are those of `cp -R`: contents and types, links as
/// links, new files with the source's mode minus the umask.
///
/// # Platforms
/// Linux. On other systems each pair is a failure of the kind
/// [`Unsupported`](std::io::ErrorKind::Unsupported).
#[derive(Clone, Debug)]
pub struct Copy {
    /// How the sources are walked: threads, requests, handles, rules, filter, mounts (`cp -x` is
    /// [`Mounts::SameDevice`](crate::Mounts::SameDevice)), which links are followed (`cp -P` is
    /// [`Follow::Never`](crate::Follow::Never), `-H` `Roots`, `-L` `Always`), and what cancels the
    /// copy. Roots, order, least depth and backend have no effect: [`run`](Copy::run) sets them.
    pub walk: Walk,
    /// What is made of each entry that is not a directory: a copy (the default), a link, or only
    /// its attributes.
    pub create: Create,
    /// Copies directories with what is below them, which is the default. Otherwise each directory
    /// is a failure, [`Step::OmitDirectory`](super::Step::OmitDirectory).
    pub recursive: bool,
    /// What becomes of FIFOs, devices and sockets. By default new ones are made.
    pub specials: Specials,
    /// Copies directories into those that exist, which is the default. Otherwise a directory at the
    /// destination, even one that another process makes during the copy, stays as it is, which is a
    /// failure: [`Step::MakeDirectory`](super::Step::MakeDirectory) with the kind
    /// [`AlreadyExists`](std::io::ErrorKind::AlreadyExists).
    pub merge: bool,
    /// Which attributes the copies keep.
    pub preserve: Preserve,
    /// Which attributes copies of regular files keep, if not those of `preserve`.
    pub preserve_files: Option<Preserve>,
    /// Turns relative symbolic links into absolute ones. `.` and `..` are resolved lexically. Off
    /// by default.
    pub absolute_links: bool,
    /// The umask: the permissions that new files do not get. By default the copy reads the
    /// process's umask from `/proc/self/status`, and assumes 0o022 if /proc is not mounted.
    pub umask: Option<u32>,
    /// Whether copies share blocks with their sources; by default where the file system can.
    pub reflink: When,
    /// Whether holes are made; by default where the source has holes.
    pub sparse: When,
    /// How existing files are overwritten.
    pub overwriting: Overwriting,
    /// Which existing files are overwritten.
    pub update: Update,
    /// Makes each new tree under a temporary name beside its own. The tree gets its own name when
    /// everything in it is done, or when the copy is stopped, so a killed run leaves no incomplete
    /// tree under its own name. On by default. If off, each file is made without a name, or under a
    /// temporary name.
    pub whole_trees: bool,
    /// Replaces a destination that cannot be opened, or where a link is made or found (`cp -f`).
    pub force: bool,
    /// Replaces each existing destination instead of writing to it (`cp --remove-destination`).
    pub remove_destination: bool,
    /// Keeps backups: each existing destination gets the name that
    /// [`Observer::backup_name`](super::Observer::backup_name) returns, instead of being
    /// overwritten.
    pub backup: bool,
    /// Backups have numbered names, so no backup replaces another. The copy may then also overwrite
    /// what it has made itself.
    pub numbered: bool,
    /// If a link at a pair's own destination is dangling, makes the file that the link leads to
    /// (`POSIXLY_CORRECT`). Otherwise this is [`Step::DanglingLink`](super::Step::DanglingLink).
    pub through_dangling: bool,
    /// Removes from existing destination directories what the source directory does not have, and
    /// what is in the way of a source entry of another type. What the walk's rules or filter would
    /// leave out stays, and so do the directories above it; rules are those of the source's
    /// directories. A source inside the destination is
    /// [`Step::HoldsSource`](super::Step::HoldsSource). By default nothing is removed.
    pub delete: bool,
    /// Changes nothing, and reports what would be done.
    pub dry_run: bool,
    /// Has the system write the destination's file systems to the disk at the end (syncfs).
    pub sync: bool,
}

impl Copy {
    /// Copies what this walk visits; all other settings have their defaults.
    #[must_use]
    pub fn new(walk: Walk) -> Copy {
        Copy {
            walk,
            create: Create::default(),
            recursive: true,
            specials: Specials::default(),
            merge: true,
            preserve: Preserve::default(),
            preserve_files: None,
            absolute_links: false,
            umask: None,
            reflink: When::Auto,
            sparse: When::Auto,
            overwriting: Overwriting::default(),
            update: Update::default(),
            whole_trees: true,
            force: false,
            remove_destination: false,
            backup: false,
            numbered: false,
            through_dangling: false,
            delete: false,
            dry_run: false,
            sync: false,
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Copy {
    /// Which attributes a copy of this type keeps.
    pub(in crate::copy) fn preserved(&self, file_type: crate::FileType) -> Preserve {
        let kept = self.preserve_files.filter(|_| file_type.is_file()).unwrap_or(self.preserve);
        // A link has neither permissions nor an access list.
        let mode = if file_type.is_symlink() { Modes::Masked } else { kept.mode };
        Preserve { mode, ..kept }
    }

    /// Whether the complete copy of a file replaces what is there, instead of being written into
    /// it. A file that gets only attributes keeps its contents, and links are not written.
    pub(in crate::copy) fn replaces(&self, old: &crate::Meta) -> bool {
        use crate::FileType::{File, Symlink};
        let is_replaceable = match self.create {
            Create::Contents => matches!(old.file_type(), Some(File | Symlink)),
            Create::Attributes => old.file_type() == Some(Symlink),
            Create::HardLink | Create::SymbolicLink => false,
        };
        self.overwriting == Overwriting::Replace && is_replaceable
    }
}

impl Default for Copy {
    fn default() -> Copy {
        Copy::new(Walk::over([""; 0]))
    }
}

/// What is made of an entry that is not a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Create {
    /// A copy.
    #[default]
    Contents,
    /// A hard link to the source (`cp -l`).
    HardLink,
    /// A symbolic link to the source's path (`cp -s`). The path must be absolute, unless the
    /// destination is in the current directory.
    SymbolicLink,
    /// A file with the source's attributes; an existing one keeps its contents
    /// (`cp --attributes-only`).
    Attributes,
}

/// What becomes of FIFOs, devices and sockets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Specials {
    /// New ones are made.
    #[default]
    Make,
    /// Their contents are read, and written to regular files (`cp --copy-contents`).
    Read,
    /// Each is a failure: [`Step::SpecialFile`](super::Step::SpecialFile).
    Refuse,
}

/// Which attributes copies keep. None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preserve {
    /// What becomes of modes and access control lists.
    pub mode: Modes,
    /// Owner and group. It is no failure if an ordinary user may not set them.
    pub ownership: bool,
    /// Times of access and modification.
    pub timestamps: bool,
    /// Hard links: the names of one source file become names of one copy.
    pub links: bool,
    /// Extended attributes, including the namespace `trusted` where the user may read it.
    pub xattr: Demand,
    /// The security context.
    pub context: Demand,
}

impl Preserve {
    /// Everything that `cp -a` keeps.
    pub const ARCHIVE: Preserve = Preserve {
        mode: Modes::Preserved,
        ownership: true,
        timestamps: true,
        links: true,
        xattr: Demand::Try,
        context: Demand::Try,
    };
}

/// What becomes of modes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Modes {
    /// New files have the source's permissions minus the umask; existing ones keep their mode.
    #[default]
    Masked,
    /// All copies have their sources' modes, including setuid, setgid and sticky bits, and access
    /// control lists.
    Preserved,
    /// New files and directories have their sources' modes; existing ones keep theirs.
    PreservedInNew,
    /// New files have the permissions of any new file (`cp --no-preserve=mode`).
    Fresh,
}

/// Whether an attribute is copied, and whether it must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Demand {
    /// It is not copied.
    #[default]
    No,
    /// It is copied where possible; where it cannot be, that is not a failure (`cp -a`).
    Try,
    /// It is copied; where it cannot be, that is a failure.
    Required,
}

/// Whether blocks are shared, or holes made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Never.
    Never,
    /// Blocks where the file system can share them, holes where the source has them.
    Auto,
    /// Always: a file whose blocks cannot be shared is a failure, and any block of zeros becomes a
    /// hole.
    Always,
}

/// How existing regular files are overwritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overwriting {
    /// In place, as GNU cp does: the file keeps its inode, its links and its access control list. A
    /// killed run can leave a file that is written only in part.
    #[default]
    InPlace,
    /// By a new file, which takes the name when it is whole. It gets the owners, permissions and
    /// attributes of the old one, unless those of the source are preserved. A link to a device, a
    /// pipe, a socket or a descriptor is refused: [`Step::LinkInTheWay`](super::Step::LinkInTheWay).
    Replace,
}

/// Which existing destinations are overwritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// All.
    #[default]
    All,
    /// None (`cp -n`).
    None,
    /// None, and each is a failure: [`Step::CreateFile`](super::Step::CreateFile) with the kind
    /// [`AlreadyExists`](std::io::ErrorKind::AlreadyExists).
    Refuse,
    /// Those that are older than their sources (`cp -u`).
    Older,
    /// Those that differ from their sources in type, size, time of modification, a link's target
    /// or, if preserved, mode or owners (for an ordinary user: a group that the source has got since,
    /// if it is one of the user's). Preserved attributes and access control lists are compared if the
    /// source was changed (its ctime) when the copy was made, or later.
    Changed,
    /// As `Changed`, and those whose contents differ.
    Contents,
}

/// The paths of an entry: the source's, and the destination's.
#[derive(Clone, Copy, Debug)]
pub struct PathPair<'a> {
    pub(in crate::copy) source: &'a [u8],
    pub(in crate::copy) destination: &'a [u8],
}

impl<'a> PathPair<'a> {
    /// The source's path, beginning with the pair's source path as the caller spelled it.
    #[must_use]
    pub fn source(&self) -> &'a [u8] {
        self.source
    }

    /// The destination's path, beginning with the pair's destination path.
    #[must_use]
    pub fn destination(&self) -> &'a [u8] {
        self.destination
    }
}
