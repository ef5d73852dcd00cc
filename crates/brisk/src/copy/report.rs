//! [`Report`]: what a copy did, and what failed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::quoting::quoted;

use crate::Stats;
use crate::remove::report::MAX_FAILURES;

/// What a copy did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The number of entries copied, without directories.
    pub files: u64,
    /// The number of directories that were made.
    pub directories: u64,
    /// The number of bytes copied, without holes.
    pub bytes: u64,
    /// While the copy runs: the number of bytes still to be copied in files of more than 64 MiB
    /// whose copies have begun.
    pub left: u64,
    /// The number of entries whose destination stays as it is, because it does not differ, is not
    /// older, or must not be overwritten.
    pub unchanged: u64,
    /// The number of entries that were removed from the destination because the source does not
    /// have them.
    pub deleted: u64,
    /// The number of failures.
    pub failed: u64,
    /// The first thousand failures and warnings.
    pub failures: Vec<NotCopied>,
    /// How contents were copied, for each pair of file systems.
    pub ways: Vec<Way>,
    /// Whether the observer, or what cancels the walk, stopped the copy before its end.
    pub stopped: bool,
    /// System calls, workers, time.
    pub stats: Stats,
}

/// How contents were copied from one file system to another.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Way {
    /// The sources' device.
    pub from: u64,
    /// The destinations' device.
    pub to: u64,
    /// The number of files that share their blocks with their sources (FICLONE).
    pub cloned: u64,
    /// The number of files that the kernel copied (copy_file_range), which may share blocks too.
    pub in_kernel: u64,
    /// The number of files that were read and written.
    pub read_written: u64,
    /// The error number with which the system refused copy_file_range.
    pub refused: Option<i32>,
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Report {
    /// Adds the numbers of another report.
    pub(in crate::copy) fn add_numbers(&mut self, other: &Report) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.unchanged += other.unchanged;
        self.deleted += other.deleted;
        self.failed += other.failed;
    }

    /// A report of the numbers alone.
    pub(in crate::copy) fn numbers(&self) -> Report {
        let mut numbers = Report::default();
        numbers.add_numbers(self);
        numbers
    }

    pub(in crate::copy) fn add_way(&mut self, way: Way) {
        let same = |it: &&mut Way| (it.from, it.to) == (way.from, way.to);
        match self.ways.iter_mut().find(same) {
            Some(sum) => {
                sum.cloned += way.cloned;
                sum.in_kernel += way.in_kernel;
                sum.read_written += way.read_written;
                sum.refused = sum.refused.or(way.refused);
            }
            None => self.ways.push(way),
        }
    }
}

impl Report {
    /// Whether nothing failed, and the copy was not stopped.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failed == 0 && !self.stopped
    }

    pub(in crate::copy) fn add_failure(&mut self, failure: NotCopied) {
        self.failed += u64::from(!failure.step.is_warning());
        if self.failures.len() < MAX_FAILURES {
            self.failures.push(failure);
        }
    }
}

/// Something that was not copied, or not wholly.
#[derive(Debug)]
#[non_exhaustive]
pub struct NotCopied {
    /// What the copy was doing, or what it refused.
    pub step: Step,
    /// The source's path.
    pub source: PathBuf,
    /// The destination's path.
    pub destination: PathBuf,
    /// The system's error; `None` if the copy refused by itself.
    pub error: Option<io::Error>,
}

/// What failed or was refused. Every step that is not a refusal has the system's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Requesting the source's metadata.
    Stat,
    /// Opening the source file.
    Open,
    /// Requesting the metadata of the open source (fstat).
    StatOpen,
    /// Opening or reading the source directory.
    ReadDirectory,
    /// Reading the source file.
    Read,
    /// Reading the target of the source, which is a link.
    ReadLink,
    /// Requesting the destination's metadata.
    StatDestination,
    /// Opening the destination directory, which the copy has made or found.
    OpenDirectory,
    /// Making a directory.
    MakeDirectory,
    /// Making or opening the regular file at the destination, or giving it its name.
    CreateFile,
    /// Making a FIFO.
    CreateFifo,
    /// Making a device or a socket.
    CreateSpecial,
    /// Making a symbolic link.
    CreateLink,
    /// Making a hard link: with [`Create::HardLink`](super::Create::HardLink) to the source,
    /// otherwise to an earlier copy.
    CreateHardLink,
    /// Writing the contents.
    Write,
    /// Making the destination share the source's blocks.
    Clone,
    /// Removing the destination.
    Remove,
    /// Renaming the destination to its backup's name.
    Backup,
    /// Setting times.
    Times,
    /// Setting owners.
    Owners,
    /// Setting the mode; reading or setting access control lists.
    Mode,
    /// Reading or setting extended attributes.
    Attributes,
    /// Getting the observer's answer.
    Ask,
    /// Writing the file systems to disk.
    Sync,
    /// Refused: a directory, in a copy that is not [`recursive`](super::Copy::recursive).
    OmitDirectory,
    /// Refused: a FIFO, a device or a socket, with [`Specials::Refuse`](super::Specials::Refuse).
    SpecialFile,
    /// Refused: source and destination are one file.
    SameFile,
    /// Refused: a directory would be copied into itself.
    IntoItself,
    /// Refused: the source is in the destination, and [`delete`](super::Copy::delete) would remove
    /// it.
    HoldsSource,
    /// Refused: the destination is a directory, and the source is not.
    DirectoryInTheWay,
    /// Refused: the source is a directory, and the destination is not.
    NoDirectoryInTheWay,
    /// Refused: this copy has just made the destination.
    JustCreated,
    /// Refused: this copy has just made the link at the destination, and would write to the file
    /// that the link leads to.
    JustCreatedLink,
    /// Refused: the backup would replace the source.
    BackupIsSource,
    /// Refused: a link that leads nowhere is at the destination.
    DanglingLink,
    /// Refused: a link is in the way below the pair's own destination, or is that destination and
    /// leads to a device, a pipe, a socket or a descriptor. GNU cp would write to what the link
    /// leads to.
    LinkInTheWay,
    /// Refused: a symbolic link with a relative path, to be made outside the current directory.
    RelativeLink,
    /// Refused: the source was replaced by another file after it was listed.
    Replaced,
    /// Refused: the source's type is unknown.
    UnknownType,
    /// Refused: a followed link leads to a directory above it.
    Loop,
    /// Refused: this copy has already copied the source, a directory, to another place. The
    /// failure's source path is that place.
    DirectoryAgain,
    /// Only a warning: an earlier pair has the same source, a file.
    GivenTwice,
    /// Only a warning: an earlier pair has the same source directory and destination.
    DirectoryGivenTwice,
}

impl Step {
    /// Whether this is only a warning: an earlier pair has the same source. If that pair has another
    /// destination, this pair's is not made.
    #[must_use]
    pub fn is_warning(self) -> bool {
        matches!(self, Step::GivenTwice | Step::DirectoryGivenTwice)
    }
}

impl NotCopied {
    /// The path that the step was about: the source's or the destination's.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self.step {
            Step::Stat
            | Step::Open
            | Step::StatOpen
            | Step::ReadDirectory
            | Step::Read
            | Step::ReadLink
            | Step::OmitDirectory
            | Step::SpecialFile
            | Step::Replaced
            | Step::UnknownType
            | Step::Loop => &self.source,
            _ => &self.destination,
        }
    }

    /// The system's error; for a refusal, the error that the system has for such a case.
    #[must_use]
    pub fn to_io(&self) -> io::Error {
        let kind = match (&self.error, self.step) {
            (Some(error), _) => match error.raw_os_error() {
                Some(code) => return io::Error::from_raw_os_error(code),
                None => error.kind(),
            },
            (None, Step::OmitDirectory | Step::DirectoryInTheWay) => io::ErrorKind::IsADirectory,
            (None, Step::NoDirectoryInTheWay) => io::ErrorKind::AlreadyExists,
            (None, _) => io::ErrorKind::InvalidInput,
        };
        kind.into()
    }

    /// One line of English, in the words of GNU cp: names as `name` quotes them, the system's error
    /// as `cause` puts it.
    #[must_use]
    pub fn words(
        &self,
        name: impl Fn(&[u8]) -> String,
        cause: impl Fn(&io::Error) -> String,
    ) -> String {
        let [from, to] =
            [&self.source, &self.destination].map(|path| name(path.as_os_str().as_encoded_bytes()));
        let why = self.error.as_ref().map(|error| format!(": {}", cause(error)));
        in_words(self.step, &from, &to, &why.unwrap_or_default())
    }
}

/// What failed, with names and cause as they are shown.
// long: a line for each step
fn in_words(step: Step, from: &str, to: &str, why: &str) -> String {
    let about = |verb: &str, path: &str| format!("{verb} {path}{why}");
    match step {
        Step::Stat => about("cannot stat", from),
        Step::Open => format!("cannot open {from} for reading{why}"),
        Step::StatOpen => about("cannot fstat", from),
        Step::ReadDirectory => about("cannot access", from),
        Step::Read => about("error reading", from),
        Step::ReadLink => about("cannot read symbolic link", from),
        Step::StatDestination => about("cannot stat", to),
        Step::OpenDirectory => about("cannot open directory", to),
        Step::MakeDirectory => about("cannot create directory", to),
        Step::CreateFile => about("cannot create regular file", to),
        Step::CreateFifo => about("cannot create fifo", to),
        Step::CreateSpecial => about("cannot create special file", to),
        Step::CreateLink => about("cannot create symbolic link", to),
        Step::CreateHardLink => format!("cannot create hard link {to} to {from}{why}"),
        Step::Write => about("error writing", to),
        Step::Clone => format!("failed to clone {to} from {from}{why}"),
        Step::Remove => about("cannot remove", to),
        Step::Backup => about("cannot backup", to),
        Step::Times => about("preserving times for", to),
        Step::Owners => about("failed to preserve ownership for", to),
        Step::Mode => about("preserving permissions for", to),
        Step::Attributes => about("setting attributes for", to),
        Step::Ask => about("no answer on whether to overwrite", to),
        Step::Sync => about("error syncing the file system of", to),
        Step::OmitDirectory => about("-r not specified; omitting directory", from),
        Step::SpecialFile => format!("{from} is not a regular file"),
        Step::SameFile => format!("{from} and {to} are the same file"),
        Step::IntoItself => format!("cannot copy a directory, {from}, into itself, {to}"),
        Step::HoldsSource => format!("will not remove from {to}, which holds {from}"),
        Step::DirectoryInTheWay => {
            format!("cannot overwrite directory {to} with non-directory{why}")
        }
        Step::NoDirectoryInTheWay => {
            format!("cannot overwrite non-directory {to} with directory {from}")
        }
        Step::JustCreated => format!("will not overwrite just-created {to} with {from}"),
        Step::JustCreatedLink => {
            format!("will not copy {from} through just-created symlink {to}")
        }
        Step::BackupIsSource => {
            format!("backing up {to} might destroy source;  {from} not copied")
        }
        Step::DanglingLink => about("not writing through dangling symlink", to),
        Step::LinkInTheWay => about("not writing through symlink", to),
        Step::RelativeLink => {
            format!("{to}: can make relative symbolic links only in current directory")
        }
        Step::Replaced => {
            format!("skipping file {from}, as it was replaced while being copied")
        }
        Step::UnknownType => format!("{from} has unknown file type"),
        Step::Loop => format!("cannot copy cyclic symbolic link {from}"),
        Step::DirectoryAgain => format!("will not create hard link {to} to directory {from}"),
        Step::DirectoryGivenTwice => {
            format!("warning: source directory {from} specified more than once")
        }
        Step::GivenTwice => format!("warning: source file {from} specified more than once"),
    }
}

impl fmt::Display for NotCopied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(|name| quoted(name).to_string(), io::Error::to_string))
    }
}

impl std::error::Error for NotCopied {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.as_ref().map(|error| error as _)
    }
}
